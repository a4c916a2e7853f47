//! Real HTTP, both APIs, and servers that fail in every way.

use std::time::Duration;

use handraise_agent_loop::{
    Agent, Api, ApiKey, ApiModel, AskUserQuestion, Backoff, Event, History, RunError,
};
use handraise_testkit::{Block, Fault, ScriptedModel, one_of};
use serde_json::{Value, json};

use crate::stage::{Counting, names, play, results};

const BOTH: [Api; 2] = [Api::AnthropicMessages, Api::ChatCompletions];
const KEY: &str = "sk-test-1234567890";

fn model(server: &ScriptedModel, api: Api) -> ApiModel {
    let url = match api {
        Api::AnthropicMessages => server.url().to_owned(),
        Api::ChatCompletions => format!("{}/v1", server.url()),
    };
    ApiModel::new(api, &url, ApiKey::new(format!(" {KEY}\n")), "scripted").unwrap()
}

fn agent(server: &ScriptedModel, api: Api) -> Agent {
    agent_with(model(server, api))
}

fn agent_with(model: ApiModel) -> Agent {
    let backoff = Backoff { first: Duration::from_millis(1), ..Backoff::default() };
    let agent = Agent::new(model).system("Be brief.").backoff(backoff);
    agent.tool(AskUserQuestion).tool(Counting::default())
}

fn ask_block() -> Block {
    Block::ask(&json!([one_of("Which?", "Which", &["a", "b"])]))
}

/// What the model says at the end of its script: every result it has read.
fn echo(told: &[Value]) -> String {
    told.last().unwrap()["text"].as_str().unwrap_or_else(|| panic!("{told:#?}")).to_owned()
}

#[tokio::test]
async fn questions_and_tools_go_there_and_back() {
    for api in BOTH {
        let server = ScriptedModel::start();
        let turns = vec![
            vec![
                Block::text("I need to know “which” – \u{1F914}."),
                ask_block(),
                Block::tool("count", json!({"by": 2})),
                Block::tool("count", json!({"by": "x"})),
            ],
            vec![Block::tool("none", json!({}))],
        ];
        server.script("all", turns);
        let mut run = agent(&server, api).run(History::new("SCRIPT:all"));
        let told = play(&mut run).await;
        let text: String = told
            .iter()
            .take_while(|e| e["type"] == "text")
            .filter_map(|e| e["text"].as_str())
            .collect();
        assert_eq!(text, "I need to know “which” – \u{1F914}.");
        assert!(told.iter().filter(|e| e["type"] == "text").count() > 3, "nothing was streamed");
        let read = server.tool_results();
        let told_results = results(&told);
        assert_eq!(read.len(), 4);
        for (read, (success, text)) in read.iter().zip(&told_results) {
            assert_eq!(read.text, *text);
            // Chat completions have no mark for an error.
            assert_eq!(read.is_error, !success && api == Api::AnthropicMessages, "{read:?}");
        }
        assert_eq!(
            told_results.iter().map(|(success, _)| *success).collect::<Vec<_>>(),
            [true, true, false, false]
        );
        assert!(echo(&told).contains("Selected: b"), "{told:?}");
        let request = &server.requests()[0];
        assert_eq!(request["model"], "scripted");
        let system = match api {
            Api::AnthropicMessages => &request["system"],
            Api::ChatCompletions => &request["messages"][0]["content"],
        };
        assert_eq!(system, "Be brief.");
    }
}

#[tokio::test]
async fn a_name_that_looks_as_if_it_had_an_ending_is_sent_as_it_is() {
    for api in BOTH {
        let server = ScriptedModel::start();
        let url = format!("{}/v1", server.url());
        let model = ApiModel::new(api, &url, ApiKey::new("k"), "vendor/model-high").unwrap();
        let told = play(&mut Agent::new(model).run(History::new("hello"))).await;
        assert_eq!(echo(&told), "ok");
        assert_eq!(server.requests()[0]["model"], "vendor/model-high");
    }
}

#[tokio::test]
async fn whatever_passes_is_tried_again_from_the_start_of_the_turn() {
    let overloaded = || Fault::ErrorEvent { after: 4, kind: "overloaded_error".to_owned() };
    let milliseconds = Fault::Status {
        code: 429,
        headers: vec![("retry-after-ms".to_owned(), "0".to_owned())],
        message: "slow down".to_owned(),
    };
    let cases = [
        (Fault::retry_after(429, "0"), "answered 429: scripted 429"),
        (milliseconds, "answered 429: slow down"),
        (Fault::status(500), "answered 500: scripted 500"),
        (Fault::retry_after(529, "0"), "answered 529: scripted 529"),
        (Fault::Broken { after: 5 }, "was lost"),
        (Fault::Broken { after: 0 }, "was lost"),
        (Fault::Ended { after: 5 }, "the model's answer ended in the middle"),
        (Fault::Ended { after: 0 }, "the model's answer ended in the middle"),
        (Fault::Garbage { after: 5 }, "the model's answer cannot be read"),
        (overloaded(), "broke off: scripted to break off"),
    ];
    for api in BOTH {
        for (fault, reason) in &cases {
            let server = ScriptedModel::start();
            let words = "These are words enough for many an event.";
            server.script("s", vec![vec![Block::text(words), ask_block()]]);
            server.faults("s", 0, vec![fault.clone(), fault.clone()]);
            server.faults("s", 1, vec![fault.clone()]);
            let mut run = agent(&server, api).run(History::new("SCRIPT:s"));
            let told = play(&mut run).await;
            let retries: Vec<_> = told.iter().filter(|e| e["type"] == "retry").collect();
            assert_eq!(retries.len(), 3, "{api:?} {fault:?}: {told:#?}");
            for retry in retries {
                let said = retry["reason"].as_str().unwrap();
                assert!(said.ends_with(reason), "{api:?} {fault:?}: {said}");
            }
            assert!(echo(&told).contains("Selected: b"), "{api:?} {fault:?}: {told:#?}");
            let asked = names(&told).iter().filter(|name| **name == "ask_user").count();
            assert_eq!(asked, 1, "{api:?} {fault:?}");
            let history = run.into_history().unwrap();
            let kept = json!(history.entries()).to_string();
            assert_eq!(kept.matches("words enough").count(), 1, "{api:?} {fault:?}: {kept}");
        }
    }
}

#[tokio::test]
async fn a_stream_that_ends_one_event_too_early_is_not_the_end_of_the_turn() {
    // Start, ping; each of two blocks: start, one delta, stop; the reason, the stop. And: role, text,
    // call, arguments; the reason, [DONE].
    for (api, events) in [(Api::AnthropicMessages, 10), (Api::ChatCompletions, 6)] {
        let faults = [
            Fault::Ended { after: events - 1 },
            Fault::Ended { after: events - 2 },
            // It says that this was all, and not why.
            Fault::Lost { after: events - 2 },
        ];
        for fault in faults {
            let server = ScriptedModel::start();
            let turn = vec![Block::text("12 letters.."), Block::tool("count", json!({}))];
            server.script("s", vec![turn]);
            server.faults("s", 0, vec![fault]);
            let told = play(&mut agent(&server, api).run(History::new("SCRIPT:s"))).await;
            assert_eq!(
                names(&told).iter().filter(|n| **n == "retry").count(),
                1,
                "{api:?} {told:#?}"
            );
            assert_eq!(results(&told).len(), 1, "{api:?}");
        }
    }
}

#[tokio::test]
async fn a_stream_that_falls_silent_is_dropped_and_tried_again() {
    let cases = BOTH.into_iter().flat_map(|api| [(api, 0), (api, 4)]);
    let silences = cases.map(async |(api, after)| {
        let server = ScriptedModel::start();
        server.script("s", vec![vec![Block::text("Some words, and some more."), ask_block()]]);
        server.faults("s", 0, vec![Fault::Silent { after }]);
        let model = model(&server, api).idle(Duration::from_millis(1500));
        let told = play(&mut agent_with(model).run(History::new("SCRIPT:s"))).await;
        let retry = told.iter().find(|event| event["type"] == "retry").unwrap();
        assert_eq!(retry["reason"], "the model was silent for 1 s", "{api:?}");
        assert!(echo(&told).contains("Selected: b"), "{api:?} {told:#?}");
    });
    futures_util::future::join_all(silences).await;
}

#[tokio::test]
async fn a_run_is_cancelled_in_the_middle_of_a_silent_stream() {
    for api in BOTH {
        let server = ScriptedModel::start();
        server.script("s", vec![vec![Block::text("Some words, and some more."), ask_block()]]);
        server.faults("s", 0, vec![Fault::Silent { after: 4 }]);
        let agent = agent(&server, api);
        let mut run = agent.run(History::new("SCRIPT:s"));
        assert!(matches!(run.next().await, Some(Event::Text { .. })));
        run.cancel();
        while let Some(event) = run.next().await {
            if let Event::Error { error } = event {
                assert_eq!(error, RunError::Cancelled);
            } else {
                assert!(matches!(event, Event::Text { .. }), "{event:?}");
            }
        }
        let told = play(&mut agent.run(run.into_history().unwrap())).await;
        assert!(echo(&told).contains("Selected: b"), "{api:?}");
    }
}

#[tokio::test]
async fn what_cannot_get_better_is_said_with_what_to_do_and_without_the_key() {
    for api in BOTH {
        for (code, words) in [
            (400, "refuses the request (400): your … is \u{1b}[31mbad"),
            (401, "does not accept the key (401): your … is"),
            (403, "does not accept the key (403): your … is"),
            (404, "knows no model \"scripted\", or does not speak"),
            (413, "refuses the request (413)"),
            (302, "refuses the request (302)"),
        ] {
            let server = ScriptedModel::start();
            server.script("s", vec![vec![Block::text("never said")]]);
            let message = format!("your {KEY} is \u{1b}[31mbad.");
            let headers = vec![("location".to_owned(), "http://127.0.0.1:1/".to_owned())];
            server.faults("s", 0, vec![Fault::Status { code, headers, message }]);
            let told = play(&mut agent(&server, api).run(History::new("SCRIPT:s"))).await;
            assert_eq!(names(&told), ["error"], "{told:#?}");
            let error = told[0]["error"]["message"].as_str().unwrap();
            let words = words.replace('\u{1b}', " ");
            assert!(error.contains(&words), "{error}");
            assert!(!error.contains(KEY) && !error.contains('\u{1b}'), "{error}");
            assert_eq!(server.requests().len(), 1);
        }
    }
}

#[tokio::test]
async fn an_error_event_that_cannot_get_better_is_not_tried_again() {
    for api in BOTH {
        let server = ScriptedModel::start();
        server.script("s", vec![vec![Block::text("never said to its end")]]);
        let kind = "invalid_request_error".to_owned();
        server.faults("s", 0, vec![Fault::ErrorEvent { after: 4, kind }]);
        let told = play(&mut agent(&server, api).run(History::new("SCRIPT:s"))).await;
        assert_eq!(told.last().unwrap()["error"]["kind"], "model");
        assert_eq!(server.requests().len(), 1);
    }
}

#[tokio::test]
async fn an_answer_without_end_is_not_waited_for() {
    for api in BOTH {
        let server = ScriptedModel::start();
        server.script("s", vec![vec![Block::text("x".repeat(2_200_000))]]);
        let told = play(&mut agent(&server, api).run(History::new("SCRIPT:s"))).await;
        let error = &told.last().unwrap()["error"];
        assert_eq!(error["message"], "the model's answer does not end", "{api:?}");
    }
}

#[tokio::test]
async fn a_server_that_is_not_there_is_tried_as_often_as_patience_has_it() {
    for api in BOTH {
        let server = ScriptedModel::start();
        let model = model(&server, api);
        drop(server);
        let backoff = Backoff { retries: 2, first: Duration::ZERO, ..Backoff::default() };
        let told = play(&mut Agent::new(model).backoff(backoff).run(History::new("hello"))).await;
        assert_eq!(names(&told), ["retry", "retry", "error"]);
        let error = told[2]["error"]["message"].as_str().unwrap();
        let words = "given up after several attempts: no connection to 127.0.0.1:";
        assert!(error.starts_with(words), "{error}");
    }
}

#[tokio::test]
async fn a_call_that_was_cut_short_is_not_made_and_words_are_gone_on_with() {
    for api in BOTH {
        let server = ScriptedModel::start();
        server.script(
            "s",
            vec![
                vec![
                    Block::tool("count", json!({"by": 1})),
                    Block::tool("count", json!({"by": 12345})),
                    Block::CutOff,
                ],
                vec![Block::text("The first half "), Block::CutOff],
                vec![Block::text("and the second.")],
            ],
        );
        let told = play(&mut agent(&server, api).run(History::new("SCRIPT:s"))).await;
        let read = results(&told);
        assert_eq!(read[0], (true, "1".to_owned()), "{api:?}");
        assert!(!read[1].0 && read[1].1.contains("was cut off"), "{api:?} {read:?}");
        assert_eq!(echo(&told), "The first half and the second.", "{api:?}");
    }
}
