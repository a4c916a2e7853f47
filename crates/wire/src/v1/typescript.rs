//! The same types for the dashboard: written from these, so that the two cannot differ.

use ts_rs::{Config, TS};

use super::access::PowerJson;
use super::ask::StateJson;
use super::doubt::DoubtKindJson;
use super::generated::matches_what_is_kept;
use super::params::VerdictJson;
use super::policy::LevelJson;
use super::session::{MessageKindJson, MessageStateJson, SessionStateJson};
use super::*;

const HEAD: &str = "\
// Generated from crates/wire by its tests; do not edit. To write it anew:
// UPDATE_TYPES=1 cargo test --package handraise-wire

export type JsonValue = number | string | boolean | null | JsonValue[] | { [key: string]: JsonValue };
";

macro_rules! declarations {
    ($($name:ty),* $(,)?) => {{
        let config = Config::new().with_large_int("number");
        [$(tidy(&<$name as TS>::decl(&config))),*].concat()
    }};
}

/// Each field and each comment in a line of its own.
fn tidy(declaration: &str) -> String {
    let comments = declaration.replace("/**\n * ", "/** ").replace("\n */", " */");
    let lines = comments.replace("\n * ", " ").replace(", }", ",\n}");
    let indented = lines.lines().map(|line| {
        let indent = if line.starts_with("type") || line.starts_with('}') { "" } else { "  " };
        format!("{indent}{}\n", line.trim_end())
    });
    format!("\nexport {}", indented.collect::<String>())
}

#[test]
fn the_dashboard_knows_the_types_of_this_api() {
    let declarations = declarations![
        StateJson,
        KindJson,
        PowerJson,
        VerdictJson,
        LevelJson,
        DoubtKindJson,
        AskerJson,
        OptionJson,
        QuestionJson,
        ApprovalJson,
        PolicyJson,
        ResponderJson,
        EndingJson,
        ResolutionJson,
        DoubtJson,
        DeliveryJson,
        AskResponse,
        AsksResponse,
        AnswerJson,
        AnswerParams,
        DeclineParams,
        DiscussParams,
        ExtendParams,
        InterruptParams,
        DraftJson,
        LookParams,
        PreviewParams,
        PreviewResponse,
        DeviceJson,
        DevicesResponse,
        LinkResponse,
        LoginParams,
        LoginResponse,
        StatusResponse,
        WatchJson,
        WatchStateJson,
        WaitedJson,
        TimesJson,
        ProjectJson,
        TimesResponse,
        SessionStateJson,
        RunnerJson,
        SessionJson,
        SessionsResponse,
        MessageKindJson,
        MessageStateJson,
        ToolCallJson,
        MessageJson,
        StreamedJson,
        MessagesResponse,
        SayParams,
        SayResponse,
        StartParams,
        ViolationJson,
        Problem,
        EventFrame,
    ];
    matches_what_is_kept("v1.ts", &format!("{HEAD}{declarations}"));
}
