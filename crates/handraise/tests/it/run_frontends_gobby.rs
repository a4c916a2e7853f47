//! Gobby's page in a real browser, at a hub under which the real Claude Code runs.

use handraise_broker::{SessionState, State};
use serde_json::json;

use crate::claude_scene::{auth, chosen, database, features, said, surface};
use crate::frontend_scene::{FrontEnds, hostile, hostile_chosen};

#[test]
fn one_several_and_own_words_are_submitted_confirmed_and_completed() {
    let scene = FrontEnds::new(&["--preset", "gobby"]);
    let (run, model) = (&scene.run, &scene.run.scene.model);
    let mut page = scene.gobby();
    page.see("Connected").see("No agent has asked anything yet.");

    run.ask("one", &[database()]);
    page.see("Which database should we use?").see("Database").see("about SQLite").see("Waiting");
    page.gone("No agent has asked anything yet.");
    let ask = run.scene.wait_open(1).remove(0);
    page.click("Submit").see("This one has no answer yet.").accessible();
    page.check("SQLite").part(".ask-user-option-selected").see("about SQLite");
    scene.while_the_hub_stands_still(|| {
        page.page().click("Submit");
        // Confirmed text, nothing to change, no button.
        page.part(".ask-user-submitted").see("Submitted").without("Submit");
        page.disabled("Postgres").disabled("Other").checked("SQLite");
        page.part(".confirmed").see("Which database should we use?").see("SQLite");
    });
    assert_eq!(model.wait_result("one").text, chosen(&[(&database(), "SQLite")]));
    page.part("li:nth-child(1)").see("Completed").disabled("Postgres");
    let seen = run.scene.wait_seen(ask.id);
    assert_eq!((seen.state(), surface(&seen)), (State::Delivered, json!("dialect:gobby")));

    run.wait_state(&[SessionState::Idle]);
    run.ask("many", &[features()]);
    page.part("li:nth-child(2)").check("Auth").check("Billing, taxes").check("say \"hi\"");
    page.click("Submit").see("Completed");
    let read = model.wait_result("many").text;
    let expected = r#""Which features do you want?"="Auth, "Billing, taxes", "say \"hi\""""#;
    assert!(read.contains(expected), "{read}");

    run.wait_state(&[SessionState::Idle]);
    run.ask("words", &[auth(), features()]);
    page.part("li:nth-child(3)").see("Waiting");
    page.section("Which auth method?").check("Other").fill("Your own words", "Passkeys, \"soon\"");
    page.part("li:nth-child(3) fieldset:nth-child(2)").check("Search").check("Other");
    page.fill("Your own words", "and docs").part("li:nth-child(3)").click("Submit");
    let answers = "\"Which auth method?\"=\"Passkeys, \"soon\"\", \
                   \"Which features do you want?\"=\"Search, and docs\"";
    assert_eq!(model.wait_result("words").text, said(answers));
    page.see("Completed");
    page.part("li:nth-child(3) .confirmed").see("Passkeys, \"soon\"").see("Search, and docs");
    page.accessible();
}

#[test]
fn a_question_nobody_answered_in_time_ends_as_an_error() {
    let scene = FrontEnds::new(&["--preset", "gobby", "--timeout", "5s"]);
    let mut page = scene.gobby();
    page.see("Connected");
    scene.run.ask("silence", &[database()]);
    let words = "Nobody answered within 5 s. This is neither a choice nor consent. \
                 Do not choose for the person.";
    page.see("Which database should we use?").see("Error").see(words);
    page.disabled("SQLite").without("Submit");
    assert_eq!(scene.run.scene.model.wait_result("silence").text, words);
}

#[test]
fn a_question_is_there_again_after_a_reload_and_typed_words_after_the_death_of_the_hub() {
    let mut scene = FrontEnds::new(&[]);
    scene.run.ask("again", &[database()]);
    scene.run.scene.wait_open(1);
    let mut page = scene.gobby();
    page.see("Which database should we use?");
    page.reload().see("Which database should we use?");
    page.check("Other").fill("Your own words", "whatever is there");
    scene.run.scene.hub.kill();
    page.see("Connection lost. Trying again…").see("Not connected").disabled("Submit");
    scene.run.scene.hub.restart();
    page.see("Connected").see("Waiting").holds("Your own words", "whatever is there");
    page.click("Submit");
    let answers = "\"Which database should we use?\"=\"whatever is there\"";
    assert_eq!(scene.run.scene.model.wait_result("again").text, said(answers));
    page.see("Completed");
}

#[test]
fn the_last_window_is_closed_and_the_agent_goes_on() {
    let scene = FrontEnds::new(&["--preset", "gobby"]);
    let (mut first, mut second) = (scene.gobby(), scene.gobby());
    first.see("Connected");
    second.see("Connected");
    scene.run.ask("closed", &[database()]);
    let ask = scene.run.scene.wait_open(1).remove(0);
    second.see("Which database should we use?");
    drop(first);
    drop(second);
    let ended = scene.run.scene.wait_ended(ask.id);
    assert_eq!(ended.resolved().unwrap().kind(), "declined");
    assert_eq!(
        scene.run.scene.model.wait_result("closed").text,
        "The person declined to answer: the gobby front end that showed it was closed. \
         No option was chosen; do not assume one."
    );
}

#[test]
fn every_window_shows_it_and_hears_who_was_first() {
    let scene = FrontEnds::new(&[]);
    let run = &scene.run;
    let (mut first, mut second) = (scene.gobby(), scene.gobby());
    first.see("Connected");
    second.see("Connected");
    run.ask("both", &[database()]);
    first.check("Postgres");
    second.check("MySQL").click("Submit");
    first.see("Completed").disabled("Postgres").without("Submit");
    first.part(".confirmed").see("MySQL");
    assert_eq!(run.scene.model.wait_result("both").text, chosen(&[(&database(), "MySQL")]));
}

#[test]
fn hostile_text_is_text_and_what_was_answered_elsewhere_is_told() {
    let scene = FrontEnds::new(&[]);
    let run = &scene.run;
    let mut page = scene.gobby();
    page.see("Connected");
    run.ask("hostile", &[hostile()]);
    page.see("<img src=x onerror=alert(1)> Really ␛[31mred<U+202E>?").see("<b>Head</b>");
    page.see("<script>alert(2)</script>").see("<i>about</i> <U+009B>2J").see("No␇");
    let ask = run.scene.wait_open(1).remove(0);
    run.scene.answer(ask.id, json!([{"selected": ["<script>alert(2)</script>"]}]));
    page.part(".confirmed").see("<script>alert(2)</script>");
    page.page().see("Completed").without("Submit");

    // What is sent is what the agent wrote, byte for byte.
    run.wait_state(&[SessionState::Idle]);
    run.ask("bytes", &[hostile()]);
    page.part("li:nth-child(2)").check("<script>alert(2)</script>").click("Submit");
    let read = run.scene.model.wait_result("bytes").text;
    assert_eq!(read, hostile_chosen("<script>alert(2)</script>"));
}

#[test]
fn what_is_refused_can_be_changed_and_submitted_again() {
    let scene = FrontEnds::new(&[]);
    let mut page = scene.gobby();
    page.see("Connected");
    scene.run.ask("long", &[database()]);
    page.check("Other").fill("Your own words", &"x".repeat(10_001)).click("Submit");
    page.see("10,001 characters").see("Waiting").enabled("Your own words");
    page.fill("Your own words", "short").click("Submit");
    let answers = "\"Which database should we use?\"=\"short\"";
    assert_eq!(scene.run.scene.model.wait_result("long").text, said(answers));
    page.see("Completed").gone("10,001 characters");
}
