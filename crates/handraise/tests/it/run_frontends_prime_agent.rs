//! prime-agent's page in a real browser, at a hub under which the real Claude Code runs.

use handraise_broker::{MessageKind, MessageState, SessionState, State};
use serde_json::json;

use crate::claude_scene::{auth, chosen, database, features, said, surface};
use crate::frontend_scene::{FrontEnds, hostile, hostile_chosen};

#[test]
fn one_several_and_own_words_are_answered_and_words_are_said_in_between() {
    let scene = FrontEnds::new(&["--preset", "prime-agent"]);
    let (run, model) = (&scene.run, &scene.run.scene.model);
    let mut page = scene.prime_agent();
    page.see("The agent is idle").enabled("Message");

    run.ask("one", &[database()]);
    page.see("Which database should we use?").see("Database").see("about SQLite").see("s left");
    page.see("Waiting for your answer").disabled("Message").disabled("Send");
    let ask = run.scene.wait_open(1).remove(0);
    // Nothing is sent without an answer.
    page.click("Submit").see("This one has no answer yet.").accessible();
    page.check("SQLite");
    scene.while_the_hub_stands_still(|| {
        page.click("Submit").disabled("Sent…").disabled("Cancel").disabled("Postgres");
    });
    assert_eq!(model.wait_result("one").text, chosen(&[(&database(), "SQLite")]));
    page.part(".log").see("Which database should we use?").see("SQLite");
    page.page().gone("The agent asks").see("The agent is idle");
    let seen = run.scene.wait_seen(ask.id);
    assert_eq!((seen.state(), surface(&seen)), (State::Delivered, json!("dialect:prime-agent")));

    run.wait_state(&[SessionState::Idle]);
    run.ask("many", &[features()]);
    page.check("Auth").check("Billing, taxes").check("say \"hi\"").click("Submit");
    let read = model.wait_result("many").text;
    let expected = r#""Which features do you want?"="Auth, "Billing, taxes", "say \"hi\""""#;
    assert!(read.contains(expected), "{read}");

    run.wait_state(&[SessionState::Idle]);
    run.ask("words", &[auth(), features()]);
    page.section("Which auth method?").check("Other").fill("Your own words", "Passkeys, \"soon\"");
    page.section("Which features").check("Search").check("Other");
    page.fill("Your own words", "and docs").page().click("Submit");
    let answers = "\"Which auth method?\"=\"Passkeys, \"soon\"\", \
                   \"Which features do you want?\"=\"Search, and docs\"";
    assert_eq!(model.wait_result("words").text, said(answers));

    run.wait_state(&[SessionState::Idle]);
    page.enabled("Message").fill("Message", "thank you").click("Send");
    run.wait_message("words of the page", |message| {
        message.kind == MessageKind::User
            && message.text == "thank you"
            && message.state == Some(MessageState::Delivered)
    });
    page.part(".log").see("thank you").accessible();
}

#[test]
fn a_question_nobody_answered_in_time_is_taken_off_the_page() {
    let scene = FrontEnds::new(&["--preset", "prime-agent", "--timeout", "5s"]);
    let run = &scene.run;
    let mut page = scene.prime_agent();
    page.see("The agent is idle");
    run.ask("silence", &[database()]);
    // Its text is in the log only if it was shown before.
    page.part(".log").see("Which database should we use?").see("User response timed out");
    page.page().gone("The agent asks").see("The agent is idle").enabled("Message");
    run.wait_state(&[SessionState::Idle]);
    let asks = run.scene.asks();
    assert_eq!(asks[0].resolved().unwrap().kind(), "no_answer");
}

#[test]
fn a_page_that_was_told_where_the_server_is_cancels_a_question_and_the_agent_is_told() {
    let scene = FrontEnds::new(&[]);
    let run = &scene.run;
    let mut page = scene.open("prime-agent", "");
    page.see("Where is the server?").accessible();
    page.fill("WebSocket", &scene.prime_agent_socket()).click("Connect").see("The agent is idle");
    run.ask("cancel", &[database()]);
    page.see("Which database should we use?").check("SQLite").click("Cancel");
    page.see("Cancelled by the user").gone("The agent asks").see("The agent is idle");
    assert_eq!(
        run.scene.model.wait_result("cancel").text,
        "The person declined to answer. No option was chosen; do not assume one."
    );
}

#[test]
fn a_question_is_there_again_after_a_reload_and_typed_words_after_the_death_of_the_hub() {
    let mut scene = FrontEnds::new(&[]);
    // Nobody looks while it is asked.
    scene.run.ask("again", &[database()]);
    scene.run.scene.wait_open(1);
    let mut page = scene.prime_agent();
    page.see("Which database should we use?").gone("s left");
    page.reload().see("Which database should we use?");
    page.check("Other").fill("Your own words", "whatever is there");
    scene.run.scene.hub.kill();
    page.see("Connection lost. Trying again…").disabled("Submit");
    page.holds("Your own words", "whatever is there");
    scene.run.scene.hub.restart();
    page.see("Waiting for your answer").enabled("Submit");
    page.holds("Your own words", "whatever is there").click("Submit");
    let answers = "\"Which database should we use?\"=\"whatever is there\"";
    assert_eq!(scene.run.scene.model.wait_result("again").text, said(answers));
    page.see("The agent is idle");
}

#[test]
fn a_second_window_takes_the_session_and_gives_it_back() {
    let scene = FrontEnds::new(&[]);
    let run = &scene.run;
    let mut first = scene.prime_agent();
    first.see("The agent is idle");
    run.ask("taken", &[database()]);
    first.check("Other").fill("Your own words", "of the first");

    let mut second = scene.prime_agent();
    second.see("Which database should we use?").enabled("Submit");
    first.see("Taken by another window").disabled("Submit").disabled("Cancel");
    first.disabled("Your own words").disabled("Message").accessible();

    // Taken back, and taken from the second.
    first.click("Use it here").see("Waiting for your answer").gone("Taken by another window");
    second.see("Taken by another window").disabled("Submit");

    // A third one leaves: the one before it counts again.
    let mut third = scene.prime_agent();
    third.see("Which database should we use?");
    first.see("Taken by another window");
    drop(third);
    first.see("Waiting for your answer").gone("Taken by another window").enabled("Submit");
    first.holds("Your own words", "of the first").click("Submit");
    let answers = "\"Which database should we use?\"=\"of the first\"";
    assert_eq!(run.scene.model.wait_result("taken").text, said(answers));
    second.see("Taken by another window");
}

#[test]
fn hostile_text_is_text_and_what_was_answered_elsewhere_is_told() {
    let scene = FrontEnds::new(&[]);
    let run = &scene.run;
    let mut page = scene.prime_agent();
    page.see("The agent is idle");
    run.ask("hostile", &[hostile()]);
    page.see("<img src=x onerror=alert(1)> Really ␛[31mred<U+202E>?").see("<b>Head</b>");
    page.see("<script>alert(2)</script>").see("<i>about</i> <U+009B>2J").see("No␇");
    page.check("<script>alert(2)</script>");
    let ask = run.scene.wait_open(1).remove(0);
    run.scene.answer(ask.id, json!([{"selected": ["No\u{7}"]}]));
    page.part(".log").see("<img src=x onerror=alert(1)>").see("already answered by ann");
    page.page().gone("The agent asks").see("The agent is idle");

    // What is sent is what the agent wrote, byte for byte.
    run.wait_state(&[SessionState::Idle]);
    run.ask("bytes", &[hostile()]);
    page.check("<script>alert(2)</script>").click("Submit").see("The agent is idle");
    let read = run.scene.model.wait_result("bytes").text;
    assert_eq!(read, hostile_chosen("<script>alert(2)</script>"));
}

#[test]
fn what_is_refused_can_be_changed_and_sent_again() {
    let scene = FrontEnds::new(&[]);
    let run = &scene.run;
    let mut page = scene.prime_agent();
    page.see("The agent is idle");
    run.ask("long", &[database()]);
    page.check("Other").fill("Your own words", &"x".repeat(10_001)).click("Submit");
    page.see("10,001 characters").enabled("Submit");
    page.fill("Your own words", "short").click("Submit");
    let answers = "\"Which database should we use?\"=\"short\"";
    assert_eq!(run.scene.model.wait_result("long").text, said(answers));
    page.gone("10,001 characters");
}
