//! A run's questions are answered at a hub, once, whoever was killed or cancelled meanwhile.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use handraise_agent_loop::{
    Agent, Entry, Event, History, HubRun, RunError, ThroughHub, Tool, ToolContext, ToolResult,
};
use handraise_broker::{
    Broker, Caller, Delivery, Device, DeviceId, Feed, Hub, NewAsk, News, Phase, Policy, Power,
    Receipt, Record, Rejection, Seat, Settings, State, StoreError,
};
use handraise_question::Surface;
use handraise_store_sqlite::SqliteStore;
use handraise_testkit::{FakeWorld, StoreDouble, answers, asker};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::stage::{Script, Shelf, ask, ask_call, call, calls, names, said};

struct House {
    broker: Broker,
    store: Arc<StoreDouble<SqliteStore>>,
    _home: TempDir,
}

impl House {
    async fn new(world: Arc<FakeWorld>) -> Self {
        let home = tempfile::tempdir().unwrap();
        let sqlite = SqliteStore::open(&home.path().join("asks.db")).unwrap();
        let store = StoreDouble::new(sqlite);
        // The writer ends with the broker.
        let (broker, _) = Broker::start(store.clone(), world, Settings::default()).await.unwrap();
        Self { broker, store, _home: home }
    }

    fn seat(&self, power: Power) -> Seat {
        let device = Device {
            id: DeviceId::new(FakeWorld::START, [7; 10]),
            name: "laptop".into(),
            power,
            person: (power == Power::Person).then(|| "ann".to_owned()),
            added_at: FakeWorld::START,
        };
        self.broker.seat(Caller { device, surface: Surface::Web })
    }

    fn through(&self) -> ThroughHub {
        ThroughHub::new(Arc::new(self.seat(Power::Agent)), asker("loop"), "s-1")
    }

    /// Everything that was asked.
    async fn asks(&self) -> Vec<Arc<Record>> {
        let query = handraise_broker::Query { limit: 100, ..handraise_broker::Query::default() };
        self.seat(Power::Person).list(query).await.unwrap()
    }

    async fn feed(&self) -> Box<dyn Feed> {
        self.seat(Power::Person).follow(None).await.unwrap()
    }

    async fn choose(&self, record: &Record, label: &str) {
        let reply = answers(json!([{ "selected": [label] }]));
        self.seat(Power::Person).reply(record.id, reply, None).await.unwrap();
    }
}

/// Waits until an event of this name is told.
async fn heard(feed: &mut Box<dyn Feed>, name: &str) -> Arc<Record> {
    loop {
        if let News::Event(told) = feed.next().await.unwrap()
            && told.name == name
        {
            return told.ask.clone().unwrap();
        }
    }
}

async fn play(run: &mut HubRun) -> Vec<Value> {
    let mut told = vec![];
    while let Some(event) = run.next().await {
        told.push(json!(event));
    }
    told
}

/// Goes on until the question is at the hub.
async fn until_asked(run: &mut HubRun, feed: &mut Box<dyn Feed>) -> Arc<Record> {
    loop {
        tokio::select! {
            record = heard(feed, "ask.opened") => return record,
            event = run.next() => assert!(event.is_some(), "it ended before"),
        }
    }
}

#[tokio::test]
async fn a_question_is_answered_at_the_hub_and_the_hub_knows_that_it_arrived() {
    let house = House::new(FakeWorld::still()).await;
    let script = Script::turns([calls("First:", [ask_call("q")]), said("ok")]);
    let mut run = house.through().over(script.agent().run(History::new("go")));
    let mut feed = house.feed().await;
    let record = until_asked(&mut run, &mut feed).await;
    assert_eq!(record.opened.key.as_deref(), Some("s-1/q"));
    assert_eq!(record.asker().session.as_deref(), Some("s-1"));
    assert_eq!(record.asker().preamble.as_deref(), Some("First:"));
    house.choose(&record, "b").await;
    let told = play(&mut run).await;
    assert_eq!(names(&told), ["tool_result", "text", "done"]);
    let read = told[0]["result"]["output"].as_str().unwrap();
    assert!(read.contains("Selected: b"), "{read}");
    let [record] = &house.asks().await[..] else { panic!() };
    let Phase::Resolved { delivery: Delivery::Delivered { receipt, .. }, .. } = &record.phase
    else {
        panic!("{record:?}")
    };
    assert_eq!(receipt.text.as_deref(), Some(read));
}

#[tokio::test]
async fn a_run_that_was_killed_finds_its_question_and_the_answer_given_meanwhile() {
    for answered_meanwhile in [false, true] {
        let house = House::new(FakeWorld::still()).await;
        let shelf = Shelf::with(vec![Entry::Prompt { text: "go".to_owned() }]);
        let script = Script::turns([calls("", [ask_call("q")]), said("ok")]);
        let mut feed = house.feed().await;
        let mut run = house.through().over(script.agent().run(shelf.history()));
        let record = until_asked(&mut run, &mut feed).await;
        drop(run);
        if answered_meanwhile {
            house.choose(&record, "a").await;
        }
        let mut run = house.through().over(script.agent().run(shelf.history()));
        if !answered_meanwhile {
            loop {
                if let Event::AskUser { .. } = run.next().await.unwrap() {
                    break;
                }
            }
            house.choose(&record, "a").await;
        }
        let told = play(&mut run).await;
        assert!(json!(told).to_string().contains("Selected: a"), "{told:#?}");
        assert_eq!(told.last().unwrap()["type"], "done");
        let asks = house.asks().await;
        assert_eq!(asks.len(), 1, "it was asked twice");
        assert_eq!(asks[0].state(), State::Delivered);
    }
}

#[tokio::test]
async fn a_cancelled_run_takes_its_question_back_and_asks_anew_when_it_goes_on() {
    let house = House::new(FakeWorld::still()).await;
    let script = Script::turns([calls("", [ask_call("q")]), said("ok")]);
    let mut feed = house.feed().await;
    let mut run = house.through().over(script.agent().run(History::new("go")));
    let first = until_asked(&mut run, &mut feed).await;
    run.handle().cancel();
    let told = play(&mut run).await;
    assert_eq!(
        told,
        [json!({"type": "error", "error": {"kind": "cancelled", "message": "cancelled"}})]
    );
    let withdrawn = house.seat(Power::Agent).get(first.id).await.unwrap();
    assert!(withdrawn.resolved().unwrap().is_withdrawn());

    let history = run.into_history().unwrap();
    let mut run = house.through().over(script.agent().run(history));
    let again = until_asked(&mut run, &mut feed).await;
    assert_eq!(again.opened.key.as_deref(), Some("s-1/q~2"));
    house.choose(&again, "b").await;
    let told = play(&mut run).await;
    assert!(json!(told).to_string().contains("Selected: b"), "{told:#?}");
    assert_eq!(house.asks().await.len(), 2);
}

#[tokio::test]
async fn what_is_answered_here_is_taken_back_at_the_hub() {
    let house = House::new(FakeWorld::still()).await;
    let script = Script::turns([calls("", [ask_call("q")]), said("ok")]);
    let mut feed = house.feed().await;
    let mut run = house.through().over(script.agent().run(History::new("go")));
    let record = until_asked(&mut run, &mut feed).await;
    run.handle().answer("q", &crate::stage::chosen(&ask(), "a")).unwrap();
    let told = play(&mut run).await;
    assert_eq!(told.last().unwrap()["type"], "done");
    let record = house.seat(Power::Agent).get(record.id).await.unwrap();
    assert!(record.resolved().unwrap().is_withdrawn(), "{record:?}");
}

#[tokio::test(start_paused = true)]
async fn silence_at_the_hub_is_told_as_silence() {
    let house = House::new(FakeWorld::following_tokio()).await;
    let script = Script::turns([calls("", [ask_call("q")]), said("ok")]);
    let policy = Policy { deadline_seconds: Some(90), ..Policy::default() };
    let mut run = house.through().policy(policy).over(script.agent().run(History::new("go")));
    let told = play(&mut run).await;
    let result = told.iter().find(|event| event["type"] == "tool_result").unwrap();
    assert_eq!(
        result["result"]["error"],
        "Nobody answered within 90 s. This is neither a choice nor consent. Do not choose for the person."
    );
}

#[tokio::test(start_paused = true)]
async fn a_hub_that_cannot_take_it_now_is_asked_again_until_it_can() {
    let house = House::new(FakeWorld::following_tokio()).await;
    let script = Script::turns([calls("", [ask_call("q")]), said("ok")]);
    let mut feed = house.feed().await;
    let mut run = house.through().over(script.agent().run(History::new("go")));
    house.store.break_with(StoreError::Full);
    let hours = Duration::from_hours(1);
    let waiting = async { while run.next().await.is_some() {} };
    assert!(tokio::time::timeout(hours, waiting).await.is_err(), "it gave up");
    house.store.mend();
    let record = until_asked(&mut run, &mut feed).await;
    house.choose(&record, "b").await;
    assert_eq!(play(&mut run).await.last().unwrap()["type"], "done");
    assert_eq!(house.asks().await.len(), 1);
}

#[tokio::test]
async fn a_hub_that_refuses_ends_the_run_with_its_reason() {
    let house = House::new(FakeWorld::still()).await;
    let script = Script::turns([calls("", [ask_call("q")]), said("ok")]);
    // A person's token cannot ask.
    let hub = Arc::new(house.seat(Power::Person));
    let through = ThroughHub::new(hub, asker("loop"), "s-1");
    let mut run = through.over(script.agent().run(History::new("go")));
    let told = play(&mut run).await;
    let error = RunError::Hub("only an agent's token may do this".to_owned());
    assert_eq!(told.last().unwrap(), &json!({"type": "error", "error": error}));
    assert_eq!(error.kind(), "hub");
    assert!(run.into_history().is_some());
}

/// A tool that does not wait for ever.
struct Impatient;

#[async_trait]
impl Tool for Impatient {
    fn name(&self) -> &'static str {
        "impatient"
    }

    fn description(&self) -> &'static str {
        "Asks, and gives up after a minute."
    }

    fn schema(&self) -> Value {
        json!({ "type": "object" })
    }

    async fn execute(&self, _: Value, context: &ToolContext) -> ToolResult {
        let minute = Duration::from_mins(1);
        match tokio::time::timeout(minute, context.ask_user(ask())).await {
            Ok(_) => ToolResult::ok("answered"),
            Err(_) => ToolResult::failed("nobody was there"),
        }
    }
}

#[tokio::test(start_paused = true)]
async fn what_a_tool_gives_up_is_taken_back_at_the_hub() {
    let house = House::new(FakeWorld::following_tokio()).await;
    let script = Script::turns([calls("", [call("c", "impatient", json!({}))]), said("ok")]);
    let agent: Agent = script.agent().tool(Impatient);
    let mut run = house.through().over(agent.run(History::new("go")));
    let told = play(&mut run).await;
    assert!(json!(told).to_string().contains("nobody was there"), "{told:#?}");
    let [record] = &house.asks().await[..] else { panic!() };
    assert!(record.resolved().unwrap().is_withdrawn(), "{record:?}");
}

#[tokio::test]
async fn what_an_agent_claims_is_refused_and_nothing_the_model_reads() {
    let house = House::new(FakeWorld::still()).await;
    let script = Script::turns([calls("", [ask_call("q")]), said("ok")]);
    let mut run = house.through().over(script.agent().run(History::new("go")));
    let mut feed = house.feed().await;
    let record = until_asked(&mut run, &mut feed).await;
    let took = json!({"kind": "answered", "answers": [{"selected": ["a"]}]});
    let claim = Receipt::seen(None).taking(took);
    let forged = house.seat(Power::Agent).receipt(record.id, claim.clone()).await;
    assert_eq!(forged.unwrap_err(), handraise_broker::HubError::Rejected(Rejection::StillOpen));
    // Even of an ask that was asked before under its key, with a dialog declared.
    drop(run);
    let house = House::new(FakeWorld::still()).await;
    let new = NewAsk {
        asker: record.asker().clone(),
        key: record.opened.key.clone(),
        matter: record.matter().clone(),
        policy: Policy::default(),
        rival_dialog: true,
        deliverer: None,
    };
    let squatted = house.seat(Power::Agent).ask(new).await.unwrap().record;
    let script = Script::turns([calls("", [ask_call("q")]), said("ok")]);
    let mut run = house.through().over(script.agent().run(History::new("go")));
    while !matches!(run.next().await.unwrap(), Event::AskUser { .. }) {}
    house.seat(Power::Agent).receipt(squatted.id, claim).await.unwrap();
    let mut feed = house.feed().await;
    // Heard while it waits, the end is a withdrawal; found when it asks, the question is asked anew.
    let told = tokio::select! {
        told = play(&mut run) => told,
        again = heard(&mut feed, "ask.opened") => {
            house.choose(&again, "b").await;
            play(&mut run).await
        }
    };
    assert!(!json!(told).to_string().contains("Selected: a"), "{told:#?}");
}
