//! `handraise status`: how the hub is.

use handraise_broker::{Hub, Order, Query};
use handraise_client::{Home, RemoteHub};
use handraise_wire::v1::{StatusResponse, WaitedJson};
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use tokio::runtime::Runtime;

use super::{PAGE, reader, times, when};
use crate::cli::JsonArgs;
use crate::failure::{Exit, Failure};
use crate::home::failure;
use crate::watch::describe;
use crate::{environment, output, table};

pub(crate) fn status(home: &Home, args: JsonArgs) -> Result<Exit, Failure> {
    let (hub, runtime) = reader(home)?;
    let status = runtime.block_on(hub.status()).map_err(failure)?;
    let today = today(&hub, &runtime);
    if args.json {
        output::print_json(&StatusJson { status, today })?;
        return Ok(Exit::Answered);
    }
    let (address, process) =
        home.hub().map(|hub| (hub.url, hub.pid.to_string())).unwrap_or_default();
    let waited = SignedDuration::try_from_secs_f64(status.waiting_seconds).unwrap_or_default();
    let waiting = match status.open {
        0 => "nothing".to_owned(),
        1 => format!("1 ask, for {}", table::duration(waited)),
        open => format!("{open} asks, for {} in all", table::duration(waited)),
    };
    output::print(&format!(
        "Handraise {} is up since {}.\n\n  address  {address}\n  process  {process}\n  home     {}\n  waiting  {waiting}\n  \
         log      {}",
        status.version,
        when(status.since),
        home.directory().display(),
        status.head,
    ))?;
    if let Some(watch) = &status.watch {
        output::print(&format!("  watch    {}", describe(watch)))?;
    }
    if let Some(today) = today {
        output::print(&format!("  today    {}", times::sentence(&today)))?;
    }
    match alarms(&hub, &runtime)? {
        0 => {}
        alarms => output::print(&format!(
            "  alarms   {alarms} in the last day: answers nobody gave (handraise history --doubted)"
        ))?,
    }
    Ok(Exit::Answered)
}

/// What the hub says of itself, and how the day was.
#[derive(Serialize)]
struct StatusJson {
    #[serde(flatten)]
    status: StatusResponse,
    today: Option<WaitedJson>,
}

/// How long agents waited today; a hub that was started before an update may not know.
fn today(hub: &RemoteHub, runtime: &Runtime) -> Option<WaitedJson> {
    let times = runtime.block_on(hub.times(1, times::offset()));
    times.ok().map(|times| times.all.total)
}

/// How many agents went on with an answer that nobody gave, in the last day.
fn alarms(hub: &RemoteHub, runtime: &Runtime) -> Result<usize, Failure> {
    let order = Order::LastEndedFirst;
    let query = Query { doubted: true, order, limit: PAGE, ..Query::default() };
    let doubted = runtime.block_on(hub.list(query)).map_err(failure)?;
    let a_day = SignedDuration::from_hours(24);
    let yesterday = environment::time().saturating_sub(a_day).unwrap_or(Timestamp::MIN);
    let ended = doubted.iter().filter_map(|record| record.resolved());
    Ok(ended.filter(|resolved| resolved.at > yesterday).count())
}
