//! Time to the first picture of the prompt.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use handraise_testkit::Pty;

use super::numbers::{ms, percentile};
use crate::tools::{built, cargo, root, run, there_is};

const RUNS: usize = 40;
const BUDGET: Duration = Duration::from_millis(15);

/// Time from starting a program to its first whole picture: ours, and Node's
/// `@inquirer/prompts` select on the same question. Runs take turns, so that both see the same
/// machine.
pub(crate) fn prompt() -> Result<()> {
    if !there_is("npm", &["--version"]) {
        bail!("this bench compares with a Node program: install Node.js 20 or newer, with npm");
    }
    let bench = root().join("xtask/bench/prompt");
    run(&mut cargo(&["build", "--release", "--package", "handraise"]))?;
    run(Command::new("npm").args(["ci", "--no-audit", "--no-fund"]).current_dir(&bench))?;

    let ours = built("release", "handraise").display().to_string();
    let ours = [ours.as_str(), "ask", "question.json"];
    let theirs = ["node", "select.mjs"];
    let nothing = ["node", "-e", "console.log('ready')"];
    let mut times = [vec![], vec![], vec![]];
    for _ in 0..RUNS {
        times[0].push(first_picture(&ours, &bench, "esc cancel"));
        times[1].push(first_picture(&theirs, &bench, "SQLite"));
        times[2].push(first_picture(&nothing, &bench, "ready"));
    }
    let [ours, theirs, nothing] = times.map(|times| median_and_p95(&times));
    println!("\nfirst picture after start, {RUNS} runs in turn      median      p95");
    for (name, (median, p95)) in [
        ("handraise ask", ours),
        ("@inquirer/prompts select (Node)", theirs),
        ("a Node program that prints one word", nothing),
    ] {
        println!("  {name:<40} {:>7.1} ms {:>7.1} ms", ms(median), ms(p95));
    }
    println!("  ratio: {:.1} times faster than @inquirer/prompts", ms(theirs.0) / ms(ours.0));
    println!("  budget: {:.0} ms", ms(BUDGET));
    if ours.0 > BUDGET {
        bail!("over budget: {:.1} ms", ms(ours.0));
    }
    Ok(())
}

fn first_picture(program: &[&str], directory: &Path, last_words: &str) -> Duration {
    let start = Instant::now();
    let pty = Pty::spawn(program, directory, &[("COLORTERM", "truecolor")], (80, 24));
    pty.wait_for(last_words);
    start.elapsed()
}

fn median_and_p95(times: &[Duration]) -> (Duration, Duration) {
    (percentile(times, 0.5), percentile(times, 0.95))
}
