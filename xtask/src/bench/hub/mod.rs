//! The hub under load, at rest and with many asks waiting.

mod asks;
mod connection;
mod exchange;
mod process;
mod raw;
mod report;
mod subject;

use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use clap::ValueEnum;

use super::numbers::{median, ms, percentile};
use crate::python;
use crate::tools::{cargo, root, run};
use connection::Connection;
use exchange::Exchanges;
use raw::{Commits, Replay};
use report::{Budget, Report, line, title};
use subject::Subject;

/// Agents that ask at the same time.
const CONCURRENT: usize = 256;
const ROUNDS: usize = 3;
const ROUND: Duration = Duration::from_secs(4);
const ASKS: usize = 20_000;
const WARM_UP: usize = 300;
const ROUND_TRIPS: usize = 2000;
const WAITING: usize = 100_000;
/// Of those who wait, so many hold a connection meanwhile.
const LONG_POLLS: usize = 500;

/// What can be measured alone.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Part {
    /// Memory and wake-ups of an idle hub
    Rest,
    /// One exchange at a time, against the commits in it
    RoundTrips,
    /// Many exchanges at a time, against a Python server
    Exchanges,
    /// Many asks at a time, against SQLite alone and a Python server
    Asks,
    /// Memory and processor time with 100,000 open asks
    Waiting,
}

/// Everything in one run on one disk; what is compared takes turns, so that it sees the same machine.
pub(crate) fn hub(parts: &[Part]) -> Result<()> {
    if cfg!(debug_assertions) {
        // The load comes from this very program: built for speed, it takes less from what it measures.
        let mut fast = cargo(&["run", "--release", "--package", "xtask", "--", "bench", "hub"]);
        let parts = parts.iter().filter_map(Part::to_possible_value);
        return run(fast.args(parts.map(|part| part.get_name().to_owned())));
    }
    let python =
        python::with_packages("bench-hub", &root().join("xtask/bench/hub/requirements.txt"))?;
    run(&mut cargo(&["build", "--release", "--package", "handraise"]))?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let mut report = Report::default();
    let parts = if parts.is_empty() { Part::value_variants() } else { parts };
    for part in parts {
        runtime.block_on(async {
            match part {
                Part::Rest => at_rest(&mut report),
                Part::RoundTrips => round_trips(&mut report, &python).await,
                Part::Exchanges => exchanges(&mut report, &python).await,
                Part::Asks => durable_asks(&python).await,
                Part::Waiting => waiting(&mut report).await,
            }
        })?;
    }
    report.end()
}

fn at_rest(report: &mut Report) -> Result<()> {
    const REST: Duration = Duration::from_secs(10);
    let hub = Subject::hub()?;
    std::thread::sleep(Duration::from_secs(2));
    let before = process::sleeps(hub.process())?;
    std::thread::sleep(REST);
    let wakes = process::sleeps(hub.process())? - before;
    title("an idle hub");
    let memory = megabytes(process::resident(hub.process())?);
    report.check("resident memory", memory, " MB", Budget::AtMost(20.0));
    let name = format!("wake-ups of all threads in {} s", REST.as_secs());
    report.check(&name, float(wakes), "", Budget::AtMost(0.0));
    Ok(())
}

/// One exchange at a time, in turn with the two commits it contains.
async fn round_trips(report: &mut Report, python: &Path) -> Result<()> {
    let hub = Subject::hub()?;
    let mut exchanges = Exchanges::open(&hub, 1).await?;
    for _ in 0..WARM_UP {
        exchanges.one().await?;
    }
    let mut commits = Commits::like(python, &hub.database())?;
    let (mut ours, mut bare) = (vec![], vec![]);
    for _ in 0..ROUND_TRIPS {
        ours.push(exchanges.one().await?);
        bare.push(commits.two()?);
    }
    title(&format!("one exchange: ask, WebSocket, answer, long poll; {ROUND_TRIPS} in turn"));
    for (name, times) in [("handraise", &ours), ("the two SQLite commits in it", &bare)] {
        let [p50, p99] = [0.5, 0.99].map(|share| ms(percentile(times, share)));
        line(name, &format!("{p50:.2} ms, p99 {p99:.2} ms"));
    }
    for (name, share, most) in [("median", 0.5, 2.0), ("p99", 0.99, 5.0)] {
        let ratio = ms(percentile(&ours, share)) / ms(percentile(&bare, share));
        report.check(&format!("ratio of the {name}s"), ratio, "x", Budget::AtMost(most));
    }
    Ok(())
}

/// Many exchanges at a time, in turn with the Python server.
async fn exchanges(report: &mut Report, python: &Path) -> Result<()> {
    let (mut ours, mut theirs) = (vec![], vec![]);
    for _ in 0..ROUNDS {
        for (subject, results) in
            [(Subject::hub()?, &mut ours), (Subject::python(python)?, &mut theirs)]
        {
            let exchanges = Exchanges::open(&subject, CONCURRENT).await?;
            let processes = [subject.process(), std::process::id()];
            let [before, before_load] = processes.map(process::ticks);
            let done = exchanges.run(ROUND).await?;
            let [after, after_load] = processes.map(process::ticks);
            let each = |ticks| process::milliseconds(ticks) / done.exchanges;
            let (used, load) = (each(after? - before?), each(after_load? - before_load?));
            results.push((done.per_second(), (used, load)));
        }
    }
    title(&format!("durable exchanges, {CONCURRENT} at a time, {ROUNDS} rounds in turn"));
    let [ours, theirs] = [ours, theirs].map(|results| {
        let (rates, costs): (_, Vec<_>) = results.into_iter().unzip();
        let (used, load) = costs.into_iter().unzip();
        (median(rates), median(used), median(load))
    });
    for (name, (rate, used, load)) in
        [("handraise", ours), ("Python: asyncio, websockets, sqlite3", theirs)]
    {
        line(name, &format!("{rate:.0}/s"));
        // The load comes from the same processors.
        line("", &format!("CPU each: {used:.2} ms, the load {load:.2} ms"));
    }
    report.check("ratio", ours.0 / theirs.0, "x", Budget::AtLeast(10.0));
    Ok(())
}

async fn durable_asks(python: &Path) -> Result<()> {
    let (mut ours, mut theirs, mut batched, mut single) = (vec![], vec![], vec![], vec![]);
    let mut size = 0.0;
    for _ in 0..ROUNDS {
        let hub = Subject::hub()?;
        ours.push(asks::per_second(&hub, CONCURRENT, ASKS).await?.0);
        let replay = Replay::of(python, &hub.database())?;
        batched.push(replay.asks / replay.batched_seconds);
        single.push(replay.asks / replay.single_seconds);
        size = replay.asks / replay.commits;
        let subject = Subject::python(python)?;
        theirs.push(asks::per_second(&subject, CONCURRENT, ASKS / 10).await?.0);
    }
    title(&format!("durable asks, {CONCURRENT} agents at a time, {ROUNDS} rounds in turn"));
    let [ours, theirs, batched, single] = [ours, theirs, batched, single].map(median);
    line("handraise", &format!("{ours:.0}/s"));
    let name = format!("SQLite alone, the same batches ({size:.0} asks in one)");
    line(&name, &format!("{batched:.0}/s ({:.2}x)", ours / batched));
    let name = "SQLite alone, one commit for each ask";
    line(name, &format!("{single:.0}/s ({:.1}x)", ours / single));
    let name = "Python: asyncio, sqlite3";
    line(name, &format!("{theirs:.0}/s ({:.1}x)", ours / theirs));
    Ok(())
}

async fn waiting(report: &mut Report) -> Result<()> {
    const REST: Duration = Duration::from_secs(5);
    let hub = Subject::hub()?;
    let before = process::resident(hub.process())?;
    let (_, ids) = asks::per_second(&hub, CONCURRENT, WAITING).await?;
    let after = process::resident(hub.process())?;
    let mut agents = tokio::task::JoinSet::new();
    for id in ids.iter().take(LONG_POLLS) {
        let mut agent = Connection::open(hub.http, &hub.agent).await?;
        let resolution = format!("/api/v1/asks/{id}/resolution?wait=60");
        agents.spawn(async move { agent.get(&resolution).await.map(|answer| answer.status) });
    }
    tokio::time::sleep(Duration::from_secs(2)).await;
    let ticks = process::ticks(hub.process())?;
    tokio::time::sleep(REST).await;
    let ticks = process::ticks(hub.process())? - ticks;
    title(&format!("{WAITING} open asks"));
    let each = float(after - before) / float(ids.len() as u64) / 1000.0;
    report.check("memory for each", each, " kB", Budget::AtMost(10.0));
    let name =
        format!("processor ticks in {} s, {LONG_POLLS} agents on long polls", REST.as_secs());
    report.check(&name, float(ticks), "", Budget::AtMost(0.0));
    Ok(())
}

fn megabytes(bytes: u64) -> f64 {
    float(bytes) / 1e6
}

#[expect(clippy::cast_precision_loss, reason = "counts and sizes far below 2^53")]
fn float(count: u64) -> f64 {
    count as f64
}
