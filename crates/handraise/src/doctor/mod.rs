//! `handraise doctor`: whether a question would reach a person, and an answer the agent.

mod claude;
mod clients;
mod config;
mod finding;
mod hooks;
mod hub;
mod notify;
mod probe;
mod service;
mod watch;

use handraise_client::Home;
use handraise_server::has_dashboard;

use crate::cli::DoctorArgs;
use crate::failure::{Exit, Failure};
use crate::output;

use finding::{Finding, Health};

pub(crate) fn run(home: &Home, args: &DoctorArgs) -> Result<Exit, Failure> {
    let mut findings = hub::look(home);
    findings.extend(service::look(home));
    findings.extend(watch::look(home));
    findings.push(dashboard());
    let config = config::look(home);
    let questions = config.questions;
    findings.extend(config.finding);
    findings.extend(notify::try_out(&config.notify, args.json));
    let hooks = hooks::look(home, &args.which)?;
    findings.extend(hooks.findings);
    findings.push(claude::look());
    findings.extend(clients::look(home));
    findings.extend(hooks::last_trouble(home));
    findings.push(if questions {
        probe::try_out(home, hooks.commands.as_ref())
    } else {
        Finding::unsure("probe", "not asked: config.toml keeps questions with Claude Code")
    });
    if args.json {
        output::print_json(&findings)?;
    } else {
        let lines: Vec<_> = findings.iter().map(Finding::lines).collect();
        output::show(&lines.join("\n"))?;
    }
    let no_hub = home.hub().is_none();
    let wrong = findings.iter().any(|finding| finding.health == Health::Wrong);
    Ok(match (no_hub, wrong) {
        (true, _) => Exit::NowhereToAsk,
        (false, true) => Exit::Internal,
        (false, false) => Exit::Answered,
    })
}

fn dashboard() -> Finding {
    const DASHBOARD: &str = "dashboard";
    if has_dashboard() {
        return Finding::well(DASHBOARD, "in this program; handraise link opens it");
    }
    Finding::unsure(DASHBOARD, "not in this program: npm was missing or failed when it was built")
        .hint("install Node.js 20 or newer, and build it again")
}
