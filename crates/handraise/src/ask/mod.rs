//! `handraise ask`: questions in, the person's answer out.

mod source;

use std::io::{self, IsTerminal, Write};

use handraise_question::wording::{api, claude, flat, gencode, summary};
use handraise_question::{Ask, Limits, Reading, Resolution, Responder, Surface};
use handraise_terminal::{ColorHints, Desk, Manner, Outcome, TerminalError, Tone};

use crate::cli::{AskArgs, Format, Theme, Via};
use crate::environment;
use crate::failure::{self, Exit, Failure};

const EXAMPLE: &str = include_str!("example.json");

pub(crate) fn run(args: &AskArgs) -> Result<Exit, Failure> {
    if args.example {
        print(EXAMPLE.trim_end())?;
        return Ok(Exit::Answered);
    }
    let (name, json) = source::read(args.file.as_deref())?;
    let limits = if args.strict { &Limits::STRICT } else { &Limits::WIDE };
    let Reading { ask, warnings } =
        Ask::read(&json, limits).map_err(|violations| Failure::bad_input(&name, &violations))?;
    if args.strict {
        for warning in warnings {
            failure::say(&format!("warning: {warning}"));
        }
    }
    if args.via == Via::Hub {
        let error = anyhow::anyhow!("no hub: this version asks at the terminal only");
        return Err(Failure::new(Exit::NowhereToAsk, error).hint("use --via terminal"));
    }
    let resolution = match at_terminal(&ask, args)? {
        Outcome::Resolved(resolution) => resolution,
        Outcome::Closed(_) => {
            let error = anyhow::anyhow!("the prompt was closed, though nobody else could answer");
            return Err(Failure::new(Exit::Internal, error));
        }
        Outcome::Interrupted => return Ok(Exit::Interrupted),
        Outcome::Signalled(signal) => handraise_terminal::end_by(signal),
    };
    print(&formatted(&ask, &resolution, args.format)?)?;
    Ok(Exit::from(&resolution))
}

fn at_terminal(ask: &Ask, args: &AskArgs) -> Result<Outcome, Failure> {
    let hints = environment::color_hints();
    let plain = args.plain || hints.term.as_deref() == Some("dumb");
    let manner = if plain {
        Manner::Plain
    } else {
        Manner::Drawn { depth: hints.depth(), tone: tone(args.theme, &hints) }
    };
    let asked =
        Desk::open(manner).and_then(|mut desk| desk.ask(ask.clone(), args.timeout).outcome());
    asked.map_err(|error| match error {
        TerminalError::None(_) => Failure::new(Exit::NowhereToAsk, error)
            .hint("run it in a terminal: it draws on /dev/tty and needs no standard streams"),
        TerminalError::Lost(_) => Failure::new(Exit::Internal, error),
    })
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

fn formatted(ask: &Ask, resolution: &Resolution, format: Format) -> Result<String, Failure> {
    Ok(match format {
        Format::Json => {
            api::resolution(resolution, responder(resolution).as_ref(), &environment::now())
                .to_string()
        }
        Format::Text => flat::text(ask, resolution),
        Format::Summary => summary::text(ask, resolution),
        Format::Claude => serde_json::to_string(&claude::permission(ask, resolution))
            .map_err(|error| Failure::new(Exit::Internal, error))?,
        Format::Gencode => gencode::result(ask, resolution).to_string(),
    })
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

/// Prints a result: the one thing that goes to standard output. If that fails it goes to standard
/// error, so that no answer is lost.
///
/// A terminal gets it made visible, like everything an agent wrote; a pipe or a file gets it as it
/// is.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    let written = if stdout.is_terminal() {
        writeln!(stdout, "{}", handraise_terminal::visible(text))
    } else {
        writeln!(stdout, "{text}")
    };
    written.and_then(|()| stdout.flush()).map_err(|error| {
        let error = anyhow::Error::new(error).context("cannot write to standard output");
        Failure::new(Exit::Internal, error).detail(text)
    })
}
