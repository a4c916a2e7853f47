//! What each side reads: one resolution, in every form an agent takes.
//!
//! | form | for |
//! |---|---|
//! | [`claude`] | Claude Code: allow with `updatedInput`, or deny with a message |
//! | [`flat`] | agents that take a label, a `", "` join or a JSON map |
//! | [`summary`] | a model that reads prose |
//! | [`gencode`] | code written to the `AskUserQuestionResult` shape |
//! | [`api`] | programs: lossless JSON |
//! | [`confirmation`] | the person, after answering |
//!
//! No form but the answered one can be mistaken for a choice: [`refusal`] has the words.

pub mod api;
pub mod claude;
pub mod confirmation;
pub mod flat;
pub mod gencode;
mod parts;
pub mod refusal;
pub mod summary;

#[cfg(test)]
mod fixtures;
#[cfg(test)]
mod samples;
