//! Asking at this terminal alone.

use std::time::Duration;

use handraise_question::{Ask, Resolution, Responder, Surface};
use handraise_terminal::{ColorHints, Desk, Manner, Outcome, TerminalError, Tone};

use super::{Ending, Put};
use crate::cli::Theme;
use crate::environment;
use crate::failure::{Exit, Failure};

/// Puts an ask at this terminal and waits for its end.
pub(super) fn put(desk: &mut Desk, ask: &Ask, wait: Option<Duration>) -> Result<Put, Failure> {
    let asked = desk.ask(ask.clone(), wait).outcome();
    let resolution = match asked.map_err(terminal_failure)? {
        Outcome::Resolved(resolution) => resolution,
        Outcome::Closed(_) => {
            let error = anyhow::anyhow!("the prompt was closed, though nobody else could answer");
            return Err(Failure::new(Exit::Internal, error));
        }
        Outcome::Interrupted => return Ok(Put::Interrupted { id: None }),
        Outcome::Signalled(signal) => return Ok(Put::Signalled { signal, id: None }),
    };
    let ending = Ending { responder: responder(&resolution), at: environment::time(), resolution };
    Ok(Put::Ended { ending, id: None })
}

/// How prompts look here.
pub(crate) fn manner(plain: bool, theme: Theme) -> Manner {
    let hints = environment::color_hints();
    if plain || hints.term.as_deref() == Some("dumb") {
        Manner::Plain
    } else {
        Manner::Drawn { depth: hints.depth(), tone: tone(theme, &hints) }
    }
}

pub(crate) fn terminal_failure(error: TerminalError) -> Failure {
    match error {
        TerminalError::None(_) => Failure::new(Exit::NowhereToAsk, error)
            .hint("run it in a terminal: it draws on /dev/tty and needs no standard streams"),
        TerminalError::Lost(_) => Failure::new(Exit::Internal, error),
    }
}

fn tone(theme: Theme, hints: &ColorHints) -> Option<Tone> {
    match theme {
        Theme::Dark => Some(Tone::Dark),
        Theme::Light => Some(Tone::Light),
        // The Linux console does not know the question and prints it.
        Theme::Auto if hints.term.as_deref() == Some("linux") => Some(Tone::Dark),
        Theme::Auto => hints.tone(),
    }
}

/// Whoever sits at the terminal; which person that is, is not known. Nobody for silence.
fn responder(resolution: &Resolution) -> Option<Responder> {
    match resolution {
        Resolution::Answered(_) | Resolution::Declined { .. } | Resolution::Discuss { .. } => {
            Some(Responder {
                person: None,
                device: None,
                surface: Surface::Terminal,
                proof: Some("tty".into()),
            })
        }
        Resolution::NoAnswer { .. } | Resolution::Withdrawn { .. } => None,
    }
}
