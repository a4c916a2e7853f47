//! Which asks a front end is about.

use std::sync::Arc;

use handraise_broker::{AnswerIn, Matter, Record, Session, SessionState};

/// The session a front end was opened for, by its own name for it; or all of them.
///
/// The name is the hub's for a session that is run under it, in full or in short, or the agent's own
/// for any.
#[derive(Debug, Clone)]
pub(crate) struct Sight {
    name: Option<String>,
    /// The session as it stands, if it is run under the hub.
    session: Option<Arc<Session>>,
}

impl Sight {
    /// Looks for the session among those that go on. The hub's name for a session wins, because it is
    /// unique. Agents choose their own names: if sessions of several owners have this name, none is taken.
    pub(crate) fn new(name: Option<String>, sessions: &[Arc<Session>]) -> Self {
        let named = |is_called: fn(&Session, &str) -> bool| -> Vec<_> {
            let Some(name) = name.as_deref() else { return vec![] };
            sessions.iter().filter(|session| is_called(session, name)).collect()
        };
        let mut found = named(is_hubs_name);
        if found.is_empty() {
            found = named(is_agents_name);
        }
        let is_one_owners = found.windows(2).all(|pair| pair[0].owner == pair[1].owner);
        let mut sight = Self { name, session: None };
        for session in found.into_iter().filter(|_| is_one_owners) {
            sight.note(session);
        }
        sight
    }

    /// Takes notice of how a session stands; whether it is another one now, or goes by another name:
    /// then other asks are its own. Once found it is followed, whatever its agent comes to call it, and as
    /// long as it goes on no other takes its place: agents choose their names, and a person's words are
    /// for the one they were speaking to.
    pub(crate) fn note(&mut self, session: &Session) -> bool {
        let is_known = self.session.as_ref().is_some_and(|known| known.id == session.id);
        let name = self.name.as_deref();
        let has_another = self.session.as_ref().is_some_and(|known| {
            let is_fixed = name.is_some_and(|name| is_hubs_name(known, name));
            !is_known && (is_fixed || !known.is_over())
        });
        let is_called = name.is_some_and(|name| is_called(session, name));
        if has_another || !is_known && !is_called {
            return false;
        }
        let before = self.session.replace(Arc::new(session.clone()));
        let is_same = |before: Arc<Session>| {
            before.id == session.id && before.agent_session == session.agent_session
        };
        !before.is_some_and(is_same)
    }

    /// Whether an ask can be answered here.
    pub(crate) fn covers(&self, ask: &Record) -> bool {
        is_answerable(ask) && self.is_of(ask)
    }

    fn is_of(&self, ask: &Record) -> bool {
        let Some(name) = self.name.as_deref() else { return true };
        is_named(ask, name) || self.session.as_ref().is_some_and(|session| is_its(session, ask))
    }

    /// What the front end calls the session of an ask. Without a session an ask is one of its own.
    pub(crate) fn name_of(&self, ask: &Record) -> String {
        let own = || ask.asker().session.clone().unwrap_or_else(|| ask.id.to_string());
        self.name.clone().unwrap_or_else(own)
    }

    /// The name the front end was opened with.
    pub(crate) fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// The session, if it is run under the hub.
    pub(crate) fn session(&self) -> Option<&Arc<Session>> {
        self.session.as_ref()
    }

    /// Whether its agent is at work, as far as the hub knows.
    pub(crate) fn is_working(&self) -> bool {
        self.session.as_ref().is_some_and(|session| match session.state {
            SessionState::Starting | SessionState::Working => true,
            SessionState::Idle
            | SessionState::Stopped
            | SessionState::Deferred
            | SessionState::Ended => false,
        })
    }

    /// One name for the session, however it is called.
    pub(crate) fn place(&self) -> Option<String> {
        let hubs = self.session.as_ref().map(|session| session.id.to_string());
        hubs.or_else(|| self.name.clone())
    }
}

/// Whether an ask is one of the session with this name.
pub(crate) fn belongs(ask: &Record, name: &str, sessions: &[Arc<Session>]) -> bool {
    let is_of = |session: &Arc<Session>| is_called(session, name) && is_its(session, ask);
    is_named(ask, name) || sessions.iter().any(is_of)
}

/// Whether this is the agent's own name for its session; an ask without one is a session of its own.
fn is_named(ask: &Record, name: &str) -> bool {
    match ask.asker().session.as_deref() {
        Some(own) => own == name,
        None => ask.id.to_string() == name,
    }
}

fn is_its(session: &Session, ask: &Record) -> bool {
    let asker = ask.asker();
    asker.session.is_some()
        && session.agent_session == asker.session
        && session.agent == asker.agent
}

/// How many of its last digits people are shown of a session's name.
const SHORT: usize = 8;

fn is_called(session: &Session, name: &str) -> bool {
    is_hubs_name(session, name) || is_agents_name(session, name)
}

fn is_hubs_name(session: &Session, name: &str) -> bool {
    let id = session.id.to_string();
    id == name || name.len() == SHORT && id.ends_with(name)
}

fn is_agents_name(session: &Session, name: &str) -> bool {
    session.agent_session.as_deref() == Some(name)
}

/// Whether front ends of other systems can answer it: they know questions, and nothing else.
pub(crate) fn is_answerable(ask: &Record) -> bool {
    let is_question = match ask.matter() {
        Matter::Questions(_) => true,
        Matter::Approval(_) => false,
    };
    is_question && ask.policy().answer_in == AnswerIn::Anywhere
}

#[cfg(test)]
#[path = "sight_tests.rs"]
mod tests;
