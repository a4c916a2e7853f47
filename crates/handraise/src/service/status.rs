//! `handraise service status`.

use std::path::Path;

use handraise_broker::CLI;
use handraise_client::{Home, RemoteHub};
use handraise_wire::v1::{StatusResponse, WatchJson};
use serde::Serialize;

use super::manager::Manager;
use super::plan::Plan;
use crate::cli::JsonArgs;
use crate::failure::{Exit, Failure};
use crate::home::data_option;
use crate::watch::describe;
use crate::{output, runtime};

/// How the service is.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_excessive_bools, reason = "for scripts: each is a fact of its own")]
pub(crate) struct Report {
    /// Whether one of ours is there.
    pub(crate) installed: bool,
    /// Whether somebody has forbidden the manager to start it.
    pub(crate) masked: bool,
    /// Where it is, or would be.
    pub(crate) file: String,
    /// The home it is for.
    pub(crate) home: Option<String>,
    /// The program it runs.
    pub(crate) program: Option<String>,
    /// Whether that program is there.
    pub(crate) program_is_there: bool,
    /// Whether that home is this one, whatever it is called.
    pub(crate) for_this_home: bool,
    /// Whether it is for this home, runs this program, and is written as it would be now.
    pub(crate) current: bool,
    /// Whether it starts with every login.
    pub(crate) enabled: bool,
    /// The manager's word for how it is; nothing when the manager cannot be asked.
    pub(crate) state: Option<String>,
    pub(crate) pid: Option<u32>,
    /// Where its hub answers.
    pub(crate) url: Option<String>,
    /// Whether its hub watches Claude Code's sessions.
    pub(crate) watch: Option<WatchJson>,
    /// Whether it goes on after a logout.
    pub(crate) survives_logout: bool,
}

pub(super) fn run(home: &Home, args: JsonArgs) -> Result<Exit, Failure> {
    let report = report(home)?;
    if args.json {
        output::print_json(&report)?;
    } else {
        output::show(&report.lines(home))?;
    }
    Ok(if report.url.is_some() { Exit::Answered } else { Exit::NowhereToAsk })
}

pub(crate) fn report(home: &Home) -> Result<Report, Failure> {
    let manager = Manager::here();
    let file = manager.file()?;
    let text = std::fs::read_to_string(&file).ok();
    let plan = text.as_deref().and_then(|text| manager.read(text));
    let activity = plan.as_ref().and_then(|_| manager.activity().ok());
    let pid = activity.as_ref().and_then(|activity| activity.pid);
    let mut report = Report {
        installed: plan.is_some(),
        masked: manager.check_allowed(&file).is_err(),
        file: file.display().to_string(),
        home: plan.as_ref().map(|plan| plan.home.clone()),
        program: plan.as_ref().map(|plan| plan.program.clone()),
        program_is_there: plan.as_ref().is_some_and(|plan| Path::new(&plan.program).is_file()),
        for_this_home: plan.as_ref().is_some_and(|plan| plan.serves(home)),
        current: false,
        enabled: activity.as_ref().is_some_and(|activity| activity.enabled),
        state: activity.map(|activity| activity.state),
        pid,
        url: None,
        watch: None,
        survives_logout: manager.after_logout().is_none(),
    };
    if let Some(plan) = plan.filter(|_| report.for_this_home) {
        // The search path is another one in every shell, and the home goes by many names.
        let now = Plan { path: plan.path.clone(), home: plan.home.clone(), ..Plan::of(home)? };
        report.current = text.is_some_and(|text| manager.text(&now) == text);
        if let Some((url, status)) = answering(home, pid) {
            (report.url, report.watch) = (Some(url), status.watch);
        }
    }
    Ok(report)
}

/// Where the hub of the service answers, and what it says of itself.
fn answering(home: &Home, pid: Option<u32>) -> Option<(String, StatusResponse)> {
    let place = home.hub().filter(|hub| Some(hub.pid) == pid)?;
    let hub = RemoteHub::agent(home.clone(), CLI);
    runtime::single().ok()?.block_on(hub.status()).ok().map(|status| (place.url, status))
}

impl Report {
    fn lines(&self, home: &Home) -> String {
        let data = data_option(home);
        if self.masked {
            return "The service is masked: systemctl --user unmask handraise allows it again."
                .into();
        }
        if !self.installed {
            return format!(
                "No service is installed. handraise service install{data} installs it."
            );
        }
        let hub = match (&self.url, self.pid) {
            _ if !self.for_this_home => "is for another home".to_owned(),
            (Some(url), Some(pid)) => format!("answers at {url} (process {pid})"),
            (_, Some(pid)) => format!("does not answer (process {pid})"),
            (_, None) => match home.hub() {
                Some(other) => format!("does not run; another one does (process {})", other.pid),
                None => "does not run".to_owned(),
            },
        };
        let watch = self.watch.as_ref().map_or_else(|| "unknown".to_owned(), describe);
        let yes_no = |yes: bool| if yes { "yes" } else { "no" };
        let program = self.program.as_deref().unwrap_or_default();
        let note = if self.current || !self.for_this_home {
            String::new()
        } else {
            format!(
                "\nhandraise service install{data} would write it anew: another program or version."
            )
        };
        format!(
            "\
hub           {hub}
watch         {watch}
service       {state}
file          {file}
program       {program}
home          {home}
at login      {enabled}
after logout  {survives}{note}",
            state = self.state.as_deref().unwrap_or("unknown: the service manager does not answer"),
            file = self.file,
            home = self.home.as_deref().unwrap_or_default(),
            enabled = yes_no(self.enabled),
            survives = yes_no(self.survives_logout),
        )
    }
}
