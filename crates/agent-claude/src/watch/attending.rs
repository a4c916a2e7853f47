//! One question, from the moment it is written down to the moment its result is.

use std::sync::Arc;
use std::time::Duration;

use handraise_broker::{
    AnswerIn, AskId, Away, HubError, Matter, RealWorld, Record, Rejection, State as AskState,
    World, until_resolved,
};
use handraise_question::{Question, Resolution};
use tokio::sync::{oneshot, watch};
use tokio::time::{Instant, sleep_until};

use super::following::Following;
use super::happening::What;
use super::notes::Note;
use super::settling::GONE;
use super::{Happening, Shared};
use crate::hook::matter;
use crate::screen::{Intent, Pane, Stopped, Typed, Typing};
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

/// What keeps the order: the call before has been asked about, and whoever drops this has been, too.
pub(super) struct Turn {
    pub(super) before: Option<oneshot::Receiver<()>>,
    pub(super) placed: Option<oneshot::Sender<()>>,
}

/// How long our own hook may take to note a call that is written down.
const MOMENT: Duration = Duration::from_secs(1);
/// More often nobody answers one and the same question in vain.
const MOST_AGAIN: usize = 1_000;
/// What is said of an answer that could not be typed.
const NOT_TYPED: &str = "The answer was not typed: ";

/// What became of an attempt to ask.
enum Put {
    Ours(Arc<Record>),
    Anothers(&'static str),
    /// It was asked, and the answer could not be brought: to be asked anew.
    InVain,
    Refused(String),
}

/// What became of an answer.
enum Brought {
    /// The call has ended.
    Over,
    /// It has not, and the answer was not typed: ask anew, there.
    Again(AnswerIn, Option<String>),
}

impl Attending {
    pub(super) async fn attend(mut self, mut turn: Turn) {
        let asked = tokio::select! {
            asked = self.ask(&mut turn) => asked,
            end = ended(self.state.clone()) => return self.ended_unasked(end).await,
        };
        drop(turn);
        let Some((mut record, matter, mut again)) = asked else {
            let end = self.end().await;
            return self.ended_elsewhere(end).await;
        };
        loop {
            let resolved = tokio::select! {
                biased;
                end = ended(self.state.clone()) => return self.over(record.id, end, None).await,
                resolved = self.resolved(record.id) => resolved,
            };
            let resolved = match resolved {
                // One whose agent has its answer already, or that was taken back, is nobody's to bring.
                Ok(record) if record.awaits_receipt() => record,
                Ok(_) | Err(_) => {
                    self.shared.notes.forget(record.id);
                    let end = self.end().await;
                    return self.ended_elsewhere(end).await;
                }
            };
            let (answer_in, why) = match self.bring(&resolved).await {
                Brought::Over => return,
                Brought::Again(answer_in, why) => (answer_in, why),
            };
            let anew = tokio::select! {
                anew = self.ask_anew(&matter, &mut again, answer_in, why) => anew,
                end = ended(self.state.clone()) => return self.ended_unasked(end).await,
            };
            let Some(anew) = anew else {
                let end = self.end().await;
                return self.ended_elsewhere(end).await;
            };
            record = anew;
        }
    }

    /// Asks the hub, after a moment; nothing when somebody else looks after it, or it cannot be asked.
    async fn ask(&self, turn: &mut Turn) -> Option<(Arc<Record>, Matter, usize)> {
        sleep_until(self.seen + MOMENT).await;
        if let Some(before) = turn.before.take() {
            // Whoever was before has been asked about, or never will be.
            let _ = before.await;
        }
        let session = &self.following.session;
        if session.has_owner {
            return None;
        }
        if self.shared.book.knows(&session.id, &self.call.id, &self.call.questions) {
            self.tell(What::LeftAlone, None, Some("its hook asks".into()));
            return None;
        }
        let matter = match matter::of_questions(self.call.questions.clone()) {
            Ok(matter) => matter,
            Err(why) => {
                self.tell(What::NotAsked, None, Some(why));
                return None;
            }
        };
        let (answer_in, why) = self.way(&matter).await;
        let mut again = 0;
        let record = match self.put(&matter, again, answer_in, why.as_deref()).await {
            Put::Ours(record) => record,
            Put::InVain => self.ask_anew(&matter, &mut again, answer_in, why).await?,
            Put::Anothers(why) => {
                self.tell(What::LeftAlone, None, Some(why.into()));
                return None;
            }
            Put::Refused(why) => {
                self.tell(What::NotAsked, None, Some(why));
                return None;
            }
        };
        turn.placed.take();
        Some((record, matter, again))
    }

    /// Asks about the same call under another name, because the answer to the last did not arrive.
    async fn ask_anew(
        &self,
        matter: &Matter,
        again: &mut usize,
        answer_in: AnswerIn,
        why: Option<String>,
    ) -> Option<Arc<Record>> {
        while *again < MOST_AGAIN {
            *again += 1;
            match self.put(matter, *again, answer_in, why.as_deref()).await {
                Put::Ours(record) => return Some(record),
                Put::InVain => {}
                Put::Anothers(why) => {
                    self.tell(What::LeftAlone, None, Some(why.into()));
                    return None;
                }
                Put::Refused(why) => {
                    self.tell(What::NotAsked, None, Some(why));
                    return None;
                }
            }
        }
        None
    }

    async fn put(
        &self,
        matter: &Matter,
        again: usize,
        answer_in: AnswerIn,
        why: Option<&str>,
    ) -> Put {
        let new =
            self.shared.new_ask(&self.following, &self.call, matter.clone(), again, answer_in);
        let asked = match self.shared.hub.insist(|hub| hub.ask(new.clone())).await {
            Ok(asked) => asked,
            Err(error) => return Put::Refused(error.to_string()),
        };
        if !asked.yours {
            return Put::Anothers("another process brings its answer");
        }
        let record = asked.record;
        match record.state() {
            AskState::Open | AskState::Resolved => {}
            AskState::Undelivered => return Put::InVain,
            AskState::Delivered | AskState::Overruled => return Put::Anothers("it is over"),
        }
        if record.resolved().is_some_and(handraise_broker::Resolved::is_withdrawn) {
            return Put::Anothers("it was taken back");
        }
        if let Some(transcript) = self.following.path() {
            self.shared.notes.keep(&Note {
                ask: record.id,
                session: self.following.session.id.clone(),
                call: self.call.id.clone(),
                process: self.following.session.process.clone(),
                transcript,
            });
        }
        let only = match record.policy().answer_in {
            AnswerIn::Anywhere => None,
            AnswerIn::Dialog => {
                let why = why.map(|why| format!(" ({why})")).unwrap_or_default();
                Some(format!("it can be answered in its own terminal only{why}"))
            }
        };
        self.tell(What::Asked, Some(record.id), only);
        Put::Ours(record)
    }

    /// Where it can be answered; if in its own dialog only, why.
    async fn way(&self, matter: &Matter) -> (AnswerIn, Option<String>) {
        let ask = match matter.ask() {
            Ok(ask) => ask,
            Err(violations) => return (AnswerIn::Dialog, Some(violations.to_string())),
        };
        // Whatever the answer will be, a dialog that has no keys for it has none for a refusal either.
        if let Err(error) = Intent::of(&ask, &Resolution::Declined { reason: None }) {
            return (AnswerIn::Dialog, Some(error.to_string()));
        }
        match self.pane().await {
            Ok(_) => (AnswerIn::Anywhere, None),
            Err(why) => (AnswerIn::Dialog, Some(why)),
        }
    }

    async fn pane(&self) -> Result<Pane, String> {
        let process = &self.following.session.process;
        if !process.lives() {
            return Err(GONE.into());
        }
        let pane = Pane::of(process.pid, &self.shared.settings.sockets).await;
        pane.map_err(|error| error.to_string())
    }

    async fn resolved(&self, id: AskId) -> Result<Arc<Record>, HubError> {
        let deliverer = Some(self.shared.settings.deliverer.clone());
        let hub = &self.shared.hub;
        let noted = |away| hub.note(away == Away::Gone);
        let resolved = until_resolved(hub.plain(), id, deliverer, noted).await;
        if matches!(resolved, Err(HubError::Rejected(Rejection::AnotherDelivers))) {
            self.tell(What::LeftAlone, Some(id), Some("another process brings its answer".into()));
        }
        resolved
    }

    /// Brings an answer to the session, when its dialog is the one on the screen.
    async fn bring(&mut self, record: &Record) -> Brought {
        let id = record.id;
        let kind = record.resolved().map(|resolved| resolved.kind().to_owned());
        self.tell(What::Answered, Some(id), kind);
        tokio::select! {
            () = self.following.turn_of(&self.call.id) => {}
            end = ended(self.state.clone()) => {
                self.over(id, end, None).await;
                return Brought::Over;
            }
        }
        let stopped = match self.type_in(record).await {
            Ok(typed) => {
                self.tell(What::Typed, Some(id), None);
                let end = self.end().await;
                self.over(id, end, Some(&typed)).await;
                return Brought::Over;
            }
            Err(stopped) => stopped,
        };
        let partly =
            if stopped.partly { " Some keys were pressed: look at the session." } else { "" };
        let reason = format!("{NOT_TYPED}{}.{partly}", stopped.why);
        if !self.following.waits_for(&self.call.id) {
            let end = self.end().await;
            if let End::Settled(outcome) = &end
                && stopped.partly
                && self.is_left(record, outcome)
            {
                // The dialog was left as meant, but the words that belong to it were not said.
                self.give_up(id, &reason).await;
                return Brought::Over;
            }
            self.over(id, end, None).await;
            return Brought::Over;
        }
        let fresh = !stopped.partly && self.is_fresh(record).await;
        self.give_up(id, &reason).await;
        if fresh {
            Brought::Again(AnswerIn::Anywhere, None)
        } else {
            Brought::Again(AnswerIn::Dialog, Some("somebody or something has begun there".into()))
        }
    }

    /// Whether a dialog was left without an answer, as a person has said elsewhere.
    fn is_left(&self, record: &Record, outcome: &Outcome) -> bool {
        let meant = record.resolved().map(|resolved| resolved.kind().to_owned());
        let took = crate::hook::taken::by_outcome(record.matter(), outcome);
        let kind = took.as_ref().and_then(|took| took["kind"].as_str());
        match (meant.as_deref(), kind) {
            (Some("declined" | "no_answer"), Some("declined")) => true,
            (meant, kind) => meant == Some("discuss") && kind == Some("discuss"),
        }
    }

    /// Tells everybody that an answer did not arrive. It is never typed again by itself.
    async fn give_up(&self, id: AskId, reason: &str) {
        let kept = self.shared.hub.insist(|hub| hub.withdraw(id, Some(reason.to_owned()))).await;
        self.shared.notes.forget(id);
        let why = kept.err().map_or_else(|| reason.to_owned(), |error| format!("{reason} {error}"));
        self.tell(What::Stopped, Some(id), Some(why));
    }

    async fn type_in(&self, record: &Record) -> Result<Typed, Stopped> {
        let nothing = |why: String| Stopped { why, partly: false };
        let ask = record.matter().ask().map_err(|error| nothing(error.to_string()))?;
        let resolution = record.resolution().map_err(|error| nothing(error.to_string()))?;
        let resolution = resolution.ok_or_else(|| nothing("there is no answer".into()))?;
        let pane = self.pane().await.map_err(nothing)?;
        let waits = || self.following.waits_for(&self.call.id);
        let (clock, progress) = (seconds, |_| ());
        let typing =
            Typing { pane: &pane, ask: &ask, waits: &waits, clock: &clock, progress: &progress };
        typing.resolve(&resolution).await
    }

    async fn is_fresh(&self, record: &Record) -> bool {
        let (Ok(ask), Ok(pane)) = (record.matter().ask(), self.pane().await) else { return false };
        let (waits, clock, progress) = (|| true, seconds, |_| ());
        let typing =
            Typing { pane: &pane, ask: &ask, waits: &waits, clock: &clock, progress: &progress };
        typing.is_fresh().await
    }

    /// The call has ended before the hub was asked, or while it was.
    async fn ended_unasked(&self, end: End) {
        // The hub may have heard of it all the same.
        let asked = self.shared.notes.of(&self.following.session.id, &self.call.id);
        for note in &asked {
            let end = match &end {
                End::Settled(outcome) => End::Settled(Arc::clone(outcome)),
                End::Gone(why) => End::Gone(why),
            };
            self.over(note.ask, end, None).await;
        }
        if asked.is_empty() {
            self.ended_elsewhere(end).await;
        }
    }

    /// The call has ended, and somebody else looks after it.
    async fn ended_elsewhere(&self, end: End) {
        match end {
            End::Settled(outcome) => self.judge(&outcome).await,
            End::Gone(_) => {}
        }
    }

    /// The call of an ask of ours has ended.
    async fn over(&self, id: AskId, end: End, typed: Option<&Typed>) {
        match end {
            End::Settled(outcome) => self.settle(id, &outcome, typed).await,
            End::Gone(why) => {
                let reason = Some(why.to_owned());
                let _ = self.shared.hub.insist(|hub| hub.withdraw(id, reason.clone())).await;
                self.shared.notes.forget(id);
                self.tell(What::Withdrawn, Some(id), Some(why.into()));
            }
        }
    }

    async fn end(&self) -> End {
        ended(self.state.clone()).await
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

/// Waits for the end of a call.
async fn ended(mut state: watch::Receiver<State>) -> End {
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

fn seconds() -> u64 {
    u64::try_from(RealWorld.now().as_second()).unwrap_or(0)
}

fn first_question(call: &Call) -> Option<String> {
    let ask = matter::of_questions(call.questions.clone()).ok()?.ask().ok()?;
    ask.questions().first().map(Question::text).map(|text| crate::hook::cut(text, 500))
}
