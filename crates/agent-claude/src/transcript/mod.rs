//! What sessions of Claude Code wrote down.
//!
//! One JSON object a line, appended a moment after the fact; lines of many kinds, of which a few are
//! understood here and all others passed over. [`Places`] knows where the files are, [`Reading`] reads
//! one on from where it was left and tells which questions were asked and what came of them, and
//! [`Transcript`] looks back from the end of one for what was said around a call. [`endings()`] says how each
//! question ended, and [`doubt()`] whether a person can have answered at all.
//!
//! A model may have written whatever it likes into such a file: nothing here takes more memory because
//! a file is longer, and a line that makes no sense is passed over.

mod call;
mod calls;
mod doubt;
mod ending;
mod index;
mod line;
mod opened;
mod outcome;
mod panopticon;
mod picked;
mod places;
mod reading;
mod running;
mod sieve;
mod tail;
mod window;

pub use call::Call;
pub use doubt::doubt;
pub use ending::{Ending, endings};
pub use outcome::Outcome;
pub use panopticon::workspace_of;
pub use places::{Places, SessionFile};
pub use reading::{Found, Reading};
pub use running::Running;
pub use tail::{Context, Transcript};

pub(crate) use opened::beginning;
pub(crate) use picked::pick;

#[cfg(test)]
mod fuzz_tests;
#[cfg(test)]
mod panopticon_samples;
