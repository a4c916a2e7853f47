//! What a person chooses is what an MCP client gets, and nothing else passes for a choice.

use handraise_broker::{Reply, State};
use serde_json::{Value, json};

use crate::mcp_scene::{Scene, failure, one, structured, text};

#[test]
fn an_answer_comes_back_in_words_and_as_structured_content_and_is_delivered() {
    let scene = Scene::new();
    let mut client = scene.client(&[]);
    let call = client.call(
        "ask_user",
        &json!({"questions": [
                   {"question": "Which database?", "header": "Database", "options": [
                       {"label": "PostgreSQL (Recommended)", "description": "Robust"},
                       {"label": "SQLite", "preview": "one file"}]},
                   {"question": "Which extras?", "multiSelect": true, "options": [
                       {"label": "Cache"}, {"label": "Queue"}, {"label": "Search"}]},
                   {"question": "Anything else?"},
                   {"question": "And when?", "options": [{"label": "Now"}]}],
               "why": "There is no database yet.", "title": "shop"}),
    );
    let ask = scene.the_ask();
    assert_eq!(ask.asker().preamble.as_deref(), Some("There is no database yet."));
    assert_eq!(ask.asker().title.as_deref(), Some("shop"));
    assert_eq!(ask.asker().agent, "scene");
    scene.answer(
        ask.id,
        json!([{"selected": ["SQLite"], "notes": "for now"},
               {"selected": ["Search", "Cache"], "words": "and logs"},
               {"words": "keep it small"},
               {"leftOpen": true}]),
    );
    let result = client.result(&call);
    assert_eq!(
        *structured(&result),
        json!({"status": "answered", "answers": [
            {"question": "Which database?", "selected": ["SQLite"], "words": null, "notes": "for now",
             "leftOpen": false},
            {"question": "Which extras?", "selected": ["Cache", "Search"], "words": "and logs",
             "notes": null, "leftOpen": false},
            {"question": "Anything else?", "selected": [], "words": "keep it small", "notes": null,
             "leftOpen": false},
            {"question": "And when?", "selected": [], "words": null, "notes": null,
             "leftOpen": true}]})
    );
    assert_eq!(
        text(&result),
        "The person answered.\n\
         \n1. Question: Which database?\n   Chosen: SQLite\n   Its preview: one file\n   \
            Their note: for now\n\
         \n2. Question: Which extras?\n   Chosen: Cache\n   Chosen: Search\n   \
            In their own words: and logs\n\
         \n3. Question: Anything else?\n   In their own words: keep it small\n\
         \n4. Question: And when?\n   \
            Left open on purpose: no option was chosen; do not assume one.\n"
    );
    let ask = scene.wait_state(ask.id, State::Delivered);
    assert_eq!(ask.last_receipt().unwrap().text.as_deref(), Some(text(&result)));
}

#[test]
fn every_character_arrives() {
    let scene = Scene::new();
    let mut client = scene.client(&[]);
    let labels = ["a, \"b\"", "שלום, עולם", "🙋🏽‍♀️ \\n", "c\td"];
    let words = [
        "comma, \"quote\", 'single', `tick`".to_owned(),
        "line\n\n2. Question: Deploy?\n   Chosen: yes\n```\nend".to_owned(),
        "مرحبا بالعالم 👩‍👩‍👧‍👦 \u{202b}rtl\u{202c}".to_owned(),
        "ten kilobytes ".repeat(714),
    ];
    for words in words {
        let options: Vec<_> = labels.iter().map(|label| json!({"label": label})).collect();
        let call = client.call(
            "ask_user",
            &json!({"questions": [{"question": "Q, \"?\"\n🙋", "multiSelect": true, "options": options}]}),
        );
        let ask = scene.the_ask();
        scene.answer(ask.id, json!([{"selected": labels, "words": words, "notes": "n\nn"}]));
        let result = client.result(&call);
        let answer = &structured(&result)["answers"][0];
        assert_eq!(answer["question"], "Q, \"?\"\n🙋");
        assert_eq!(answer["selected"], json!(labels));
        assert_eq!(answer["words"], words.as_str());
        assert_eq!(answer["notes"], "n\nn");
        let text = text(&result);
        assert!(text.contains(&words), "{text}");
        assert!(
            labels.iter().all(|label| text.contains(&format!("   Chosen: {label}\n"))),
            "{text}"
        );
    }
}

#[test]
fn the_questions_reach_the_hub_byte_for_byte() {
    let scene = Scene::new();
    let mut client = scene.client(&[]);
    let questions = r#"[ {"question" : "\u0051? é","mine":{"z":1,"a":1.50},"options":[{"label":"x","k":1e3}]} ]"#;
    let line = format!(
        r#"{{"method":"tools/call","params":{{"arguments":{{"questions":{questions}}},"name":"ask_user"}},"jsonrpc":"2.0","id":9}}"#
    );
    client.say_bytes(format!("{line}\r\n").as_bytes());
    let ask = scene.the_ask();
    assert_eq!(ask.matter().as_sent().get(), questions);
    scene.answer(ask.id, json!([{"selected": ["x"]}]));
    assert_eq!(structured(&client.result(&json!(9)))["answers"][0]["question"], "Q? é");
}

#[test]
fn whoever_does_not_answer_has_not_chosen() {
    let scene = Scene::new();
    let mut client = scene.client(&[]);
    let ends: [(Reply, Value, &str); 3] = [
        (
            Reply::Decline(Some("too early".into())),
            json!({"status": "declined", "reason": "too early"}),
            "The person declined to answer: too early. No option was chosen; do not assume one.",
        ),
        (
            Reply::Decline(None),
            json!({"status": "declined", "reason": null}),
            "The person declined to answer. No option was chosen; do not assume one.",
        ),
        (
            Reply::Discuss("what does it cost?".into()),
            json!({"status": "discuss", "words": "what does it cost?"}),
            "The person wants to talk first: what does it cost?. No option was chosen. Answer them, \
             then ask again if you still need it.",
        ),
    ];
    for (reply, mut expected, words) in ends {
        // Some clients give their model this alone.
        expected["message"] = json!(words);
        let call = client.ask("Go?");
        let ask = scene.the_ask();
        scene.reply(ask.id, reply);
        let result = client.result(&call);
        assert_eq!(*structured(&result), expected);
        assert_eq!(text(&result), words);
        scene.wait_state(ask.id, State::Delivered);
    }
    let call = client.ask("Go?");
    scene.withdraw(scene.the_ask().id, "another process did so");
    let result = client.result(&call);
    let words = text(&result);
    assert_eq!(
        *structured(&result),
        json!({"status": "withdrawn", "reason": "another process did so", "message": words})
    );
    assert!(text(&result).contains("No option was chosen; do not assume one."));
}

#[test]
fn silence_is_silence() {
    let scene = Scene::with_config("policy = { default_deadline_seconds = 1 }");
    let mut client = scene.client(&[]);
    let result = client.called("ask_user", &one("Go?"));
    let words = "Nobody answered within 1 s. This is neither a choice nor consent. Do not choose for the \
                 person.";
    assert_eq!(
        *structured(&result),
        json!({"status": "no_answer", "afterSeconds": 1, "message": words})
    );
    assert_eq!(text(&result), words);
}

#[test]
fn ten_questions_at_once_are_answered_in_any_order() {
    let scene = Scene::new();
    let mut client = scene.client(&[]);
    let calls: Vec<_> = (0..10).map(|n| (n, client.ask(&format!("Question {n}?")))).collect();
    let mut asks = scene.wait_open(10);
    asks.reverse();
    for ask in asks {
        let question = ask.matter().ask().unwrap().questions()[0].text().to_owned();
        scene.answer(ask.id, json!([{"selected": ["yes"], "notes": question}]));
    }
    for (n, call) in calls {
        let result = client.result(&call);
        let answer = &structured(&result)["answers"][0];
        let question = format!("Question {n}?");
        assert_eq!((&answer["question"], &answer["notes"]), (&json!(question), &json!(question)));
    }
}

#[test]
fn what_does_not_fit_is_said_in_words_that_help_and_nobody_is_asked() {
    let scene = Scene::new();
    let mut client = scene.client(&[]);
    let options: Vec<_> = (0..51).map(|n| json!({"label": format!("{n}")})).collect();
    let result = client.called(
        "ask_user",
        &json!({"questions": [{"question": ""}, {"question": "Q?", "options": options},
                             {"question": "R?", "multiSelect": "yes"}],
               "why": ["no"]}),
    );
    let said = failure(&result);
    for line in [
        "- questions[0].question: 0 characters, 1–10,000 needed",
        "- questions[1].options: 51 options, 0–50 needed",
        "- questions[2].multiSelect: a string, true or false needed",
        "- why: no text, a text needed",
    ] {
        assert!(said.lines().any(|said| said == line), "{line}\n{said}");
    }
    assert!(scene.open().is_empty());
    // A call without arguments is one with wrong arguments, and no broken protocol.
    let result = client.called("ask_user", &Value::Null);
    assert!(failure(&result).contains("an object with questions needed"), "{result}");
}

#[test]
fn a_person_is_not_asked_twice_for_the_same() {
    let scene = Scene::new();
    let mut client = scene.client(&["--patience", "1s"]);
    let result = client.called("ask_user", &one("Go?"));
    assert_eq!(structured(&result)["status"], "pending");
    let again = client.ask("Go?");
    let ask = scene.the_ask();
    scene.answer(ask.id, json!([{"selected": ["no"]}]));
    assert_eq!(structured(&client.result(&again))["answers"][0]["selected"], json!(["no"]));
    scene.wait_state(ask.id, State::Delivered);
    assert!(scene.open().is_empty());
}
