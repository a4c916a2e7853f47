//! Malformed, oversized, out of order and twice: an error in the dialect's own form, and afterwards the
//! same connection answers the same ask.

use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;

use crate::dialect_scene::{
    Door, FEATURES, FORMAT, FrontEnd, features_question, format_question, gobby_says,
    gone_is_declined, of_session, prime_agent_cancels, prime_agent_says, ruled,
};
use crate::socket::Socket;
use crate::watched_hub::WatchedHub;

#[derive(Clone, Copy, PartialEq)]
enum Form {
    PrimeAgent,
    Gobby,
}

const BOTH: [Form; 2] = [Form::PrimeAgent, Form::Gobby];
const CALL: &str = "toolu_1";

/// One page of a dialect, which stays connected whatever it says.
struct Page {
    form: Form,
    session: &'static str,
    door: Door,
    line: FrontEnd,
    asked: usize,
    /// The ask that is shown, and its call.
    id: String,
    call: String,
}

impl Page {
    fn of(form: Form, hub: &WatchedHub) -> Self {
        let door = Door::from(hub);
        let (session, line) = match form {
            Form::PrimeAgent => ("p-1", door.prime_agent("p-1").0),
            Form::Gobby => ("g-1", door.gobby("g-1")),
        };
        Self { form, session, door, line, asked: 0, id: String::new(), call: String::new() }
    }

    /// The agent asks, and it is shown.
    fn is_asked(&mut self, questions: &Value) {
        self.asked += 1;
        self.call = format!("t-{}", self.asked);
        // Whatever the page says, it is not taken for its leaving.
        let ask = of_session(self.session, &self.call, questions.clone());
        self.id = self.door.asks(&ruled(ask, gone_is_declined()));
        match self.form {
            Form::PrimeAgent => {
                self.line.is_asked(&self.id);
                self.line.waits_for(Some(&self.id));
            }
            Form::Gobby => {
                self.line.sees_call(&self.call, "calling");
            }
        }
    }

    fn is_asked_for_a_format(&mut self) {
        self.is_asked(&json!([format_question()]));
    }

    /// Answers in the form of the dialect.
    fn answer(&self, answers: Value) -> Value {
        match self.form {
            Form::PrimeAgent => prime_agent_says(&self.id, answers),
            Form::Gobby => gobby_says(self.session, &self.call, answers),
        }
    }

    fn says_answer(&mut self, answers: Value) {
        let message = self.answer(answers);
        self.line.says(&message);
    }

    /// It hears an error in its own form, which names no word of what it said.
    fn hears_error(&mut self, code: &str) -> String {
        let heard = match self.form {
            Form::PrimeAgent => self.line.hears_error(code),
            Form::Gobby => self.line.hears_code(code),
        };
        assert!(!heard.to_string().contains("SECRET"), "{heard}");
        heard["message"].as_str().unwrap().to_owned()
    }

    /// What it says now counts.
    fn wins_with(&mut self, answers: Value, expected: &Value) {
        assert!(self.door.is_open(&self.id), "the ask lives");
        self.says_answer(answers);
        self.is_over();
        assert_eq!(self.door.answer_to(&self.id), *expected);
    }

    fn wins(&mut self) {
        self.wins_with(json!({FORMAT: "Summary"}), &json!(["Summary"]));
    }

    fn is_over(&mut self) {
        match self.form {
            Form::PrimeAgent => self.line.waits_for(None),
            Form::Gobby => self.line.sees_call(&self.call, "completed"),
        };
    }
}

#[test]
fn whatever_is_no_message_of_the_dialect_is_refused_and_nothing_is_lost() {
    let hub = WatchedHub::start();
    let strange = [
        String::new(),
        " \n".into(),
        "nope SECRET".into(),
        "null".into(),
        "7".into(),
        "\"SECRET\"".into(),
        "[]".into(),
        "{".into(),
        "{}".into(),
        "{} {}".into(),
        "\u{0}".into(),
        "\u{feff}{}".into(),
        r#"{"type": "\ud800"}"#.into(),
        r#"{"type": 1e999}"#.into(),
        "[".repeat(500_000),
        r#"{"type":"#.repeat(100_000),
        format!("{}1{}", r#"{"type":["#.repeat(10_000), "]}".repeat(10_000)),
        json!({"type": "SECRET"}).to_string(),
        json!({"type": 5}).to_string(),
        json!({"type": null}).to_string(),
        json!({"type": ["ask_user_response"]}).to_string(),
        json!({"Type": "ask_user_response"}).to_string(),
        json!({"type": "ask_user_question"}).to_string(),
        json!({"type": "tool_status", "status": "completed"}).to_string(),
        json!({"type": "ask_user_response"}).to_string(),
        json!({"type": "ask_user_response", "data": "SECRET", "conversation_id": 1}).to_string(),
        json!({"type": "SECRET".repeat(150_000)}).to_string(),
        json!({"token": "SECRET"}).to_string(),
    ];
    for form in BOTH {
        let mut page = Page::of(form, &hub);
        for message in &strange {
            page.is_asked_for_a_format();
            page.line.says_text(message);
            let words = page.hears_error("malformed");
            let known = ["message: ", "type: ", "data: ", "conversation_id: "];
            assert!(known.iter().any(|path| words.starts_with(path)), "{words}");
            assert!(words.len() < 300, "{words}");
            page.wins();
        }
    }
    hub.end();
}

#[test]
fn messages_with_wrong_or_missing_fields_are_refused_and_nothing_is_lost() {
    let hub = WatchedHub::start();
    let others = [json!(null), json!(5), json!(true), json!([]), json!({})];
    let mut prime = Page::of(Form::PrimeAgent, &hub);
    for field in ["question_id", "answers", "cancelled"] {
        for other in &others {
            // Neither of these is wrong there.
            let fits = (field == "answers" && other.is_object())
                || (field == "cancelled" && (other.is_null() || other.is_boolean()));
            if fits {
                continue;
            }
            prime.is_asked_for_a_format();
            let mut message = prime.answer(json!({FORMAT: "SECRET"}));
            message["data"][field] = other.clone();
            prime.line.says(&message);
            let words = prime.hears_error("malformed");
            assert!(words.starts_with(&format!("data.{field}: ")), "{other}: {words}");
            prime.wins();
        }
    }
    prime.is_asked_for_a_format();
    for content in &others {
        prime.line.says(&json!({"type": "user_message", "data": {"content": content}}));
        prime.hears_error("malformed");
    }
    prime.wins();
    let mut gobby = Page::of(Form::Gobby, &hub);
    for field in ["conversation_id", "tool_call_id", "answers"] {
        for other in others.iter().filter(|other| field != "answers" || !other.is_object()) {
            gobby.is_asked_for_a_format();
            let mut message = gobby.answer(json!({FORMAT: "SECRET"}));
            message[field] = other.clone();
            gobby.line.says(&message);
            let words = gobby.hears_error("malformed");
            assert!(words.starts_with(&format!("{field}: ")), "{other}: {words}");
            gobby.wins();
        }
    }
    hub.end();
}

#[test]
fn a_message_of_another_dialect_is_none_of_this_one() {
    let hub = WatchedHub::start();
    for form in BOTH {
        let mut page = Page::of(form, &hub);
        page.is_asked_for_a_format();
        let answers = json!({FORMAT: "Summary"});
        page.line.says(&match form {
            Form::PrimeAgent => gobby_says(page.session, &page.call, answers),
            Form::Gobby => prime_agent_says(&page.id, answers),
        });
        page.hears_error("malformed");
        page.line.says(&json!({"type": "ask_user_response", "answers": {FORMAT: "Summary"},
            "question_id": page.id, "tool_call_id": page.id}));
        page.hears_error("malformed");
        page.wins();
    }
    hub.end();
}

#[test]
fn binary_frames_are_refused_and_nothing_is_lost() {
    let hub = WatchedHub::start();
    for form in BOTH {
        let mut page = Page::of(form, &hub);
        page.is_asked_for_a_format();
        let answer = page.answer(json!({FORMAT: "Summary"})).to_string();
        for bytes in [vec![], vec![0; 100_000], vec![0xff, 0xfe], answer.into_bytes()] {
            page.line.0.send(Message::binary(bytes));
            page.hears_error("not_text");
        }
        page.wins();
    }
    hub.end();
}

#[test]
fn what_is_too_large_is_refused_and_the_line_stays() {
    let hub = WatchedHub::start();
    let most = handraise_server::Limits::default().body_bytes;
    for form in BOTH {
        let mut page = Page::of(form, &hub);
        for size in [most + 1, 2 * most, 8 * most] {
            page.is_asked_for_a_format();
            let mut message = page.answer(json!({FORMAT: ""})).to_string();
            let place = message.find("\"\"").unwrap() + 1;
            message.insert_str(place, &"x".repeat(size - message.len()));
            assert_eq!(message.len(), size);
            page.line.says_text(&message);
            let words = page.hears_error("too_large");
            assert_eq!(words, format!("message: {size} bytes, {most} or fewer needed"));
            page.wins();
        }
        // What still fits is looked at.
        page.is_asked_for_a_format();
        let long = "x".repeat(most - 500);
        page.says_answer(json!({FORMAT: long}));
        let words = page.hears_error("invalid_answers");
        assert!(words.contains("or fewer needed"), "{words}");
        page.wins();
    }
    hub.end();
}

#[test]
fn a_line_over_which_far_too_much_comes_is_cut_and_the_ask_waits_for_the_next() {
    let hub = WatchedHub::start();
    let most = handraise_server::Limits::default().body_bytes;
    for form in BOTH {
        let mut page = Page::of(form, &hub);
        page.is_asked_for_a_format();
        let Page { session, line, id, door, .. } = page;
        // It may be cut before all of it is sent.
        let _ = line.0.try_send(Message::text("x".repeat(8 * most + 1)));
        let mut again = match form {
            Form::PrimeAgent => door.prime_agent(session).0,
            Form::Gobby => door.front_end(&format!("gobby/{session}")),
        };
        let shown = again.hears().to_string();
        assert!(shown.contains(&id), "{shown}");
    }
    hub.end();
}

#[test]
fn a_broken_websocket_is_closed_with_a_reason_and_declines_nothing() {
    // A length of 2^40, bytes that are not UTF-8, a frame without a mask.
    let huge = [0x81, 0xff, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    let not_utf8 = [0x81, 0x82, 0, 0, 0, 0, 0xff, 0xfe];
    let unmasked = [0x81, 0x01, b'x'];
    for form in BOTH {
        for (bytes, code) in [(&huge[..], 1009), (&not_utf8[..], 1007), (&unmasked[..], 1002)] {
            let hub = WatchedHub::start();
            let mut page = Page::of(form, &hub);
            page.is_asked_for_a_format();
            page.line.0.send_bytes(bytes);
            page.hears_error("unreadable");
            let Page { line, id, door, .. } = page;
            assert_eq!(line.0.closed(), (vec![], code));
            assert!(door.is_open(&id), "{code} was taken for a leaving");
            hub.end();
        }
    }
}

#[test]
fn answers_that_do_not_fit_the_questions_are_refused_with_what_is_wrong() {
    let hub = WatchedHub::start();
    let two = json!([format_question(), features_question()]);
    let many: Value = (0..5000).map(|n| (format!("SECRET {n}"), json!("x"))).collect();
    let wrong = [
        (json!({}), "answers[0]: nothing, text, or a list of texts needed; answers[1]: nothing"),
        (json!({FORMAT: "Summary"}), "answers[1]: nothing, text"),
        (json!({FORMAT: "", FEATURES: ""}), "answers[0].words: nothing but spaces"),
        (json!({FORMAT: " \n\t", FEATURES: "Auth"}), "answers[0].words: nothing but spaces"),
        (json!({FORMAT: [], FEATURES: []}), "answers[0]: an empty list"),
        (json!({FORMAT: null, FEATURES: "Auth"}), "answers[0]: nothing, text"),
        (json!({FORMAT: 5, FEATURES: "Auth"}), "answers[0]: a number"),
        (json!({FORMAT: true, FEATURES: "Auth"}), "answers[0]: true or false"),
        (json!({FORMAT: {"label": "SECRET"}, FEATURES: "Auth"}), "answers[0]: an object"),
        (json!({FORMAT: "Summary", FEATURES: ["Auth", 5]}), "answers[1]: a list of other things"),
        (json!({FORMAT: "Summary", FEATURES: [["Auth"]]}), "answers[1]: a list of other things"),
        (
            json!({FORMAT: ["Summary", "Detailed"], FEATURES: "Auth"}),
            "answers[0].selected: 2 options",
        ),
        (
            json!({FORMAT: ["Summary", "SECRET"], FEATURES: "Auth"}),
            "answers[0]: an option and own words",
        ),
        (
            json!({FORMAT: "Summary", FEATURES: ["Auth", "Auth"]}),
            "answers[1].selected[1]: an option chosen twice",
        ),
        (json!({FORMAT: "Summary", FEATURES: "Auth", "SECRET?": "x"}), "answers: 1 of 3 keys"),
        (json!({"SECRET?": "Summary"}), "answers: 1 of 1 keys"),
        (json!({FORMAT.to_uppercase(): "Summary", FEATURES: "Auth"}), "answers: 1 of 2 keys"),
        (many, "answers: 5000 of 5000 keys"),
        (
            json!({FORMAT: "a\u{1b}[2JSECRET", FEATURES: "Auth"}),
            "answers[0].words: control character U+001B",
        ),
        (json!({FORMAT: "a\u{0}", FEATURES: "Auth"}), "answers[0].words: control character U+0000"),
        (
            json!({FORMAT: "a\u{7f}", FEATURES: "Auth"}),
            "answers[0].words: control character U+007F",
        ),
        (
            json!({FORMAT: "x".repeat(10_001), FEATURES: "Auth"}),
            "answers[0].words: 10,001 characters",
        ),
        (
            json!({FORMAT: "Summary", FEATURES: "x".repeat(100_000)}),
            "answers[1].words: 100,000 characters",
        ),
    ];
    for form in BOTH {
        let mut page = Page::of(form, &hub);
        page.is_asked(&two);
        for (answers, words) in &wrong {
            page.says_answer(answers.clone());
            let said = page.hears_error("invalid_answers");
            assert!(said.starts_with(words), "{said}");
            assert!(said.len() < 1000, "{said}");
        }
        page.wins_with(json!({FORMAT: "Detailed", FEATURES: "Search"}), &json!(["Detailed"]));
    }
    hub.end();
}

#[test]
fn own_words_of_ten_thousand_characters_arrive_whole() {
    let hub = WatchedHub::start();
    for form in BOTH {
        let mut page = Page::of(form, &hub);
        for words in ["x".repeat(10_000), "🦀".repeat(10_000), "a, \"b\"\n\t\\ש ".repeat(900)] {
            page.is_asked_for_a_format();
            page.wins_with(json!({FORMAT: words}), &json!(words));
        }
    }
    hub.end();
}

#[test]
fn what_is_said_twice_counts_once_and_the_second_is_passed_over() {
    let hub = WatchedHub::start();
    for form in BOTH {
        let mut page = Page::of(form, &hub);
        for second in ["Summary", "Detailed"] {
            page.is_asked_for_a_format();
            page.says_answer(json!({FORMAT: "Summary"}));
            page.says_answer(json!({FORMAT: second}));
            page.is_over();
            page.says_answer(json!({FORMAT: second}));
            page.line.knock();
            assert_eq!(page.door.answer_to(&page.id), json!(["Summary"]));
        }
        page.is_asked_for_a_format();
        page.wins();
    }
    hub.end();
}

#[test]
fn an_answer_before_any_question_is_refused_or_passed_over_and_hits_nothing_later() {
    let hub = WatchedHub::start();
    let mut prime = Page::of(Form::PrimeAgent, &hub);
    let nobody = "01900000-0000-7000-8000-000000000000";
    for id in ["q_123", "", nobody, "SECRET\u{0}", &"x".repeat(100_000)] {
        prime.line.says(&prime_agent_says(id, json!({FORMAT: "Summary"})));
        let heard = prime.line.hears_error("unknown_question");
        assert_eq!(heard["question_id"], id);
        prime.line.says(&prime_agent_cancels(id));
        prime.line.hears_error("unknown_question");
    }
    prime.is_asked_for_a_format();
    prime.wins();
    let mut gobby = Page::of(Form::Gobby, &hub);
    for call in ["t-1", "t-2", "", nobody] {
        gobby.line.says(&gobby_says("g-1", call, json!({FORMAT: "Detailed"})));
        gobby.line.knock();
    }
    gobby.is_asked_for_a_format();
    gobby.wins();
    hub.end();
}

#[test]
fn a_question_that_waits_behind_another_may_be_answered_first() {
    let hub = WatchedHub::start();
    let mut page = Page::of(Form::PrimeAgent, &hub);
    page.is_asked_for_a_format();
    let behind = page.door.asks(&of_session("p-1", "behind", json!([format_question()])));
    page.line.says(&prime_agent_says(&behind, json!({FORMAT: "Detailed"})));
    page.line.knock();
    assert_eq!(page.door.answer_to(&behind), json!(["Detailed"]));
    page.wins();
    hub.end();
}

#[test]
fn a_burst_of_thousands_is_slowed_down_and_then_heard_again() {
    for form in BOTH {
        let hub = WatchedHub::configured("[limits]\nrequests_per_second = 50\n");
        let mut page = Page::of(form, &hub);
        page.is_asked_for_a_format();
        let burst = 3000;
        for _ in 0..burst {
            page.line.says_text("{}");
        }
        let mut slowed = 0;
        for _ in 0..burst {
            let heard = page.line.hears_a("error");
            let field = if form == Form::Gobby { "code" } else { "error" };
            match heard[field].as_str().unwrap() {
                "malformed" => {}
                "too_many_requests" => slowed += 1,
                other => panic!("{other}"),
            }
        }
        assert!((burst / 2..burst).contains(&slowed), "{slowed}");
        assert!(page.door.is_open(&page.id));
        // Until a moment has passed.
        loop {
            page.says_answer(json!({FORMAT: "Summary"}));
            let heard = page.line.hears();
            if heard["type"] != "error" {
                break;
            }
            assert!(heard.to_string().contains("too_many_requests"), "{heard}");
        }
        assert_eq!(page.door.answer_to(&page.id), json!(["Summary"]));
        hub.end();
    }
}

#[test]
fn names_of_sessions_are_anybodys_text() {
    let hub = WatchedHub::start();
    let door = Door::from(&hub);
    let long = "x".repeat(500);
    for (path, name) in [
        ("a%20b", "a b"),
        ("..%2F..%2Fetc%2Fpasswd", "../../etc/passwd"),
        ("%2e%2e", ".."),
        ("%00", "\u{0}"),
        ("%1b%5B2J%0d%0a", "\u{1b}[2J\r\n"),
        ("%F0%9F%A6%80", "🦀"),
        ("%E2%80%AEevil", "\u{202e}evil"),
        ("'%3B%20DROP%20TABLE%20asks%3B--", "'; DROP TABLE asks;--"),
        ("%7Bsession%7D", "{session}"),
        ("%22%7D%2C%7B%22type%22%3A%22x", "\"},{\"type\":\"x"),
        ("a+b&c=d", "a+b&c=d"),
        (long.as_str(), long.as_str()),
    ] {
        let (mut prime, status) = door.prime_agent(path);
        assert_eq!(status["session_id"], name, "{path}");
        let mut gobby = door.gobby(path);
        // Where the hub lets an agent call itself so, its questions come there.
        let ask = of_session(name, CALL, json!([format_question()]));
        let url = format!("http://{}", door.address);
        let asked =
            handraise_testkit::plain_request(&url, &door.agent, "POST", "/asks", Some(&ask));
        let asked = asked.unwrap();
        if asked.status == 201 {
            let id = asked.body["id"].as_str().unwrap();
            prime.is_asked(id);
            let heard = gobby.hears_a("tool_status");
            assert_eq!(heard["conversation_id"], name);
            let call = heard["tool_call_id"].as_str().unwrap().to_owned();
            gobby.says(&gobby_says(name, &call, json!({FORMAT: "Summary"})));
            gobby.sees_call(&call, "completed");
        } else {
            assert_eq!(asked.status, 422, "{asked:?}");
        }
    }
    let too_long = "x".repeat(501);
    for path in [too_long.as_str(), "%FF", "a/b", "", "%ED%A0%80"] {
        for dialect in ["prime-agent", "gobby"] {
            let path = format!("/dialects/{dialect}/{path}?token={}", door.person);
            assert_eq!(Socket::dial(door.address, &path, &[]).err(), Some(404), "{path}");
        }
    }
    hub.end();
}
