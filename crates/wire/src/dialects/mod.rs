//! Other systems' wire forms of the same exchange: a question goes out as their front ends show it, and the
//! answer comes back as they send it. No processes and no sockets here.

mod call;
mod dialect;
#[cfg(test)]
mod fixtures;
pub mod gobby;
pub mod panopticon;
pub mod prime_agent;

pub use dialect::{Asked, Dialect, Ended, Manners, Refusal, Refused, Said, Says, Scope, Status};

/// The dialects that front ends speak over a WebSocket at `/dialects/<name>`.
pub static ALL: [&dyn Dialect; 2] = [&gobby::Gobby, &prime_agent::PrimeAgent];

/// The dialect with this name.
#[must_use]
pub fn named(name: &str) -> Option<&'static dyn Dialect> {
    ALL.into_iter().find(|dialect| dialect.name() == name)
}
