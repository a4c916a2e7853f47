//! Speed and size, as ratios within one run.

mod hook;
mod hub;
mod numbers;
mod prompt;
mod scan;
mod web;

pub(crate) use hook::hook;
pub(crate) use hub::{Part, hub};
pub(crate) use prompt::prompt;
pub(crate) use scan::scan;
pub(crate) use web::web;
