//! Whatever a model says, whoever answers, cancels or kills: each call has one result, in its order.

use std::collections::{HashMap, HashSet};
use std::task::Poll;

use async_trait::async_trait;
use handraise_agent_loop::{
    Agent, AskUserQuestion, Call, Entry, Event, Message, Model, ModelError, Request, Run, RunError,
    RunLimits, Said, Stop, Turn,
};
use handraise_question::{OwnWords, Resolution};
use proptest::prelude::*;
use serde_json::json;

use crate::stage::{Counting, Shelf, ask_call, call, chosen, count_call};

/// Says its turns by how far the conversation is, as a real model would.
#[derive(Clone)]
struct ByPlace(Vec<Turn>);

#[async_trait]
impl Model for ByPlace {
    async fn turn(&self, request: &Request<'_>, said: &Said) -> Result<Turn, ModelError> {
        check_request(request);
        let place = request.messages.iter().filter(|m| matches!(m, Message::Assistant(_))).count();
        let turn = self.0.get(place).cloned().unwrap_or_default();
        said.text(&turn.text);
        tokio::task::yield_now().await;
        Ok(turn)
    }
}

/// What every server insists on: all calls of a turn are answered in the message after it.
fn check_request(request: &Request<'_>) {
    for (i, message) in request.messages.iter().enumerate() {
        let Message::Assistant(turn) = message else { continue };
        if turn.calls.is_empty() {
            continue;
        }
        let Some(Message::Results(results)) = request.messages.get(i + 1) else {
            panic!("a call without its result: {:?}", request.messages)
        };
        let answered: Vec<_> = results.iter().map(|(call, _)| &call.id).collect();
        assert_eq!(answered, turn.calls.iter().map(|call| &call.id).collect::<Vec<_>>());
    }
}

#[derive(Debug, Clone)]
enum Act {
    GoOn,
    Answer(u8),
    Cancel,
    /// Somewhere on the way to the next event.
    Kill(u8),
}

fn any_call() -> impl Strategy<Value = Call> {
    let id = prop_oneof![Just(String::new()), "[a-c]", "call_[12]_[12]"];
    (id, 0..6_u8).prop_map(|(id, kind)| match kind {
        0 | 1 => ask_call(&id),
        2 | 3 => count_call(&id),
        4 => call(&id, "AskUserQuestion", json!({"questions": []})),
        _ => call(&id, "none", json!("not JSON")),
    })
}

/// Turns in which no two calls of the counting tool are alike.
fn any_turns(most: usize) -> impl Strategy<Value = Vec<Turn>> {
    prop::collection::vec(any_turn(), 1..most).prop_map(|mut turns| {
        let all = turns.iter_mut().flat_map(|turn| &mut turn.calls);
        for (i, call) in all.filter(|call| call.name == "count").enumerate() {
            call.input = json!({ "by": i });
        }
        turns
    })
}

fn any_turn() -> impl Strategy<Value = Turn> {
    let stop = prop_oneof![4 => Just(Stop::End), 1 => Just(Stop::CutOff)];
    (prop::collection::vec(any_call(), 0..4), stop).prop_map(|(calls, stop)| Turn {
        text: "words".to_owned(),
        calls,
        stop,
        kept: None,
    })
}

fn any_act() -> impl Strategy<Value = Act> {
    prop_oneof![
        3 => Just(Act::GoOn),
        4 => (0..4_u8).prop_map(Act::Answer),
        1 => Just(Act::Cancel),
        2 => (0..12_u8).prop_map(Act::Kill),
    ]
}

/// A conversation over many runs.
struct Story {
    agent: Agent,
    counting: Counting,
    shelf: Shelf,
}

impl Story {
    fn new(turns: Vec<Turn>, entries: Vec<Entry>) -> Self {
        let counting = Counting::default();
        let limits = RunLimits { turns: 20, asks: 3, invalid_calls: 6, continuations: 2 };
        let agent =
            Agent::new(ByPlace(turns)).tool(AskUserQuestion).tool(counting.clone()).limits(limits);
        Self { agent, counting, shelf: Shelf::with(entries) }
    }

    /// Plays all acts, and then to the end.
    async fn play(&self, acts: Vec<Act>) {
        let mut acts = acts.into_iter();
        let mut run = self.agent.run(self.shelf.history());
        let mut asked = None;
        loop {
            let act = acts.next();
            match &act {
                Some(Act::Cancel) => run.cancel(),
                Some(Act::Kill(polls)) => {
                    some_way(&mut run, *polls).await;
                    asked = None;
                    run = self.agent.run(self.shelf.history());
                }
                Some(Act::Answer(how)) => answer(&run, asked.take(), *how),
                Some(Act::GoOn) => {}
                None => answer(&run, asked.take(), 0),
            }
            let next = tokio::time::timeout(std::time::Duration::from_secs(1), run.next()).await;
            match next {
                Ok(Some(Event::AskUser { id, ask, .. })) => asked = Some((id, ask)),
                Ok(Some(Event::Error { error: RunError::Cancelled })) => {
                    asked = None;
                    run = self.agent.run(self.shelf.history());
                }
                Ok(Some(_)) | Err(_) => {}
                Ok(None) if act.is_none() => return,
                Ok(None) => run = self.agent.run(self.shelf.history()),
            }
        }
    }
}

/// Goes on towards the next event, but not for long.
async fn some_way(run: &mut Run, polls: u8) {
    let mut next = std::pin::pin!(run.next());
    for _ in 0..polls {
        let came = std::future::poll_fn(|cx| Poll::Ready(next.as_mut().poll(cx))).await;
        if came.is_ready() {
            return;
        }
        tokio::task::yield_now().await;
    }
}

fn answer(run: &Run, asked: Option<(String, handraise_question::Ask)>, how: u8) {
    let Some((id, ask)) = asked else { return };
    let words = OwnWords::try_from("let us talk").unwrap();
    let resolution = match how {
        0 => chosen(&ask, "a"),
        1 => Resolution::Declined { reason: None },
        2 => Resolution::Discuss { words },
        _ => Resolution::NoAnswer { after_seconds: 1 },
    };
    // The run may have been cancelled.
    let _ = run.answer(&id, &resolution);
}

/// What must hold of every history.
fn check(entries: &[Entry]) {
    let mut names = HashSet::new();
    let mut open: Vec<&str> = vec![];
    let mut resolved = HashSet::new();
    let mut asked: HashMap<&str, usize> = HashMap::new();
    for entry in entries {
        match entry {
            Entry::Prompt { .. } | Entry::Note { .. } => assert!(open.is_empty(), "{entries:#?}"),
            Entry::Turn(turn) => {
                assert!(open.is_empty(), "a turn before all results: {entries:#?}");
                open = turn.calls.iter().map(|call| call.id.as_str()).collect();
                for id in &open {
                    assert!(names.insert(*id), "{id} names two calls: {entries:#?}");
                }
            }
            Entry::Result { call, .. } => {
                assert_eq!(open.first(), Some(&call.as_str()), "{entries:#?}");
                open.remove(0);
            }
            Entry::Asked { id, .. } => *asked.entry(id).or_default() += 1,
            Entry::Resolved { id, .. } => {
                assert_eq!(asked.get(id.as_str()), Some(&1), "{entries:#?}");
                assert!(resolved.insert(id), "{id} was resolved twice: {entries:#?}");
            }
            Entry::Started { call } | Entry::UsedUp { call } => {
                assert_eq!(open.first(), Some(&call.as_str()), "{entries:#?}");
            }
        }
    }
}

/// Whether the last turn has all its results.
fn complete(entries: &[Entry]) -> bool {
    let turn = entries.iter().rposition(|entry| matches!(entry, Entry::Turn(_)));
    let Some(turn) = turn else { return true };
    let Entry::Turn(Turn { calls, .. }) = &entries[turn] else { return true };
    let results = entries[turn..].iter().filter(|entry| matches!(entry, Entry::Result { .. }));
    results.count() == calls.len()
}

fn in_paused_time(story: impl Future<Output = ()>) {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    runtime.enable_time().start_paused(true).build().unwrap().block_on(story);
}

fn prompt() -> Vec<Entry> {
    vec![Entry::Prompt { text: "go".to_owned() }]
}

/// Whether a run may have ended in the middle of a turn, because the model went too far.
fn stopped(entries: &[Entry]) -> bool {
    entries
        .iter()
        .any(|entry| matches!(entry, Entry::UsedUp { .. } | Entry::Result { invalid: true, .. }))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn each_call_has_one_result_and_no_tool_runs_twice(
        turns in any_turns(6),
        acts in prop::collection::vec(any_act(), 0..40),
    ) {
        in_paused_time(async {
            let story = Story::new(turns, prompt());
            story.play(acts).await;
            let entries = story.shelf.entries();
            check(&entries);
            assert!(complete(&entries) || stopped(&entries), "{entries:#?}");
            let made = story.counting.made.lock().unwrap();
            let once: HashSet<_> = made.iter().map(ToString::to_string).collect();
            assert_eq!(once.len(), made.len(), "run twice: {made:?} in {entries:#?}");
        });
    }

}

proptest! {
    // Each case is as many runs as its history has entries.
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn every_beginning_of_a_history_can_be_gone_on_with(
        turns in any_turns(5),
        acts in prop::collection::vec(any_act(), 0..12),
    ) {
        in_paused_time(async {
            let story = Story::new(turns.clone(), prompt());
            story.play(acts).await;
            let entries = story.shelf.entries();
            for cut in 1..=entries.len() {
                let again = Story::new(turns.clone(), entries[..cut].to_vec());
                again.play(vec![]).await;
                let entries = again.shelf.entries();
                check(&entries);
                assert!(complete(&entries) || stopped(&entries), "{entries:#?}");
            }
        });
    }
}
