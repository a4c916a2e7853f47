//! How an ask ended, in the form its asker takes.

use handraise_agent_claude::stream::tool_result;
use handraise_broker::Record;
use handraise_question::wording::{api, claude, flat, gencode, summary};
use handraise_question::{Ask, Resolution, Responder};
use jiff::Timestamp;

use crate::cli::{AskArgs, Format};
use crate::failure::{Exit, Failure};
use crate::output;

/// How an ask ended, who ended it and when.
pub(crate) struct Ending {
    pub(crate) resolution: Resolution,
    pub(crate) responder: Option<Responder>,
    pub(crate) at: Timestamp,
}

impl Ending {
    /// The end of an ask at a hub.
    pub(crate) fn of(record: &Record) -> Result<Self, Failure> {
        let resolution = record
            .resolution()
            .map_err(|violations| Failure::bad_input("what the hub sent", &violations))?;
        let (Some(resolution), Some(resolved)) = (resolution, record.resolved()) else {
            let error = anyhow::anyhow!("the hub says that it is resolved, but not how");
            return Err(Failure::new(Exit::Internal, error));
        };
        Ok(Self { resolution, responder: resolved.responder.clone(), at: resolved.at })
    }

    fn text(&self, ask: &Ask, args: &AskArgs) -> Result<String, Failure> {
        let resolution = &self.resolution;
        let json = |text: serde_json::Result<String>| {
            text.map_err(|error| Failure::new(Exit::Internal, error))
        };
        Ok(match args.format {
            Format::Json => {
                let at = format!("{:.3}", self.at);
                api::resolution(resolution, self.responder.as_ref(), &at).to_string()
            }
            Format::Text => flat::text(ask, resolution),
            Format::Summary => summary::text(ask, resolution),
            Format::Claude => json(serde_json::to_string(&claude::permission(ask, resolution)))?,
            Format::ToolResult => {
                let call = args.tool_use_id.as_deref().unwrap_or_default();
                json(serde_json::to_string(&tool_result::answer(call, ask, resolution)))?
            }
            Format::Gencode => gencode::result(ask, resolution).to_string(),
        })
    }

    /// Prints it, and returns what was printed.
    pub(crate) fn print(&self, ask: &Ask, args: &AskArgs) -> Result<String, Failure> {
        let text = self.text(ask, args)?;
        output::print_once(&text)?;
        Ok(text)
    }
}
