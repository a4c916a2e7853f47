//! Whether an agent is behind this command.
//!
//! Commands that act as a person do not run there: an agent must not answer its own questions. This is
//! a fence, not a wall: whoever can run programs under an account can do all that account can.

use std::ffi::OsStr;
use std::path::{Component, Path};

use handraise_broker::CLI;
use handraise_client::{Home, RemoteHub};

use crate::failure::{Exit, Failure};
use crate::{environment, runtime};

/// What agents put into the environment of what they run.
const VARIABLES: [&str; 8] = [
    "CLAUDECODE",
    "CLAUDE_CODE_ENTRYPOINT",
    "AI_AGENT",
    "CODEX_SANDBOX",
    "CODEX_SANDBOX_NETWORK_DISABLED",
    "GEMINI_CLI",
    "OPENCODE",
    "CURSOR_AGENT",
];

/// Programs that are agents.
const PROGRAMS: [&str; 12] = [
    "aider",
    "amp",
    "claude",
    "claude-code",
    "codex",
    "copilot",
    "cursor-agent",
    "gemini",
    "gemini-cli",
    "goose",
    "opencode",
    "qwen",
];

/// What gives an agent away, if one is behind this.
pub(crate) fn sign() -> Option<String> {
    let variable = VARIABLES.into_iter().find(|name| environment::is_set(name));
    if let Some(name) = variable {
        return Some(format!("{name} is set"));
    }
    let ancestor = ancestors().find_map(|words| agent(&words).map(str::to_owned))?;
    Some(format!("run by {ancestor}"))
}

/// Refuses to act as a person from inside an agent, and has the hub note it.
pub(crate) fn refuse(command: &str, home: &Home) -> Result<(), Failure> {
    let Some(sign) = sign() else { return Ok(()) };
    let hub = RemoteHub::agent(home.clone(), CLI);
    // Without a hub there is nobody to note it, and nothing to answer either.
    let noted = runtime::single()
        .is_ok_and(|runtime| runtime.block_on(hub.note_inside_agent(command, &sign)).is_ok());
    let error = anyhow::anyhow!("`{command}` acts as a person and does not run inside an agent");
    Err(Failure::new(Exit::BadInput, error)
        .detail(format!("an agent was recognised: {sign}"))
        .hint(if noted {
            "do this in a terminal of your own; the attempt was noted"
        } else {
            "do this in a terminal of your own"
        }))
}

/// The agent whose command line this is, if it is one's.
fn agent(words: &[String]) -> Option<&'static str> {
    let (program, rest) = words.split_first()?;
    named(program).or_else(|| script(program, rest).and_then(named))
}

/// What an interpreter runs: the first word behind its options.
fn script<'a>(program: &str, rest: &'a [String]) -> Option<&'a str> {
    let name = Path::new(program).file_stem()?.to_str()?;
    if !matches!(name, "node" | "bun" | "deno") && !name.starts_with("python") {
        return None;
    }
    let mut words = rest.iter();
    loop {
        match words.next()?.as_str() {
            // These have a word of their own behind them.
            "-r" | "--require" | "--import" | "--loader" | "-W" | "-X" => words.next(),
            option if option.starts_with('-') => continue,
            script => return Some(script),
        };
    }
}

/// The agent a program or script belongs to: by its own name, or by where it is installed. A directory
/// that happens to be called like an agent does not make one.
fn named(path: &str) -> Option<&'static str> {
    let known = |name: &OsStr| PROGRAMS.into_iter().find(|program| name == *program);
    let path = Path::new(path);
    let parts: Vec<_> = path.components().map(Component::as_os_str).collect();
    let installed = || {
        parts.iter().enumerate().find_map(|(i, part)| {
            let before = |n: usize| i.checked_sub(n).and_then(|i| parts[i].to_str());
            // …/node_modules/@google/gemini-cli/…, …/site-packages/aider/…
            let scoped = before(1).is_some_and(|scope| scope.starts_with('@'));
            let packages = before(if scoped { 2 } else { 1 });
            let package = matches!(packages, Some("node_modules" | "site-packages"));
            // …/claude/versions/2.1.0
            let version = parts.get(i + 1).is_some_and(|next| *next == "versions");
            known(part).filter(|_| package || version)
        })
    };
    path.file_stem().and_then(known).or_else(installed)
}

/// The command line of a process; empty when there is none.
#[cfg(target_os = "linux")]
pub(crate) fn command_line(pid: u32) -> Vec<String> {
    let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let words = line.split(|byte| *byte == 0).filter(|word| !word.is_empty());
    words.map(|word| String::from_utf8_lossy(word).into_owned()).collect()
}

/// The command lines of the processes above this one.
#[cfg(target_os = "linux")]
fn ancestors() -> impl Iterator<Item = Vec<String>> {
    let parent = |pid: u32| -> Option<u32> {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // The name in parentheses may itself hold any character.
        stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
    };
    let mut next = Some(std::process::id());
    std::iter::from_fn(move || {
        next = next.and_then(parent).filter(|pid| *pid > 0);
        next.map(command_line)
    })
}

/// The parent and the command line of a process.
#[cfg(not(target_os = "linux"))]
fn look_up(pid: u32) -> Option<(u32, Vec<String>)> {
    let output = std::process::Command::new("ps")
        .args(["-o", "ppid=,command=", "-p", &pid.to_string()])
        .output()
        .ok()?;
    let line = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut words = line.split_whitespace().map(str::to_owned);
    Some((words.next()?.parse().ok()?, words.collect()))
}

/// The command line of a process; empty when there is none.
#[cfg(not(target_os = "linux"))]
pub(crate) fn command_line(pid: u32) -> Vec<String> {
    look_up(pid).map(|(_, words)| words).unwrap_or_default()
}

#[cfg(not(target_os = "linux"))]
fn ancestors() -> impl Iterator<Item = Vec<String>> {
    let mut next = look_up(std::process::id()).map(|(parent, _)| parent);
    std::iter::from_fn(move || {
        let (parent, words) = look_up(next.filter(|pid| *pid > 0)?)?;
        next = Some(parent);
        Some(words)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(line: &[&str]) -> Option<&'static str> {
        agent(&line.iter().map(ToString::to_string).collect::<Vec<_>>())
    }

    #[test]
    fn agents_are_known_by_their_programs_and_packages() {
        let claude_code = "/usr/lib/node_modules/@anthropic-ai/claude-code/cli.js";
        for (line, name) in [
            (&["claude", "--resume"][..], "claude"),
            (&["/home/ann/.local/bin/claude"], "claude"),
            (&["/home/ann/.local/share/claude/versions/2.1.0", "--resume"], "claude"),
            (&["node", claude_code], "claude-code"),
            (&["node", "--no-warnings", "-r", "x.js", claude_code, "--resume"], "claude-code"),
            (&["node", "/opt/lib/node_modules/@google/gemini-cli/x.js"], "gemini-cli"),
            (&["/home/ann/.local/share/cursor-agent/versions/1/node", "i.js"], "cursor-agent"),
            (&["python3.11", "/usr/bin/aider"], "aider"),
            (&["python3", "-m", "aider"], "aider"),
        ] {
            assert_eq!(found(line), Some(name), "{line:?}");
        }
    }

    #[test]
    fn others_are_not_taken_for_agents() {
        for line in [
            &["bash", "claude"][..],
            &["vim", "codex.rs"],
            &["tmux"],
            &["node", "x.js"],
            &["node", "x.js", "claude"],
            &["node", "-e"],
            &["/home/goose/bin/zsh"],
            &["/home/goose/claude/target/debug/it"],
            &["python3", "/home/ann/gemini/answer.py"],
            &[],
        ] {
            assert_eq!(found(line), None, "{line:?}");
        }
    }
}
