//! Any MCP client raises its hand: a server on stdio whose tool asks the person.
//!
//! [`serve`] speaks MCP with whoever started the process. [`Server`] has the two tools: `ask_user` puts
//! questions to the hub and waits, `wait_answer` goes on waiting where a client's patience ended before
//! the person's. What the person chose comes back as text for the model and as structured content.
//!
//! Knows the trait `Hub` and the questions; no client, no other agent.

mod asker;
mod asks;
mod calls;
pub mod clients;
#[cfg(test)]
mod fake_hub;
mod handler;
mod lines;
mod patience;
mod request;
mod results;
mod serving;
mod tools;
mod waiting;

pub use serving::{Server, Settings, serve, stdio};
