//! `handraise ask`: questions in, the person's answer out.

mod at_terminal;
mod ending;
mod putting;
mod replying;
mod through_hub;

use handraise_agent_claude::stream::tool_result;
use handraise_broker::{Asker, Matter, NewAsk, Policy};
use handraise_client::Home;
use handraise_question::{Ask, Limits, Reading};

use crate::cli::{AskArgs, Format};
use crate::failure::{self, Exit, Failure};
use crate::{environment, output, source};

pub(crate) use at_terminal::{manner, terminal_failure};
pub(crate) use ending::Ending;
pub(crate) use putting::{Places, Put};
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
    if args.tool_use_id.is_some() && args.format != Format::ToolResult {
        let error = anyhow::anyhow!("--tool-use-id needs --format tool_result");
        return Err(Failure::new(Exit::BadInput, error));
    }
    let (name, json) = source::read(args.file.as_deref())?;
    let limits = if args.strict { &Limits::STRICT } else { &Limits::WIDE };
    let Reading { ask, warnings } = match Ask::read(&json, limits) {
        Ok(reading) => reading,
        Err(violations) => {
            if let (Format::ToolResult, Some(call)) = (args.format, &args.tool_use_id) {
                // The agent waits for a result of its call, whatever is wrong with it.
                let refusal = serde_json::to_string(&tool_result::refuse(call, &violations));
                output::print(&refusal.unwrap_or_default())?;
            }
            return Err(Failure::bad_input(&name, &violations));
        }
    };
    if args.strict {
        for warning in warnings {
            failure::say(&format!("warning: {warning}"));
        }
    }
    let mut places = Places::open(args.via, home, manner(args.plain, args.theme))?;
    match places.put(&ask, new_ask(&ask, args), args.timeout)? {
        Put::Ended { ending, id } => {
            let text = ending.print(&ask, args)?;
            places.handed(id, text);
            Ok(Exit::from(&ending.resolution))
        }
        Put::Interrupted { id } => {
            places.withdraw(id, "interrupted where it was asked");
            Ok(Exit::Interrupted)
        }
        Put::Signalled { signal, id } => {
            places.withdraw(id, "ended where it was asked");
            handraise_terminal::end_by(signal)
        }
    }
}

fn new_ask(ask: &Ask, args: &AskArgs) -> NewAsk {
    NewAsk {
        asker: Asker {
            agent: args.agent.clone(),
            directory: environment::directory(),
            host: Some(environment::host()),
            title: args.title.clone(),
            ..Asker::default()
        },
        key: args.key.clone(),
        matter: Matter::from(ask),
        policy: Policy {
            deadline_seconds: args.timeout.map(|wait| wait.as_secs()),
            ..Policy::default()
        },
        rival_dialog: false,
        deliverer: None,
    }
}
