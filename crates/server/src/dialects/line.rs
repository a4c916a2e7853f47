//! The line to one front end: what happens is said in its dialect, what it says is passed on.

use std::time::Duration;

use axum::extract::ws::{Message, WebSocket};
use futures_util::SinkExt;
use handraise_broker::{AskId, Hub, HubError, News, Record, Rejection, Reply, Seat, Sessions};
use handraise_question::wording::flat;
use handraise_wire::dialects::{Dialect, Refusal, Refused, Said, Says};
use tokio::time::{Instant, MissedTickBehavior};

use super::crowd::Guest;
use super::sight::{Sight, belongs};
use super::view::View;
use crate::app::App;
use crate::problem::Failure;
use crate::socket::{BEAT, FAILED, GOING_AWAY, NOT_ALLOWED, close, in_time};

/// A front end on the line.
pub(super) struct Line<'a> {
    pub(super) app: &'a App,
    pub(super) dialect: &'static dyn Dialect,
    pub(super) seat: Seat,
    pub(super) view: View,
    pub(super) guest: Guest,
}

/// How a line ends from this side.
type End = (u16, &'static str);

impl Line<'_> {
    /// Talks until either side has enough. What is returned is what it was about in the end.
    pub(super) async fn talk(mut self, socket: &mut WebSocket) -> Sight {
        if let Err((code, reason)) = self.listen(socket).await {
            close(socket, code, reason).await;
        }
        self.view.sight().clone()
    }

    async fn listen(&mut self, socket: &mut WebSocket) -> Result<(), End> {
        let failed = |_| (FAILED, "the hub failed");
        // The ear is opened before the look, so that nothing falls in between.
        let mut feed = self.seat.follow(None).await.map_err(failed)?;
        let mut due = self.look().await.map_err(failed)?;
        let beat = self.app.config.limits.patience.min(BEAT);
        let mut beats = tokio::time::interval(beat);
        beats.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut last_heard = Instant::now();
        loop {
            due.extend(self.view.say(self.app.broker.world().now()));
            for frame in due.drain(..) {
                if !in_time(socket.send(Message::Text(frame.into()))).await {
                    return Ok(());
                }
            }
            due = tokio::select! {
                news = feed.next() => {
                    // Whoever does not count any more is told that, and not what has happened since.
                    let turned = self.turn();
                    turned.into_iter().chain(self.happened(news).await?).collect()
                }
                heard = socket.recv() => {
                    last_heard = Instant::now();
                    match heard {
                        Some(Ok(Message::Close(_))) => {
                            // The goodbye is answered as soon as something is sent or read.
                            in_time(socket.flush()).await;
                            return Ok(());
                        }
                        Some(Err(_)) | None => return Ok(()),
                        Some(Ok(message)) => self.hear(message).await.into_iter().collect(),
                    }
                }
                _ = self.guest.counts.changed() => self.turn().into_iter().collect(),
                _ = beats.tick() => {
                    if is_gone(last_heard, beat) || !in_time(socket.send(ping())).await {
                        return Ok(());
                    }
                    vec![]
                }
                () = self.app.stopping.cancelled() => {
                    return Err((GOING_AWAY, "the hub is shutting down"));
                }
            };
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
                    due = self.look().await.map_err(|_| (FAILED, "the hub failed"))?;
                }
                due.extend(told.ask.iter().flat_map(|ask| self.view.take(ask)));
                Ok(due)
            }
            Ok(News::Reset(_)) => self.look().await.map_err(|_| (FAILED, "the hub failed")),
            Ok(News::Live(_) | News::Typing { .. } | News::Speaking { .. }) => Ok(vec![]),
            Err(HubError::Rejected(Rejection::Revoked)) => {
                Err((NOT_ALLOWED, "this device was revoked"))
            }
            Err(HubError::Closed) => Err((GOING_AWAY, "closed")),
            Err(error) => {
                tracing::error!(%error, "a feed failed");
                Err((FAILED, "the hub failed"))
            }
        }
    }

    /// Takes notice of a session; whether this is about other asks now. Sessions change with each word:
    /// everything is not looked at anew each time.
    fn note(&mut self, session: &handraise_broker::Session) -> bool {
        let is_news = self.view.note(session);
        if is_news {
            self.guest.sees(self.view.sight());
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
            self.view.sight().covers(ask)
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

/// Whether nothing came for so long that nobody can be there: a browser answers each ping.
fn is_gone(last_heard: Instant, beat: Duration) -> bool {
    last_heard.elapsed() > beat * 3
}
