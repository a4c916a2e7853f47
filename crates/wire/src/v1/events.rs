//! What goes over the WebSocket.

use std::sync::Arc;

use handraise_broker::{AskId, News, Record, Seq, SessionChanged, SessionId, Streamed, Told};
use handraise_question::Violation;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::{AskResponse, MessageJson, SessionJson};

/// One frame from the hub.
#[derive(Debug, Serialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum EventFrame {
    /// Something happened.
    Event {
        /// Its place in the log; keep it as the cursor.
        seq: Seq,
        /// When it happened.
        #[schema(value_type = String, format = DateTime)]
        #[cfg_attr(test, ts(type = "string"))]
        at: Timestamp,
        /// E.g. `ask.opened`.
        name: String,
        /// The ask it is about, as it stood then.
        ask: Option<Box<AskResponse>>,
        /// The session it is about, as it stood then.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        session: Option<Box<SessionJson>>,
        /// What is new in that session, or other than before.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        #[cfg_attr(test, ts(optional, as = "Option<Vec<MessageJson>>"))]
        messages: Vec<MessageJson>,
        /// What happened, when it is about neither.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(value_type = Option<Object>)]
        #[cfg_attr(test, ts(optional, as = "Option<super::described::AnyJson>"))]
        detail: Option<Value>,
    },
    /// Everything up to here was told.
    Live {
        /// The cursor.
        seq: Seq,
    },
    /// Something could not be told: fetch the list again, and go on from here.
    Reset {
        /// The cursor.
        seq: Seq,
    },
    /// Somebody is typing.
    Typing {
        /// At which ask.
        #[schema(value_type = String, format = Uuid)]
        #[cfg_attr(test, ts(type = "string"))]
        ask: AskId,
        /// When silence now ends it.
        #[schema(value_type = Option<String>, format = DateTime)]
        #[cfg_attr(test, ts(as = "Option<String>"))]
        ends_at: Option<Timestamp>,
    },
    /// An agent is saying something; this is not kept.
    #[serde(rename = "session.text")]
    SessionText {
        /// In which session.
        #[schema(value_type = String, format = Uuid)]
        #[cfg_attr(test, ts(type = "string"))]
        session: SessionId,
        /// The name the message will have.
        key: String,
        /// How many bytes of it came before this.
        offset: u64,
        /// What came.
        text: String,
    },
}

/// A browser's first frame: it cannot set headers on a WebSocket.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct TokenFrame {
    /// The token.
    pub token: String,
}

/// What a page sends before its token: the hub has to prove that it knows it.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ChallengeFrame {
    /// Names the token without revealing it: the first 16 hexadecimal digits of HMAC-SHA-256, with the
    /// token's SHA-256 as key, over `handraise device`.
    pub fingerprint: String,
    /// Random, used once.
    pub nonce: String,
}

/// The answer to a [`ChallengeFrame`].
#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ProofFrame {
    /// HMAC-SHA-256 in hexadecimal, with the token's SHA-256 as key, over four lines: `handraise hub`, the
    /// `Origin` of the handshake, the nonce, and `upMilliseconds`.
    pub proof: String,
    /// For how long the hub has listened: a connection that is older leads to another program.
    pub up_milliseconds: u64,
}

/// What a page that sent a challenge gets for its token.
#[derive(Debug, Deserialize, Serialize)]
pub struct TicketFrame {
    /// To be sent in place of the token in `Authorization`; it counts until the hub ends.
    pub ticket: String,
}

impl From<News> for EventFrame {
    fn from(news: News) -> Self {
        match news {
            News::Event(told) => {
                let said = told.session.iter().flat_map(|changed| &changed.messages);
                Self::Event {
                    seq: told.seq,
                    at: told.at,
                    name: told.name.clone(),
                    ask: told.ask.as_ref().map(|record| Box::new(AskResponse::from(&**record))),
                    session: told.session.as_ref().map(|c| Box::new(c.session.clone().into())),
                    messages: said.map(|message| message.clone().into()).collect(),
                    detail: told.detail.clone(),
                }
            }
            News::Speaking { session, streamed } => {
                let Streamed { key, offset, text } = Streamed::clone(&streamed);
                Self::SessionText { session, key, offset, text }
            }
            News::Live(seq) => Self::Live { seq },
            News::Reset(seq) => Self::Reset { seq },
            News::Typing { ask, ends_at } => Self::Typing { ask, ends_at },
        }
    }
}

impl EventFrame {
    /// Reads a frame another hub sent.
    ///
    /// # Errors
    ///
    /// When it is none of the known forms.
    pub fn read(text: &str) -> Result<News, Violation> {
        // By hand: an ask is kept byte for byte, which a tagged enum cannot do while reading.
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Any {
            r#type: String,
            seq: Option<Seq>,
            at: Option<Timestamp>,
            name: Option<String>,
            ask: Option<Box<serde_json::value::RawValue>>,
            session: Option<Box<serde_json::value::RawValue>>,
            #[serde(default)]
            messages: Vec<MessageJson>,
            detail: Option<Value>,
            ends_at: Option<Timestamp>,
            key: Option<String>,
            offset: Option<u64>,
            text: Option<String>,
        }
        let wrong = |what: &str| Violation::new("frame", what, "a frame of the event stream");
        let any: Any = serde_json::from_str(text).map_err(|error| wrong(&error.to_string()))?;
        let seq = any.seq.ok_or_else(|| wrong("without seq"));
        Ok(match any.r#type.as_str() {
            "live" => News::Live(seq?),
            "reset" => News::Reset(seq?),
            "typing" => {
                let ask = any.ask.and_then(|ask| serde_json::from_str(ask.get()).ok());
                let ask = ask.ok_or_else(|| wrong("without ask"))?;
                News::Typing { ask, ends_at: any.ends_at }
            }
            "session.text" => {
                let session = any.session.and_then(|id| serde_json::from_str(id.get()).ok());
                let session = session.ok_or_else(|| wrong("without session"))?;
                let (Some(key), Some(offset), Some(text)) = (any.key, any.offset, any.text) else {
                    return Err(wrong("without text"));
                };
                News::Speaking { session, streamed: Arc::new(Streamed { key, offset, text }) }
            }
            "event" => News::Event(Arc::new(Told {
                seq: seq?,
                at: any.at.ok_or_else(|| wrong("without at"))?,
                name: any.name.ok_or_else(|| wrong("without name"))?,
                ask: any.ask.map(|ask| record(&ask)).transpose()?,
                session: any.session.map(|one| session(&one, any.messages)).transpose()?,
                detail: any.detail,
            })),
            _ => return Err(wrong("of unknown type")),
        })
    }
}

fn record(ask: &serde_json::value::RawValue) -> Result<Arc<Record>, Violation> {
    let ask: AskResponse = serde_json::from_str(ask.get())
        .map_err(|error| Violation::new("ask", error.to_string(), "an ask"))?;
    ask.try_into()
}

fn session(
    session: &serde_json::value::RawValue,
    messages: Vec<MessageJson>,
) -> Result<Arc<SessionChanged>, Violation> {
    let session: SessionJson = serde_json::from_str(session.get())
        .map_err(|error| Violation::new("session", error.to_string(), "a session"))?;
    let messages = messages.into_iter().map(Into::into).collect();
    Ok(Arc::new(SessionChanged { session: session.into(), messages }))
}
