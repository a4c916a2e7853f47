//! How long it takes from a line of a transcript to the event in the hub.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use handraise_broker::{Feed, Hub, News, Power, RealWorld, World};
use handraise_testkit::HubProcess;
use tokio::time::timeout;

use super::super::numbers::percentile;
use super::transcript::{SESSION, answered, asked};
use crate::tools::built;

const RUNS: usize = 15;
const PATIENCE: Duration = Duration::from_mins(1);

/// From the line that tells what was answered to `ask.delivered`, in a session whose transcript is this
/// one; the median.
pub(super) fn append(transcript: &Path) -> Result<Duration> {
    let hub = HubProcess::start(&built("release", "handraise"));
    let directory = tempfile::tempdir()?;
    let (sessions, project) =
        (directory.path().join("sessions"), directory.path().join("projects/-home-dev-project"));
    fs::create_dir_all(&sessions)?;
    fs::create_dir_all(&project)?;
    let file = project.join(format!("{SESSION}.jsonl"));
    fs::copy(transcript, &file)?;
    let session = Ended(Command::new("sleep").arg("1000").stdin(Stdio::null()).spawn()?);
    let said = serde_json::json!({"pid": session.0.id(), "sessionId": SESSION, "status": "waiting",
        "cwd": "/home/dev/project", "entrypoint": "cli", "version": "2.1.325"});
    fs::write(sessions.join(format!("{}.json", session.0.id())), said.to_string())?;
    let mut watch = hub.command();
    watch.arg("watch").arg("--claude").arg(directory.path());
    let _watch = Ended(watch.stdin(Stdio::null()).stdout(Stdio::null()).spawn()?);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(rounds(&hub, &file))
}

async fn rounds(hub: &HubProcess, file: &Path) -> Result<Duration> {
    let client = hub.client(Power::Agent);
    let mut feed = client.follow(None).await.context("the hub cannot be followed")?;
    let mut file = OpenOptions::new().append(true).open(file)?;
    let mut times = vec![];
    for round in 0..RUNS {
        let id = format!("toolu_bench_{round}");
        file.write_all(asked(&id, &RealWorld.now().to_string()).as_bytes())?;
        until(&mut *feed, "ask.opened").await?;
        let line = answered(&id, &RealWorld.now().to_string());
        let start = Instant::now();
        file.write_all(line.as_bytes())?;
        until(&mut *feed, "ask.delivered").await?;
        times.push(start.elapsed());
    }
    Ok(percentile(&times, 0.5))
}

async fn until(feed: &mut dyn Feed, name: &str) -> Result<()> {
    loop {
        let news = timeout(PATIENCE, feed.next()).await;
        match news.with_context(|| format!("no {name} came"))?? {
            News::Event(told) if told.name == name => return Ok(()),
            News::Reset(_) => bail!("the hub has lost its place"),
            News::Event(_) | News::Live(_) | News::Typing { .. } | News::Speaking { .. } => {}
        }
    }
}

/// A process that is killed when it is not needed any more.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
