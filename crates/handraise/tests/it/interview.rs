//! `handraise interview` against a scripted Anthropic endpoint and a scripted OpenAI-compatible one.

use std::os::unix::process::ExitStatusExt;

use handraise_broker::{Reply, State};
use handraise_testkit::{Block, Fault, Program};
use rustix::process::Signal;
use serde_json::json;

use crate::interview_scene::{
    Api, InterviewScene, KEY, TASK, asks, closes, method, providers, storage, task,
};

/// Three rounds; in the second the model sends five options first.
fn several_rounds(api: Api) {
    let mut too_many = providers();
    too_many["options"].as_array_mut().unwrap().push(json!({"label": "X", "description": "x"}));
    let turns = vec![
        asks(&[method()]),
        asks(&[too_many]),
        asks(&[providers(), storage()]),
        asks(&[json!({"question": "Who signs in first?", "header": "First", "multiSelect": false,
            "options": [{"label": "Staff", "description": "few"}, {"label": "All", "description": "many"}]})]),
        closes(),
    ];
    let scene = InterviewScene::new(turns);
    let program = scene.begin(api, &[]);
    let first = scene.answer(json!([{"selected": ["JWT"], "notes": "as before"}]));
    assert_eq!(first.asker().agent, "handraise-interview");
    assert_eq!(first.asker().title.as_deref(), Some(task().as_str()));
    assert_eq!(first.asker().preamble.as_deref(), Some("A word before."));
    let words = "a, \"b\"\nצד 🙋";
    scene.answer(json!([{"selected": ["Google", "Apple"], "words": words}, {"leftOpen": true}]));
    let last = scene.wait_open();
    scene.reply(&last, Reply::Decline(Some("ask Bob".into())));
    let ended = program.wait_exit();
    assert!(ended.status.success(), "{}", ended.stderr);
    assert_eq!(ended.stdout.trim(), scene.output().display().to_string());
    // Each of the three that were good was asked once, and all were handed over.
    assert_eq!(scene.asks(&[State::Delivered]).len(), 3);
    assert_eq!(scene.asks(&[]).len(), 3);
    // The model was told what was wrong, and what was answered.
    let read = scene.model.tool_results();
    assert_eq!(read.len(), 4, "{read:?}");
    assert!(read[0].text.contains("Selected: JWT") && !read[0].is_error, "{read:?}");
    assert!(read[1].text.contains("questions[0].options"), "{read:?}");
    assert!(read[1].text.contains("2–4"), "{read:?}");
    for line in words.lines() {
        assert!(read[2].text.contains(line), "{line} in {read:?}");
    }
    assert!(read[3].text.contains("declined to answer: ask Bob"), "{read:?}");
    let text = scene.specification();
    for (once, line) in
        [("Auth Method", "- Decided: **JWT**"), ("Providers", "- Decided: **Google**, **Apple**")]
    {
        assert_eq!(text.matches(&format!(". {once}\n")).count(), 1, "{text}");
        assert_eq!(text.matches(line).count(), 1, "{text}");
    }
    assert_eq!(text.matches("- Decided by: ").count(), 2, "{text}");
    assert_eq!(text.matches("Decided by: ann").count(), 2, "{text}");
    assert!(text.starts_with("# Sign-in\n"), "{text}");
    assert!(text.contains("- Reason: about JWT") && text.contains("- Remark: as before"), "{text}");
    assert!(text.contains("  a, \"b\"\n  צד 🙋\n"), "{text}");
    assert!(text.contains("Where are sessions kept? (left open on purpose by ann"), "{text}");
    assert!(text.contains("Who signs in first? (declined by ann: ask Bob)"), "{text}");
}

#[test]
fn several_rounds_with_anthropic() {
    several_rounds(Api::Anthropic);
}

#[test]
fn several_rounds_with_an_openai_compatible_model() {
    several_rounds(Api::Openai);
}

#[test]
fn a_model_that_never_stops_asking_comes_to_an_end() {
    for api in [Api::Anthropic, Api::Openai] {
        let scene = InterviewScene::new(vec![
            asks(&[method()]),
            asks(&[providers()]),
            asks(&[storage()]),
            asks(&[storage()]),
            asks(&[storage()]),
            asks(&[storage()]),
        ]);
        let program = scene.begin(api, &["--max-asks", "2"]);
        scene.answer(json!([{"selected": ["JWT"]}]));
        scene.answer(json!([{"selected": ["GitHub"]}]));
        let ended = program.wait_exit();
        assert!(ended.status.success(), "{}", ended.stderr);
        assert!(ended.stderr.contains("cut off"), "{}", ended.stderr);
        assert_eq!(scene.asks(&[]).len(), 2);
        let text = scene.specification();
        assert_eq!(text.matches("- Decided by: ").count(), 2, "{text}");
        assert!(text.contains("- The interview was cut off, so more may be open:"), "{text}");
    }
}

#[test]
fn a_model_that_is_told_to_stop_writes_the_specification() {
    let scene = InterviewScene::new(vec![asks(&[method()]), asks(&[storage()]), closes()]);
    let program = scene.begin(Api::Anthropic, &["--max-asks", "1"]);
    scene.answer(json!([{"selected": ["JWT"]}]));
    let ended = program.wait_exit();
    assert!(ended.status.success(), "{}", ended.stderr);
    let text = scene.specification();
    assert!(text.starts_with("# Sign-in\n") && !text.contains("cut off"), "{text}");
}

#[test]
fn a_busy_model_and_a_dropped_stream_are_tried_again() {
    for api in [Api::Anthropic, Api::Openai] {
        let scene = InterviewScene::new(vec![asks(&[method()]), asks(&[storage()]), closes()]);
        let (broken, ended) = (Fault::Broken { after: 3 }, Fault::Ended { after: 2 });
        scene.model.faults("interview", 0, vec![Fault::retry_after(429, "0")]);
        scene.model.faults("interview", 1, vec![broken, ended]);
        scene.model.faults("interview", 2, vec![Fault::retry_after(503, "0")]);
        let program = scene.begin(api, &[]);
        scene.answer(json!([{"selected": ["JWT"]}]));
        scene.answer(json!([{"selected": ["Cookie"]}]));
        let ended = program.wait_exit();
        assert!(ended.status.success(), "{}", ended.stderr);
        assert!(ended.stderr.contains("429"), "{}", ended.stderr);
        assert!(ended.stderr.contains("ended in the middle"), "{}", ended.stderr);
        assert_eq!(ended.stderr.matches("trying again").count(), 4, "{}", ended.stderr);
        // What was said in vain is not shown, and nothing was asked twice.
        assert_eq!(ended.stderr.matches("A word before.").count(), 2, "{}", ended.stderr);
        assert_eq!(scene.asks(&[]).len(), 2);
        assert_eq!(scene.specification().matches("- Decided by: ").count(), 2);
    }
}

#[test]
fn a_model_that_is_not_to_be_had_costs_no_answer() {
    let scene = InterviewScene::new(vec![asks(&[method()]), closes()]);
    scene.model.faults("interview", 1, vec![Fault::status(401)]);
    let program = scene.begin(Api::Anthropic, &[]);
    scene.answer(json!([{"selected": ["JWT"]}]));
    let ended = program.wait_exit();
    assert_eq!(ended.status.code(), Some(1), "{}", ended.stderr);
    assert!(ended.stderr.contains("does not accept the key"), "{}", ended.stderr);
    assert!(ended.stderr.contains("handraise interview --resume"), "{}", ended.stderr);
    assert!(!ended.stderr.contains(KEY), "{}", ended.stderr);
    let ended = scene.resume(&[]).wait_exit();
    assert!(ended.status.success(), "{}", ended.stderr);
    assert_eq!(scene.asks(&[]).len(), 1);
    assert!(scene.specification().contains("- Decided: **JWT**"));
}

#[test]
fn a_model_that_gives_up_keeps_no_answer_from_the_person() {
    for api in [Api::Anthropic, Api::Openai] {
        let bad = vec![Block::tool("AskUserQuestion", json!({"questions": []}))];
        let mut turns = vec![asks(&[method()])];
        turns.extend(std::iter::repeat_n(bad, 6));
        let scene = InterviewScene::new(turns);
        let program = scene.begin(api, &[]);
        scene.answer(json!([{"selected": ["JWT"]}]));
        let ended = program.wait_exit();
        assert!(ended.status.success(), "{}", ended.stderr);
        let text = scene.specification();
        assert!(text.contains("- Decided: **JWT**"), "{text}");
        assert!(text.contains("invalid tool calls in a row"), "{text}");
    }
}

#[test]
fn another_model_may_go_on() {
    let scene = InterviewScene::new(vec![asks(&[method()]), closes()]);
    scene.model.faults("interview", 1, vec![Fault::status(404)]);
    let program = scene.begin(Api::Anthropic, &[]);
    scene.answer(json!([{"selected": ["JWT"]}]));
    let ended = program.wait_exit();
    assert_eq!(ended.status.code(), Some(1), "{}", ended.stderr);
    let url = format!("{}/v1", scene.model.url());
    let other = ["--api", "openai", "--base-url", &url, "--model", "another"];
    let ended = scene.resume(&other).wait_exit();
    assert!(ended.status.success(), "{}", ended.stderr);
    assert_eq!(scene.asks(&[]).len(), 1);
    assert!(scene.specification().contains("- Decided: **JWT**"));
}

#[test]
fn a_signal_ends_it_while_the_model_is_silent() {
    let scene = InterviewScene::new(vec![asks(&[method()]), closes()]);
    scene.model.faults("interview", 1, vec![Fault::Silent { after: 0 }]);
    let program = scene.begin(Api::Anthropic, &[]);
    let record = scene.answer(json!([{"selected": ["JWT"]}]));
    // The model has the answer, and says nothing.
    scene.wait_delivered(record.id);
    program.signal(Signal::TERM);
    let ended = program.wait_exit();
    assert_eq!(ended.status.signal(), Some(15), "{ended:?}");
    assert!(scene.resume(&[]).wait_exit().status.success());
}

#[test]
fn a_receipt_that_a_kill_came_before_is_given_later() {
    let scene = InterviewScene::new(vec![asks(&[method()]), closes()]);
    let program = scene.begin(Api::Anthropic, &[]);
    let open = scene.wait_open();
    let _ = program.kill();
    scene.answer(json!([{"selected": ["JWT"]}]));
    // As if it had been killed after the answer was kept, and before anybody was told.
    let history = std::fs::read_to_string(scene.interview_file("history.jsonl")).unwrap();
    let call = history.split('"').find(|word| word.starts_with("toolu_")).unwrap();
    let line = json!({"call": call,
        "questions": serde_json::from_str::<serde_json::Value>(open.matter().as_sent().get()).unwrap(),
        "resolution": {"kind": "answered", "at": "2026-01-01T00:00:00Z", "responder": null,
            "answers": [{"selected": ["JWT"], "words": null, "notes": null, "leftOpen": false}]},
        "ask": open.id});
    let minutes = scene.interview_file("minutes.jsonl");
    std::fs::write(minutes, format!("{line}\n")).unwrap();
    let ended = scene.resume(&[]).wait_exit();
    assert!(ended.status.success(), "{}", ended.stderr);
    assert_eq!(scene.asks(&[State::Delivered]).len(), 1);
}

#[test]
fn killed_it_goes_on_at_the_open_question() {
    for api in [Api::Anthropic, Api::Openai] {
        let scene = InterviewScene::new(vec![asks(&[method()]), asks(&[providers()]), closes()]);
        let program = scene.begin(api, &[]);
        scene.answer(json!([{"selected": ["JWT"]}]));
        let open = scene.wait_open();
        let _ = program.kill();
        let program = scene.resume(&[]);
        program.wait_stderr("Waiting for an answer");
        assert_eq!(scene.wait_open().id, open.id, "the same ask, not another one");
        scene.answer(json!([{"selected": ["Google"]}]));
        let ended = program.wait_exit();
        assert!(ended.status.success(), "{}", ended.stderr);
        let text = scene.specification();
        assert_eq!(text.matches("- Decided by: ").count(), 2, "{text}");
        for once in ["- Decided: **JWT**", "- Decided: **Google**"] {
            assert_eq!(text.matches(once).count(), 1, "{text}");
        }
        assert_eq!(scene.asks(&[State::Delivered]).len(), 2);
        assert_eq!(scene.asks(&[]).len(), 2);
        assert_eq!(scene.model.tool_results().len(), 2);
    }
}

#[test]
fn what_was_answered_while_it_was_gone_is_not_asked_again() {
    let scene = InterviewScene::new(vec![asks(&[method()]), closes()]);
    let program = scene.begin(Api::Anthropic, &[]);
    let open = scene.wait_open();
    let _ = program.kill();
    scene.answer(json!([{"selected": ["JWT"]}]));
    let ended = scene.resume(&[]).wait_exit();
    assert!(ended.status.success(), "{}", ended.stderr);
    assert_eq!(scene.asks(&[]).len(), 1);
    assert_eq!(scene.asks(&[State::Delivered])[0].id, open.id);
    assert_eq!(scene.specification().matches("- Decided: **JWT**").count(), 1);
}

#[test]
fn the_hub_may_be_killed_in_between() {
    let mut scene = InterviewScene::new(vec![asks(&[method()]), asks(&[storage()]), closes()]);
    let program = scene.begin(Api::Anthropic, &[]);
    program.wait_stderr("Waiting for an answer");
    scene.hub.kill();
    program.wait_stderr("The hub is away");
    scene.hub.restart();
    scene.answer(json!([{"selected": ["JWT"]}]));
    scene.answer(json!([{"selected": ["Cookie"]}]));
    let ended = program.wait_exit();
    assert!(ended.status.success(), "{}", ended.stderr);
    assert_eq!(scene.specification().matches("- Decided by: ").count(), 2);
}

#[test]
fn somebody_who_wants_to_talk_first_is_answered_and_asked_again() {
    let scene = InterviewScene::new(vec![
        asks(&[method()]),
        // Words to the person without a call: the model is told where they belong.
        vec![Block::text("OAuth costs nothing here.")],
        vec![Block::text("As I said, nothing."), Block::ask(&json!([method()]))],
        closes(),
    ]);
    let program = scene.begin(Api::Openai, &[]);
    let first = scene.wait_open();
    scene.reply(&first, Reply::Discuss("What does it cost?".into()));
    let again = scene.wait_open();
    assert_eq!(again.asker().preamble.as_deref(), Some("As I said, nothing."));
    scene.answer(json!([{"selected": ["OAuth 2.0 (Recommended)"]}]));
    let ended = program.wait_exit();
    assert!(ended.status.success(), "{}", ended.stderr);
    assert!(ended.stderr.contains("OAuth costs nothing here."), "{}", ended.stderr);
    let text = scene.specification();
    assert_eq!(text.matches("- Decided by: ").count(), 1, "{text}");
    assert!(text.ends_with("## Open points\n\nNone.\n"), "{text}");
}

#[test]
fn the_key_is_in_no_file_and_no_word() {
    let scene = InterviewScene::new(vec![asks(&[method()]), closes()]);
    let program = scene.begin(Api::Anthropic, &[]);
    scene.answer(json!([{"selected": ["JWT"]}]));
    let ended = program.wait_exit();
    assert!(ended.status.success(), "{}", ended.stderr);
    assert!(!ended.stderr.contains(KEY) && !ended.stdout.contains(KEY));
    for (path, bytes) in scene.all_files() {
        let found = bytes.windows(KEY.len()).any(|window| window == KEY.as_bytes());
        assert!(!found, "{}", path.display());
    }
}

#[test]
fn what_would_end_badly_is_refused_before_anybody_is_asked() {
    let scene = InterviewScene::new(vec![closes()]);
    std::fs::write(scene.output(), "mine").unwrap();
    let refused = |command: &mut std::process::Command, code: i32, words: &[&str]| {
        let ended = Program::run(command);
        assert_eq!(ended.status.code(), Some(code), "{}", ended.stderr);
        for word in words {
            assert!(ended.stderr.contains(word), "{word} in {}", ended.stderr);
        }
    };
    let with = |args: &[&str]| scene.command(Api::Anthropic, args);
    refused(with(&[]).arg(TASK), 2, &["SPEC.md is there already", "--force"]);
    refused(with(&["-o", "no/where.md"]).arg(TASK), 2, &["there is no directory"]);
    refused(with(&["-o", "."]).arg(TASK), 2, &["is a directory"]);
    refused(with(&["-o", "x.md"]).arg("  "), 2, &["the task is empty"]);
    refused(&mut scene.bare(&["--resume"]), 2, &["no interview that was left"]);
    refused(&mut scene.bare(&["--resume", "nosuch"]), 2, &["no interview of this name"]);
    refused(
        with(&["-o", "x.md"]).arg(TASK).env_remove("ANTHROPIC_API_KEY"),
        2,
        &["ANTHROPIC_API_KEY is not set"],
    );
    let mut elsewhere = scene.bare(&["-o", "x.md", "--base-url", "ftp://x", TASK]);
    refused(&mut elsewhere, 2, &["must begin with http:// or https://"]);
    assert_eq!(std::fs::read_to_string(scene.output()).unwrap(), "mine");
    let listed = Program::run(&mut scene.bare(&["--list"]));
    assert_eq!(listed.stdout, "No interviews.\n");
}

#[test]
fn a_file_that_appears_meanwhile_is_not_overwritten_and_nothing_is_lost() {
    let scene = InterviewScene::new(vec![asks(&[method()]), closes()]);
    let program = scene.begin(Api::Anthropic, &[]);
    scene.wait_open();
    std::fs::write(scene.output(), "mine").unwrap();
    scene.answer(json!([{"selected": ["JWT"]}]));
    let ended = program.wait_exit();
    assert_eq!(ended.status.code(), Some(2), "{}", ended.stderr);
    assert_eq!(scene.specification(), "mine");
    let listed = Program::run(&mut scene.bare(&["--list"]));
    assert!(listed.stdout.contains("finished") && listed.stdout.contains(TASK), "{listed:?}");
    let id = listed.stdout.lines().nth(1).unwrap().split_whitespace().next().unwrap().to_owned();
    let ended = Program::run(&mut scene.bare(&["--resume", &id, "-o", "other.md"]));
    assert!(ended.status.success(), "{}", ended.stderr);
    let other = std::fs::read_to_string(scene.directory.path().join("other.md")).unwrap();
    assert!(other.contains("- Decided: **JWT**"), "{other}");
    assert_eq!(scene.asks(&[]).len(), 1);
}

#[test]
fn one_interview_is_held_in_one_process() {
    let scene = InterviewScene::new(vec![asks(&[method()]), closes()]);
    let program = scene.begin(Api::Anthropic, &[]);
    scene.wait_open();
    let other = scene.resume(&[]).wait_exit();
    assert_eq!(other.status.code(), Some(5), "{}", other.stderr);
    scene.answer(json!([{"selected": ["JWT"]}]));
    assert!(program.wait_exit().status.success());
}

#[test]
fn standard_output_may_be_where_it_goes() {
    let scene = InterviewScene::new(vec![asks(&[method()]), closes()]);
    let program = scene.begin(Api::Anthropic, &["-o", "-"]);
    scene.answer(json!([{"selected": ["JWT"]}]));
    let ended = program.wait_exit();
    assert!(ended.status.success(), "{}", ended.stderr);
    assert!(ended.stdout.starts_with("# Sign-in\n"), "{}", ended.stdout);
    assert!(!scene.output().exists());
}
