//! Whatever happens, in whatever order and at whatever times.

use handraise_question::{Answer, Resolution};
use proptest::prelude::*;

use super::*;
use crate::{AnswerIn, Doubt, DoubtKind, Level, Receipt, State};

/// Something somebody wants of an ask.
#[derive(Debug, Clone)]
enum Command {
    Reply(Reply, Option<&'static str>),
    Withdraw,
    Type,
    Expire,
    Extend(u64),
    Receipt(Receipt),
    MissReceipt,
}

fn form() -> impl Strategy<Value = AnswerForm> {
    let label = prop::sample::select(vec!["JWT", "Sessions", "Redis", "Email", "none such"]);
    let labels = prop::collection::vec(label.prop_map(str::to_owned), 0..3);
    let words = prop::option::of(prop::sample::select(vec!["JWT", "my own", " "]));
    (labels, words, any::<bool>()).prop_map(|(selected, words, left_open)| AnswerForm {
        selected,
        words: words.map(str::to_owned),
        notes: None,
        left_open,
    })
}

fn reply() -> impl Strategy<Value = Reply> {
    prop_oneof![
        4 => Just(jwt()),
        8 => prop::collection::vec(form(), 0..4).prop_map(Reply::Answer),
        1 => Just(Reply::Decide(serde_json::from_value(json!({"decision": "allow"})).unwrap())),
        1 => Just(Reply::Decline(None)),
        1 => Just(Reply::Discuss("why?".into())),
    ]
}

fn receipt() -> impl Strategy<Value = Receipt> {
    let level = prop::sample::select(vec![Level::Handed, Level::Seen]);
    let text = prop::option::of(prop::sample::select(vec!["JWT", "Sessions"]));
    let took = prop::option::of(prop_oneof![
        prop::sample::select(vec!["JWT", "Sessions", "no such option"])
            .prop_map(|label| json!({"kind": "answered", "answers": [{"selected": [label]}, {"leftOpen": true}]})),
        Just(json!({"kind": "declined"})),
    ]);
    let text = text.prop_map(|text| text.map(str::to_owned));
    let doubt =
        prop::option::of(Just(Doubt { kind: DoubtKind::Empty, why: "Nobody chose.".into() }));
    (level, text, took, doubt).prop_map(|(level, text, took, doubt)| Receipt {
        level,
        text,
        took,
        doubt,
    })
}

fn command() -> impl Strategy<Value = Command> {
    let key = prop::option::of(prop::sample::select(vec!["k", "l"]));
    prop_oneof![
        4 => (reply(), key).prop_map(|(reply, key)| Command::Reply(reply, key)),
        1 => Just(Command::Withdraw),
        1 => Just(Command::Type),
        2 => Just(Command::Expire),
        1 => (0_u64..50).prop_map(Command::Extend),
        4 => receipt().prop_map(Command::Receipt),
        1 => Just(Command::MissReceipt),
    ]
}

fn policy() -> impl Strategy<Value = Policy> {
    let deadline = prop::option::of(1_u64..60);
    let level = prop::sample::select(vec![Level::Handed, Level::Seen]);
    let answer_in = prop::sample::select(vec![AnswerIn::Anywhere, AnswerIn::Dialog]);
    (deadline, level, answer_in).prop_map(|(deadline_seconds, receipt, answer_in)| Policy {
        deadline_seconds,
        receipt,
        answer_in,
        ..Policy::default()
    })
}

/// One ask, what was decided about it, and the time.
struct Life {
    ask: Record,
    log: Vec<Entry>,
    now: i64,
    typed_at: Option<Timestamp>,
}

impl Life {
    fn new(policy: Policy, rival_dialog: bool) -> Self {
        let ask = questions(policy);
        let ask = if rival_dialog { beside_a_dialog(ask) } else { ask };
        let event = Event::Opened(ask.opened.clone());
        let log = vec![Entry { seq: 1, at: at(0), ask: Some(ask.id), event }];
        Self { ask, log, now: 0, typed_at: None }
    }

    fn decide(&mut self, command: Command) -> Result<Vec<Event>, Rejection> {
        let (ask, now) = (&self.ask, at(self.now));
        match command {
            Command::Reply(reply, key) => ask.reply(attempt(reply, key), now),
            Command::Withdraw => ask.withdraw(None, now),
            Command::Type => {
                self.typed_at = Some(now);
                Ok(vec![])
            }
            Command::Expire => Ok(ask.expire(self.typed_at, now)),
            Command::Extend(seconds) => ask.extend(seconds, by("ann"), None, now),
            Command::Receipt(receipt) => ask.receipt(receipt, now),
            Command::MissReceipt => Ok(ask.miss_receipt()),
        }
    }

    fn happen(&mut self, event: Event) {
        let seq = self.ask.seq + 1;
        let entry = Entry { seq, at: at(self.now), ask: Some(self.ask.id), event };
        self.ask.apply(&entry);
        self.log.push(entry);
    }
}

/// The state an event leads to, if it leads to one.
fn leads_to(event: &Event) -> Option<State> {
    match event {
        Event::Resolved(_) => Some(State::Resolved),
        Event::Delivered(_) => Some(State::Delivered),
        Event::Overruled(_) => Some(State::Overruled),
        Event::Undelivered(_) => Some(State::Undelivered),
        Event::Opened(_)
        | Event::Extended(_)
        | Event::DeviceChanged(_)
        | Event::AccessRefused(_)
        | Event::SessionChanged(_)
        | Event::Pruned(_) => None,
    }
}

/// Whether the end of an ask, as the agent will get it, leaves no question without an answer.
fn is_whole(ask: &Record) -> bool {
    let answered = |answer: &Answer| match answer {
        Answer::Chosen(chosen) => !chosen.labels().is_empty() || chosen.words().is_some(),
        Answer::LeftOpen { .. } => true,
    };
    match ask.resolution() {
        Ok(Some(Resolution::Answered(answers))) => {
            let questions = ask.matter().ask().unwrap();
            answers.as_slice().len() == questions.questions().len()
                && answers.as_slice().iter().all(answered)
                && answers.as_slice().iter().any(|one| matches!(one, Answer::Chosen(_)))
        }
        Ok(_) => ask.resolved().is_none_or(|resolved| resolved.kind() != "answered"),
        Err(_) => false,
    }
}

proptest! {
    #[test]
    fn an_ask_ends_once_and_whole_whatever_happens(
        policy in policy(),
        rival_dialog in any::<bool>(),
        commands in prop::collection::vec((command(), 0_i64..30), 1..30),
    ) {
        let mut life = Life::new(policy, rival_dialog);
        for (command, seconds) in commands {
            life.now += seconds;
            let before = life.ask.clone();
            let decided = life.decide(command).unwrap_or_default();
            prop_assert_eq!(&life.ask, &before, "to decide changes nothing");
            for event in decided {
                life.happen(event.clone());
                if let Some(state) = leads_to(&event) {
                    prop_assert_eq!(life.ask.state(), state);
                }
            }
            if let Some(resolved) = before.resolved() {
                prop_assert_eq!(life.ask.resolved(), Some(resolved), "the first end stands");
            }
            if let Some(doubt) = before.doubt() {
                prop_assert_eq!(life.ask.doubt(), Some(doubt), "a doubt stays");
            }
        }
        let ends = life.log.iter().filter(|entry| matches!(entry.event, Event::Resolved(_)));
        prop_assert_eq!(ends.count(), usize::from(!life.ask.is_open()));
        prop_assert!(is_whole(&life.ask), "{:?}", life.ask.phase);
        if let Some(resolved) = life.ask.resolved().filter(|resolved| resolved.is_claimed_by_agent()) {
            prop_assert!(life.ask.opened.has_rival_dialog(), "{:?}", resolved);
        }
        prop_assert_eq!(Record::fold(life.log), vec![life.ask]);
    }
}
