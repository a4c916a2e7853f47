//! One question, from the moment it is written down to the moment its result is.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use handraise_broker::{
    AnswerIn, AskId, Away, HubError, Matter, Record, Rejection, State as AskState, until_resolved,
};
use handraise_question::{Question, Resolution};
use tokio::sync::{oneshot, watch};
use tokio::time::{Instant, sleep, sleep_until};

use super::bringing::Brought;
use super::following::Following;
use super::happening::What;
use super::notes::Note;
use super::{Happening, Shared};
use crate::hook::matter;
use crate::screen::{Intent, Typed};
use crate::transcript::{Call, Outcome};

/// What is known of a call.
#[derive(Debug, Clone)]
pub(super) enum State {
    /// It has no result.
    Waits,
    /// It has.
    Settled(Arc<Outcome>),
    /// Nobody waits for it any more.
    Gone(&'static str),
}

/// How a call came to its end.
pub(super) enum End {
    Settled(Arc<Outcome>),
    Gone(&'static str),
}

/// A call that is looked after.
pub(super) struct Attending {
    pub(super) shared: Arc<Shared>,
    pub(super) following: Arc<Following>,
    pub(super) call: Arc<Call>,
    pub(super) state: watch::Receiver<State>,
    pub(super) seen: Instant,
}

/// What keeps the order: the call before has been asked about, and this one when it drops its own end.
pub(super) struct Turn {
    pub(super) before: Option<oneshot::Receiver<()>>,
    pub(super) placed: oneshot::Sender<()>,
}

/// How long our own hook may take to note a call that is written down.
const MOMENT: Duration = Duration::from_secs(1);
/// How long a hub that refuses us is left alone.
const REFUSED: Duration = Duration::from_secs(5);
/// More often nobody answers one and the same question in vain.
const MOST_AGAIN: usize = 1_000;

/// What became of an attempt to ask.
enum Put {
    Ours(Arc<Record>),
    Anothers(&'static str),
    /// It was asked, and the answer could not be brought: to be asked anew.
    InVain(Arc<Record>),
    Refused(String),
    /// The call ended while the hub was away: whether it knows of the ask is not known.
    Over,
}

/// Where an ask can be answered; if in the agent's own dialog only, why.
pub(super) struct Way {
    answer_in: AnswerIn,
    why: Option<String>,
}

impl Way {
    pub(super) fn anywhere() -> Self {
        Self { answer_in: AnswerIn::Anywhere, why: None }
    }

    pub(super) fn dialog(why: impl Into<String>) -> Self {
        Self { answer_in: AnswerIn::Dialog, why: Some(why.into()) }
    }
}

impl Attending {
    pub(super) async fn attend(self, turn: Turn) {
        let Turn { before, placed } = turn;
        let over = tokio::select! {
            biased;
            end = self.end() => Some(end),
            () = self.a_moment(before) => None,
        };
        if let Some(end) = over {
            drop(placed);
            return self.ended_at_once(end).await;
        }
        let Some(matter) = self.matter() else {
            drop(placed);
            return self.look_on().await;
        };
        let mut again = 0;
        let way = self.way(&matter).await;
        let mut asked = self.ask(&matter, &mut again, way).await;
        drop(placed);
        while let Some(record) = asked {
            let resolved = tokio::select! {
                biased;
                end = self.end() => return self.over(record.id, end, None).await,
                resolved = self.resolved(record.id) => resolved,
            };
            let way = match resolved {
                Ok(record) if record.awaits_receipt() => match self.bring(&record).await {
                    Brought::Over => return,
                    Brought::Again(way) => way,
                },
                // Nobody brought it in time: whoever answered was told, and the agent still waits.
                Ok(record) if record.state() == AskState::Undelivered => {
                    self.way_anew(&record).await
                }
                // One whose agent has its answer already, or that was taken back, is nobody's to bring.
                Ok(_) | Err(_) => break,
            };
            again += 1;
            asked = self.ask(&matter, &mut again, way).await;
        }
        self.forget();
        self.look_on().await;
    }

    /// Gives our own hook its moment, and those their turn who came before.
    async fn a_moment(&self, before: Option<oneshot::Receiver<()>>) {
        sleep_until(self.seen + MOMENT).await;
        if let Some(before) = before {
            // Whoever was before has been asked about, or never will be.
            let _ = before.await;
        }
    }

    /// What the hub is to be asked; nothing when somebody else looks after it, or it cannot be asked.
    fn matter(&self) -> Option<Matter> {
        let session = &self.following.session;
        if session.has_owner {
            return None;
        }
        if self.shared.book.knows(&session.id, &self.call.id, &self.call.questions) {
            self.tell(What::LeftAlone, None, Some("its hook asks".into()));
            return None;
        }
        let matter = matter::of_questions(self.call.questions.clone(), self.call.metadata.clone());
        matter.map_err(|why| self.tell(What::NotAsked, None, Some(why))).ok()
    }

    /// Asks the hub, under the first name whose answer did not fail to arrive.
    async fn ask(&self, matter: &Matter, again: &mut usize, mut way: Way) -> Option<Arc<Record>> {
        while *again < MOST_AGAIN {
            match self.put(matter, *again, &way).await {
                Put::Ours(record) => return Some(record),
                Put::InVain(record) => {
                    *again += 1;
                    way = self.way_anew(&record).await;
                }
                Put::Anothers(why) => {
                    self.tell(What::LeftAlone, None, Some(why.into()));
                    return None;
                }
                Put::Refused(why) => {
                    self.tell(What::NotAsked, None, Some(why));
                    return None;
                }
                Put::Over => {
                    let (session, call) = (&self.following.session.id, &self.call.id);
                    return self.shared.find_unsettled(session, call).await;
                }
            }
        }
        None
    }

    async fn put(&self, matter: &Matter, again: usize, way: &Way) -> Put {
        let new =
            self.shared.new_ask(&self.following, &self.call, matter.clone(), again, way.answer_in);
        let over = async {
            self.end().await;
        };
        // If this fails, so does the one that is reported.
        let _ = self.note(None);
        let asked = match self.shared.hub.insist_unless(over, |hub| hub.ask(new.clone())).await {
            Ok(Some(asked)) => asked,
            Ok(None) => return Put::Over,
            Err(error) => return Put::Refused(error.to_string()),
        };
        if !asked.yours {
            return Put::Anothers("another process brings its answer");
        }
        let record = asked.record;
        match record.state() {
            AskState::Open | AskState::Resolved => {}
            AskState::Undelivered => return Put::InVain(record),
            AskState::Delivered | AskState::Overruled => return Put::Anothers("it is over"),
        }
        if record.resolved().is_some_and(handraise_broker::Resolved::is_withdrawn) {
            return Put::Anothers("it was taken back");
        }
        if let Err(error) = self.note(Some(record.id)) {
            let why = format!("its end is lost if the watch is killed: {error}");
            self.tell(What::NotNoted, Some(record.id), Some(why));
        }
        let only = match record.policy().answer_in {
            AnswerIn::Anywhere => None,
            AnswerIn::Dialog => {
                let why = way.why.as_ref().map(|why| format!(" ({why})")).unwrap_or_default();
                Some(format!("it can be answered in its own terminal only{why}"))
            }
        };
        self.tell(What::Asked, Some(record.id), only);
        Put::Ours(record)
    }

    /// Remembers the call for the next watch.
    fn note(&self, ask: Option<AskId>) -> io::Result<()> {
        let Some(transcript) = self.following.path() else { return Ok(()) };
        let session = &self.following.session;
        self.shared.notes.keep(&Note {
            ask,
            session: session.id.clone(),
            call: self.call.id.clone(),
            process: session.process.clone(),
            transcript,
        })
    }

    /// Forgets what was remembered for the next watch.
    pub(super) fn forget(&self) {
        self.shared.notes.forget(&self.following.session.id, &self.call.id);
    }

    /// Where it can be answered; if in its own dialog only, why.
    async fn way(&self, matter: &Matter) -> Way {
        let ask = match matter.ask() {
            Ok(ask) => ask,
            Err(violations) => return Way::dialog(violations.to_string()),
        };
        // Whatever the answer will be, a dialog that has no keys for it has none for a refusal either.
        if let Err(error) = Intent::of(&ask, &Resolution::Declined { reason: None }) {
            return Way::dialog(error.to_string());
        }
        if self.call.entrypoint.as_deref().is_some_and(|entry| entry.starts_with("sdk")) {
            return Way::dialog("a program runs it");
        }
        match self.pane().await {
            Ok(_) if self.is_unreadable(&ask).await => {
                Way::dialog("its dialog is not one that can be read")
            }
            Ok(_) => Way::anywhere(),
            Err(why) => Way::dialog(why),
        }
    }

    /// The same for a call whose answer did not arrive: in a dialog that somebody or something has begun
    /// with, nothing is typed.
    async fn way_anew(&self, record: &Record) -> Way {
        let way = self.way(record.matter()).await;
        if way.answer_in == AnswerIn::Anywhere && !self.is_fresh(record).await {
            return Way::dialog("its dialog is not as it was");
        }
        way
    }

    async fn resolved(&self, id: AskId) -> Result<Arc<Record>, HubError> {
        let deliverer = Some(self.shared.settings.deliverer.clone());
        let hub = &self.shared.hub;
        let noted = |away| hub.note(away == Away::Gone);
        loop {
            match until_resolved(hub.plain(), id, deliverer.clone(), noted).await {
                // A hub that is set up anew has new tokens, a moment before or after its address.
                Err(HubError::Denied(_)) => {
                    hub.note(true);
                    sleep(REFUSED).await;
                }
                Err(HubError::Rejected(Rejection::AnotherDelivers)) => {
                    let why = Some("another process brings its answer".to_owned());
                    self.tell(What::LeftAlone, Some(id), why);
                    return Err(HubError::Rejected(Rejection::AnotherDelivers));
                }
                resolved => return resolved,
            }
        }
    }

    /// The call has ended before it could be asked about here. An earlier watch may have asked.
    async fn ended_at_once(&self, end: End) {
        let note = self.shared.notes.of(&self.following.session.id, &self.call.id);
        let asked = match &note {
            Some(note) => self.shared.ask_of(note).await,
            None => None,
        };
        if let Some(ask) = asked {
            return self.over(ask, end, None).await;
        }
        self.forget();
        self.ended_elsewhere(end).await;
    }

    /// Somebody else looks after it.
    async fn look_on(&self) {
        let end = self.end().await;
        self.ended_elsewhere(end).await;
    }

    /// The call has ended, and somebody else looks after it.
    async fn ended_elsewhere(&self, end: End) {
        match end {
            End::Settled(outcome) => self.judge(&outcome).await,
            End::Gone(_) => {}
        }
    }

    /// The call of an ask of ours has ended.
    pub(super) async fn over(&self, id: AskId, end: End, typed: Option<&Typed>) {
        match end {
            End::Settled(outcome) => self.settle(id, &outcome, typed).await,
            End::Gone(why) => {
                let reason = Some(why.to_owned());
                let _ = self.shared.hub.insist(|hub| hub.withdraw(id, reason.clone())).await;
                self.forget();
                self.tell(What::Withdrawn, Some(id), Some(why.into()));
            }
        }
    }

    /// Waits for the end of the call.
    pub(super) async fn end(&self) -> End {
        let mut state = self.state.clone();
        loop {
            match &*state.borrow_and_update() {
                State::Waits => {}
                State::Settled(outcome) => return End::Settled(Arc::clone(outcome)),
                State::Gone(why) => return End::Gone(why),
            }
            if state.changed().await.is_err() {
                // The watch itself is over; whoever comes next finds the ask.
                std::future::pending::<()>().await;
            }
        }
    }

    pub(super) fn tell(&self, what: What, ask: Option<AskId>, why: Option<String>) {
        let session = &self.following.session;
        (self.shared.tell)(Happening {
            what,
            session: Some(session.id.clone()),
            pid: Some(session.process.pid),
            directory: session.cwd.clone(),
            ask,
            question: first_question(&self.call),
            why,
        });
    }
}

fn first_question(call: &Call) -> Option<String> {
    let ask = matter::of_questions(call.questions.clone(), None).ok()?.ask().ok()?;
    ask.questions().first().map(Question::text).map(|text| crate::hook::cut(text, 500))
}
