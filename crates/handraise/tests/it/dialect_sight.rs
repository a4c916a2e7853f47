//! What front ends of other systems are shown, by which name, and what they hear of it later.

use serde_json::{Value, json};

use crate::dialect_scene::{
    Door, FORMAT, format_question, gobby_says, of_session, prime_agent_says, ruled,
};
use crate::http::Call;
use crate::watched_hub::WatchedHub;

fn format_ask(call: &str) -> Value {
    of_session("s-1", call, json!([format_question()]))
}

#[test]
fn approvals_and_what_only_the_agents_dialog_answers_are_not_shown() {
    let hub = WatchedHub::start();
    let door = Door::from(&hub);
    let (mut prime, _) = door.prime_agent("s-1");
    let mut gobby = door.gobby("");
    let approval = json!({"asker": {"agent": "claude-code", "session": "s-1"}, "key": "s-1/t-1",
        "kind": "approval", "approval": {"tool": "Bash", "input": {"command": "ls"}}});
    let hidden =
        [door.asks(&approval), door.asks(&ruled(format_ask("t-2"), json!({"answerIn": "dialog"})))];
    let id = door.asks(&format_ask("t-3"));
    prime.is_asked(&id);
    prime.waits_for(Some(&id));
    gobby.sees_call("t-3", "calling");
    for (hidden, call) in hidden.iter().zip(["t-1", "t-2"]) {
        prime.says(&prime_agent_says(hidden, json!({FORMAT: "Summary"})));
        prime.hears_error("unknown_question");
        for name in [call, hidden] {
            gobby.says(&gobby_says("s-1", name, json!({FORMAT: "Summary"})));
            gobby.knock();
        }
        assert!(door.is_open(hidden));
    }
    let (_, status) = door.prime_agent("s-1");
    assert_eq!(status["pending_question_id"], id, "nor to whoever comes now");
    hub.end();
}

#[test]
fn several_questions_of_a_session_come_one_by_one_in_their_order_or_all_at_once() {
    let hub = WatchedHub::start();
    let door = Door::from(&hub);
    let mut gobby = door.gobby("s-1");
    let calls = ["t-1", "t-2", "t-3", "t-4"];
    let ids = calls.map(|call| door.asks(&format_ask(call)));
    for call in calls {
        gobby.sees_call(call, "calling");
    }
    let (mut prime, status) = door.prime_agent("s-1");
    assert_eq!(status["pending_question_id"], ids[0]);
    prime.is_asked(&ids[0]);
    prime.says(&prime_agent_says(&ids[0], json!({FORMAT: "Summary"})));
    prime.is_asked(&ids[1]);
    prime.waits_for(Some(&ids[1]));
    gobby.sees_call("t-1", "completed");
    // What was not shown yet may end without a word.
    gobby.says(&gobby_says("s-1", "t-3", json!({FORMAT: "Detailed"})));
    gobby.sees_call("t-3", "completed");
    door.answers(&ids[1], &json!([{"selected": ["Summary"]}]));
    assert_eq!(prime.hears_a("ask_user_timeout")["question_id"], ids[1]);
    prime.is_asked(&ids[3]);
    prime.waits_for(Some(&ids[3]));
    gobby.sees_call("t-2", "completed");
    prime.says(&prime_agent_says(&ids[3], json!({FORMAT: "Summary"})));
    prime.waits_for(None);
    gobby.sees_call("t-4", "completed");
    hub.end();
}

#[test]
fn a_session_goes_by_the_hubs_name_or_by_the_agents_own() {
    let hub = WatchedHub::start();
    let door = Door::from(&hub);
    let session = door.opens_session("own");
    let short = &session[session.len() - 8..];
    for (n, name) in [session.as_str(), short, "own"].into_iter().enumerate() {
        let call = format!("t-{n}");
        let id = door.asks(&of_session("own", &call, json!([format_question()])));
        let (mut prime, status) = door.prime_agent(name);
        assert_eq!(
            (&status["session_id"], &status["waiting_for_user"]),
            (&json!(name), &json!(true))
        );
        prime.is_asked(&id);
        let mut narrow = door.front_end(&format!("gobby/{name}"));
        assert_eq!(narrow.sees_call(&call, "calling")["conversation_id"], name);
        let mut wide = door.front_end("gobby");
        assert_eq!(wide.sees_call(&call, "calling")["conversation_id"], "own");
        // Whichever name it says the session by.
        wide.says(&gobby_says(name, &call, json!({FORMAT: "Summary"})));
        for page in [&mut wide, &mut narrow] {
            page.sees_call(&call, "completed");
        }
        prime.hears_a("ask_user_timeout");
        prime.waits_for(None);
        assert_eq!(door.answer_to(&id), json!(["Summary"]));
    }
    hub.end();
}

#[test]
fn a_session_whose_agent_has_no_name_yet_gets_its_questions_when_it_has() {
    let hub = WatchedHub::start();
    let door = Door::from(&hub);
    let session = json!({"agent": "claude-code", "directory": "/home/ann/api"});
    let session = door.as_agent("/sessions", &session)["id"].as_str().unwrap().to_owned();
    let (mut page, status) = door.prime_agent(&session);
    assert_eq!(status["is_processing"], true, "it begins");
    let id = door.asks(&of_session("own", "t", json!([format_question()])));
    door.progresses(&session, &json!({"agentSession": "own"}));
    page.is_asked(&id);
    page.waits_for(Some(&id));
    page.says(&prime_agent_says(&id, json!({FORMAT: "Summary"})));
    page.waits_for(None);
    hub.end();
}

#[test]
fn an_ask_of_no_session_is_one_of_its_own() {
    let hub = WatchedHub::start();
    let door = Door::from(&hub);
    let mut wide = door.gobby("");
    let ask = json!({"asker": {"agent": "tester"}, "questions": [format_question()]});
    let (id, other) = (door.asks(&ask), door.asks(&ask));
    assert_eq!(wide.sees_call(&id, "calling")["conversation_id"], id);
    wide.sees_call(&other, "calling");
    let (mut prime, _) = door.prime_agent(&id);
    prime.is_asked(&id);
    prime.says(&prime_agent_says(&id, json!({FORMAT: "Summary"})));
    prime.waits_for(None);
    wide.sees_call(&id, "completed");
    wide.says(&gobby_says(&other, &other, json!({FORMAT: "Summary"})));
    wide.sees_call(&other, "completed");
    hub.end();
}

#[test]
fn another_sessions_question_is_neither_shown_nor_answered() {
    let hub = WatchedHub::start();
    let door = Door::from(&hub);
    let (mut prime, _) = door.prime_agent("s-2");
    let mut gobby = door.gobby("s-2");
    let id = door.asks_for_a_format();
    prime.says(&prime_agent_says(&id, json!({FORMAT: "Summary"})));
    assert_eq!(prime.hears_error("unknown_question")["question_id"], id);
    for (conversation, call) in [("s-1", "toolu_1"), ("s-2", "toolu_1"), ("s-1", &id), ("s-2", &id)]
    {
        gobby.says(&gobby_says(conversation, call, json!({FORMAT: "Summary"})));
        gobby.knock();
    }
    assert!(door.is_open(&id));
    let own = door.asks(&of_session("s-2", "toolu_2", json!([format_question()])));
    prime.is_asked(&own);
    gobby.sees_call("toolu_2", "calling");
    hub.end();
}

#[test]
fn the_newest_connection_counts_however_it_names_the_session() {
    let hub = WatchedHub::start();
    let door = Door::from(&hub);
    let session = door.opens_session("own");
    let id = door.asks(&of_session("own", "t", json!([format_question()])));
    let (mut first, _) = door.prime_agent(&session);
    first.is_asked(&id);
    let (mut second, _) = door.prime_agent("own");
    second.is_asked(&id);
    first.hears_error("session_taken");
    first.says(&prime_agent_says(&id, json!({FORMAT: "Summary"})));
    first.hears_error("session_taken");
    let (mut third, _) = door.prime_agent(&session);
    third.is_asked(&id);
    second.hears_error("session_taken");
    // Whoever came last counts again when a newer one goes, and is shown everything again.
    third.leaves();
    second.waits_for(Some(&id));
    second.is_asked(&id);
    second.leaves();
    first.waits_for(Some(&id));
    first.is_asked(&id);
    first.says(&prime_agent_says(&id, json!({FORMAT: "Summary"})));
    first.waits_for(None);
    assert_eq!(door.answer_to(&id), json!(["Summary"]));
    hub.end();
}

#[test]
fn two_names_that_turn_out_to_be_one_session_are_settled_then() {
    let hub = WatchedHub::start();
    let door = Door::from(&hub);
    let session = json!({"agent": "claude-code", "directory": "/home/ann/api"});
    let session = door.as_agent("/sessions", &session)["id"].as_str().unwrap().to_owned();
    let (mut first, _) = door.prime_agent("own");
    let (mut second, _) = door.prime_agent(&session);
    first.knock();
    second.knock();
    door.progresses(&session, &json!({"agentSession": "own"}));
    loop {
        // Its status may come first: it has just heard that the session begins.
        let heard = first.hears();
        if heard["type"] == "error" {
            assert_eq!(heard["error"], "session_taken");
            break;
        }
    }
    second.knock();
    hub.end();
}

#[test]
fn other_sessions_and_other_dialects_are_not_taken_over() {
    let hub = WatchedHub::start();
    let door = Door::from(&hub);
    let (mut one, _) = door.prime_agent("s-1");
    let (mut other, _) = door.prime_agent("s-2");
    let (mut gobby, mut again) = (door.gobby("s-1"), door.gobby("s-1"));
    for page in [&mut one, &mut other, &mut gobby, &mut again] {
        page.knock();
    }
    hub.end();
}

#[test]
fn an_answer_the_agent_did_not_take_is_told_to_those_who_saw_it_given() {
    let hub = WatchedHub::start();
    let door = Door::from(&hub);
    let id = door.asks_for_a_format();
    let (mut prime, _) = door.prime_agent("s-1");
    let mut gobby = door.front_end("gobby");
    prime.is_asked(&id);
    gobby.sees_call("toolu_1", "calling");
    prime.says(&prime_agent_says(&id, json!({FORMAT: "Summary"})));
    prime.waits_for(None);
    gobby.sees_call("toolu_1", "completed");
    let took = json!({"kind": "answered", "answers": [{"selected": ["Detailed"]}]});
    let receipt = json!({"level": "seen", "text": "it chose Detailed", "took": took});
    let ask = door.as_agent(&format!("/asks/{id}/receipt"), &receipt);
    assert_eq!(ask["state"], "overruled");
    let words = "the agent went on with another answer than this one";
    let told = prime.hears_error("not_delivered");
    assert_eq!((&told["question_id"], &told["message"]), (&json!(id), &json!(words)));
    assert_eq!(gobby.sees_call("toolu_1", "error")["error"], words);
    hub.end();
}

#[test]
fn an_answer_the_agent_never_got_is_told_to_those_who_saw_it_given() {
    let hub = WatchedHub::start();
    let door = Door::from(&hub);
    let id = door.asks_for_a_format();
    let (mut prime, _) = door.prime_agent("s-1");
    let mut gobby = door.front_end("gobby/s-1");
    prime.is_asked(&id);
    gobby.sees_call("toolu_1", "calling");
    gobby.says(&gobby_says("s-1", "toolu_1", json!({FORMAT: "Summary"})));
    gobby.sees_call("toolu_1", "completed");
    prime.hears_a("ask_user_timeout");
    prime.waits_for(None);
    let ask = door.as_agent(&format!("/asks/{id}/withdraw"), &json!({"reason": "it crashed"}));
    assert_eq!(ask["state"], "undelivered");
    let words = "the agent may not have got the answer: it crashed";
    assert_eq!(prime.hears_error("not_delivered")["message"], words);
    assert_eq!(gobby.sees_call("toolu_1", "error")["error"], words);
    // It is told once: the next thing they hear is the next question.
    let next = door.asks(&format_ask("toolu_2"));
    prime.is_asked(&next);
    gobby.sees_call("toolu_2", "calling");
    hub.end();
}

#[test]
fn however_it_ends_elsewhere_each_hears_it_in_its_own_form() {
    let hub = WatchedHub::start();
    let door = Door::from(&hub);
    let (mut prime, _) = door.prime_agent("s-1");
    let mut gobby = door.gobby("s-1");
    for (n, (power, action, body, to_prime, to_gobby)) in [
        (
            "person",
            "decline",
            json!({"reason": "not now"}),
            "already declined by ",
            "The person declined to answer: not now.",
        ),
        (
            "person",
            "discuss",
            json!({"words": "why?"}),
            " wanted to talk first, at ",
            "The person wants to talk first: why?.",
        ),
        (
            "agent",
            "withdraw",
            json!({"reason": "gone"}),
            "withdrawn by the agent at ",
            "The question was withdrawn before anybody answered: gone.",
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let call = format!("t-{n}");
        let id = door.asks(&format_ask(&call));
        prime.is_asked(&id);
        prime.waits_for(Some(&id));
        gobby.sees_call(&call, "calling");
        let path = format!("/asks/{id}/{action}");
        if power == "agent" {
            door.as_agent(&path, &body)
        } else {
            door.as_person(&path, &body)
        };
        let told = prime.hears_a("ask_user_timeout");
        assert_eq!(told["question_id"], id);
        assert!(told["error"].as_str().unwrap().contains(to_prime), "{told}");
        prime.waits_for(None);
        let told = gobby.sees_call(&call, "error");
        assert!(told["error"].as_str().unwrap().starts_with(to_gobby), "{told}");
        assert_eq!(told.get("result"), None);
    }
    hub.end();
}

#[test]
fn more_time_is_shown_to_whoever_comes_and_takes_nothing_from_whoever_is_there() {
    let hub = WatchedHub::start();
    let door = Door::from(&hub);
    let rules = json!({"deadlineSeconds": 100});
    let id = door.asks(&ruled(format_ask("t-1"), rules));
    let (mut page, _) = door.prime_agent("s-1");
    assert!(page.is_asked(&id)["timeout_seconds"].as_u64().unwrap() <= 100);
    let mut gobby = door.front_end("gobby");
    gobby.sees_call("t-1", "calling");
    door.as_person(&format!("/asks/{id}/extend"), &json!({"seconds": 1000}));
    // It is not asked again: the next thing Gobby's page hears is the next call.
    door.asks(&format_ask("t-2"));
    gobby.sees_call("t-2", "calling");
    let (mut later, _) = door.prime_agent("s-1");
    let left = later.is_asked(&id)["timeout_seconds"].as_u64().unwrap();
    assert!((900..=1100).contains(&left), "{left}");
    page.hears_error("session_taken");
    hub.end();
}

#[test]
fn it_is_processing_while_the_agent_works_and_nothing_waits_for_the_person() {
    let hub = WatchedHub::start();
    let door = Door::from(&hub);
    let session = door.opens_session("own");
    let (mut page, status) = door.prime_agent(&session);
    assert_eq!(status["is_processing"], true, "it begins");
    let mut is_processing = |state: &str, expected: bool| {
        door.progresses(&session, &json!({"state": state}));
        assert_eq!(page.waits_for(None)["is_processing"], expected, "{state}");
    };
    is_processing("idle", false);
    is_processing("working", true);
    let id = door.asks(&of_session("own", "t", json!([format_question()])));
    page.is_asked(&id);
    assert_eq!(page.waits_for(Some(&id))["is_processing"], false, "it waits, as in the sample");
    page.says(&prime_agent_says(&id, json!({FORMAT: "Summary"})));
    assert_eq!(page.waits_for(None)["is_processing"], true);
    for (state, expected) in [("stopped", false), ("working", true), ("ended", false)] {
        door.progresses(&session, &json!({"state": state}));
        assert_eq!(page.waits_for(None)["is_processing"], expected, "{state}");
    }
    hub.end();
}

#[test]
fn words_to_the_agent_wait_for_it_and_are_refused_where_nobody_takes_them() {
    let hub = WatchedHub::start();
    let door = Door::from(&hub);
    let session = door.opens_session("own");
    let words = |text: &str| json!({"type": "user_message", "data": {"content": text}});
    for name in [session.as_str(), "own"] {
        let (mut page, _) = door.prime_agent(name);
        page.says(&words("and keep it small\nplease"));
        page.knock();
        page.leaves();
    }
    let path = format!("/api/v1/sessions/{session}/messages");
    let messages = hub.call(&Call::get(&path).token(&hub.person)).json();
    let said = messages["messages"].as_array().unwrap();
    assert_eq!(said.len(), 2, "{messages}");
    for message in said {
        assert_eq!(message["text"], "and keep it small\nplease");
        assert_eq!((&message["kind"], &message["state"]), (&json!("user"), &json!("queued")));
        assert_eq!(message["responder"]["surface"], "dialect:prime-agent");
    }
    let (mut page, _) = door.prime_agent("somebody's terminal".replace(' ', "%20").as_str());
    page.says(&words("hello?"));
    page.hears_error("no_chat");
    let (mut page, _) = door.prime_agent(&session);
    for nothing in ["", " \n"] {
        page.says(&words(nothing));
        let refused = page.hears_error("invalid");
        assert!(refused["message"].as_str().unwrap().starts_with("text: "), "{refused}");
    }
    door.progresses(&session, &json!({"state": "ended"}));
    page.waits_for(None);
    page.says(&words("too late"));
    page.hears_error("session_ended");
    hub.end();
}

#[test]
fn hostile_text_of_an_agent_comes_byte_for_byte() {
    let hub = WatchedHub::start();
    let door = Door::from(&hub);
    let questions = concat!(
        r#"[ {"options" : [{"label":"\u001b]2;pwned\u0007\u001b[2J"},{"label":"</script><img src=x onerror=alert(1)>"},"#,
        r#" {"label": "\u202eevil \u0000 \ud83e\udd80 🦀", "description":"a\\b\/c\u2028"}],"#,
        "\n\t",
        r#""question":"{\"type\":\"session_status\"}, \"x\"=1e400?","header":"שלום", "extra":{"b":1.0,"a":1e2,"b2":12345678901234567890123}}]"#,
    );
    let ask = format!(
        r#"{{"asker":{{"agent":"claude-code","session":"s-1"}},"key":"s-1/t","questions":{questions}}}"#
    );
    let call = Call::post("/api/v1/asks").token(&hub.agent).body("application/json", ask);
    let asked = hub.call(&call);
    assert_eq!(asked.status, 201, "{asked:?}");
    let id = asked.json()["id"].as_str().unwrap().to_owned();
    for path in ["prime-agent/s-1", "gobby", "gobby/s-1"] {
        let mut page = door.front_end(path);
        let mut told = page.0.text();
        if path.starts_with("prime-agent") {
            told = page.0.text();
        }
        assert!(told.contains(questions), "{told}");
    }
    // And what was chosen is that label, byte for byte.
    let shown: Value = serde_json::from_str(questions).unwrap();
    let (text, label) = (shown[0]["question"].as_str().unwrap(), &shown[0]["options"][0]["label"]);
    let mut page = door.front_end("gobby");
    page.sees_call("t", "calling");
    page.says(&gobby_says("s-1", "t", json!({text: label})));
    assert_eq!(page.sees_call("t", "completed")["result"]["answers"][text], *label);
    assert_eq!(door.answer_to(&id), json!([label]));
    hub.end();
}
