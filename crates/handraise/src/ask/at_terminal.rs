//! Asking at this terminal alone.

use handraise_question::{Ask, Resolution, Responder, Surface};
use handraise_terminal::{ColorHints, Desk, Manner, Outcome, TerminalError, Tone};

use super::Ending;
use crate::cli::{AskArgs, Theme};
use crate::environment;
use crate::failure::{Exit, Failure};

pub(super) fn ask(ask: &Ask, args: &AskArgs) -> Result<Exit, Failure> {
    let desk = Desk::open(manner(args.plain, args.theme));
    let asked = desk.and_then(|mut desk| desk.ask(ask.clone(), args.timeout).outcome());
    let resolution = match asked.map_err(terminal_failure)? {
        Outcome::Resolved(resolution) => resolution,
        Outcome::Closed(_) => {
            let error = anyhow::anyhow!("the prompt was closed, though nobody else could answer");
            return Err(Failure::new(Exit::Internal, error));
        }
        Outcome::Interrupted => return Ok(Exit::Interrupted),
        Outcome::Signalled(signal) => handraise_terminal::end_by(signal),
    };
    let ending = Ending { responder: responder(&resolution), at: environment::time(), resolution };
    ending.print(ask, args.format)?;
    Ok(Exit::from(&ending.resolution))
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
