//! Taps a person on the shoulder when an agent asks: on the desktop, in a terminal, or through a
//! program of their own. Knows the hub, and nothing of who asks.

mod board;
mod clean;
mod mask;
mod policy;
pub mod terminal;
mod words;
