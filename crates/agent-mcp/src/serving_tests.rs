use handraise_broker::{AskId, Record, State};
use handraise_question::Surface;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines as TextLines};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::*;
use crate::fake_hub::{FakeHub, Rival};

const TEXT: &str = "/result/content/0/text";

/// A client with a server of its own.
struct Client {
    hub: Arc<FakeHub>,
    input: DuplexStream,
    output: TextLines<BufReader<DuplexStream>>,
    serving: JoinHandle<()>,
    stop: oneshot::Sender<()>,
}

impl Client {
    async fn start(name: &str, patience: Option<Duration>) -> Self {
        let hub = FakeHub::new();
        let (input, server_input) = tokio::io::duplex(1 << 20);
        let (server_output, output) = tokio::io::duplex(1 << 20);
        let settings = Settings {
            deliverer: DelivererId::new("process").unwrap(),
            directory: Some("/work".into()),
            host: Some("here".into()),
            patience,
            serve: "handraise serve".into(),
            version: "1".into(),
        };
        let (stop, stopped) = oneshot::channel();
        let serving =
            tokio::spawn(serve(hub.clone(), settings, server_input, server_output, async {
                let _ = stopped.await;
            }));
        let output = BufReader::new(output).lines();
        let mut client = Self { hub, input, output, serving, stop };
        let info = json!({"name": name, "version": "1"});
        let params =
            json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": info});
        client.send(json!({"id": "first", "method": "initialize", "params": params})).await;
        assert_eq!(client.heard().await["id"], "first");
        client.send(json!({"method": "notifications/initialized"})).await;
        client
    }

    async fn send(&mut self, mut message: Value) {
        message["jsonrpc"] = "2.0".into();
        self.input.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }

    async fn heard(&mut self) -> Value {
        serde_json::from_str(&self.output.next_line().await.unwrap().unwrap()).unwrap()
    }

    async fn call(&mut self, id: u32, tool: &str, arguments: Value, meta: Value) {
        let params = json!({"name": tool, "arguments": arguments, "_meta": meta});
        self.send(json!({"id": id, "method": "tools/call", "params": params})).await;
    }

    async fn ask(&mut self, id: u32, question: &str) {
        self.call(id, "ask_user", one(question), json!({})).await;
    }

    async fn cancel(&mut self, id: u32, reason: &str) {
        let params = json!({"requestId": id, "reason": reason});
        self.send(json!({"method": "notifications/cancelled", "params": params})).await;
    }

    /// Waits until so many asks were asked.
    async fn asked(&self, many: usize) -> Vec<Record> {
        self.hub.until(|asks| asks.len() == many).await
    }

    async fn until_state(&self, id: AskId, state: State) -> Record {
        let is = |ask: &Record| ask.id == id && ask.state() == state;
        let asks = self.hub.until(|asks| asks.iter().any(is)).await;
        asks.into_iter().find(is).unwrap()
    }
}

fn one(question: &str) -> Value {
    json!({"questions": [{"question": question, "options": [{"label": "yes"}, {"label": "no"}]}]})
}

fn text(message: &Value) -> &str {
    message.pointer(TEXT).and_then(Value::as_str).unwrap_or_else(|| panic!("{message}"))
}

fn status(message: &Value) -> &str {
    let status = message.pointer("/result/structuredContent/status");
    status.and_then(Value::as_str).unwrap_or_else(|| panic!("{message}"))
}

#[tokio::test(start_paused = true)]
async fn an_answer_comes_back_and_the_hub_hears_that_it_was_written() {
    let mut client = Client::start("codex-mcp-client", None).await;
    let arguments = json!({"questions": [{"question": "Go?", "options": [{"label": "yes"}]}],
                           "why": "It costs money.", "title": "deploy"});
    client.call(1, "ask_user", arguments, json!({"threadId": "t-1"})).await;
    let ask = client.asked(1).await.remove(0);
    let asker = ask.asker();
    assert_eq!(asker.agent, "codex");
    assert_eq!(asker.session.as_deref(), Some("t-1"));
    assert_eq!(asker.preamble.as_deref(), Some("It costs money."));
    assert_eq!(asker.title.as_deref(), Some("deploy"));
    assert_eq!((asker.directory.as_deref(), asker.host.as_deref()), (Some("/work"), Some("here")));
    client.hub.choose(ask.id, "yes");
    let answer = client.heard().await;
    assert_eq!(text(&answer), "The person answered.\n\n1. Question: Go?\n   Chosen: yes\n");
    let ask = client.until_state(ask.id, State::Delivered).await;
    assert_eq!(ask.last_receipt().unwrap().text.as_deref(), Some(text(&answer)));
}

#[tokio::test(start_paused = true)]
async fn a_ticket_comes_before_the_client_gives_up_and_brings_the_answer_later() {
    let mut client = Client::start("codex-mcp-client", None).await;
    let began = Instant::now();
    client.ask(1, "Go?").await;
    let pending = client.heard().await;
    assert_eq!(status(&pending), "pending");
    assert_eq!(began.elapsed().as_secs(), 270);
    let ticket = pending["result"]["structuredContent"]["ticket"].clone();
    assert!(text(&pending).contains(ticket.as_str().unwrap()));
    assert!(text(&pending).contains("wait_answer"));

    client.call(2, "wait_answer", json!({"ticket": ticket}), json!({})).await;
    assert_eq!(status(&client.heard().await), "pending");
    let ask = client.asked(1).await.remove(0);
    assert_eq!(ask.id.to_string(), ticket.as_str().unwrap());
    client.hub.choose(ask.id, "no");
    client.until_state(ask.id, State::Resolved).await;
    client.call(3, "wait_answer", json!({"ticket": ticket}), json!({})).await;
    let answer = client.heard().await;
    assert_eq!(status(&answer), "answered");
    client.until_state(ask.id, State::Delivered).await;
    client.call(4, "wait_answer", json!({"ticket": ticket}), json!({})).await;
    assert_eq!(client.heard().await["result"], answer["result"], "the same again");
}

#[tokio::test(start_paused = true)]
async fn progress_is_told_every_ten_seconds_and_goes_up() {
    let mut client = Client::start("somebody", None).await;
    client.call(1, "ask_user", one("Go?"), json!({"progressToken": "p"})).await;
    let mut last = 0.0;
    for seconds in [10, 20, 30, 40] {
        let told = client.heard().await;
        assert_eq!(told["method"], "notifications/progress", "{told}");
        assert_eq!(told["params"]["progressToken"], "p");
        assert_eq!(told["params"]["message"], format!("Waiting for the person ({seconds} s)"));
        let progress = told["params"]["progress"].as_f64().unwrap();
        assert!(progress > last);
        last = progress;
    }
    assert_eq!(status(&client.heard().await), "pending");
}

#[tokio::test(start_paused = true)]
async fn without_a_token_nothing_is_told_in_between() {
    let mut client = Client::start("somebody", None).await;
    client.ask(1, "Go?").await;
    assert_eq!(status(&client.heard().await), "pending");
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_taken_back_withdraws_the_question_and_is_not_answered() {
    let mut client = Client::start("codex-mcp-client", None).await;
    client.ask(1, "Go?").await;
    let ask = client.asked(1).await.remove(0);
    client.cancel(1, "the person pressed Esc").await;
    let ask = client.until_state(ask.id, State::Resolved).await;
    let resolution = &ask.resolved().unwrap().resolution;
    assert_eq!(resolution["kind"], "withdrawn");
    assert!(resolution["reason"].as_str().unwrap().contains("took the call back"));
    client.send(json!({"id": 2, "method": "ping"})).await;
    assert_eq!(client.heard().await["id"], 2, "the call itself has no answer");
    assert!(ask.last_receipt().is_none());
}

#[tokio::test(start_paused = true)]
async fn after_a_client_ran_out_of_time_less_is_waited() {
    let mut client = Client::start("codex-mcp-client", None).await;
    client.ask(1, "Go?").await;
    client.asked(1).await;
    tokio::time::sleep(Duration::from_secs(100)).await;
    client.cancel(1, "McpError: Request timed out").await;
    let began = Instant::now();
    client.ask(2, "And now?").await;
    assert_eq!(status(&client.heard().await), "pending");
    assert_eq!(began.elapsed().as_secs(), 80);
}

#[tokio::test(start_paused = true)]
async fn the_same_questions_asked_again_are_the_same_ask() {
    let mut client = Client::start("somebody", None).await;
    client.ask(1, "Go?").await;
    let pending = client.heard().await;
    client.ask(2, "Go?").await;
    client.ask(3, "Go?").await;
    client.call(4, "ask_user", one("Go?"), json!({"threadId": "another"})).await;
    client.ask(5, "Stop?").await;
    // A person decides by the reason, too.
    let mut with_reason = one("Go?");
    with_reason["why"] = json!("It drops the database.");
    client.call(6, "ask_user", with_reason, json!({})).await;
    let asks = client.asked(4).await;
    let ticket = pending["result"]["structuredContent"]["ticket"].as_str().unwrap();
    assert_eq!(asks[0].id.to_string(), ticket);
    client.hub.choose(asks[0].id, "yes");
    let (one, two) = (client.heard().await, client.heard().await);
    assert_eq!((status(&one), status(&two)), ("answered", "answered"));
    assert_eq!(one["result"], two["result"]);
    // Now it is over, and asked again it is a new one.
    client.until_state(asks[0].id, State::Delivered).await;
    client.ask(7, "Go?").await;
    client.asked(5).await;
}

#[tokio::test(start_paused = true)]
async fn a_question_two_calls_wait_for_is_withdrawn_with_the_last_of_them() {
    let mut client = Client::start("somebody", None).await;
    client.ask(1, "Go?").await;
    let ask = client.asked(1).await.remove(0);
    client.call(2, "ask_user", one("Go?"), json!({"progressToken": 2})).await;
    assert_eq!(client.heard().await["params"]["progressToken"], 2, "the second waits as well");
    client.cancel(1, "").await;
    client.send(json!({"id": 3, "method": "ping"})).await;
    assert_eq!(client.heard().await["id"], 3);
    assert!(client.asked(1).await[0].is_open());
    client.cancel(2, "").await;
    let ask = client.until_state(ask.id, State::Resolved).await;
    assert_eq!(ask.resolved().unwrap().kind(), "withdrawn");
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_waits_for_its_ticket_is_not_asked_for_twice() {
    let mut client = Client::start("somebody", None).await;
    client.ask(1, "Go?").await;
    assert_eq!(status(&client.heard().await), "pending");
    let ask = client.asked(1).await.remove(0);
    client.hub.choose(ask.id, "no");
    client.ask(2, "Go?").await;
    let answer = client.heard().await;
    assert_eq!(status(&answer), "answered");
    assert_eq!(client.asked(1).await.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn tickets_that_lead_nowhere_are_said_to() {
    let mut client = Client::start("codex", None).await;
    let theirs = client.hub.foreign("claude-code", r#"[{"question": "Q?"}]"#);
    let never = AskId::new(jiff::Timestamp::UNIX_EPOCH, [99; 10]);
    for ticket in [theirs, never] {
        let arguments = json!({"ticket": ticket.to_string()});
        client.call(1, "wait_answer", arguments, json!({})).await;
        let said = client.heard().await;
        assert_eq!(said["result"]["isError"], true);
        assert!(text(&said).contains("no question with this ticket"), "{said}");
    }
    client.call(2, "wait_answer", json!({"ticket": "mine"}), json!({})).await;
    let said = client.heard().await;
    assert_eq!(said["result"]["isError"], true);
    assert!(text(&said).contains("the ticket that ask_user returned needed"), "{said}");
    assert!(!text(&said).contains("Nothing was asked"), "{said}");
}

#[tokio::test(start_paused = true)]
async fn whoever_has_no_ticket_is_told_of_the_tool_by_the_name_it_knows() {
    let mut client = Client::start("gemini-cli-mcp-client", None).await;
    let never = AskId::new(jiff::Timestamp::UNIX_EPOCH, [99; 10]).to_string();
    for ticket in [never.as_str(), "mine"] {
        client.call(1, "wait_answer", json!({"ticket": ticket}), json!({})).await;
        let said = client.heard().await;
        assert!(text(&said).contains("ticket that ask_person returned"), "{said}");
    }
}

#[tokio::test(start_paused = true)]
async fn each_of_many_senseless_requests_at_once_is_refused() {
    let mut client = Client::start("somebody", None).await;
    let line = |id| format!("{}\n", json!({"jsonrpc": "2.0", "id": id, "method": 7}));
    let burst: String = (0..300).map(line).collect();
    client.input.write_all(burst.as_bytes()).await.unwrap();
    for id in 0..300 {
        assert_eq!(client.heard().await["id"], id);
    }
}

#[tokio::test(start_paused = true)]
async fn a_refusal_of_what_has_no_id_says_so() {
    let mut client = Client::start("somebody", None).await;
    client.input.write_all(b"[]\n").await.unwrap();
    let refused = client.heard().await;
    assert_eq!(refused.get("id"), Some(&Value::Null), "{refused}");
    assert_eq!(refused["error"]["code"], -32600);
}

#[tokio::test(start_paused = true)]
async fn a_ticket_of_a_server_that_died_is_taken_up_by_the_next() {
    let mut client = Client::start("codex", None).await;
    let id = client.hub.foreign("codex", r#"[{"question": "Q?", "options": [{"label": "yes"}]}]"#);
    client.call(1, "wait_answer", json!({"ticket": id.to_string()}), json!({})).await;
    assert_eq!(status(&client.heard().await), "pending");
    client.hub.choose(id, "yes");
    client.call(2, "wait_answer", json!({"ticket": id.to_string()}), json!({})).await;
    assert_eq!(status(&client.heard().await), "answered");
    client.until_state(id, State::Delivered).await;
}

#[tokio::test(start_paused = true)]
async fn a_question_the_hub_has_not_given_to_this_process_is_never_withdrawn_by_it() {
    let mut client = Client::start("codex", None).await;
    let id = client.hub.foreign("codex", r#"[{"question": "Q?", "options": [{"label": "yes"}]}]"#);
    client.hub.set_rival(id, Rival::Unsaid);
    let ticket = json!({"ticket": id.to_string()});
    for call in [1, 2] {
        let meta = json!({"progressToken": call});
        client.call(call, "wait_answer", ticket.clone(), meta).await;
        assert_eq!(client.heard().await["params"]["progressToken"], call, "it waits");
        if call == 1 {
            client.cancel(call, "the person pressed Esc").await;
        }
    }
    drop(client.input);
    client.serving.await.unwrap();
    assert!(client.hub.until(|_| true).await[0].is_open());
}

#[tokio::test(start_paused = true)]
async fn a_question_another_process_has_taken_over_is_not_withdrawn() {
    let mut client = Client::start("codex", None).await;
    client.ask(1, "Go?").await;
    assert_eq!(status(&client.heard().await), "pending");
    let ask = client.asked(1).await.remove(0);
    client.hub.set_rival(ask.id, Rival::Delivers);
    drop(client.input);
    client.serving.await.unwrap();
    assert!(client.hub.until(|_| true).await[0].is_open());
}

#[tokio::test(start_paused = true)]
async fn a_question_that_was_taken_over_is_withdrawn_with_its_call() {
    let mut client = Client::start("codex", None).await;
    let id = client.hub.foreign("codex", r#"[{"question": "Q?", "options": [{"label": "yes"}]}]"#);
    let ticket = json!({"ticket": id.to_string()});
    client.call(1, "wait_answer", ticket, json!({"progressToken": 1})).await;
    assert_eq!(client.heard().await["params"]["progressToken"], 1, "it waits");
    client.cancel(1, "the person pressed Esc").await;
    let ask = client.until_state(id, State::Resolved).await;
    assert_eq!(ask.resolved().unwrap().kind(), "withdrawn");
}

#[tokio::test(start_paused = true)]
async fn without_a_hub_the_model_is_told_and_the_person_is_told_how_to_start_one() {
    let mut client = Client::start("somebody", None).await;
    client.hub.go_away(true);
    let began = Instant::now();
    client.ask(1, "Go?").await;
    let said = client.heard().await;
    assert!(began.elapsed() < Duration::from_secs(1), "at once");
    assert_eq!(said["result"]["isError"], true);
    assert!(text(&said).contains("Nobody chose anything"), "{said}");
    assert!(text(&said).contains("handraise serve"), "{said}");
}

#[tokio::test(start_paused = true)]
async fn a_hub_that_goes_away_and_comes_back_is_waited_for() {
    let mut client = Client::start("somebody", None).await;
    client.ask(1, "Go?").await;
    let ask = client.asked(1).await.remove(0);
    client.hub.go_away(true);
    tokio::time::sleep(Duration::from_secs(5)).await;
    client.hub.go_away(false);
    client.hub.choose(ask.id, "yes");
    assert_eq!(status(&client.heard().await), "answered");
}

#[tokio::test(start_paused = true)]
async fn a_hub_that_dies_at_a_question_is_asked_the_same_one_when_it_is_back() {
    for patience in [None, Some(Duration::from_secs(1))] {
        let mut client = Client::start("somebody", patience).await;
        client.hub.die_at_the_next_ask();
        client.ask(1, "Go?").await;
        let ask = client.asked(1).await.remove(0);
        tokio::time::sleep(Duration::from_secs(8)).await;
        client.hub.choose(ask.id, "yes");
        client.hub.go_away(false);
        assert_eq!(status(&client.heard().await), "answered");
        client.until_state(ask.id, State::Delivered).await;
        assert_eq!(client.asked(1).await.len(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_taken_back_while_the_hub_is_away_leaves_no_question_open() {
    for away in [5, 100] {
        let mut client = Client::start("somebody", None).await;
        client.hub.die_at_the_next_ask();
        client.ask(1, "Go?").await;
        let ask = client.asked(1).await.remove(0);
        client.cancel(1, "the person pressed Esc").await;
        tokio::time::sleep(Duration::from_secs(away)).await;
        client.hub.go_away(false);
        let ask = client.until_state(ask.id, State::Resolved).await;
        assert_eq!(ask.resolved().unwrap().kind(), "withdrawn");
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_to_a_question_the_model_believes_unasked_has_no_receipt() {
    let mut client = Client::start("somebody", None).await;
    client.hub.die_at_the_next_ask();
    client.ask(1, "Go?").await;
    assert_eq!(client.heard().await["result"]["isError"], true);
    let ask = client.asked(1).await.remove(0);
    client.hub.choose(ask.id, "yes");
    client.hub.go_away(false);
    tokio::time::sleep(Duration::from_mins(1)).await;
    let ask = client.until_state(ask.id, State::Resolved).await;
    assert_eq!(ask.resolved().unwrap().kind(), "answered");
    assert!(ask.last_receipt().is_none());
}

#[tokio::test(start_paused = true)]
async fn a_question_the_model_believes_unasked_is_taken_back() {
    let mut client = Client::start("somebody", None).await;
    client.hub.die_at_the_next_ask();
    let began = Instant::now();
    client.ask(1, "Go?").await;
    assert_eq!(client.heard().await["result"]["isError"], true);
    assert!(began.elapsed() >= Duration::from_secs(10), "a restart is waited for");
    let ask = client.asked(1).await.remove(0);
    client.hub.go_away(false);
    client.ask(2, "Known?").await;
    let ask = client.until_state(ask.id, State::Resolved).await;
    assert_eq!(ask.resolved().unwrap().kind(), "withdrawn");
    let asks = client.asked(2).await;
    assert!(asks[1].is_open(), "what the model waits for stays");
}

#[tokio::test(start_paused = true)]
async fn a_receipt_waits_for_a_hub_that_is_away() {
    let mut client = Client::start("somebody", None).await;
    client.ask(1, "Go?").await;
    let ask = client.asked(1).await.remove(0);
    client.hub.choose(ask.id, "yes");
    client.heard().await;
    client.until_state(ask.id, State::Delivered).await;
    client.ask(2, "Again?").await;
    let ask = client.asked(2).await.remove(1);
    client.hub.choose(ask.id, "yes");
    client.hub.go_away(true);
    client.hub.go_away(false);
    client.heard().await;
    client.until_state(ask.id, State::Delivered).await;
}

#[tokio::test(start_paused = true)]
async fn when_the_client_leaves_everything_open_is_withdrawn_and_the_server_ends() {
    let mut client = Client::start("somebody", None).await;
    client.ask(1, "Go?").await;
    client.ask(2, "Stop?").await;
    client.asked(2).await;
    drop(client.input);
    client.serving.await.unwrap();
    let asks = client.hub.until(|_| true).await;
    assert!(asks.iter().all(|ask| ask.resolved().is_some_and(Resolved::is_withdrawn)), "{asks:?}");
}

#[tokio::test(start_paused = true)]
async fn when_the_server_is_stopped_everything_open_is_withdrawn() {
    let mut client = Client::start("somebody", None).await;
    client.ask(1, "Go?").await;
    assert_eq!(status(&client.heard().await), "pending");
    client.stop.send(()).unwrap();
    client.serving.await.unwrap();
    let asks = client.hub.until(|_| true).await;
    assert!(asks[0].resolved().is_some_and(Resolved::is_withdrawn), "{asks:?}");
}

#[tokio::test(start_paused = true)]
async fn a_server_whose_hub_is_away_ends_all_the_same() {
    let mut client = Client::start("somebody", None).await;
    client.ask(1, "Go?").await;
    client.asked(1).await;
    client.hub.go_away(true);
    let began = Instant::now();
    drop(client.input);
    client.serving.await.unwrap();
    assert!(began.elapsed() < Duration::from_secs(3));
}

#[tokio::test(start_paused = true)]
async fn what_does_not_fit_is_said_and_nothing_is_asked() {
    let mut client = Client::start("somebody", None).await;
    client.call(1, "ask_user", json!({"questions": [], "why": 3}), json!({})).await;
    let said = client.heard().await;
    assert_eq!(said["result"]["isError"], true);
    assert_eq!(
        text(&said),
        "Nothing was asked, because the input does not fit. Mend this and call again:\n\
         - questions: 0 questions, 1–20 needed\n- why: no text, a text needed"
    );
    assert_eq!(client.asked(0).await.len(), 0);
}

#[tokio::test(start_paused = true)]
async fn each_end_has_its_own_words_and_none_but_an_answer_a_choice() {
    let mut client = Client::start("somebody", None).await;
    let ends = [
        (
            json!({"kind": "declined", "reason": "not now"}),
            "declined",
            "declined to answer: not now",
        ),
        (json!({"kind": "discuss", "words": "why?"}), "discuss", "wants to talk first: why?"),
        (json!({"kind": "no_answer", "afterSeconds": 9}), "no_answer", "within 9 s"),
        (json!({"kind": "withdrawn", "reason": null}), "withdrawn", "withdrawn before anybody"),
    ];
    for (n, (resolution, kind, words)) in ends.into_iter().enumerate() {
        client.ask(u32::try_from(n).unwrap(), "Go?").await;
        let ask = client.asked(n + 1).await.remove(n);
        client.hub.resolve(ask.id, &resolution);
        let said = client.heard().await;
        assert_eq!(status(&said), kind);
        assert_eq!(said["result"]["isError"], false);
        assert!(text(&said).contains(words), "{said}");
        assert!(said["result"]["structuredContent"].get("answers").is_none());
        if kind != "withdrawn" {
            client.until_state(ask.id, State::Delivered).await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn there_is_no_other_tool_and_no_other_method() {
    let mut client = Client::start("somebody", None).await;
    client.call(1, "rm", json!({}), json!({})).await;
    assert_eq!(client.heard().await["error"]["code"], -32602);
    client.send(json!({"id": 2, "method": "tools/burn"})).await;
    assert_eq!(client.heard().await["error"]["code"], -32601);
    client.send(json!({"id": 3, "method": "tools/call", "params": {"arguments": {}}})).await;
    assert_eq!(client.heard().await["error"]["code"], -32602);
}

#[tokio::test(start_paused = true)]
async fn an_end_that_an_agent_claims_is_no_choice_of_the_persons() {
    for surface in [Some(Surface::Dialog), None] {
        let mut client = Client::start("codex-mcp-client", None).await;
        client.ask(1, "Go?").await;
        let ask = client.asked(1).await.remove(0);
        let yes = json!({"selected": ["yes"], "words": null, "notes": null, "leftOpen": false});
        let claim = json!({"kind": "answered", "answers": [yes]});
        client.hub.resolve_at(ask.id, &claim, surface);
        let heard = client.heard().await;
        assert_eq!(status(&heard), "withdrawn");
        assert!(text(&heard).contains("No option was chosen"), "{heard}");
        let ticket = json!({"ticket": ask.id.to_string()});
        client.call(2, "wait_answer", ticket, json!({})).await;
        assert_eq!(status(&client.heard().await), "withdrawn");
    }
}
