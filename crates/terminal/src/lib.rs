//! The question prompt in a terminal, and the chat with an agent.
//!
//! Three layers, each testable without the one below: [`Prompt`] is state and keys, `view` draws
//! it into a buffer, and a [`Desk`] ties both to a real terminal, for one ask after the other. A
//! plain desk puts the same questions as numbered lines, for screen readers and terminals that can
//! do no more. A [`Remote`] closes a prompt when the answer came from elsewhere. Between two asks a desk
//! can hold a [`Chat`], with the same layers. An [`InboxScreen`] holds many asks at once.
//!
//! Agent text reaches the screen only through [`visible`]; nothing an agent writes can move the
//! cursor, change a title or hide a character.

mod background;
mod burst;
mod chat;
mod clean;
mod desk;
mod drafting;
mod field;
mod full;
mod gate;
mod inbox;
mod inline;
mod keys;
mod outcome;
mod palette;
mod plain;
mod prompt;
mod raw_mode;
mod remote;
mod signals;
mod terminal;
mod view;
mod wakes;

pub use chat::{Chat, ChatLine, ChatRemote, Ink, Said, Status};
pub use clean::{ellipsize, mark_uneven, visible};
pub use desk::{Asking, Desk, Manner};
pub use inbox::{Entry, EntryId, InboxRemote, Kind, Opened, Passage, Past, Sent, Standing, Wanted};
pub use outcome::{Outcome, TerminalError};
pub use palette::{ColorHints, Depth, Palette, Tone};
pub use prompt::{Effect, Elsewhere, Input, Prompt, Unsent};
pub use remote::Remote;
pub use signals::end_by;
pub use terminal::InboxScreen;
