//! A hub at the other end of a connection.
//!
//! [`RemoteHub`] is the trait `Hub` over HTTP and WebSocket. It looks up where the hub is anew for
//! every connection, because a hub may come back elsewhere.
//! Knows `handraise-wire` and the domain; no server, no terminal.

mod feed;
mod home;
mod http;
mod process;
mod remote;
mod sessions;

pub use home::{Home, HubFile};
pub use remote::RemoteHub;
