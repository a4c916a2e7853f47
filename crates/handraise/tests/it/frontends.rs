//! The reference front ends in a real browser, at a hub: agents ask and people answer over the API.

use std::path::Path;

use handraise_testkit::{Browser, HubProcess, pause};
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::dialect_scene::{Door, of_session, ruled};
use crate::frontend_scene::{Pages, signal};
use crate::http::{Call, Line};

const CHANGED: &str = "What the agent asks has changed. Nothing was sent: look at it again.";

/// A hub that lets the pages in.
struct Desk {
    hub: HubProcess,
    door: Door,
    pages: Pages,
}

impl Desk {
    fn new() -> Self {
        let pages = Pages::serve();
        let mut hub = HubProcess::prepare(Path::new(env!("CARGO_BIN_EXE_handraise")));
        hub.home().create().unwrap();
        let config = format!("person = \"ann\"\n{}", pages.config());
        std::fs::write(hub.home().config(), config).unwrap();
        hub.restart();
        Self { door: Door::from(&hub), hub, pages }
    }

    /// A session asks one question; the ask's id.
    fn asks(&self, session: &str, call: &str, question: &Value) -> String {
        self.door.asks(&of_session(session, call, json!([question])))
    }

    /// What was answered, after it was: labels, then words.
    fn answer(&self, id: &str) -> Value {
        let resolution = self.door.look(id)["resolution"].take();
        assert_eq!(resolution["kind"], "answered", "{resolution}");
        let answer = &resolution["answers"][0];
        let mut all = answer["selected"].as_array().cloned().unwrap_or_default();
        all.extend((!answer["words"].is_null()).then(|| answer["words"].clone()));
        all.into()
    }

    fn prime_agent(&self) -> Browser {
        self.pages.prime_agent(&self.hub, "s-1")
    }

    fn gobby(&self) -> Browser {
        self.pages.gobby(&self.hub)
    }

    fn panopticon(&self) -> Browser {
        self.pages.panopticon(&self.hub, "s-1")
    }
}

fn choice(question: &str, labels: &[&str]) -> Value {
    let options = labels.iter().map(|label| json!({"label": label, "description": ""}));
    let options: Value = options.collect();
    json!({"question": question, "header": "H", "options": options, "multiSelect": false})
}

fn choices(question: &str, labels: &[&str]) -> Value {
    let mut choices = choice(question, labels);
    choices["multiSelect"] = true.into();
    choices
}

#[test]
fn panopticon_shows_all_calls_that_wait_and_answers_them_together() {
    let desk = Desk::new();
    let features = desk.asks("s-1", "toolu_1", &choices("Features?", &["Auth", "Search"]));
    let colour = desk.asks("s-1", "toolu_2", &choice("Colour?", &["Red", "Blue"]));
    let mut page = desk.panopticon();
    page.section("Features?").check("Auth").check("Other").fill("Your own words", "docs too");
    page.page().click("Submit");
    page.section("Colour?").see("This one has no answer yet.").check("Red");
    page.page().accessible().click("Submit").gone("Agent needs your input");
    assert_eq!(desk.answer(&features), json!(["Auth", "docs too"]));
    assert_eq!(desk.answer(&colour), json!(["Red"]));
    page.part(".log").see("Auth, docs too").see("Red");
}

#[test]
fn panopticon_lets_calls_come_and_go_while_words_are_typed_for_another() {
    let desk = Desk::new();
    let first = desk.asks("s-1", "toolu_1", &choice("First?", &["A", "B"]));
    let second = desk.asks("s-1", "toolu_2", &choice("Second?", &["C", "D"]));
    let mut page = desk.panopticon();
    page.section("Second?").check("Other").fill("Your own words", "one");
    desk.asks("s-1", "toolu_3", &choice("Third?", &["E", "F"]));
    page.page().see("Third?").type_keys(" two");
    desk.door.answers(&first, &json!([{"selected": ["A"]}]));
    page.part(".log").see("First?").see("This question is not asked any more.");
    page.part("dialog").gone("First?");
    page.type_keys(" three").section("Second?");
    page.focused("Your own words").holds("Your own words", "one two three");
    assert!(desk.door.is_open(&second));
}

#[test]
fn panopticon_sends_nothing_for_a_question_that_came_while_it_was_looking() {
    let desk = Desk::new();
    let scratch = desk.asks("s-1", "toolu_1", &choice("Delete the scratch file?", &["Yes", "No"]));
    let colour = desk.asks("s-1", "toolu_2", &choice("Which colour?", &["Red", "Blue"]));
    let mut page = desk.panopticon();
    page.section("Delete the scratch file?").check("Yes");
    page.section("Which colour?").check("Other").fill("Your own words", "green");
    // What the page hears is old, and what it was told is new.
    page.hold("pending-questions").held(1);
    desk.door.answers(&scratch, &json!([{"selected": ["No"]}]));
    let production = choice("Delete the production database?", &["Yes", "No"]);
    let production = desk.asks("s-1", "toolu_3", &production);
    let look = Call::get("/api/agents/s-1/pending-questions").token(&desk.door.person);
    assert_eq!(Line::to(desk.door.address).call(&look).status, 200);
    page.page().click("Submit").disabled("Submit").held(1).release();
    page.part("dialog").see(CHANGED).gone("Delete the scratch file?").enabled("Submit");
    page.section("Which colour?").holds("Your own words", "green");
    page.part("dialog").click("Submit");
    page.section("Delete the production database?").see("This one has no answer yet.");
    assert!(desk.door.is_open(&production));

    // Where nothing is left to look at, it says so as well.
    desk.door.answers(&production, &json!([{"selected": ["No"]}]));
    page.part("dialog").gone("Delete the production database?");
    page.hold("pending-questions").held(1);
    desk.door.answers(&colour, &json!([{"selected": ["Red"]}]));
    page.click("Submit").release().part(".log").see(CHANGED);
    page.page().gone("Agent needs your input");
}

#[test]
fn panopticon_says_why_an_answer_was_refused_and_keeps_what_was_chosen() {
    let desk = Desk::new();
    let first = desk.asks("s-1", "toolu_1", &choice("First?", &["Yes", "No"]));
    let mut page = desk.panopticon();
    page.see("First?");
    desk.door.answers(&first, &json!([{"selected": ["No"]}]));
    let second = desk.asks("s-1", "toolu_2", &choice("Second?", &["Yes", "No"]));
    page.section("Second?").check("Yes").page().click("Submit");
    // It may have been meant for the first.
    page.see("Failed to send answer: what this agent waits with has just changed")
        .enabled("Submit");
    page.section("Second?").checked("Yes").enabled("No");
    assert!(desk.door.is_open(&second));
}

#[test]
fn gobby_keeps_calls_of_the_same_id_in_two_conversations_apart() {
    let desk = Desk::new();
    let colour = desk.asks("conv-1", "call_1", &choice("Colour?", &["Red", "Blue"]));
    let size = desk.asks("conv-2", "call_1", &choice("Size?", &["Small", "Large"]));
    let mut page = desk.gobby();
    page.section("Colour?").check("Red");
    page.section("Size?");
    desk.door.answers(&size, &json!([{"selected": ["Large"]}]));
    page.part("li:nth-child(2)").see("Completed").part("li:nth-child(2) .confirmed").see("Large");
    // What is refused is said where it was submitted.
    page.part("li:nth-child(1)").see("Waiting").checked("Red").check("Other");
    page.fill("Your own words", &"x".repeat(10_001)).click("Submit").see("10,001 characters");
    page.check("Red").click("Submit").see("Completed");
    assert_eq!(desk.answer(&colour), json!(["Red"]));
}

#[test]
fn gobby_goes_on_after_a_lost_line_and_says_what_ended_meanwhile() {
    let mut desk = Desk::new();
    let ended = desk.asks("s-1", "toolu_1", &choice("Ended?", &["Yes", "No"]));
    let sent = desk.asks("s-1", "toolu_2", &choice("Sent?", &["Yes", "No"]));
    let waits = desk.asks("s-1", "toolu_3", &choice("Waits?", &["Yes", "No"]));
    let mut page = desk.gobby();
    page.section("Ended?").check("Yes");
    page.section("Sent?").check("Yes");
    page.section("Waits?").check("Other").fill("Your own words", "one");

    // The hub dies before it has heard of an answer, and the page does not come back at once.
    pause(desk.hub.pid());
    page.part("li:nth-child(2)").click("Submit").see("Submitted");
    page.section("Waits?").fill("Your own words", "one").focused("Your own words").offline();
    desk.hub.kill();
    page.part("li:nth-child(3)").see("Not connected").disabled("Submit");
    page.type_keys(" two").focused("Your own words");
    desk.hub.restart();
    desk.door.answers(&ended, &json!([{"selected": ["No"]}]));
    desk.door.answers(&sent, &json!([{"selected": ["No"]}]));
    page.type_keys(" three").see("Not connected").online();

    page.see("Waiting").focused("Your own words").holds("Your own words", "one two three");
    page.part("li:nth-child(1)").see("No longer waiting").without("Submit").disabled("Yes");
    page.gone("The line was lost");
    page.part("li:nth-child(2)").see("No longer waiting").without("Submit");
    page.see("The line was lost before the server said whether this counts.").accessible();
    page.part("li:nth-child(3)").click("Submit").see("Completed");
    assert_eq!(desk.answer(&waits), json!(["one two three"]));
}

#[test]
fn gobby_gives_back_what_was_submitted_and_did_not_arrive() {
    let mut desk = Desk::new();
    let id = desk.asks("s-1", "toolu_1", &choice("Sure?", &["Yes", "No"]));
    let mut page = desk.gobby();
    page.check("Yes");
    pause(desk.hub.pid());
    page.click("Submit").see("Submitted");
    desk.hub.kill();
    page.see("Not connected").disabled("Yes");
    desk.hub.restart();
    page.see("Waiting").checked("Yes").click("Submit").see("Completed");
    assert_eq!(desk.answer(&id), json!(["Yes"]));
}

#[test]
fn prime_agent_counts_by_what_the_server_said_last() {
    let mut desk = Desk::new();
    let question = json!([choice("Sure?", &["Yes", "No"])]);
    let ask = of_session("s-1", "toolu_1", question);
    let id = desk.door.asks(&ruled(ask, json!({"deadlineSeconds": 600})));
    let mut page = desk.prime_agent();
    page.part("#countdown").see("s left").page().check("Yes");
    desk.door.as_person(&format!("/asks/{id}/extend"), &json!({"seconds": 50_000}));
    desk.hub.kill();
    page.see("Connection lost. Trying again…");
    desk.hub.restart();
    page.part("#countdown").see("50").page().checked("Yes").enabled("Submit");
    assert!(desk.door.is_open(&id));
}

#[test]
fn prime_agent_counts_no_further_than_to_the_end() {
    let desk = Desk::new();
    let mut page = desk.prime_agent();
    page.see("The agent is idle");
    let ask = of_session("s-1", "toolu_1", json!([choice("Sure?", &["Yes", "No"])]));
    desk.door.asks(&ruled(ask, json!({"deadlineSeconds": 8})));
    page.see("s left");
    // Nobody says that the time is up.
    pause(desk.hub.pid());
    page.gone("s left").see("Sure?").enabled("Yes");
    signal(&desk.hub, Signal::CONT);
    page.part(".log").see("Sure?").see("User response timed out");
}

/// Of these options the last opens the field for own words, and there is no other that does.
fn with_its_own_other() -> Value {
    let mut question = choices("Which database?", &["SQLite", "OTHER"]);
    question["options"][1]["description"] = "say which".into();
    question
}

/// The page of this name.
fn open(desk: &Desk, name: &str) -> Browser {
    match name {
        "prime-agent" => desk.prime_agent(),
        "gobby" => desk.gobby(),
        _ => desk.panopticon(),
    }
}

/// Submits, and waits until the page of this name says that it was taken. That it was sent is not enough.
fn submit(page: &mut Browser, name: &str) {
    page.click("Submit");
    match name {
        "prime-agent" => page.gone("The agent asks"),
        "gobby" => page.see("Completed"),
        _ => page.gone("Agent needs your input"),
    };
}

#[test]
fn an_agents_own_other_is_the_only_one_and_opens_the_field_on_every_page() {
    let desk = Desk::new();
    for name in ["prime-agent", "gobby", "panopticon"] {
        let id = desk.asks("s-1", name, &with_its_own_other());
        let mut page = open(&desk, name);
        // Without a third option.
        page.part("fieldset:not(:has(.option:nth-of-type(3)))").see("say which");
        page.check("SQLite").check("OTHER").page().click("Submit");
        page.see("This one has no answer yet.").fill("Your own words", "DuckDB");
        submit(&mut page, name);
        assert_eq!(desk.answer(&id), json!(["SQLite", "DuckDB"]));
    }
}

#[test]
fn labels_with_commas_and_quotes_are_joined_as_they_are() {
    let desk = Desk::new();
    let labels = ["Auth", "Billing, taxes", "say \"hi\"", "Search"];
    for name in ["prime-agent", "gobby"] {
        let id = desk.asks("s-1", name, &choices("Which features?", &labels));
        let mut page = open(&desk, name);
        page.check("Auth").check("Billing, taxes").check("say \"hi\"").check("Other");
        page.fill("Your own words", "docs, too");
        submit(&mut page, name);
        assert_eq!(desk.answer(&id), json!(["Auth", "Billing, taxes", "say \"hi\"", "docs, too"]));
    }
}
