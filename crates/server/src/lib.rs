//! The hub over HTTP and WebSocket: API version 1.
//!
//! A handler parses, asks the [`Broker`](handraise_broker::Broker) and words the result; it decides
//! nothing. What does not concern asks is here: who may come in (`gate`, `authenticated`), how much
//! at once (`rates`, `connections`), and that every refusal is noted (`refusals`).

mod app;
mod authenticated;
mod body;
mod connection;
mod connections;
mod dashboard;
mod dialects;
mod gate;
mod links;
mod mismatch;
mod one_time;
mod openapi;
mod problem;
mod rates;
mod refusals;
mod room;
mod routes;
mod socket;
mod starter;
mod strangers;
mod told;
mod watch;
mod workspaces;

pub use app::{App, Config, Limits};
pub use connections::serve;
pub use dashboard::has_dashboard;
pub use links::Invitation;
pub use openapi::document as openapi;
pub use starter::{NoStarter, Starter};
pub use workspaces::{NoWorkspaces, Workspaces};
