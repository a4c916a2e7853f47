//! The hub and its tokens.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;

use handraise_broker::{
    BUILT_IN, CLI, Hub, HubError, Order, Power, Query, Record, State, is_agent_name,
};
use handraise_client::{Home, RemoteHub};
use handraise_question::Surface;
use handraise_wire::v1::DeviceJson;

use super::finding::Finding;
use crate::home::data_option;
use crate::runtime;
use crate::serve::last_words;
use crate::table::short;

const HUB: &str = "hub";
const TOKENS: &str = "tokens";

pub(super) fn look(home: &Home) -> Vec<Finding> {
    let Some(place) = home.hub() else {
        let start = format!("start one with: handraise serve{}", data_option(home));
        let mut nothing = format!("none is running for {}", home.directory().display());
        if let Some(words) = last_words::of(home).first() {
            let why = words.strip_prefix("error: ").unwrap_or(words);
            nothing = format!("{nothing}; the last one did not come up: {why}");
        }
        return vec![Finding::wrong(HUB, nothing).hint(start)];
    };
    let Ok(runtime) = runtime::single() else { return vec![] };
    let as_agent = RemoteHub::agent(home.clone(), CLI);
    let as_person = RemoteHub::new(home.clone(), Power::Person, Surface::Api);
    let status = runtime.block_on(as_agent.status());
    let devices = runtime.block_on(as_person.devices());
    let hub = match &status {
        Ok(status) => up(&place.url, &status.version),
        Err(HubError::Unreachable(why)) => {
            let found = format!("{} does not answer: {why}", place.url);
            Finding::wrong(HUB, found).hint("stop it and start it again")
        }
        // It is there; what is wrong with the token is said below.
        Err(_) => Finding::well(HUB, format!("there is one at {}", place.url)),
    };
    let devices = match (status, devices) {
        (Err(error), _) => return vec![hub, useless(&home.agent_token_file(CLI), &error)],
        (_, Err(error)) => return vec![hub, useless(&home.token_file(Power::Person), &error)],
        (Ok(_), Ok(devices)) => devices,
    };
    let newest = Query { order: Order::LastEndedFirst, limit: LOOKED_AT, ..Query::default() };
    let open = Query { states: vec![State::Open], limit: LOOKED_AT, ..Query::default() };
    let asks =
        [newest, open].map(|query| runtime.block_on(as_agent.list(query)).unwrap_or_default());
    vec![hub, tokens(home, &devices, &asks.concat())]
}

/// Of so many open asks, and so many that have ended, it is looked who asked.
const LOOKED_AT: u32 = 100;
/// And so many of them are named.
const NAMED: usize = 10;

fn useless(file: &Path, error: &HubError) -> Finding {
    let found = format!("{} is of no use: {error}", file.display());
    Finding::wrong(TOKENS, found).hint("start the hub again: it makes new ones")
}

fn up(url: &str, version: &str) -> Finding {
    let found = format!("Handraise {version} at {url}");
    if version == env!("CARGO_PKG_VERSION") {
        return Finding::well(HUB, found);
    }
    let other = format!("{found}; this is {}", env!("CARGO_PKG_VERSION"));
    Finding::unsure(HUB, other).hint("start the hub again, so that both are the same")
}

fn tokens(home: &Home, devices: &[DeviceJson], asks: &[Arc<Record>]) -> Finding {
    let of_agents = BUILT_IN.map(|name| home.agent_token_file(name));
    let files = [Power::Agent, Power::Person].map(|power| home.token_file(power));
    for file in files.iter().chain(&of_agents) {
        let mode = fs::metadata(file).map_or(0, |found| found.permissions().mode() & 0o777);
        if mode & 0o077 != 0 {
            let found = format!("others can read {} (mode {mode:o})", file.display());
            let hint = format!("chmod 600 {}", file.display());
            return Finding::wrong(TOKENS, found).hint(hint);
        }
    }
    shared(home, devices, asks)
        .unwrap_or_else(|| Finding::well(TOKENS, "all are accepted, and yours alone"))
}

/// Programs that still ask with the token that all agents shared: they can take back one another's asks.
fn shared(home: &Home, devices: &[DeviceJson], asks: &[Arc<Record>]) -> Option<Finding> {
    let is_shared =
        |ask: &&Arc<Record>| ask.opened.owner.as_deref().is_some_and(|owner| !is_agent_name(owner));
    let agents: BTreeSet<String> =
        asks.iter().filter(is_shared).map(|ask| short(&ask.asker().agent)).collect();
    let agents = agents.into_iter().take(NAMED).collect::<Vec<_>>().join(", ");
    let found = format!("agent.token, which all agents share, is in use: {agents}");
    let data = data_option(home);
    let is_shared =
        |device: &&DeviceJson| device.power == Power::Agent && !is_agent_name(&device.name);
    // If it was revoked there is nothing left to do.
    let id = devices.iter().find(is_shared).filter(|_| !agents.is_empty())?.id;
    Some(Finding::unsure(TOKENS, found).hint(format!(
        "give each a token of its own (handraise device add{data} --agent NAME), or update it; then end \
         the old one: handraise device revoke{data} {id}"
    )))
}
