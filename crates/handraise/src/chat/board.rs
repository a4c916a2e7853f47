//! What is known of a session, shared by whoever follows it, sends to it and sits before it.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use handraise_broker::{AskId, HubError, Message, Record, Session, SessionState, Streamed, Told};
use handraise_terminal::{ChatRemote, Remote, Status};
use tokio::sync::Notify;

use super::Departure;
use super::asks::{Asks, belongs};
use super::transcript::Transcript;
use crate::answer::decided_call;

/// Whatever changes is shown in the chat at once, in the order it came.
pub(super) struct Board {
    remote: ChatRemote,
    own: String,
    state: Mutex<State>,
    /// There is something to send.
    pub(super) to_send: Notify,
    /// Something was sent.
    sent: Notify,
}

struct State {
    session: Option<Session>,
    transcript: Transcript,
    asks: Asks,
    unsent: VecDeque<Outgoing>,
    /// How many were said here so far.
    said: u64,
    away: bool,
    failed: Option<HubError>,
}

/// Words on their way to the hub. By its key it is known there, however often it is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Outgoing {
    pub(super) key: String,
    pub(super) text: String,
}

impl Board {
    /// `own` is part of the name of whatever is said here.
    pub(super) fn new(remote: ChatRemote, own: &str) -> Self {
        let state = State {
            session: None,
            transcript: Transcript::new(own),
            asks: Asks::default(),
            unsent: VecDeque::new(),
            said: 0,
            away: false,
            failed: None,
        };
        Self {
            remote,
            own: own.to_owned(),
            state: Mutex::new(state),
            to_send: Notify::new(),
            sent: Notify::new(),
        }
    }

    /// Something happened at the hub. Returns whether asks should be looked for anew: the session's
    /// name for itself became known.
    pub(super) fn told(&self, told: &Told) -> bool {
        if let Some(record) = &told.ask {
            self.asked(record);
        }
        let mut state = self.lock();
        let Some(changed) = &told.session else { return false };
        let Some(session) = &state.session else { return false };
        if session.id != changed.session.id {
            return false;
        }
        let renamed = session.agent_session != changed.session.agent_session;
        for message in &changed.messages {
            self.said(&mut state, message);
        }
        self.stands(&mut state, changed.session.clone());
        renamed
    }

    /// The session is shown for the first time, from the message after `before` on.
    pub(super) fn begin(&self, session: &Session, before: u64) {
        let lines = self.lock().transcript.begin(session, before);
        self.remote.print(lines);
    }

    /// The session as it stands.
    pub(super) fn session(&self, session: &Session) {
        self.stands(&mut self.lock(), session.clone());
    }

    pub(super) fn messages(&self, messages: &[Message]) {
        let mut state = self.lock();
        for message in messages {
            self.said(&mut state, message);
        }
    }

    /// An ask as it stands.
    pub(super) fn asked(&self, record: &Arc<Record>) {
        let mut state = self.lock();
        if !state.session.as_ref().is_some_and(|session| belongs(record, session)) {
            return;
        }
        if state.asks.take(record) {
            state.transcript.put_here(record.id);
            self.remote.close();
        }
        self.status(&state);
    }

    /// All the asks that are open.
    pub(super) fn open_asks(&self, open: &[Arc<Record>]) {
        self.lock().asks.only(open);
        for record in open {
            self.asked(record);
        }
        self.status(&self.lock());
    }

    /// The agent is saying something.
    pub(super) fn hear(&self, streamed: &Streamed) {
        let mut state = self.lock();
        let lines = state.transcript.hear(streamed);
        if !lines.is_empty() {
            self.remote.print(lines);
        }
        self.remote.growing(state.transcript.growing());
    }

    pub(super) fn away(&self, away: bool) {
        let mut state = self.lock();
        state.away = away;
        self.status(&state);
    }

    /// An approval was decided on here.
    pub(super) fn decided(&self, record: &Record) {
        let call = decided_call(record);
        if !call.is_empty() {
            let lines = self.lock().transcript.decided(&call);
            self.remote.print(lines);
        }
    }

    pub(super) fn trouble(&self, text: &str) {
        let lines = self.lock().transcript.trouble(text);
        self.remote.print(lines);
    }

    /// There is no following it any more.
    pub(super) fn fail(&self, error: HubError) {
        self.lock().failed = Some(error);
        self.remote.close();
    }

    /// The person says something.
    pub(super) fn say(&self, text: String) {
        let mut state = self.lock();
        state.said += 1;
        let key = format!("{}-{}", self.own, state.said);
        state.unsent.push_back(Outgoing { key, text });
        self.waiting(&state);
        self.to_send.notify_one();
    }

    /// What is to be sent next.
    pub(super) fn to_send(&self) -> Option<Outgoing> {
        self.lock().unsent.front().cloned()
    }

    /// It is stored, or refused.
    pub(super) fn sent(&self, outcome: &Result<Message, HubError>) {
        let mut state = self.lock();
        let outgoing = state.unsent.pop_front();
        match (outcome, outgoing) {
            (Ok(message), _) => self.said(&mut state, message),
            (Err(error), Some(outgoing)) => {
                let text = format!("Not sent, {error}: {}", outgoing.text);
                let lines = state.transcript.trouble(&text);
                self.remote.print(lines);
            }
            (Err(_), None) => {}
        }
        self.waiting(&state);
        self.sent.notify_one();
    }

    /// Waits until everything that was said is sent.
    pub(super) async fn all_sent(&self) {
        while self.to_send().is_some() {
            self.sent.notified().await;
        }
    }

    /// What could not be sent yet.
    pub(super) fn unsent(&self) -> Vec<String> {
        self.lock().unsent.iter().map(|outgoing| outgoing.text.clone()).collect()
    }

    /// The ask to be put next.
    pub(super) fn next_ask(&self) -> Option<Arc<Record>> {
        self.lock().asks.next()
    }

    pub(super) fn put(&self, id: AskId, remote: Remote) {
        self.lock().asks.put(id, remote);
    }

    /// The prompt has closed, and the person may not have wanted to answer.
    pub(super) fn prompt_over(&self, set_aside: Option<Arc<Record>>) {
        let mut state = self.lock();
        state.asks.over();
        if let Some(record) = set_aside {
            state.asks.set_aside(record);
        }
        self.status(&state);
    }

    pub(super) fn bring_back(&self) -> bool {
        let back = self.lock().asks.bring_back();
        if back {
            self.remote.close();
        }
        back
    }

    /// Why there is nothing more to follow, if so.
    pub(super) fn end(&self) -> Option<Result<Departure, HubError>> {
        let state = self.lock();
        if let Some(error) = &state.failed {
            return Some(Err(error.clone()));
        }
        let session = state.session.as_ref().filter(|session| session.is_over())?;
        Some(Ok(Departure::Ended { trouble: session.trouble.clone() }))
    }

    fn said(&self, state: &mut State, message: &Message) {
        let lines = state.transcript.take(message);
        // First the end of what was growing, then the picture without it.
        if !lines.is_empty() {
            self.remote.print(lines);
        }
        self.remote.growing(state.transcript.growing());
        self.waiting(state);
    }

    fn stands(&self, state: &mut State, session: Session) {
        let before = state.session.as_ref().and_then(|session| session.trouble.clone());
        let over = session.is_over();
        if !over
            && session.trouble != before
            && let Some(trouble) = &session.trouble
        {
            let lines = state.transcript.trouble(trouble);
            self.remote.print(lines);
        }
        state.session = Some(session);
        self.status(state);
        if over {
            self.remote.close();
        }
    }

    fn waiting(&self, state: &State) {
        let unsent = state.unsent.iter().map(|outgoing| outgoing.text.as_str());
        self.remote.waiting(state.transcript.queued().chain(unsent).map(str::to_owned).collect());
    }

    fn status(&self, state: &State) {
        let Some(session) = &state.session else { return };
        self.remote.status(match session.state {
            _ if state.away => Status::Away,
            _ if state.asks.is_any_aside() => Status::SetAside,
            _ if state.asks.is_any_open() => Status::Asking,
            SessionState::Starting => Status::Starting,
            SessionState::Working => Status::Working,
            SessionState::Idle => Status::Idle,
            SessionState::Stopped | SessionState::Ended => Status::Stopped,
            SessionState::Deferred => Status::Asking,
        });
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
