//! The hub and its tokens.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use handraise_broker::{HubError, Power};
use handraise_client::{Home, RemoteHub};
use handraise_question::Surface;

use super::finding::Finding;
use crate::home::data_option;
use crate::runtime;
use crate::serve::last_words;

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
    let as_agent = RemoteHub::new(home.clone(), Power::Agent, Surface::Api);
    let as_person = RemoteHub::new(home.clone(), Power::Person, Surface::Api);
    let status = runtime.block_on(as_agent.status());
    let person = runtime.block_on(as_person.devices()).map(|_| ());
    let hub = match &status {
        Ok(status) => up(&place.url, &status.version),
        Err(HubError::Unreachable(why)) => {
            let found = format!("{} does not answer: {why}", place.url);
            Finding::wrong(HUB, found).hint("stop it and start it again")
        }
        // It is there; what is wrong with the token is said below.
        Err(_) => Finding::well(HUB, format!("there is one at {}", place.url)),
    };
    vec![hub, tokens(home, status.map(|_| ()), person)]
}

fn up(url: &str, version: &str) -> Finding {
    let found = format!("Handraise {version} at {url}");
    if version == env!("CARGO_PKG_VERSION") {
        return Finding::well(HUB, found);
    }
    let other = format!("{found}; this is {}", env!("CARGO_PKG_VERSION"));
    Finding::unsure(HUB, other).hint("start the hub again, so that both are the same")
}

fn tokens(home: &Home, agent: Result<(), HubError>, person: Result<(), HubError>) -> Finding {
    for (power, tried) in [(Power::Agent, agent), (Power::Person, person)] {
        let file = home.token_file(power);
        if let Err(error) = tried {
            let found = format!("{} is of no use: {error}", file.display());
            return Finding::wrong(TOKENS, found).hint("start the hub again: it makes new ones");
        }
        let mode = fs::metadata(&file).map_or(0, |found| found.permissions().mode() & 0o777);
        if mode & 0o077 != 0 {
            let found = format!("others can read {} (mode {mode:o})", file.display());
            let hint = format!("chmod 600 {}", file.display());
            return Finding::wrong(TOKENS, found).hint(hint);
        }
    }
    Finding::well(TOKENS, "both are accepted, and yours alone")
}
