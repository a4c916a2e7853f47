//! The servers in the settings of agents that speak MCP.

use std::os::unix::fs::MetadataExt;
use std::path::Path;

use handraise_client::Home;

use super::finding::Finding;
use crate::cli::{Agent, SettingsArgs};
use crate::connect::file::SettingsFile;
use crate::connect::part::Part;
use crate::connect::place;
use crate::connect::record::Record;
use crate::home::data_option;

/// One finding for each agent that is connected, or was and is not any more.
pub(super) fn look(home: &Home) -> Vec<Finding> {
    let clients = [Agent::Codex, Agent::Opencode, Agent::Gemini, Agent::Qwen];
    clients.into_iter().filter_map(|agent| of(home, agent)).collect()
}

fn of(home: &Home, agent: Agent) -> Option<Finding> {
    let which = SettingsArgs { settings: None, project: false };
    // Where nothing can be read there is nothing of ours.
    let file = SettingsFile::read(&place::settings_file(home, agent, &which).ok()?).ok()?;
    let record = Record::of(home, file.target());
    let part = Part::of(agent, record.as_ref());
    let Part::Server(client, ours) = &part else { return None };
    let (name, what) = (file.name(), agent.command());
    let connect = format!("handraise connect {what}{}", data_option(home));
    let text = file.text().unwrap_or_default();
    let server = match client.server(text, ours) {
        Ok(Some(server)) => server,
        // Only whoever was connected is told that they are not.
        Ok(None) => {
            record?;
            let found = format!("no server of ours in {name}");
            return Some(Finding::wrong(what, found).hint(format!("write it with: {connect}")));
        }
        Err(error) => {
            record?;
            return Some(Finding::wrong(what, format!("{name} cannot be used: {error}")));
        }
    };
    let program = Path::new(&server.program).metadata();
    if !program.is_ok_and(|found| found.is_file() && found.mode() & 0o111 != 0) {
        let found = format!("the server in {name} runs {}: no such program", server.program);
        return Some(Finding::wrong(what, found).hint(format!("write it anew with: {connect}")));
    }
    let command = part.command(home).ok()?;
    let up_to_date = part.connect(text, &command).is_ok_and(|with| with == text);
    Some(if up_to_date {
        Finding::well(what, format!("server in {name}"))
    } else {
        let found = format!("server in {name}, not as this program would write it");
        Finding::unsure(what, found).hint(format!("bring it up to date with: {connect}"))
    })
}
