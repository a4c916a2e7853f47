//! Panopticon's page in a real browser, at a hub under which the real Claude Code runs.

use handraise_broker::{SessionState, State};
use serde_json::json;

use crate::claude_scene::{auth, chosen, database, features, said, surface};
use crate::frontend_scene::{FrontEnds, hostile, hostile_chosen};

const NEEDS_YOU: &str = "Agent needs your input";
const NOT_ASKED: &str = "This question is not asked any more.";

#[test]
fn one_several_and_own_words_are_submitted() {
    let scene = FrontEnds::new(&[]);
    let (run, model) = (&scene.run, &scene.run.scene.model);
    let mut page = scene.panopticon();
    page.see("Nothing is asked").gone(NEEDS_YOU);

    run.ask("one", &[database()]);
    page.see(NEEDS_YOU).see("Database").see("Which database should we use?").see("about SQLite");
    let ask = run.scene.wait_open(1).remove(0);
    page.click("Submit").see("This one has no answer yet.").accessible();
    page.check("SQLite").click("Submit").gone(NEEDS_YOU);
    page.part(".log").see("Which database should we use?").see("SQLite");
    assert_eq!(model.wait_result("one").text, chosen(&[(&database(), "SQLite")]));
    let seen = run.scene.wait_seen(ask.id);
    assert_eq!((seen.state(), surface(&seen)), (State::Delivered, json!("dialect:panopticon")));

    run.wait_state(&[SessionState::Idle]);
    run.ask("many", &[features()]);
    page.page().check("Auth").check("Billing, taxes").check("say \"hi\"").click("Submit");
    let read = model.wait_result("many").text;
    let expected = r#""Which features do you want?"="Auth, "Billing, taxes", "say \"hi\""""#;
    assert!(read.contains(expected), "{read}");
    page.gone(NEEDS_YOU);

    run.wait_state(&[SessionState::Idle]);
    run.ask("words", &[auth(), features()]);
    page.section("Which auth method?").check("Other").fill("Your own words", "Passkeys, \"soon\"");
    page.section("Which features").check("Search").check("Other");
    page.fill("Your own words", "and docs").page().click("Submit");
    let answers = "\"Which auth method?\"=\"Passkeys, \"soon\"\", \
                   \"Which features do you want?\"=\"Search, and docs\"";
    assert_eq!(model.wait_result("words").text, said(answers));
    page.gone(NEEDS_YOU).see("Nothing is asked");
}

#[test]
fn what_is_refused_says_why_and_can_be_changed_and_submitted_again() {
    let scene = FrontEnds::new(&[]);
    let run = &scene.run;
    let mut page = scene.panopticon();
    run.ask("long", &[database()]);
    page.check("Other").fill("Your own words", &"x".repeat(10_001)).click("Submit");
    page.see("Failed to send answer: ").see("10,001 characters").accessible();
    page.holds("Your own words", &"x".repeat(10_001)).fill("Your own words", "short");
    page.click("Submit").gone(NEEDS_YOU);
    let answers = "\"Which database should we use?\"=\"short\"";
    assert_eq!(run.scene.model.wait_result("long").text, said(answers));

    // Of two that take several, nobody can say whose the words in one list are.
    run.wait_state(&[SessionState::Idle]);
    let mut others = features();
    others["question"] = json!("Which others?");
    run.ask("whose", &[features(), others]);
    page.section("Which features").check("Auth").check("Other");
    page.fill("Your own words", "and docs").section("Which others?").check("Search");
    page.page().click("Submit").see("Failed to send answer: ").see("in more than one way");
    page.section("Which features").checked("Auth").holds("Your own words", "and docs");
    run.scene.wait_open(1);
}

#[test]
fn a_question_that_is_skipped_waits_on_and_is_cleared_when_it_was_answered_elsewhere() {
    let scene = FrontEnds::new(&[]);
    let run = &scene.run;
    let mut page = scene.panopticon();
    run.ask("skip", &[database()]);
    page.see(NEEDS_YOU).check("SQLite").click("Skip").gone(NEEDS_YOU);
    page.see("You have skipped a question here. The agent still waits for an answer.").accessible();
    let ask = run.scene.wait_open(1).remove(0);
    page.click("Show it").see(NEEDS_YOU).checked("SQLite").gone("You have skipped");
    run.scene.answer(ask.id, json!([{"selected": ["MySQL"]}]));
    page.part(".log").see("Which database should we use?").see(NOT_ASKED);
    page.page().gone(NEEDS_YOU).see("Nothing is asked");
    assert_eq!(run.scene.model.wait_result("skip").text, chosen(&[(&database(), "MySQL")]));

    // The next one is shown whatever became of that.
    run.wait_state(&[SessionState::Idle]);
    run.ask("next", &[auth()]);
    page.see(NEEDS_YOU).check("JWT").click("Submit");
    assert_eq!(run.scene.model.wait_result("next").text, chosen(&[(&auth(), "JWT")]));
}

#[test]
fn a_question_nobody_answered_in_time_is_taken_off_the_page() {
    let scene = FrontEnds::new(&["--timeout", "10s"]);
    let mut page = scene.panopticon();
    page.see("Nothing is asked");
    scene.run.ask("silence", &[database()]);
    // Its text is in the log only if it was shown before.
    page.part(".log").see("Which database should we use?").see(NOT_ASKED);
    page.page().gone(NEEDS_YOU).see("Nothing is asked");
    let read = scene.run.scene.model.wait_result("silence").text;
    assert!(read.starts_with("Nobody answered within 10 s."), "{read}");
}

#[test]
fn a_question_is_there_again_after_a_reload_and_typed_words_after_the_death_of_the_hub() {
    let mut scene = FrontEnds::new(&[]);
    scene.run.ask("again", &[database()]);
    scene.run.scene.wait_open(1);
    let mut page = scene.panopticon();
    page.see("Which database should we use?");
    page.reload().see("Which database should we use?");
    page.check("Other").fill("Your own words", "whatever is there");
    scene.run.scene.hub.kill();
    page.see("The server cannot be reached.").click("Submit");
    page.part("dialog").see("The server cannot be reached.").enabled("Submit");
    page.holds("Your own words", "whatever is there");
    scene.run.scene.hub.restart();
    page.page().see("Waiting for your input").holds("Your own words", "whatever is there");
    page.click("Submit").gone(NEEDS_YOU);
    let answers = "\"Which database should we use?\"=\"whatever is there\"";
    assert_eq!(scene.run.scene.model.wait_result("again").text, said(answers));
}

#[test]
fn two_windows_show_it_and_one_of_them_is_first() {
    let scene = FrontEnds::new(&[]);
    let run = &scene.run;
    let (mut first, mut second) = (scene.panopticon(), scene.panopticon());
    run.ask("both", &[database()]);
    first.check("Postgres");
    second.check("MySQL").click("Submit").gone(NEEDS_YOU);
    first.see(NOT_ASKED).gone(NEEDS_YOU);
    assert_eq!(run.scene.model.wait_result("both").text, chosen(&[(&database(), "MySQL")]));
}

#[test]
fn hostile_text_is_text_and_comes_back_byte_for_byte() {
    let scene = FrontEnds::new(&[]);
    let mut page = scene.panopticon();
    scene.run.ask("hostile", &[hostile()]);
    page.see("<img src=x onerror=alert(1)> Really ␛[31mred<U+202E>?").see("<b>Head</b>");
    page.see("<script>alert(2)</script>").see("<i>about</i> <U+009B>2J").see("No␇");
    page.check("<script>alert(2)</script>").click("Submit").gone(NEEDS_YOU);
    page.part(".log").see("<script>alert(2)</script>");
    let read = scene.run.scene.model.wait_result("hostile").text;
    assert_eq!(read, hostile_chosen("<script>alert(2)</script>"));
}
