//! What a hook costs Claude Code.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use handraise_testkit::{HubProcess, Program};
use serde_json::{Value, json};

use super::numbers::{ms, percentile};
use crate::tools::{built, cargo, run, there_is};

const RUNS: usize = 200;
const BUDGET: Duration = Duration::from_millis(5);

/// From start to end of a hook's process: with the hub down and up, and a Node process that does
/// nothing. Runs take turns, so that all see the same machine.
pub(crate) fn hook() -> Result<()> {
    if !there_is("node", &["--version"]) {
        bail!("this bench compares with a Node process: install Node.js 20 or newer");
    }
    run(&mut cargo(&["build", "--release", "--package", "handraise"]))?;
    let program = built("release", "handraise");
    let (up, down) = (HubProcess::start(&program), HubProcess::prepare(&program));
    down.home().create()?;
    let question = json!({"questions": [{"question": "Which database?", "header": "Database",
        "multiSelect": false, "options": [{"label": "SQLite"}, {"label": "PostgreSQL"}]}]});
    let done = json!([{"tool_use_id": "toolu_1", "tool_input": {"command": "ls"},
        "tool_response": "a\nb"}]);
    let asks = event("PermissionRequest", json!({"tool_input": question}));
    let notes = event("PreToolUse", json!({"tool_input": question, "tool_use_id": "toolu_1"}));
    let batch = event("PostToolBatch", json!({"tool_calls": done}));
    let mut cases = [
        ("hub down: a question", Some((&down, &asks)), vec![]),
        ("hub up: a call is noted (PreToolUse)", Some((&up, &notes)), vec![]),
        ("hub up: nothing to tell (PostToolBatch)", Some((&up, &batch)), vec![]),
        ("a Node process that does nothing", None, vec![]),
    ];
    for _ in 0..RUNS {
        for (_, hook, times) in &mut cases {
            times.push(match hook {
                Some((hub, event)) => time(hub.command().args(["hook", "claude"]), event)?,
                None => time(&mut node(), "")?,
            });
        }
        // Otherwise the next note would wait for this one, which nobody takes up.
        let forgotten = event("SessionEnd", json!({}));
        time(up.command().args(["hook", "claude"]), &forgotten)?;
    }
    println!("\nfrom start to end, {RUNS} runs in turn                  median      p95");
    for (name, _, times) in &cases {
        let (median, p95) = (percentile(times, 0.5), percentile(times, 0.95));
        println!("  {name:<44} {:>7.1} ms {:>7.1} ms", ms(median), ms(p95));
    }
    let [ours, theirs] = [&cases[0].2, &cases[3].2].map(|times| percentile(times, 0.5));
    println!("  ratio: {:.0} times faster than Node", ms(theirs) / ms(ours));
    println!("  budget, with the hub down: {:.0} ms", ms(BUDGET));
    if ours > BUDGET {
        bail!("over budget: {:.1} ms", ms(ours));
    }
    Ok(())
}

fn event(name: &str, fields: Value) -> String {
    let mut event = json!({"hook_event_name": name, "session_id": "bench", "prompt_id": "p",
        "cwd": "/", "tool_name": "AskUserQuestion"});
    if let (Some(event), Value::Object(fields)) = (event.as_object_mut(), fields) {
        event.extend(fields);
    }
    event.to_string()
}

fn node() -> Command {
    let mut node = Program::command(Path::new("node"), Path::new("/"));
    node.args(["-e", ""]);
    node
}

fn time(command: &mut Command, input: &str) -> Result<Duration> {
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let start = Instant::now();
    let mut child = command.spawn().context("cannot run it")?;
    if let Some(mut stdin) = child.stdin.take() {
        // It may end without having read anything.
        let _ = stdin.write_all(input.as_bytes());
    }
    let status = child.wait()?;
    let took = start.elapsed();
    if !status.success() {
        bail!("it failed: {status}");
    }
    Ok(took)
}
