//! The service that keeps the hub running.

use handraise_client::Home;

use super::finding::Finding;
use crate::home::data_option;
use crate::service;

const SERVICE: &str = "service";

pub(super) fn look(home: &Home) -> Option<Finding> {
    // Where nobody has a home directory there is no service either.
    let report = service::report(home).ok()?;
    let install = format!("handraise service install{}", data_option(home));
    if report.masked {
        let hint = "allow it again with: systemctl --user unmask handraise";
        return Some(Finding::unsure(SERVICE, "masked: it may not start").hint(hint));
    }
    if !report.installed {
        return Some(Finding::well(
            SERVICE,
            format!("not installed; {install} keeps a hub running"),
        ));
    }
    let anew = format!("write it anew with: {install}");
    let other = report.home.filter(|_| !report.for_this_home);
    let program = report.program.clone().unwrap_or_default();
    Some(if let Some(other) = other {
        Finding::unsure(SERVICE, format!("installed for another home: {other}"))
    } else if !report.program_is_there {
        Finding::wrong(SERVICE, format!("it runs {program}: no such program")).hint(anew)
    } else if let Some(other) = home.hub().filter(|hub| Some(hub.pid) != report.pid)
        && report.state.is_some()
    {
        // The service waits for it to end.
        let found = format!("another hub runs for this home (process {})", other.pid);
        Finding::unsure(SERVICE, found).hint(format!("have the service take over: {install}"))
    } else if report.url.is_none() {
        let state = report.state.as_deref().unwrap_or("the service manager does not answer");
        let hint = format!("look with: handraise service status{}", data_option(home));
        Finding::wrong(SERVICE, format!("its hub does not answer: {state}")).hint(hint)
    } else if !report.current {
        Finding::unsure(SERVICE, format!("it runs {program}, not as this one would")).hint(anew)
    } else if !report.enabled {
        Finding::unsure(SERVICE, "it runs, but does not start with your login").hint(anew)
    } else {
        Finding::well(SERVICE, "its hub runs this program, and starts with your login")
    })
}
