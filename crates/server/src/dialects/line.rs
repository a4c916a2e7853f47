//! The line to one front end: what happens is said in its dialect, what it says is passed on.

use axum::extract::ws::{Message, WebSocket};
use handraise_broker::{AskId, Hub, HubError, News, Record, Rejection, Reply, Seat, Sessions};
use handraise_question::wording::flat;
use handraise_wire::dialects::{Dialect, Refusal, Refused, Said, Says};
use tokio::time::MissedTickBehavior;
use tokio_tungstenite::tungstenite::{self, error::ProtocolError};

use super::crowd::Guest;
use super::sight::{Sight, belongs};
use super::view::View;
use crate::app::App;
use crate::problem::Failure;
use crate::socket::{BEAT, FAILED, GOING_AWAY, NOT_ALLOWED, close, in_time, reply_to};

/// A front end on the line.
pub(super) struct Line<'a> {
    pub(super) app: &'a App,
    pub(super) dialect: &'static dyn Dialect,
    pub(super) seat: Seat,
    pub(super) view: View,
    pub(super) guest: Guest,
}

/// How a line ends.
enum End {
    /// The front end has gone.
    Gone,
    /// It was sent away for good: as good as gone.
    Dismissed(u16, &'static str),
    /// The line was cut from this side. It may well come back.
    Cut(u16, &'static str),
}

/// What a front end was about in the end, and whether it left.
pub(super) struct Parting {
    pub(super) sight: Sight,
    pub(super) has_left: bool,
}

const FAILURE: End = End::Cut(FAILED, "the hub failed");
/// After so many pings without any sign of life nobody is there: a browser answers each.
const MOST_UNANSWERED: u32 = 3;

impl Line<'_> {
    /// Talks until either side has enough.
    pub(super) async fn talk(mut self, socket: &mut WebSocket) -> Parting {
        let (has_left, goodbye) = match self.listen(socket).await {
            End::Gone => (true, None),
            End::Dismissed(code, reason) => (true, Some((code, reason))),
            End::Cut(code, reason) => (false, Some((code, reason))),
        };
        if let Some((code, reason)) = goodbye {
            close(socket, code, reason).await;
        }
        Parting { sight: self.view.sight().clone(), has_left }
    }

    async fn listen(&mut self, socket: &mut WebSocket) -> End {
        // The ear is opened before the look, so that nothing falls in between.
        let Ok(mut feed) = self.seat.follow(None).await else { return FAILURE };
        let Ok(mut due) = self.look().await else { return FAILURE };
        let beat = self.app.config.limits.patience.min(BEAT);
        let mut beats = tokio::time::interval(beat);
        beats.set_missed_tick_behavior(MissedTickBehavior::Delay);
        // Counted in pings and not in time: this process may have been the one that stood still.
        let mut unanswered = 0;
        loop {
            due.extend(self.view.say(self.app.broker.world().now()));
            for frame in due.drain(..) {
                if !in_time(socket.send(Message::Text(frame.into()))).await {
                    return End::Gone;
                }
            }
            let next = tokio::select! {
                news = feed.next() => {
                    // Whoever does not count any more is told that, and not what has happened since.
                    let turned = self.turn();
                    self.happened(news).await.map(|due| turned.into_iter().chain(due).collect())
                }
                heard = socket.recv() => {
                    unanswered = 0;
                    self.heard(heard, socket).await
                }
                _ = self.guest.counts.changed() => Ok(self.turn().into_iter().collect()),
                _ = beats.tick() => {
                    unanswered += 1;
                    let is_there = unanswered <= MOST_UNANSWERED;
                    let is_reached = is_there && in_time(socket.send(ping())).await;
                    if is_reached { Ok(vec![]) } else { Err(End::Gone) }
                }
                () = self.app.stopping.cancelled() => {
                    Err(End::Cut(GOING_AWAY, "the hub is shutting down"))
                }
            };
            due = match next {
                Ok(due) => due,
                Err(end) => return end,
            };
        }
    }

    async fn heard(
        &mut self,
        heard: Option<Result<Message, axum::Error>>,
        socket: &mut WebSocket,
    ) -> Result<Vec<String>, End> {
        match heard {
            None => Err(End::Gone),
            Some(Ok(message)) => {
                let is_sent = reply_to(socket, &message).await;
                if !is_sent || matches!(message, Message::Close(_)) {
                    return Err(End::Gone);
                }
                Ok(self.hear(message).await.into_iter().collect())
            }
            Some(Err(error)) => {
                let Some((code, reason)) = unreadable(error) else { return Err(End::Gone) };
                // The line cannot be used any more, but whoever is there hears why.
                let why = Refusal::new("unreadable", reason);
                if let Some(words) = self.refuse(&why, None, None) {
                    in_time(socket.send(Message::Text(words.into()))).await;
                }
                Err(End::Cut(code, reason))
            }
        }
    }

    /// Begins to count, or ceases to, as it stands now.
    fn turn(&mut self) -> Option<String> {
        let counts = *self.guest.counts.borrow_and_update();
        self.view.turn(counts)
    }

    /// Looks at everything anew.
    async fn look(&mut self) -> Result<Vec<String>, HubError> {
        for session in self.app.broker.live_sessions() {
            self.note(&session);
        }
        let open = self.app.broker.open_asks(|ask| self.view.sight().covers(ask));
        let mut due = vec![];
        for id in self.view.missing(&open) {
            due.extend(self.view.take(&self.seat.get(id).await?));
        }
        due.extend(open.iter().flat_map(|ask| self.view.take(ask)));
        Ok(due)
    }

    async fn happened(&mut self, news: Result<News, HubError>) -> Result<Vec<String>, End> {
        match news {
            Ok(News::Event(told)) => {
                let mut due = vec![];
                if let Some(changed) = &told.session
                    && self.note(&changed.session)
                {
                    // An ask may have been there before it was known to be of this session.
                    due = self.look().await.map_err(|_| FAILURE)?;
                }
                due.extend(told.ask.iter().flat_map(|ask| self.view.take(ask)));
                Ok(due)
            }
            Ok(News::Reset(_)) => self.look().await.map_err(|_| FAILURE),
            Ok(News::Live(_) | News::Typing { .. } | News::Speaking { .. }) => Ok(vec![]),
            Err(HubError::Rejected(Rejection::Revoked)) => {
                Err(End::Dismissed(NOT_ALLOWED, "this device was revoked"))
            }
            Err(HubError::Closed) => Err(End::Cut(GOING_AWAY, "closed")),
            Err(error) => {
                tracing::error!(%error, "a feed failed");
                Err(FAILURE)
            }
        }
    }

    /// Takes notice of a session; whether this is about other asks now. Sessions change with each word:
    /// everything is not looked at anew each time.
    fn note(&mut self, session: &handraise_broker::Session) -> bool {
        let is_news = self.view.note(session);
        if is_news {
            self.guest.looks_at(self.view.sight());
        }
        is_news
    }

    /// Passes on what the front end says; returns what it hears to that.
    async fn hear(&mut self, message: Message) -> Option<String> {
        let text = match message {
            Message::Text(text) => text,
            Message::Binary(_) => {
                return self.refuse(&Refusal::new("not_text", "binary: text needed"), None, None);
            }
            Message::Ping(_) | Message::Pong(_) | Message::Close(_) => return None,
        };
        if let Err(why) = self.welcome(&text) {
            return self.refuse(&why, None, None);
        }
        match self.dialect.read(&text) {
            Err(violations) => self.refuse(&Refusal::invalid("malformed", &violations), None, None),
            Ok(Said::Words(words)) => {
                let why = self.say(words).await.err()?;
                self.refuse(&why, None, None)
            }
            Ok(Said::Response { session, ask, says }) => {
                let why = self.respond(session.as_deref(), &ask, says).await.err()?;
                self.refuse(&why, session.as_deref(), Some(&ask))
            }
        }
    }

    /// Whether a message is looked at.
    fn welcome(&self, text: &str) -> Result<(), Refusal> {
        let now = self.app.broker.world().elapsed();
        let problem = |Failure(problem)| Refusal::new(problem.code, problem.title);
        let often = self.app.rates.known(self.seat.device().id, now);
        often.map_err(|it| problem(it.into()))?;
        let most = self.app.config.limits.body_bytes;
        if text.len() > most {
            let words = format!("message: {} bytes, {most} or fewer needed", text.len());
            return Err(Refusal::new("too_large", words));
        }
        // As it stands now, and not as it was when the front end was last told.
        if *self.guest.counts.borrow() { Ok(()) } else { Err(Refusal::Taken) }
    }

    async fn respond(&self, session: Option<&str>, name: &str, says: Says) -> Result<(), Refusal> {
        let ask = self.find(session, name).await?;
        let reply = match says {
            Says::Cancelled => Reply::Decline(None),
            Says::Answers(answers) => {
                let unfit = |violations| Refusal::invalid("invalid_answers", &violations);
                let questions = ask.matter().ask().map_err(unfit)?;
                Reply::Answer(flat::read(&questions, &answers).map_err(unfit)?)
            }
        };
        match self.seat.reply(ask.id, reply, None).await {
            Ok(_) => Ok(()),
            Err(HubError::Rejected(Rejection::AlreadyResolved(_))) => Err(Refusal::Late),
            Err(HubError::Rejected(Rejection::Invalid(violations))) => {
                Err(Refusal::invalid("invalid_answers", &violations))
            }
            Err(error) => Err(failed(error)),
        }
    }

    /// The ask a front end names. It knows those it was shown, and whatever has an id of ours.
    async fn find(&self, session: Option<&str>, name: &str) -> Result<Record, Refusal> {
        let sessions = self.app.broker.live_sessions();
        let is_meant = |ask: &Record| {
            self.view.shows(ask)
                && session.is_none_or(|name| {
                    belongs(ask, name, &sessions) || self.view.sight().name() == Some(name)
                })
        };
        let known = match (self.view.find(name, is_meant), name.parse::<AskId>()) {
            (Some(ask), _) => Some(ask.clone()),
            (None, Ok(id)) => self.seat.get(id).await.ok().filter(|ask| is_meant(ask)),
            (None, Err(_)) => None,
        };
        let ask = known.ok_or(Refusal::Unknown)?;
        if ask.is_open() { Ok(Record::clone(&ask)) } else { Err(Refusal::Late) }
    }

    /// Says something to the agent, which gets it when it can take it.
    async fn say(&self, words: String) -> Result<(), Refusal> {
        let session = self.view.sight().session().ok_or_else(|| {
            Refusal::new("no_chat", "this session takes no messages from here: use its own window")
        })?;
        self.seat.say(session.id, words, None).await.map(|_| ()).map_err(failed)
    }

    fn refuse(&self, why: &Refusal, session: Option<&str>, ask: Option<&str>) -> Option<String> {
        let dialect = self.dialect.name();
        match why {
            Refusal::Late | Refusal::Unknown => {
                tracing::warn!(dialect, ?why, "a front end answered what does not wait for it");
            }
            Refusal::Taken | Refusal::Other { .. } => {
                tracing::debug!(dialect, ?why, "what a front end said does not count");
            }
        }
        self.dialect.refused(&Refused { why, session, ask })
    }
}

/// What the hub says, in the same words as everywhere.
fn failed(error: HubError) -> Refusal {
    let Failure(problem) = Failure::from(error);
    Refusal::new(problem.code, problem.title)
}

fn ping() -> Message {
    Message::Ping(Vec::new().into())
}

/// What is wrong with a message that could not even be received, and the close code for it; `None` when
/// nothing is, and the other side is just not there any more.
fn unreadable(error: axum::Error) -> Option<(u16, &'static str)> {
    const TOO_BIG: u16 = 1009;
    const NOT_UTF8: u16 = 1007;
    const BROKEN: u16 = 1002;
    // An error type of another version of tungstenite does not match: then the connection is closed as
    // broken. The tests of the close codes notice that.
    let Ok(error) = error.into_inner().downcast::<tungstenite::Error>() else {
        return Some((BROKEN, "this is not WebSocket"));
    };
    #[expect(clippy::wildcard_enum_match_arm, reason = "all others are ends of connections")]
    match *error {
        tungstenite::Error::Capacity(_) => Some((TOO_BIG, "the message is far too large")),
        tungstenite::Error::Utf8(_) => Some((NOT_UTF8, "the message is not UTF-8")),
        tungstenite::Error::Protocol(ProtocolError::ResetWithoutClosingHandshake) => None,
        tungstenite::Error::Protocol(_) => Some((BROKEN, "this is not WebSocket")),
        _ => None,
    }
}
