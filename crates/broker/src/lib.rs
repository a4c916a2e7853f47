//! The life of an ask: asked, stored, shown, resolved once, delivered.
//!
//! [`transition`](Record::reply) decides and returns events; [`Broker`] stores them, many in one
//! commit, and tells them afterwards; [`AskStore`] is the port to whatever keeps them, [`Hub`] the
//! trait that terminals, agents and servers share. Nothing here knows HTTP, SQL or a screen: it may
//! know `handraise-question` and nobody else.

mod agents;
mod anchor;
mod answer_text;
mod asker;
mod attention;
mod audit;
mod broker;
mod called;
mod chain;
mod deliverer;
mod device;
mod doubt;
mod draft;
mod event;
mod event_log;
mod feed;
mod hub;
mod id;
#[cfg(test)]
mod log_fixture;
mod matter;
mod patient;
mod policy;
mod proof;
mod record;
mod rejection;
mod revoked;
mod seat;
mod session;
mod session_seat;
mod sessions;
mod sought;
mod stats;
mod step;
mod store;
mod timers;
mod times;
mod transition;
mod waiters;
mod world;
mod writer;

pub use agents::{BUILT_IN, CLAUDE_CODE, CLI, MCP, RUN, is_agent_name};
pub use anchor::Anchor;
pub use asker::Asker;
pub use attention::Look;
pub use audit::{Audit, Broken, Sound};
pub use broker::{Broker, Settings};
pub use called::project_name;
pub use chain::{Hash, Head, NotAHead, Sealed, StoredEntry};
pub use deliverer::{DelivererId, Presence};
pub use device::{Caller, Device, Power, Token, TokenHash, hex};
pub use doubt::{Doubt, DoubtKind};
pub use draft::{Draft, StoredDraft};
pub use event::{
    AccessRefused, DeviceChange, DeviceChanged, Entry, Event, Extended, Opened, Pruned, Receipt,
    Resolved, Submit, Undelivered,
};
pub use hub::{Asked, Feed, Hub, NewAsk, News, Told};
pub use id::{AskId, DeviceId, Seq, SessionId};
pub use matter::{Matter, Questions};
pub use patient::{Away, until_resolved, wait_for_answer};
pub use policy::{AnswerIn, Level, OnDeadline, OnDisconnect, OwnWordsRule, Policy, PolicyCaps};
pub use record::{Delivery, Phase, Record, State};
pub use rejection::{HubError, Rejection};
pub use seat::{MAX_PAGE_BYTES, MOST_LISTED, MOST_SEARCHED, Page, Seat};
pub use session::{
    LONGEST_MESSAGE, MOST_TOLD, Message, MessageKey, MessageKind, MessageState, NewSession,
    Progress, Runner, Saying, Session, SessionChanged, SessionQuery, SessionState, Streamed,
    ToolCall,
};
pub use session_seat::check_words;
pub use sessions::Sessions;
pub use sought::Sought;
pub use stats::{ANSWER_TIMES, Counts};
pub use store::{AskKey, AskStore, Batch, DeviceWrite, DraftChange, Order, Query, StoreError};
pub use times::{Days, Project, Row, Span, Times, Waited};
pub use transition::{Attempt, Reply};
pub use world::{BootId, RealWorld, World};
