//! How fast transcripts are searched for questions, and what it takes.

mod append;
mod transcript;

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::numbers::{ms, percentile};
use crate::tools::{built, cargo, need_package, root, run, target, there_is};

const SMALL: usize = 30_000_000;
const LARGE: usize = 300_000_000;
const RUNS: usize = 9;
/// How many times faster than the document's scanner.
const FASTER_THAN_NODE: f64 = 10.0;
/// How many times the time of a program that only looks for the word.
const OF_RIPGREP: f64 = 1.5;
/// How many times the memory, for ten times the file.
const OF_SMALL: f64 = 1.25;

/// How often the document's page looks.
const POLLED: Duration = Duration::from_secs(3);

/// One whole transcript: ours, the scanner of the Panopticon document in Node, and `rg -c`, which only
/// counts the lines that have the word. Each run is a process of its own, and runs take turns, so that
/// all see the same machine.
pub(crate) fn scan() -> Result<()> {
    if !there_is("node", &["--version"]) {
        bail!("this bench compares with a Node program: install Node.js 20 or newer");
    }
    need_package("rg", "ripgrep", &["--version"])?;
    run(&mut cargo(&["build", "--release", "--package", "handraise"]))?;
    let directory = target().join("bench");
    let small = transcript::transcript(&directory, SMALL)?;
    let large = transcript::transcript(&directory, LARGE)?;

    // Also brings the file into memory.
    let agreed = [found(&mut ours(&large))?["total"].clone(), found(&mut node(&large))?];
    let counts = agreed.each_ref().map(|found| (&found["calls"], &found["waiting"]));
    if counts[0] != counts[1] {
        bail!("not the same was found: {agreed:?}");
    }
    let mut times = [vec![], vec![], vec![]];
    for _ in 0..RUNS {
        times[0].push(time(&mut ours(&large))?);
        times[1].push(time(&mut node(&large))?);
        times[2].push(time(&mut ripgrep(&large))?);
    }
    let [mine, theirs, word] = times.map(|times| percentile(&times, 0.5));
    let length = fs::metadata(&large)?.len() / 1_000_000;
    println!("\n{length} MB, {} questions, {} of them never answered", counts[0].0, counts[0].1);
    println!("from start to end, {RUNS} runs in turn                  median");
    for (name, time) in [
        ("handraise check", mine),
        ("the document's scanner (Node)", theirs),
        ("rg -c AskUserQuestion", word),
    ] {
        println!("  {name:<44} {:>7.1} ms", ms(time));
    }
    let (node_ratio, word_ratio) = (ms(theirs) / ms(mine), ms(mine) / ms(word));
    println!(
        "  {node_ratio:.1} times faster than the document's scanner (budget: {FASTER_THAN_NODE})"
    );
    println!("  {word_ratio:.2} times the time of rg -c (budget: {OF_RIPGREP})");
    let [least, most] = [peak(&mut ours(&small))?, peak(&mut ours(&large))?];
    let memory_ratio = most / least;
    println!(
        "  memory: {least:.1} MB for 30 MB, {most:.1} MB for 300 MB (budget: {OF_SMALL} times)"
    );
    let [short, long] = [append::append(&small)?, append::append(&large)?];
    println!("\nfrom a line of a live session to the event in the hub     median");
    for (name, time) in [("a transcript of 30 MB", short), ("a transcript of 300 MB", long)] {
        println!("  {name:<44} {:>7.1} ms", ms(time));
    }
    let polled = POLLED / 2 + theirs;
    let sooner = ms(polled) / ms(long);
    println!("  {sooner:.0} times sooner than by polling every 3 s, as the document does");
    if node_ratio < FASTER_THAN_NODE || word_ratio > OF_RIPGREP || memory_ratio > OF_SMALL {
        bail!("over budget");
    }
    Ok(())
}

fn ours(file: &Path) -> Command {
    let mut command = Command::new(built("release", "handraise"));
    command.args(["check", "--json"]).arg(file);
    command
}

fn node(file: &Path) -> Command {
    let mut command = Command::new("node");
    command.arg(root().join("xtask/bench/scan/document.mjs")).arg(file);
    command
}

fn ripgrep(file: &Path) -> Command {
    let mut command = Command::new("rg");
    command.args(["--no-config", "-c", "AskUserQuestion"]).arg(file);
    command
}

fn found(command: &mut Command) -> Result<Value> {
    let output = command.stdin(Stdio::null()).stderr(Stdio::inherit()).output()?;
    serde_json::from_slice(&output.stdout).context("it did not print JSON")
}

fn time(command: &mut Command) -> Result<Duration> {
    command.stdin(Stdio::null()).stdout(Stdio::null());
    let start = Instant::now();
    let status = command.status().context("cannot run it")?;
    let took = start.elapsed();
    if !status.success() {
        bail!("it failed: {status}");
    }
    Ok(took)
}

/// The most memory it had, in MB, as far as can be seen from outside until its end.
fn peak(command: &mut Command) -> Result<f64> {
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).spawn()?;
    let mut peak = 0.0;
    let path = format!("/proc/{}/status", child.id());
    while child.try_wait()?.is_none() {
        let status = fs::read_to_string(&path).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
        peak = f64::max(peak, kilobytes.unwrap_or_default() / 1000.0);
    }
    Ok(peak)
}
