//! A program of the person's own, run with what happened on its standard input.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::process::Stdio;
use std::time::Duration;

use handraise_broker::Record;
use handraise_question::mark_hidden;
use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::{Map, Value, json};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, Command};
use tokio::sync::mpsc;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::board::Notices;
use crate::clean;
use crate::mask::mask;
use crate::way::{Tap, Way};
use crate::words::Text;

/// So many run at once. What happens to one ask is told in order.
const AT_ONCE: usize = 4;
/// So many wait for each of those; whoever is slower than that misses some.
const MOST_WAITING: usize = 100;
/// How long it may run before it is killed, with everything it started.
const PATIENCE: Duration = Duration::from_secs(20);
/// How much of what it prints is kept for the log.
const MOST_PRINTED: u64 = 2000;

/// The program, and what it gets.
#[derive(Debug, Clone)]
pub struct CommandSettings {
    /// The program and its arguments.
    pub words: Vec<String>,
    /// The API's form of an ask.
    pub form: fn(&Record) -> Value,
}

pub(crate) struct Program {
    settings: CommandSettings,
    text: Text,
    queues: Vec<mpsc::Sender<Value>>,
    complained: bool,
}

impl Program {
    pub(crate) fn new(settings: CommandSettings, text: Text, stopping: &CancellationToken) -> Self {
        let queue = |_| {
            let (queue, mut waiting) = mpsc::channel::<Value>(MOST_WAITING);
            let words = settings.words.clone();
            let work = async move {
                while let Some(what) = waiting.recv().await {
                    if let Err(trouble) = run(&words, &what, sleep(PATIENCE)).await {
                        tracing::warn!(%trouble, "notify.command");
                    }
                }
            };
            let stopping = stopping.clone();
            tokio::spawn(async move { stopping.run_until_cancelled(work).await });
            queue
        };
        let queues = (0..AT_ONCE).map(queue).collect();
        Self { settings, text, queues, complained: false }
    }
}

impl Way for Program {
    fn happened(&mut self, tap: &Tap<'_>) {
        let mut hasher = DefaultHasher::new();
        tap.record.id.hash(&mut hasher);
        let place = usize::try_from(hasher.finish() % AT_ONCE as u64).unwrap_or(0);
        let mut what = what((self.settings.form)(tap.record), self.text);
        what.insert("event".into(), json!(tap.occasion));
        what.insert("reason".into(), json!(tap.reason));
        let queue = self.queues.get(place);
        if queue.is_some_and(|queue| queue.try_send(what.into()).is_err())
            && !std::mem::replace(&mut self.complained, true)
        {
            tracing::warn!("notify.command is too slow: it is not told of everything");
        }
    }

    fn to_be_seen(&mut self, _: &Notices) {}
}

/// An ask as the program gets it: nothing that looks like a secret, nothing that hides, and nothing a tool
/// is called with.
fn what(ask: Value, text: Text) -> Map<String, Value> {
    const OF_THE_ASK: [&str; 5] = ["id", "kind", "state", "askedAt", "deadlineAt"];
    const OF_THE_ASKER: [&str; 5] = ["agent", "session", "directory", "host", "branch"];
    let Value::Object(mut ask) = ask else { return Map::new() };
    if text == Text::Project {
        ask.retain(|name, _| OF_THE_ASK.contains(&name.as_str()) || name == "asker");
        if let Some(Value::Object(asker)) = ask.get_mut("asker") {
            asker.retain(|name, _| OF_THE_ASKER.contains(&name.as_str()));
        }
    }
    if let Some(Value::Object(approval)) = ask.get_mut("approval") {
        approval.retain(|name, _| ["tool", "description"].contains(&name.as_str()));
        // What it is to be called with may have been edited, and what the agent read may quote it.
        ask.values_mut().for_each(|value| drop_fields(value, &["input", "text"]));
    }
    ask.values_mut().for_each(mask_all);
    ask
}

fn drop_fields(value: &mut Value, names: &[&str]) {
    match value {
        Value::Object(fields) => {
            fields.retain(|name, _| !names.contains(&name.as_str()));
            fields.values_mut().for_each(|value| drop_fields(value, names));
        }
        Value::Array(values) => values.iter_mut().for_each(|value| drop_fields(value, names)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn mask_all(value: &mut Value) {
    match value {
        Value::String(text) => *text = mark_hidden(&mask(text)),
        Value::Array(values) => values.iter_mut().for_each(mask_all),
        Value::Object(fields) => fields.values_mut().for_each(mask_all),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Why the program did not do its work.
#[derive(Debug, thiserror::Error)]
pub enum CommandTrouble {
    /// It cannot be started.
    #[error("{0} cannot be run: {1}")]
    Unstartable(String, std::io::Error),
    /// It was killed.
    #[error("{0} did not end within {PATIENCE:?}, and was killed")]
    Slow(String),
    /// It said that it failed.
    #[error("{0} failed ({1}): {2}")]
    Failed(String, std::process::ExitStatus, String),
}

/// Runs the program with a probe, to find out whether that works.
///
/// # Errors
///
/// Why it does not.
pub async fn try_command(words: &[String]) -> Result<(), CommandTrouble> {
    run(words, &json!({"event": "probe", "reason": "doctor"}), sleep(PATIENCE)).await
}

/// Runs it to its end, or to that of `patience`.
async fn run(
    words: &[String],
    what: &Value,
    patience: impl Future<Output = ()>,
) -> Result<(), CommandTrouble> {
    let Some((name, args)) = words.split_first() else { return Ok(()) };
    let mut command = Command::new(name);
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // A group of its own: the hub's Ctrl-C is not for it, and with it ends what it started.
    command.process_group(0).kill_on_drop(true);
    let spawned = command.spawn();
    let mut child = spawned.map_err(|error| CommandTrouble::Unstartable(name.clone(), error))?;
    let id = child.id().and_then(|id| i32::try_from(id).ok());
    let mut group = Group(id.and_then(Pid::from_raw));
    let (status, printed) = tokio::select! {
        ended = feed(&mut child, what.to_string() + "\n") => ended,
        () = patience => return Err(CommandTrouble::Slow(name.clone())),
    };
    // It has ended by itself: what it leaves running is its own business.
    group.0 = None;
    let printed = clean::line(&mask(&printed), 500);
    match status {
        Some(status) if !status.success() => {
            Err(CommandTrouble::Failed(name.clone(), status, printed))
        }
        _ => {
            tracing::debug!(printed, "notify.command");
            Ok(())
        }
    }
}

/// A program and all it started, which are killed when this is dropped: its time is up, or the hub stops.
struct Group(Option<Pid>);

impl Drop for Group {
    fn drop(&mut self) {
        if let Some(group) = self.0 {
            // It may have ended this very moment.
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

/// Gives it what it may or may not read, takes what it prints, and waits for its end.
async fn feed(child: &mut Child, what: String) -> (Option<std::process::ExitStatus>, String) {
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let write = async {
        if let Some(mut stdin) = stdin {
            // That it does not want to read is its own business.
            let _ = stdin.write_all(what.as_bytes()).await;
        }
    };
    let (mut out, mut err) = (vec![], vec![]);
    let status = {
        let beside = async {
            tokio::join!(write, take(stdout, &mut out), take(stderr, &mut err));
            // Its end is what counts.
            std::future::pending::<()>().await;
        };
        tokio::select! {
            // What it has printed is taken before its end is noticed.
            biased;
            () = beside => None,
            status = child.wait() => status.ok(),
        }
    };
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (status, format!("{} {}", text(&err), text(&out)))
}

/// Keeps the beginning of what it prints, and takes the rest, so that it can go on.
async fn take(pipe: Option<impl AsyncRead + Unpin>, kept: &mut Vec<u8>) {
    let Some(mut pipe) = pipe else { return };
    let _ = (&mut pipe).take(MOST_PRINTED).read_to_end(kept).await;
    let _ = tokio::io::copy(&mut pipe, &mut tokio::io::sink()).await;
}

#[cfg(test)]
#[path = "command_tests.rs"]
mod tests;
