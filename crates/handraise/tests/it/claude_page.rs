//! A question of Claude Code is answered from the dashboard, or in its own dialog while the page is open.

use handraise_broker::State;
use handraise_testkit::Browser;
use serde_json::{Value, json};

use crate::claude_scene::{
    DEFAULT, Scene, answers, auth, chosen, database, features, layout, said, surface, took,
};

const SEEN: &str = "Seen: Claude has read it.";

#[test]
fn claude_takes_what_is_answered_from_the_page() {
    let scene = Scene::new();
    let session = scene.session(DEFAULT);
    let mut page = Browser::at(&scene.hub);
    let mut answered = |tag: &str, questions: &[Value], hand: &dyn Fn(&mut Browser), read: &str| {
        let ask = scene.ask(&session, tag, questions);
        page.card(ask.id).see("Claude is asking").see(&format!("Let me ask about {tag}."));
        hand(&mut page);
        page.card(ask.id).click("Submit");
        let result = scene.model.wait_result(tag);
        assert_eq!((result.text.as_str(), result.is_error), (read, false));
        session.wait_closed();
        page.see(SEEN);
        let seen = scene.wait_seen(ask.id);
        assert_eq!((seen.state(), surface(&seen)), (State::Delivered, json!("web")));
        assert_eq!(took(&seen)["answers"], *answers(&seen));
    };
    answered(
        "one",
        &[database()],
        &|page| {
            page.check("SQLite");
        },
        &chosen(&[(&database(), "SQLite")]),
    );
    let words = "and a “dark mode”, please\nwith 🎉";
    answered(
        "several",
        &[features()],
        &|page| {
            page.check("say \"hi\"").check("Billing, taxes").fill("your own words", words);
        },
        &said(&format!(
            "\"Which features do you want?\"=\"\"Billing, taxes\", \"say \\\"hi\\\"\", \"{words}\"\""
        )),
    );
    answered(
        "four",
        &[database(), features(), layout(), auth()],
        &|page| {
            page.section("Which database").check("MySQL");
            page.section("Which features").check("Search");
            page.section("Which layout").check("Topbar");
            page.section("Which auth").check("JWT");
        },
        "Your questions have been answered: \"Which database should we use?\"=\"MySQL\", \"Which \
         features do you want?\"=\"Search\", \"Which layout do you prefer?\"=\"Topbar\" selected \
         preview:\n+--------+\n|  NAV   |\n+--------+, \"Which auth method?\"=\"JWT\". You can now \
         continue with these answers in mind.",
    );
}

#[test]
fn claude_reads_that_a_person_declined_on_the_page() {
    let scene = Scene::new();
    let session = scene.session(DEFAULT);
    let mut page = Browser::at(&scene.hub);
    let ask = scene.ask(&session, "no", &[database()]);
    page.card(ask.id).click("Decline…").fill("Why not?", "we decided that \"last week\"");
    page.click("Decline");
    let result = scene.model.wait_result("no");
    let read = "The person declined to answer: we decided that \"last week\". No option was chosen; \
                do not assume one.";
    assert_eq!((result.text.as_str(), result.is_error), (read, true));
    session.wait_closed();
    page.see(SEEN);
    assert_eq!(scene.wait_seen(ask.id).state(), State::Delivered);
}

#[test]
fn the_page_shows_what_was_answered_in_claude_codes_dialog_and_keeps_its_words() {
    let scene = Scene::new();
    let session = scene.session(DEFAULT);
    let mut page = Browser::at(&scene.hub);
    let ask = scene.ask(&session, "dialog", &[database()]);
    page.card(ask.id).fill("your own words", "a graph database, perhaps").see("Draft kept.");
    session.answer(&["2"]);
    scene.model.wait_result("dialog");
    page.see("Answered by the agent’s word, in its own dialog").see("SQLite").see(SEEN);
    page.see("It was not sent, and is kept").see("a graph database, perhaps");
    let seen = scene.wait_seen(ask.id);
    assert_eq!((seen.state(), surface(&seen)), (State::Delivered, json!("dialog")));
}
