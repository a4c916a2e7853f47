//! What the tests stand on: real programs in a pseudo-terminal, in tmux and behind pipes, the real
//! Claude Code with a model that plays scripts, a real browser, a real desktop, hubs that can be killed, time
//! and chance by hand, and one contract that every store has to keep.
//!
//! Nothing here waits for a time to pass, but for the one thing that cannot be seen, in
//! [`ClaudeSession::wait_dialog`]. Each wait names a condition and goes on as soon as it holds; only a
//! condition that never holds runs into [`PATIENCE`], and then the test fails with what was on the
//! screen.

mod asks;
mod browser;
mod chance;
mod claude_code;
mod desktop;
mod fake_world;
mod hub_process;
mod mcp_clients;
mod plain_http;
mod program;
mod pty;
mod scripted_model;
mod small_disk;
mod static_pages;
mod still_time;
pub mod store_contract;
mod store_double;
mod systemd;
mod tmux;
mod torture;

use std::time::Duration;

pub use asks::{
    answers, approval, asker, auth_question, database_question, layout_question, new_ask, one_of,
    questions,
};
pub use browser::Browser;
pub use chance::Chance;
pub use claude_code::{ClaudeHome, ClaudeSession};
pub use desktop::{Desktop, Overheard, Shown};
pub use fake_world::FakeWorld;
pub use hub_process::{HubProcess, free_address};
pub use mcp_clients::{McpClient, McpHome, McpSession};
pub use plain_http::{PlainAnswer, plain_request};
pub use program::{Ended, Program, pause};
pub use pty::{Key, Pty, Screen};
pub use scripted_model::{Block, Fault, ScriptedModel, ToolResult, Turn};
pub use small_disk::SmallDisk;
pub use static_pages::StaticPages;
pub use still_time::while_time_stands_still;
pub use store_double::StoreDouble;
pub use systemd::Systemd;
pub use tmux::Tmux;
pub use torture::{Report, Torture};
pub use vt100::{Cell, Color};

/// How long a condition may take on a busy machine before it counts as never.
pub const PATIENCE: Duration = Duration::from_secs(30);
