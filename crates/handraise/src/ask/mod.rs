//! `handraise ask`: questions in, the person's answer out.

mod at_terminal;
mod ending;
mod replying;
mod through_hub;

use handraise_client::Home;
use handraise_question::{Ask, Limits, Reading};
use handraise_terminal::Desk;

use crate::cli::{AskArgs, Via};
use crate::failure::{self, Exit, Failure};
use crate::{inside_agent, output, source};

pub(crate) use at_terminal::{manner, terminal_failure};
pub(crate) use ending::Ending;
pub(crate) use replying::{AS_LONG_AS_IT_TAKES, Replying, elsewhere_lines, reply_of};

const EXAMPLE: &str = include_str!("example.json");

pub(crate) fn run(
    args: &AskArgs,
    home: impl Fn() -> Result<Home, Failure>,
) -> Result<Exit, Failure> {
    if args.example {
        output::print(EXAMPLE.trim_end())?;
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
    // A home that cannot be named holds no hub either.
    let running = || home().ok().filter(|home| home.hub().is_some());
    match args.via {
        Via::Terminal => at_terminal::ask(&ask, args),
        Via::Hub => through_hub::ask(&home()?, &ask, args, None),
        Via::Auto => match running() {
            None => at_terminal::ask(&ask, args),
            Some(home) => {
                // An agent must not answer at a terminal of its own making.
                let there = inside_agent::sign().is_none();
                let desk =
                    if there { Desk::open(manner(args.plain, args.theme)).ok() } else { None };
                through_hub::ask(&home, &ask, args, desk)
            }
        },
    }
}
