//! Claude Code without a terminal of its own: one JSON object a line, in both directions.
//!
//! [`Child`] is the process, [`Message`] what it says, [`said`] what it is told. [`elicitation`] puts
//! the forms of MCP servers into questions, and [`receipt()`] reads what came of an ask. All of it is
//! protocol: nothing here knows a hub, and nothing decides when to ask.

mod below;
pub mod elicitation;
pub(crate) mod fields;
mod heard;
mod lines;
mod process;
pub mod said;
mod settled;
pub mod tool_result;

pub use crate::hook::Permission;
pub use heard::{
    Asked, Assistant, Block, CanUseTool, DeferredTool, Denial, Elicitation, ElicitationMode, Init,
    Message, Partial, Piece, Request, Response, Stage, ToolResult, TurnEnd, Unreadable, User,
};
pub use lines::{LONGEST_LINE, Line, Lines};
pub use process::{Child, ExitReport, Heard, Program, SendError, StartError};
pub use settled::{matter, permission, questions, receipt, remark, words};
