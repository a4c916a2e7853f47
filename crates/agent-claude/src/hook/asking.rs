//! Asking the hub, beside the dialog.

use std::fs;
use std::path::Path;
use std::task::Poll;
use std::time::{Duration, Instant};

use handraise_broker::{
    AskId, Asker, Away, HubError, Level, NewAsk, Policy, Receipt, Record, Rejection, Resolved,
    until_resolved,
};
use serde_json::Value;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::Notify;
use tokio::time::{sleep, timeout};

use super::book::{Call, Entry};
use super::input::Input;
use super::output::{self, Output};
use super::process::{self, Process};
use super::settling::{self, Ended};
use super::{Surroundings, Switches, matter};
use crate::transcript::{self, Context, Transcript};

/// The name by which asks of Claude Code are known.
pub(crate) const AGENT: &str = "claude-code";
/// How long a hub may take over a question before the dialog is left alone.
const PATIENCE: Duration = Duration::from_secs(3);
/// How long the words before a question may take to be written down, and the file to come into being:
/// some sessions keep none.
const WORDS: Duration = Duration::from_secs(10);
const FILE: Duration = Duration::from_millis(300);
/// More than Claude Code writes down about one of its processes.
const LARGEST_SESSION: u64 = 64 * 1024;
const TURN: Duration = Duration::from_millis(10);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// How long the hub may take to note that the answer was handed over: Claude Code waits meanwhile.
const HANDED: Duration = Duration::from_millis(500);

pub(super) async fn ask(
    input: &Input,
    around: &Surroundings<'_>,
    output: Output,
) -> Result<(), String> {
    let signals = Signals::listen();
    let session = around.book.session(&input.session_id);
    let taken = session.take_up(&Call::of(input, around.claude.as_ref()));
    let (mut entry, number) = taken.ok_or("the call cannot be written down")?;
    if !is_wanted(input, around.switches, around.has_dialog) {
        entry.remove();
        return Ok(());
    }
    entry.call.waiting = Some(Process::this());
    entry.call.key = Some(key(input, &entry.call, number));
    let asked = put(input, around, &mut entry).await;
    let id = asked.inspect_err(|trouble| {
        // Of a hub that was only slow, the question may still turn up there.
        if !trouble.may_be_there {
            entry.remove();
        }
    });
    let Some(id) = id.map_err(|trouble| trouble.why)? else {
        entry.remove();
        return Ok(());
    };
    wait(id, entry, around, signals, output).await
}

/// Whether the hub is to be asked. Only where Claude Code shows its own dialog at the same time: for
/// what a subagent wants to do it shows none before this has ended (measured), and a program that runs
/// Claude Code would wait where it is refused otherwise.
pub(super) fn is_wanted(input: &Input, switches: Switches, has_dialog: bool) -> bool {
    let tool = input.tool_name.as_deref().unwrap_or_default();
    let beside = input.agent_id.is_none() && (has_dialog || tool == matter::QUESTION);
    beside && switches.cover(tool)
}

/// Why the hub was not asked.
struct Trouble {
    why: String,
    may_be_there: bool,
}

/// Puts the question to the hub; nothing when another process delivers it.
async fn put(
    input: &Input,
    around: &Surroundings<'_>,
    entry: &mut Entry,
) -> Result<Option<AskId>, Trouble> {
    let never = |why| Trouble { why, may_be_there: false };
    let new = NewAsk {
        matter: matter::matter(input).map_err(never)?,
        asker: asker(input, around, &entry.call).await,
        key: entry.call.key.clone(),
        // The model is seen to read every answer, so that is what counts.
        policy: Policy { receipt: Level::Seen, ..Policy::default() },
        rival_dialog: true,
        deliverer: Some(around.deliverer.clone()),
    };
    entry.keep();
    let asked = match timeout(PATIENCE, around.hub.ask(new)).await {
        Err(_) => return Err(Trouble { why: "the hub is too slow".into(), may_be_there: true }),
        Ok(Err(error)) => {
            let may_be_there = matches!(error, HubError::Unreachable(_));
            return Err(Trouble { why: format!("the hub was not asked: {error}"), may_be_there });
        }
        Ok(Ok(asked)) => asked,
    };
    entry.call.ask = Some(asked.record.id);
    entry.keep();
    Ok(asked.yours.then_some(asked.record.id))
}

/// Waits for whatever comes first: an answer at the hub, a signal that the dialog is done with, or the
/// end of Claude Code.
async fn wait(
    id: AskId,
    entry: Entry,
    around: &Surroundings<'_>,
    signals: Signals,
    output: Output,
) -> Result<(), String> {
    let back = Notify::new();
    let resolved = until_resolved(around.hub, id, Some(around.deliverer.clone()), |away| {
        if away == Away::Back {
            back.notify_one();
        }
    });
    let (cancelled, gone) = (signals.any(), process::gone(around.claude.as_ref()));
    let missed = missed(&back, around, &entry);
    tokio::pin!(resolved, cancelled, gone, missed);
    let ended = tokio::select! {
        // An answer that is there is handed over, whatever else happens.
        biased;
        end = &mut resolved => match end {
            // Claude Code, or a process that speaks for it, has said what it took: there is nothing left
            // to hand over, and nothing of it that a person gave here.
            Ok(record)
                if record.last_receipt().is_some_and(|known| known.took.is_some())
                    || record.resolved().is_some_and(Resolved::is_claimed_by_agent) =>
            {
                return Ok(());
            }
            Ok(record) => return hand_over(id, &record, around, output).await,
            Err(error) => {
                // As long as the hub may know it, somebody else may settle it.
                if matches!(error, HubError::Rejected(Rejection::NoSuchAsk(_))) {
                    entry.remove();
                }
                return Err(format!("the hub gave the question up: {error}"));
            }
        },
        () = &mut cancelled => Ended::Cancelled,
        () = &mut gone => Ended::Gone,
        () = &mut missed => return Ok(()),
    };
    settling::settle_in_the_end(around.hub, &entry, ended).await;
    Ok(())
}

/// Waits until the hub has been told of an answer it missed: while it was away, the dialog may have been
/// answered, and those who would have told it found nobody. What Claude Code writes down of it may come
/// a moment after the hub is back.
async fn missed(back: &Notify, around: &Surroundings<'_>, entry: &Entry) {
    back.notified().await;
    let mut pause = TURN;
    while !settling::settle(around.hub, entry, None).await.is_ok_and(|done| done) {
        sleep(pause).await;
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

async fn hand_over(
    id: AskId,
    record: &Record,
    around: &Surroundings<'_>,
    output: Output,
) -> Result<(), String> {
    let Some(decision) = output::decision(record) else { return Ok(()) };
    if let Err(error) = output::say(output, &decision) {
        let reason = "Claude Code no longer listens".to_owned();
        let _ = timeout(HANDED, around.hub.withdraw(id, Some(reason))).await;
        return Err(error.to_string());
    }
    // Of a denial the model reads our words, to be compared with these. Of an answer it reads Claude
    // Code's: what was taken, Claude Code tells itself, and before that nothing is known.
    let Some(words) = output::words(record) else { return Ok(()) };
    let handed = timeout(HANDED, around.hub.receipt(id, Receipt::handed(Some(words)))).await;
    handed.map_err(|_| "the hub is too slow")?.map_err(|error| error.to_string())?;
    Ok(())
}

/// Claude Code sends SIGTERM when its dialog is left, and kills a second or so later.
struct Signals([Option<Signal>; 3]);

impl Signals {
    /// From here on none of them ends the process.
    fn listen() -> Self {
        let kinds = [SignalKind::terminate(), SignalKind::hangup(), SignalKind::interrupt()];
        Self(kinds.map(|kind| signal(kind).ok()))
    }

    async fn any(mut self) {
        std::future::poll_fn(|context| {
            let mut signals = self.0.iter_mut().flatten();
            if signals.any(|signal| signal.poll_recv(context).is_ready()) {
                Poll::Ready(())
            } else {
                Poll::Pending
            }
        })
        .await;
    }
}

/// The ask's name: that of the call, or where it was not told, what tells it apart. Never one that was
/// used before: the hub would give the answer of that time.
fn key(input: &Input, call: &Call, number: u64) -> String {
    let session = &input.session_id;
    match (&call.tool_use_id, &call.prompt_id) {
        (Some(call), _) => format!("{session}/{call}"),
        (None, prompt) => {
            let prompt = prompt.as_deref().unwrap_or("-");
            format!("{session}/{prompt}/{}/{number}", call.content)
        }
    }
}

async fn asker(input: &Input, around: &Surroundings<'_>, call: &Call) -> Asker {
    let context = context(call).await;
    let named = around
        .config
        .zip(around.claude.as_ref())
        .and_then(|(config, claude)| name(config, claude.pid));
    let title = named.or(context.title).or(context.prompt);
    Asker {
        agent: AGENT.into(),
        session: Some(input.session_id.clone()),
        directory: input.cwd.clone(),
        host: Some(around.host.clone()),
        branch: context.branch.map(|branch| cut(&branch, 500)),
        title: title.map(|title| cut(title.lines().next().unwrap_or_default(), 200)),
        preamble: context.preamble.map(|preamble| cut(&preamble, 100_000)),
    }
}

/// What was said before, as soon as it is written down.
async fn context(call: &Call) -> Context {
    let (Some(path), Some(id)) = (&call.transcript, &call.tool_use_id) else {
        return Context::default();
    };
    let start = Instant::now();
    loop {
        if let Some(context) = Transcript::new(path).context(id) {
            return context;
        }
        if start.elapsed() >= patience_with(path) {
            return Context::default();
        }
        sleep(TURN).await;
    }
}

/// How long the words before a question may take to appear in this file. Only a regular file is read, so
/// a pipe, a device or a directory does not delay the question.
fn patience_with(transcript: &Path) -> Duration {
    match fs::metadata(transcript) {
        Ok(metadata) if metadata.is_file() => WORDS,
        Ok(_) => Duration::ZERO,
        Err(_) => FILE,
    }
}

/// The name the person gave the session.
fn name(config: &Path, pid: u32) -> Option<String> {
    let session =
        transcript::beginning(&config.join(format!("sessions/{pid}.json")), LARGEST_SESSION)?;
    let session: Value = serde_json::from_slice(&session).ok()?;
    // What Claude Code derives by itself says no more than the directory.
    let given = session["nameSource"] != "derived";
    session["name"].as_str().filter(|_| given).map(str::to_owned)
}

/// The beginning of a text.
pub(crate) fn cut(text: &str, most: usize) -> String {
    text.chars().take(most).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_regular_file_is_waited_for() {
        let directory = tempfile::tempdir().unwrap();
        let (file, pipe) = (directory.path().join("file"), directory.path().join("pipe"));
        fs::write(&file, "").unwrap();
        rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::RUSR).unwrap();
        assert_eq!(patience_with(&file), WORDS);
        assert_eq!(patience_with(&directory.path().join("none")), FILE);
        for other in [&pipe, directory.path(), Path::new("/dev/zero")] {
            assert_eq!(patience_with(other), Duration::ZERO, "{}", other.display());
        }
    }

    #[test]
    fn a_session_file_that_is_a_pipe_or_endless_holds_nobody_up() {
        let directory = tempfile::tempdir().unwrap();
        let sessions = directory.path().join("sessions");
        fs::create_dir(&sessions).unwrap();
        let pipe = sessions.join("1.json");
        rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::RUSR).unwrap();
        std::os::unix::fs::symlink("/dev/zero", sessions.join("2.json")).unwrap();
        fs::write(sessions.join("3.json"), r#"{"name": "auth", "nameSource": "user"}"#).unwrap();
        assert_eq!(
            [1, 2, 3].map(|pid| name(directory.path(), pid)),
            [None, None, Some("auth".into())]
        );
    }
}
