//! A question of Claude Code is answered at the hub or in its own dialog: the first counts, and both
//! agree which one it was.

use std::thread;
use std::time::Duration;

use handraise_broker::{Hub, HubError, Power, Rejection, Reply, State};
use handraise_testkit::Chance;
use serde_json::json;

use crate::claude_scene::{
    DEFAULT, Scene, answers, auth, chosen, database, features, layout, surface, took,
};

#[test]
fn claude_takes_what_is_answered_in_a_terminal() {
    let scene = Scene::new();
    let (session, shell) = (scene.session(DEFAULT), scene.shell());
    let answered = |tag: &str, questions: &[serde_json::Value], options: &str, read: &str| {
        let ask = scene.ask(&session, tag, questions);
        assert_eq!(ask.asker().preamble, Some(format!("Let me ask about {tag}.")));
        let said = shell.run(&format!("handraise answer {} {options}", ask.id));
        assert_eq!((said.code, said.stderr.as_str()), (0, ""), "{}", said.stdout);
        let result = scene.model.wait_result(tag);
        assert_eq!((result.text.as_str(), result.is_error), (read, false));
        session.wait_closed();
        let seen = scene.wait_seen(ask.id);
        assert_eq!(seen.state(), State::Delivered);
        assert_eq!(seen.last_receipt().unwrap().text.as_deref(), Some(read));
        assert_eq!(took(&seen)["answers"], *answers(&seen));
        scene.wait_open(0);
    };
    let (single, multi) = (database(), features());
    answered("one", &[database()], "--choose SQLite", &chosen(&[(&single, "SQLite")]));
    let several = "Auth, \"Billing, taxes\", \"say \\\"hi\\\"\"";
    answered(
        "several",
        &[features()],
        "--choose 'say \"hi\"' --choose 'Billing, taxes' --choose Auth",
        &chosen(&[(&multi, several)]),
    );
    answered(
        "four",
        &[database(), features(), layout(), auth()],
        "--choose Database=MySQL --choose Features=Search --choose Layout=Topbar --choose 4=JWT",
        "Your questions have been answered: \"Which database should we use?\"=\"MySQL\", \"Which \
         features do you want?\"=\"Search\", \"Which layout do you prefer?\"=\"Topbar\" selected \
         preview:\n+--------+\n|  NAV   |\n+--------+, \"Which auth method?\"=\"JWT\". You can now \
         continue with these answers in mind.",
    );
}

#[test]
fn the_hub_learns_what_was_answered_in_claude_codes_dialog() {
    let scene = Scene::new();
    let session = scene.session(DEFAULT);
    let answered = |tag: &str,
                    questions: &[serde_json::Value],
                    keys: &[&str],
                    labels: serde_json::Value| {
        let ask = scene.ask(&session, tag, questions);
        session.answer(keys);
        let read = scene.model.wait_result(tag).text;
        let seen = scene.wait_seen(ask.id);
        assert_eq!((seen.state(), surface(&seen)), (State::Delivered, json!("dialog")));
        let selected: Vec<_> =
            answers(&seen).as_array().unwrap().iter().map(|one| one["selected"].clone()).collect();
        assert_eq!(json!(selected), labels);
        assert_eq!(seen.last_receipt().unwrap().text.as_ref(), Some(&read));
        scene.wait_open(0);
    };
    answered("one", &[database()], &["2"], json!([["SQLite"]]));
    answered(
        "several",
        &[features()],
        &["1", "2", "3", "Tab", "Enter"],
        json!([["Auth", "Billing, taxes", "say \"hi\""]]),
    );
    answered(
        "four",
        &[database(), features(), layout(), auth()],
        &["3", "4", "Tab", "2", "Enter", "1", "Enter"],
        json!([["MySQL"], ["Search"], ["Topbar"], ["JWT"]]),
    );
}

/// Asks twice in a mode: one is answered at the hub, the other in the dialog.
fn in_mode(mode: &str) {
    let scene = Scene::new();
    let session = scene.session(mode);
    let ask = scene.ask(&session, "hub", &[database()]);
    scene.answer(ask.id, json!([{"selected": ["MySQL"]}]));
    assert_eq!(scene.model.wait_result("hub").text, chosen(&[(&database(), "MySQL")]));
    session.wait_closed();
    assert_eq!(scene.wait_seen(ask.id).state(), State::Delivered);
    let ask = scene.ask(&session, "dialog", &[auth()]);
    session.answer(&["1"]);
    assert_eq!(scene.model.wait_result("dialog").text, chosen(&[(&auth(), "JWT")]));
    let seen = scene.wait_seen(ask.id);
    assert_eq!(surface(&seen), json!("dialog"));
    assert_eq!(answers(&seen)[0]["selected"], json!(["JWT"]));
}

#[test]
fn claude_asks_in_default_mode() {
    in_mode("default");
}

#[test]
fn claude_asks_in_auto_mode() {
    in_mode("auto");
}

#[test]
fn claude_asks_in_plan_mode() {
    in_mode("plan");
}

#[test]
fn claude_asks_where_edits_are_accepted() {
    in_mode("acceptEdits");
}

#[test]
fn claude_asks_where_permissions_are_bypassed() {
    in_mode("bypassPermissions");
}

#[test]
fn where_both_answer_at_once_claude_is_the_judge() {
    let scene = Scene::new();
    let session = scene.session(DEFAULT);
    let mut chance = Chance::new(Chance::any_seed());
    let (mut hub_won, mut overruled, mut dialog_won) = (0, 0, 0);
    for round in 0..20 {
        let tag = format!("round{round}");
        let ask = scene.ask(&session, &tag, &[database()]);
        let mut within = || Duration::from_millis(chance.below(50) as u64);
        let (of_the_hub, of_the_dialog) = (within(), within());
        let person = scene.hub.client(Power::Person);
        let id = ask.id;
        let hub = thread::spawn(move || {
            thread::sleep(of_the_hub);
            let runtime =
                tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            let mysql = serde_json::from_value(json!([{"selected": ["MySQL"]}])).unwrap();
            runtime.block_on(person.reply(id, Reply::Answer(mysql), None))
        });
        thread::sleep(of_the_dialog);
        session.press("2");
        let first = hub.join().unwrap();
        let read = scene.model.wait_result(&tag).text;
        let seen = scene.wait_seen(ask.id);
        let model_has = if read.contains("MySQL") { "MySQL" } else { "SQLite" };
        assert_eq!(read, chosen(&[(&database(), model_has)]));
        assert_eq!(took(&seen)["answers"][0]["selected"], json!([model_has]), "round {round}");
        let hub_has = answers(&seen)[0]["selected"][0].as_str().unwrap().to_owned();
        match first {
            Ok(_) => assert_eq!((hub_has.as_str(), surface(&seen)), ("MySQL", json!("api"))),
            Err(HubError::Rejected(Rejection::AlreadyResolved(_))) => {
                assert_eq!((hub_has.as_str(), surface(&seen)), ("SQLite", json!("dialog")));
            }
            Err(error) => panic!("{error}"),
        }
        let state = if hub_has == model_has { State::Delivered } else { State::Overruled };
        assert_eq!(
            seen.state(),
            state,
            "round {round}: the hub has {hub_has}, the model {model_has}"
        );
        *match (state, hub_has.as_str()) {
            (State::Overruled, _) => &mut overruled,
            (_, "MySQL") => &mut hub_won,
            _ => &mut dialog_won,
        } += 1;
        session.wait_closed();
    }
    println!("the hub {hub_won} times, the dialog {dialog_won} times, overruled {overruled} times");
}
