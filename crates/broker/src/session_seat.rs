//! Sessions, as one caller sees them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use handraise_question::{Responder, Violation, Violations};
use jiff::Timestamp;

use crate::broker::ten;
use crate::device::hex;
use crate::seat::MAX_READ_TOGETHER;
use crate::step::{Live, Step};
use crate::writer::Wants;
use crate::{
    HubError, LONGEST_MESSAGE, MAX_PAGE_BYTES, MOST_LISTED, Message, MessageKey, MessageKind,
    MessageState, NewSession, News, Power, Progress, RUN, Rejection, Saying, Seat, Session,
    SessionChanged, SessionId, SessionQuery, SessionState, Sessions, Streamed,
};

const LONGEST_KEY: usize = 190;
/// What the names of a person's words begin with.
const PERSONS: &str = "person/";
/// What the names of answers begin with; the ask follows, so that each is told once.
const ANSWERS: &str = "answer/";
/// The most sessions that may go on at once.
const MOST_SESSIONS: usize = 1000;
/// The most of them that one agent may have opened: the rest is for others.
const MOST_SESSIONS_OF_ONE: usize = MOST_SESSIONS / 2;
/// A retry comes soon, and few wishes come in between.
const MOST_INTERRUPT_KEYS: usize = 8;
/// What may be kept in all of what is being said.
const MOST_SPOKEN_IN_ALL: usize = 32 * 1024 * 1024;
/// More than this is not kept of what one agent is saying.
const MOST_SPOKEN: usize = LONGEST_MESSAGE;

#[async_trait]
impl Sessions for Seat {
    async fn open_session(
        &self,
        new: NewSession,
        key: Option<String>,
    ) -> Result<Arc<Session>, HubError> {
        let new = new.check()?;
        check_key(key.as_deref())?;
        let shared = self.broker.shared().clone();
        let random = ten(shared.world.random());
        let owner = Some(match self.device().power {
            Power::Agent => self.owner().to_owned(),
            // The hub has `handraise run` run what a person starts.
            Power::Person => RUN.to_owned(),
        });
        self.change(Wants::default(), move |step| {
            let same = |session: &&Arc<Session>| {
                key.is_some() && session.key == key && session.owner == owner
            };
            let known = shared.live(|live| live.sessions.values().find(same).cloned());
            if let Some(known) = known.or_else(|| step.sessions.values().find(same).cloned()) {
                return Ok(known);
            }
            let is_own = |session: &&Arc<Session>| session.owner == owner;
            let count = |live: &Live| {
                // Those that jobs before this one open are not live yet.
                let opening = step.sessions.values();
                let opening = opening.filter(|session| !live.sessions.contains_key(&session.id));
                let all = live.sessions.values().chain(opening);
                (all.clone().count(), all.filter(is_own).count())
            };
            match shared.live(count) {
                (MOST_SESSIONS.., _) => return Err(Rejection::TooManySessions(MOST_SESSIONS)),
                (_, MOST_SESSIONS_OF_ONE..) => {
                    return Err(Rejection::TooManySessionsOfOne(MOST_SESSIONS_OF_ONE));
                }
                _ => {}
            }
            let NewSession { agent, directory, host, title, runner } = new;
            let session = Session {
                id: SessionId::new(step.now, random),
                key,
                owner,
                agent,
                agent_session: None,
                directory,
                host,
                title,
                state: SessionState::Starting,
                trouble: None,
                runner,
                started_at: step.now,
                changed_at: step.now,
                messages: 0,
                interrupts: 0,
                interrupt_keys: vec![],
                ending: false,
            };
            Ok(Arc::new(step.change_session(session, vec![]).session.clone()))
        })
        .await
    }

    async fn session(&self, id: SessionId) -> Result<Arc<Session>, HubError> {
        let shared = self.broker.shared();
        if let Some(session) = shared.live(|live| live.sessions.get(&id).cloned()) {
            return Ok(session);
        }
        let found = shared.store.session(id).await?;
        found.map(Arc::new).ok_or(HubError::Rejected(Rejection::NoSuchSession))
    }

    async fn sessions(&self, mut query: SessionQuery) -> Result<Vec<Arc<Session>>, HubError> {
        query.limit = query.limit.clamp(1, MOST_LISTED);
        let found = self.broker.shared().store.sessions(&query).await?;
        Ok(found.into_iter().map(Arc::new).collect())
    }

    async fn messages(
        &self,
        id: SessionId,
        after: u64,
        limit: u32,
    ) -> Result<Vec<Message>, HubError> {
        self.session(id).await?;
        let limit = limit.clamp(1, MOST_LISTED) as usize;
        let store = &self.broker.shared().store;
        let (mut found, mut bytes) = (vec![], 0);
        loop {
            let after = found.last().map_or(after, |last: &Message| last.number);
            let more = store.messages(id, after, MAX_READ_TOGETHER).await?;
            let is_last = more.len() < MAX_READ_TOGETHER as usize;
            for message in more {
                bytes += json_length(&message.text);
                found.push(message);
                if found.len() == limit || bytes > MAX_PAGE_BYTES {
                    return Ok(found);
                }
            }
            if is_last {
                return Ok(found);
            }
        }
    }

    async fn speaking(&self, id: SessionId) -> Result<Option<Streamed>, HubError> {
        Ok(self.broker.shared().speaking.of(id))
    }

    async fn say(
        &self,
        id: SessionId,
        text: String,
        key: Option<String>,
    ) -> Result<Message, HubError> {
        self.only(Power::Person)?;
        check_key(key.as_deref())?;
        check_words(&text)?;
        let responder = self.responder();
        let key = key.unwrap_or_else(|| hex(&self.broker.shared().world.random()[..16]));
        // The agent's side names its own; the two must not meet.
        let place = MessageKey { session: id, key: format!("{PERSONS}{key}") };
        let messages = vec![place.clone()];
        let wants = Wants { session: Some(id), messages, ..Wants::default() };
        self.change(wants, move |step| {
            let session = step.session(id)?;
            if let Some(said) = step.message(&place) {
                return if said.text == text {
                    Ok(said.clone())
                } else {
                    Err(Rejection::KeyReused)
                };
            }
            if session.is_over() {
                return Err(Rejection::SessionEnded);
            }
            let mut session = Session::clone(&session);
            session.messages += 1;
            let said = Message {
                number: session.messages,
                key: place.key,
                at: step.now,
                kind: MessageKind::User,
                text,
                state: Some(MessageState::Queued),
                tool: None,
                ask: None,
                responder: Some(responder),
            };
            step.change_session(session, vec![said.clone()]);
            Ok(said)
        })
        .await
    }

    async fn interrupt(
        &self,
        id: SessionId,
        key: Option<String>,
    ) -> Result<Arc<Session>, HubError> {
        self.only(Power::Person)?;
        check_key(key.as_deref())?;
        let is_retry = {
            let key = key.clone();
            move |session: &Session| key.is_some_and(|key| session.interrupt_keys.contains(&key))
        };
        self.wish(id, is_retry, |session| {
            session.interrupts += 1;
            session.interrupt_keys.extend(key);
            let surplus = session.interrupt_keys.len().saturating_sub(MOST_INTERRUPT_KEYS);
            session.interrupt_keys.drain(..surplus);
        })
        .await
    }

    async fn end_session(&self, id: SessionId) -> Result<Arc<Session>, HubError> {
        self.wish(id, |_| false, |session| session.ending = true).await
    }

    async fn progress(
        &self,
        id: SessionId,
        progress: Progress,
    ) -> Result<Arc<SessionChanged>, HubError> {
        self.only(Power::Agent)?;
        let mut progress = progress.check()?;
        let mut said = std::mem::take(&mut progress.messages);
        for saying in &mut said {
            if let (MessageKind::Answer, Some(ask)) = (saying.kind, saying.ask) {
                saying.key = format!("{ANSWERS}{ask}");
            }
        }
        let place = |saying: &Saying| MessageKey { session: id, key: saying.key.clone() };
        let messages = said.iter().map(place).collect();
        let answers = said.iter().filter(|saying| saying.kind == MessageKind::Answer);
        let asks = answers.filter_map(|saying| saying.ask).collect();
        let wants = Wants { session: Some(id), messages, asks, ..Wants::default() };
        let seat = self.clone();
        self.change(wants, move |step| {
            let before = step.session(id)?;
            seat.only_own(before.owner.as_deref())?;
            let mut session = Session::clone(&before);
            session.progress(&progress);
            if before.is_over() && session != *before {
                return Err(Rejection::SessionEnded);
            }
            let mut changed: Vec<Message> = vec![];
            for (n, saying) in said.into_iter().enumerate() {
                let known = changed.iter().find(|message| message.key == saying.key);
                let place = MessageKey { session: id, key: saying.key.clone() };
                let known = known.or_else(|| step.message(&place)).cloned();
                if !is_agents_to_say(known.as_ref(), &saying) {
                    let found = "a person's words";
                    let allowed = "what the agent says; of a person's words the state `delivered`, of \
                                   an answer the ask";
                    let violation = Violation::new("messages", found, allowed);
                    return Err(Rejection::Invalid(violation.into()));
                }
                let (saying, responder, at) = match saying.kind {
                    MessageKind::Answer => write_answer(step, &session, n, saying)?,
                    MessageKind::User
                    | MessageKind::Assistant
                    | MessageKind::Tool
                    | MessageKind::Ask
                    | MessageKind::Note => {
                        let responder = known.as_ref().and_then(|known| known.responder.clone());
                        (saying, responder, step.now)
                    }
                };
                let message = match &known {
                    Some(known) => known.replaced(saying),
                    None => new_message(&mut session, saying, at),
                };
                let message = Message { responder, ..message };
                if known.as_ref() != Some(&message) {
                    changed.retain(|other| other.number != message.number);
                    changed.push(message);
                }
            }
            if before.is_over() && !changed.is_empty() {
                return Err(Rejection::SessionEnded);
            }
            if changed.is_empty() && session == *before {
                // Told already: a retry.
                return Ok(Arc::new(SessionChanged { session, messages: vec![] }));
            }
            Ok(step.change_session(session, changed))
        })
        .await
    }

    async fn stream(&self, id: SessionId, streamed: Streamed) -> Result<(), HubError> {
        self.only(Power::Agent)?;
        check_key(Some(&streamed.key))?;
        let shared = self.broker.shared();
        let session = shared.live(|live| live.sessions.get(&id).cloned());
        self.only_own(session.ok_or(Rejection::NoSuchSession)?.owner.as_deref())?;
        if let Some(streamed) = shared.speaking.hear(id, streamed)
            && let Some(news) = shared.news.upgrade()
        {
            // Nobody listening is no error.
            let _ = news.send(News::Speaking { session: id, streamed: Arc::new(streamed) });
        }
        Ok(())
    }
}

impl Seat {
    /// A person wants something of a session; a retry has got it already.
    async fn wish(
        &self,
        id: SessionId,
        is_retry: impl FnOnce(&Session) -> bool + Send + 'static,
        wish: impl FnOnce(&mut Session) + Send + 'static,
    ) -> Result<Arc<Session>, HubError> {
        self.only(Power::Person)?;
        let wants = Wants { session: Some(id), ..Wants::default() };
        self.change(wants, move |step| {
            let known = step.session(id)?;
            if is_retry(&known) {
                return Ok(known);
            }
            let mut session = Session::clone(&known);
            if session.is_over() {
                return Err(Rejection::SessionEnded);
            }
            wish(&mut session);
            Ok(Arc::new(step.change_session(session, vec![]).session.clone()))
        })
        .await
    }
}

/// A person's words come from a person alone, under names an agent cannot take, and nothing takes the
/// place of what a person said or answered.
fn is_agents_to_say(known: Option<&Message>, saying: &Saying) -> bool {
    let persons = [MessageKind::User, MessageKind::Answer];
    if let Some(known) = known {
        // Words that an agent has heard stay heard. Said again as they stand, they are a retry.
        let states = [None, Some(MessageState::Delivered), known.state];
        return persons.iter().all(|kind| (known.kind == *kind) == (saying.kind == *kind))
            && (known.kind != MessageKind::User || states.contains(&saying.state));
    }
    let is_answer = saying.kind == MessageKind::Answer;
    saying.kind != MessageKind::User
        && !saying.key.starts_with(PERSONS)
        && (is_answer || !saying.key.starts_with(ANSWERS))
}

/// An answer in the words of the hub, with who gave it and when: the agent only says which ask was
/// answered.
fn write_answer(
    step: &Step,
    session: &Session,
    n: usize,
    saying: Saying,
) -> Result<(Saying, Option<Responder>, Timestamp), Rejection> {
    let refuse = |found: &str| {
        let allowed = "an ask of this session that has ended at the hub";
        let violation = Violation::new(format!("messages[{n}].ask"), found, allowed);
        Rejection::Invalid(violation.into())
    };
    let id = saying.ask.ok_or_else(|| refuse("nothing"))?;
    let record = step.record(id).map_err(|_| refuse("an unknown ask"))?;
    let asker = record.asker();
    // The names are the agents' own words; the owners are the hub's.
    let owners = session.owner.as_ref().zip(record.opened.owner.as_ref());
    let is_of_session = asker.agent == session.agent
        && asker.session == session.agent_session
        && owners.is_none_or(|(session, ask)| session == ask);
    if !is_of_session || asker.session.is_none() {
        return Err(refuse("an ask of another session"));
    }
    let resolved = record.resolved().ok_or_else(|| refuse("an open ask"))?;
    if resolved.is_claimed_by_agent() {
        return Err(refuse("an ask that ended in the agent's own dialog"));
    }
    let saying = Saying { text: record.answer_text(), state: None, tool: None, ..saying };
    Ok((saying, resolved.responder.clone(), resolved.at))
}

fn new_message(session: &mut Session, saying: Saying, at: Timestamp) -> Message {
    session.messages += 1;
    let Saying { key, kind, text, state, tool, ask } = saying;
    let number = session.messages;
    Message { number, key, at, kind, text, state, tool, ask, responder: None }
}

/// What each agent is saying just now.
#[derive(Debug, Default)]
pub(crate) struct Speaking(Mutex<HashMap<SessionId, Streamed>>);

impl Speaking {
    fn of(&self, session: SessionId) -> Option<Streamed> {
        self.book().get(&session).cloned()
    }

    /// Takes what follows what is known, and says what of it is new. What leaves a gap is lost: what
    /// was said is told as a whole in the end.
    fn hear(&self, session: SessionId, streamed: Streamed) -> Option<Streamed> {
        let mut book = self.book();
        let spoken: usize = book.values().map(|streamed| streamed.text.len()).sum();
        if spoken + streamed.text.len() > MOST_SPOKEN_IN_ALL {
            return None;
        }
        let known = book.entry(session).or_insert_with(|| Streamed {
            key: streamed.key.clone(),
            offset: 0,
            text: String::new(),
        });
        if known.key != streamed.key {
            *known = Streamed { key: streamed.key.clone(), offset: 0, text: String::new() };
        }
        let fits = known.text.len() as u64 == streamed.offset
            && known.text.len() + streamed.text.len() <= MOST_SPOKEN;
        fits.then(|| {
            known.text.push_str(&streamed.text);
            streamed
        })
    }

    /// Something was said, or the agent is silent: what was being said is so no more.
    pub(crate) fn heard(&self, changed: &SessionChanged) {
        let SessionChanged { session, messages } = changed;
        let mut book = self.book();
        let Some(known) = book.get(&session.id) else { return };
        let is_said = messages.iter().any(|message| message.key == known.key);
        if is_said || session.state != SessionState::Working {
            book.remove(&session.id);
        }
    }

    fn book(&self) -> std::sync::MutexGuard<'_, HashMap<SessionId, Streamed>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How long a text is in JSON.
fn json_length(text: &str) -> usize {
    let length = |byte| match byte {
        ..0x20 => 6,
        b'"' | b'\\' => 2,
        _ => 1,
    };
    text.bytes().map(length).sum()
}

fn check_key(key: Option<&str>) -> Result<(), Violations> {
    match key {
        Some(key) if key.is_empty() || key.len() > LONGEST_KEY => {
            let found = format!("{} bytes", key.len());
            Err(Violation::new("idempotencyKey", found, format!("1–{LONGEST_KEY}")).into())
        }
        _ => Ok(()),
    }
}

/// Whether a person can say this to an agent.
///
/// # Errors
///
/// When it is nothing, or too much.
pub fn check_words(text: &str) -> Result<(), Violations> {
    let found = if text.trim().is_empty() {
        "nothing".into()
    } else if text.len() > LONGEST_MESSAGE {
        format!("{} bytes", text.len())
    } else {
        return Ok(());
    };
    Err(Violation::new("text", found, format!("1–{LONGEST_MESSAGE} bytes of words")).into())
}
