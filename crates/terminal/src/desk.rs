//! Where asks are put to a person, one after the other.

use std::fs::File;
use std::io;
use std::time::Duration;

use handraise_question::Ask;

use crate::chat::{Chat, ChatRemote, ChatSurface, Conversation};
use crate::drafting::Drafting;
use crate::inbox::InboxRemote;
use crate::outcome::{Outcome, TerminalError};
use crate::palette::{Depth, Tone};
use crate::plain::Lines;
use crate::prompt::{Prompt, Unsent};
use crate::raw_mode::tty;
use crate::remote::Remote;
use crate::terminal::{Drawn, InboxScreen};
use crate::wakes::Wakes;

/// How questions are put.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Manner {
    /// Drawn, and answered with single keys.
    Drawn {
        /// How many colours to use.
        depth: Depth,
        /// The background, if it is known; the terminal is asked otherwise.
        tone: Option<Tone>,
    },
    /// As numbered lines, answered with typed ones: for screen readers and terminals that can do no
    /// more.
    Plain,
}

/// The terminal of this process, as a place to ask at. One is enough for a whole process.
///
/// Between two asks the terminal is the person's, as it was: what the program prints looks right,
/// Ctrl-C ends it and Ctrl-Z stops it. What is typed in that time answers nothing. Where prompts
/// are drawn it can be read by another program; a plain desk may already have read one line of it.
///
/// A signal that asks the process to end while a prompt is about to close does not cost the person
/// an answer just given: it ends the next ask instead.
///
/// ```no_run
/// use handraise_question::Ask;
/// use handraise_terminal::{Desk, Manner, Outcome, TerminalError};
///
/// fn race(asks: Vec<Ask>) -> Result<(), TerminalError> {
///     let mut desk = Desk::open(Manner::Plain)?;
///     for ask in asks {
///         let asking = desk.ask(ask, None);
///         let remote = asking.remote();
///         std::thread::spawn(move || {
///             // … until somebody answers in a browser:
///             remote.close(vec!["● Answered by ann in the browser: JWT".into()]);
///         });
///         match asking.outcome()? {
///             Outcome::Resolved(resolution) => println!("{resolution:?}"),
///             Outcome::Closed(unsent) => println!("not sent: {unsent:?}"),
///             Outcome::Interrupted => break,
///             Outcome::Signalled(signal) => handraise_terminal::end_by(signal),
///         }
///     }
///     Ok(())
/// }
/// ```
pub struct Desk {
    tty: File,
    wakes: Wakes,
    surface: Surface,
    /// How many asks there were. Each is known by its number.
    asks: u64,
    /// What is typed between asks, and shown around it.
    conversation: Conversation,
}

enum Surface {
    Drawn(Drawn),
    Plain(Lines),
}

impl Desk {
    /// Opens the desk. Nothing is to be seen of it until the first ask.
    ///
    /// # Errors
    ///
    /// When the process has no terminal, or cannot use it.
    pub fn open(manner: Manner) -> Result<Self, TerminalError> {
        let tty = tty().map_err(TerminalError::None)?;
        let wakes = Wakes::new();
        let surface = Surface::new(manner, &tty, &wakes).map_err(TerminalError::Lost)?;
        Ok(Self { tty, wakes, surface, asks: 0, conversation: Conversation::default() })
    }

    /// An ask to be put, with `wait` as the time for an answer; for ever when absent.
    pub fn ask(&mut self, ask: Ask, wait: Option<Duration>) -> Asking<'_> {
        self.asks += 1;
        let drafting = Drafting::default();
        Asking { number: self.asks, ask, wait, guarded: 0, drafting, desk: self }
    }

    /// Opens a chat. What was typed in the one before and not sent is there again.
    ///
    /// # Errors
    ///
    /// When the terminal goes away.
    pub fn chat(&mut self) -> Result<Chat<'_>, TerminalError> {
        let Self { tty, wakes, surface, conversation, .. } = self;
        wakes.begin_chat();
        let sender = wakes.sender();
        let surface = match surface {
            Surface::Drawn(drawn) => {
                drawn.chat(tty, wakes, conversation).map(|chat| ChatSurface::Drawn(Box::new(chat)))
            }
            Surface::Plain(lines) => lines.chat(tty, wakes, conversation).map(ChatSurface::Plain),
        };
        Ok(Chat { surface: surface.map_err(TerminalError::Lost)?, wakes: sender })
    }

    /// Opens an inbox on the whole screen. It tells the time by `clock`, in seconds.
    ///
    /// # Errors
    ///
    /// When the terminal goes away, or is one that can only show lines.
    pub fn inbox(&mut self, clock: fn() -> i64) -> Result<InboxScreen<'_>, TerminalError> {
        let Self { tty, wakes, surface, .. } = self;
        wakes.begin_inbox();
        match surface {
            Surface::Drawn(drawn) => drawn.inbox(tty, wakes, clock),
            Surface::Plain(_) => Err(io::ErrorKind::Unsupported.into()),
        }
        .map_err(TerminalError::Lost)
    }

    /// What shows things in the inbox of this desk from elsewhere.
    #[must_use]
    pub fn inbox_remote(&self) -> InboxRemote {
        InboxRemote::new(self.wakes.sender())
    }

    /// Takes what was typed in a chat that was closed, when there will be no other.
    pub fn take_typed(&mut self) -> String {
        self.conversation.take_typed()
    }

    /// What shows things in the chats of this desk from elsewhere.
    #[must_use]
    pub fn chat_remote(&self) -> ChatRemote {
        ChatRemote::new(self.wakes.sender())
    }
}

impl Surface {
    fn new(manner: Manner, tty: &File, wakes: &Wakes) -> io::Result<Self> {
        Ok(match manner {
            Manner::Drawn { depth, tone } => Self::Drawn(Drawn::new(depth, tone, wakes.sender())?),
            Manner::Plain => Self::Plain(Lines::start(tty.try_clone()?, wakes.sender())?),
        })
    }
}

/// One ask at a desk. It is put to the person by [`Asking::outcome`].
#[must_use = "nobody is asked before the outcome is waited for"]
pub struct Asking<'a> {
    number: u64,
    ask: Ask,
    wait: Option<Duration>,
    guarded: usize,
    drafting: Drafting<'a>,
    desk: &'a mut Desk,
}

impl<'a> Asking<'a> {
    /// What closes this prompt from elsewhere, or moves its deadline.
    #[must_use]
    pub fn remote(&self) -> Remote {
        Remote::new(self.number, self.desk.wakes.sender())
    }

    /// Calls `told` whenever what is ticked and typed has changed: somebody is at work on an
    /// answer.
    ///
    /// It is called between two keys, after the screen shows the first, so it should be quick.
    pub fn on_draft(mut self, told: impl FnMut(&Unsent) + 'a) -> Self {
        self.drafting = Drafting::told(told);
        self
    }

    /// Lets the first `options` of the first question be chosen only after all of it was on the screen.
    pub fn guard(mut self, options: usize) -> Self {
        self.guarded = options;
        self
    }

    /// Puts the ask to the person and waits for the end of it.
    ///
    /// # Errors
    ///
    /// When the terminal goes away.
    pub fn outcome(self) -> Result<Outcome, TerminalError> {
        let Self { number, ask, wait, guarded, drafting, desk } = self;
        let Desk { tty, wakes, surface, .. } = desk;
        wakes.begin(number);
        let outcome = match surface {
            Surface::Drawn(drawn) => {
                drawn.ask(tty, wakes, drafting, Prompt::new(ask, wait).guard(guarded))
            }
            Surface::Plain(lines) => lines.ask(tty, wakes, drafting, &ask, wait, guarded > 0),
        };
        outcome.map_err(TerminalError::Lost)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_desk_goes_to_another_thread_and_a_remote_to_many() {
        fn can_go<T: Send>() {}
        fn can_be_shared<T: Clone + Send + Sync>() {}
        can_go::<Desk>();
        can_be_shared::<Remote>();
        can_be_shared::<ChatRemote>();
        can_be_shared::<InboxRemote>();
    }
}
