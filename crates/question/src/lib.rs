//! Questions an agent asks, answers a person gives, and the words each side reads.
//!
//! Everything here is pure: no I/O, no clock, no async. An [`Ask`] is read from the JSON an agent
//! sent; answers are checked against it and become [`Answers`]; [`wording`] turns a [`Resolution`]
//! into every form an agent takes. Types with private fields can only be built through a check, so
//! a value that exists is a value that holds.
//!
//! The agent's text is kept byte for byte. What draws it shows the characters in it that hide, with
//! [`hidden`]; nothing here prints.

mod answer;
mod approval;
mod ask;
mod blanks;
mod characters;
mod field_names;
mod fields;
pub mod hidden;
mod limits;
mod metadata;
mod nesting;
mod option;
mod own_words;
mod path;
mod question;
mod read;
mod resolution;
mod responder;
mod violation;
pub mod wording;

pub use answer::{Answer, AnswerForm, Answers, Chosen};
pub use approval::{Approval, Decision, DecisionForm, Verdict, numbers};
pub use ask::{Ask, Reading};
pub use blanks::count_blanks;
pub use characters::count as count_characters;
pub use field_names::check_field_names;
pub use fields::Fields;
pub use hidden::{mark_all_hidden, mark_hidden};
pub use limits::{Count, Field, Limits};
pub use metadata::check_metadata;
pub use nesting::check_nesting;
pub use option::QuestionOption;
pub use own_words::{OwnWords, OwnWordsError};
pub use question::{Question, Select};
pub use resolution::Resolution;
pub use responder::{Responder, Surface};
pub use violation::{Violation, Violations};
