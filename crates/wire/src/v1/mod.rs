//! Version 1 of the API.

mod access;
mod ask;
mod asker;
mod described;
mod doubt;
mod events;
#[cfg(test)]
mod generated;
#[cfg(test)]
mod hidden;
mod params;
mod policy;
mod problem;
#[cfg(test)]
mod samples;
mod session;
mod strict;
mod times;
#[cfg(test)]
mod typescript;

pub use access::{
    AgentParams, DeviceJson, DevicesResponse, InsideAgentParams, LinkParams, LinkResponse,
    LoginParams, LoginResponse, StatusResponse, WatchJson, WatchStateJson,
};
pub use ask::{
    AskParams, AskResponse, AsksResponse, DelivererJson, DeliveryJson, KindJson, resolution_json,
};
pub use asker::AskerJson;
pub use described::{
    ApprovalJson, EndingJson, OptionJson, QuestionJson, ResolutionJson, ResponderJson,
};
pub use doubt::DoubtJson;
pub use events::{ChallengeFrame, EventFrame, ProofFrame, TicketFrame, TokenFrame};
pub use params::{
    AnswerJson, AnswerParams, DeclineParams, DiscussParams, DraftJson, ExtendParams, LookParams,
    PreviewParams, PreviewResponse, ReceiptParams, WithdrawParams,
};
pub use policy::PolicyJson;
pub use problem::{Problem, ViolationJson};
pub use session::{
    InterruptParams, MessageJson, MessagesResponse, ProgressParams, ProgressResponse, RunnerJson,
    SayParams, SayResponse, SayingJson, SessionJson, SessionParams, SessionsResponse, StartParams,
    StreamedJson, ToolCallJson,
};
pub use strict::Object;
pub use times::{ProjectJson, TimesJson, TimesResponse, WaitedJson};

/// The header in which a process names itself as an ask's deliverer.
pub const DELIVERER_HEADER: &str = "handraise-deliverer";
/// The header in which a person's program says where the person is: `terminal`, `web` or `api`.
pub const SURFACE_HEADER: &str = "handraise-surface";
