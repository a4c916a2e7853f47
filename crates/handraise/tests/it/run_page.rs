//! A session that is led from the dashboard alone, from its start to its end, in a real browser.

use std::fs;
use std::sync::Arc;

use handraise_broker::{MessageKind, MessageState, Record, SessionState, State};
use handraise_testkit::{Block, Browser, ClaudeHome};
use serde_json::json;

use crate::claude_scene::{auth, chosen, database, features, layout, surface};
use crate::run_scene::{RunScene, is_alive};

/// A hub that may start Claude Code in the projects of its home.
fn scene() -> RunScene {
    let mut run = RunScene::without_run("");
    let config = format!(
        "person = \"ann\"\n[run]\nstart_in = ['{}']\ncommand = ['{}']\n",
        run.project.parent().unwrap().display(),
        ClaudeHome::program().display(),
    );
    fs::write(run.scene.hub.home().config(), config).unwrap();
    run.scene.hub.stop();
    run.restart_hub_with_the_environment_of_claude_code();
    run
}

/// Waits for the next ask, in whose card the page then is.
fn next(run: &RunScene, page: &mut Browser) -> Arc<Record> {
    let ask = run.scene.wait_open(1).remove(0);
    page.card(ask.id);
    ask
}

fn say(page: &mut Browser, words: &str) {
    page.page().fill("Your words to Claude", words).click("Send");
}

fn touch(file: &str) -> Block {
    Block::tool("Bash", json!({"command": format!("touch {file}"), "description": "Touches"}))
}

#[test]
fn a_session_is_led_from_the_page_alone_from_start_to_end() {
    let run = scene();
    let model = &run.scene.model;
    let asked = |questions| vec![Block::text("Before I begin."), Block::ask(&questions)];
    model.script("one", vec![asked(json!([database()]))]);
    model.script("many", vec![asked(json!([features()]))]);
    model.script("four", vec![asked(json!([database(), features(), layout(), auth()]))]);
    model.script("tools", vec![vec![touch("yes")], vec![touch("no")]]);
    model.script("plan", vec![vec![Block::tool("ExitPlanMode", json!({"plan": "# The plan"}))]]);
    model.script("hello", vec![vec![Block::text("Hello **there**.")]]);
    let mut page = Browser::at(&run.scene.hub);

    // It is started, and asks.
    page.follow("Sessions").click("Start a session…");
    page.fill("Directory", &run.project.display().to_string());
    page.fill("First words", "SCRIPT:one TAG:one").click("Start");
    page.see("Before I begin.");
    let ask = next(&run, &mut page);
    page.check("SQLite");
    // Words wait while it does.
    page.page().fill("Your words to Claude", "and keep it small").click("Send").see("Queued");
    page.card(ask.id).click("Submit");
    assert_eq!(model.wait_result("one").text, chosen(&[(&database(), "SQLite")]));
    let seen = run.scene.wait_seen(ask.id);
    assert_eq!((seen.state(), surface(&seen)), (State::Delivered, json!("web")));
    run.wait_message("words that waited", |message| {
        message.text == "and keep it small" && message.state == Some(MessageState::Delivered)
    });
    run.wait_state(&[SessionState::Idle]);

    // Several, with words of one's own.
    say(&mut page, "SCRIPT:many TAG:many");
    next(&run, &mut page);
    page.check("Auth").check("Search").fill("your own words", "and docs").click("Submit");
    let read = model.wait_result("many").text;
    assert!(read.contains("\"Auth, Search, and docs\""), "{read}");
    run.wait_state(&[SessionState::Idle]);

    // Four at once.
    say(&mut page, "SCRIPT:four TAG:four");
    let ask = next(&run, &mut page);
    page.section("Which database").check("MySQL");
    page.section("Which features").check("Search");
    page.section("Which layout").check("Topbar");
    page.section("Which auth").check("JWT");
    page.card(ask.id).click("Submit");
    let read = model.wait_result("four").text;
    assert!(read.contains("\"MySQL\"") && read.contains("\"JWT\""), "{read}");
    run.wait_state(&[SessionState::Idle]);

    // Tools, allowed and denied.
    say(&mut page, "SCRIPT:tools TAG:tools");
    let first = next(&run, &mut page);
    page.see("touch yes").click("Allow");
    model.wait_result("tools");
    let second =
        run.wait("second call", || run.scene.open().into_iter().find(|a| a.id != first.id));
    page.card(second.id).fill("A word", "not that one").click("Deny");
    let read = model.wait_nth_result("tools", 1).text;
    assert_eq!(read, "The person did not allow this: not that one.");
    assert!(run.project.join("yes").exists() && !run.project.join("no").exists());
    run.wait_state(&[SessionState::Idle]);

    // It is stopped in the middle of a question, and goes on.
    say(&mut page, "SCRIPT:one TAG:stopped");
    let ask = next(&run, &mut page);
    page.page().click("Interrupt").see("Interrupted.");
    assert_eq!(run.scene.wait_ended(ask.id).resolved().unwrap().kind(), "withdrawn");
    run.wait_state(&[SessionState::Idle]);
    say(&mut page, "SCRIPT:hello");
    page.see("Hello there.");

    // It is ended.
    let runner = run.wait_state(&[SessionState::Idle]).runner.clone().unwrap().pid;
    page.page().click("End…").click("End for good").see("This session is over.");
    run.wait_state(&[SessionState::Ended]);
    run.wait("end of the runner", || (!is_alive(runner)).then_some(()));
    let kinds = run.messages().iter().filter(|message| message.kind == MessageKind::Answer).count();
    assert_eq!(kinds, 5, "{:#?}", run.messages());
}

#[test]
fn nothing_is_started_where_it_is_not_allowed() {
    let run = scene();
    let outside = tempfile::tempdir().unwrap();
    let link = run.project.join("way-out");
    std::os::unix::fs::symlink(outside.path(), &link).unwrap();
    let start = |directory: &std::path::Path| {
        let body = json!({"directory": directory, "text": "hello"});
        let power = handraise_broker::Power::Person;
        run.scene.hub.plain(power, "POST", "/sessions/start", Some(&body))
    };
    let above = run.project.join("../../..");
    for place in [outside.path(), &link, &above, &run.project.join("nowhere")] {
        let refused = start(place);
        assert_eq!(refused.status, 422, "{}: {:?}", place.display(), refused.body);
        assert_eq!(refused.body["violations"][0]["path"], "directory");
    }
    let agents = handraise_broker::Power::Agent;
    let body = json!({"directory": run.project, "text": "hello"});
    let refused = run.scene.hub.plain(agents, "POST", "/sessions/start", Some(&body));
    assert_eq!(refused.status, 403, "{:?}", refused.body);
    assert!(run.scene.history().is_empty());
}
