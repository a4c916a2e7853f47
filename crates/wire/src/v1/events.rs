//! What goes over the WebSocket.

use std::sync::Arc;

use handraise_broker::{AskId, News, Record, Seq, Told};
use handraise_question::Violation;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::AskResponse;

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
        /// What happened, when it is not about an ask.
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
}

/// A browser's first frame: it cannot set headers on a WebSocket.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct TokenFrame {
    /// The token.
    pub token: String,
}

impl From<News> for EventFrame {
    fn from(news: News) -> Self {
        match news {
            News::Event(told) => Self::Event {
                seq: told.seq,
                at: told.at,
                name: told.name.clone(),
                ask: told.ask.as_ref().map(|record| Box::new(AskResponse::from(&**record))),
                detail: told.detail.clone(),
            },
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
            detail: Option<Value>,
            ends_at: Option<Timestamp>,
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
            "event" => News::Event(Arc::new(Told {
                seq: seq?,
                at: any.at.ok_or_else(|| wrong("without at"))?,
                name: any.name.ok_or_else(|| wrong("without name"))?,
                ask: any.ask.map(|ask| record(&ask)).transpose()?,
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
