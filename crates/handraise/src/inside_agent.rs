//! Whether an agent is behind this command.
//!
//! Commands that act as a person do not run there: an agent must not answer its own questions. This is
//! a fence, not a wall: whoever can run programs under an account can do all that account can.

use std::path::Path;

use handraise_broker::Power;
use handraise_client::{Home, RemoteHub};
use handraise_question::Surface;

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
    let hub = RemoteHub::new(home.clone(), Power::Agent, Surface::Api);
    // Without a hub there is nobody to note it, and nothing to answer either.
    if let Ok(runtime) = runtime::single() {
        let _ = runtime.block_on(hub.note_inside_agent(command, &sign));
    }
    let error = anyhow::anyhow!("`{command}` acts as a person and does not run inside an agent");
    Err(Failure::new(Exit::BadInput, error)
        .detail(format!("an agent was recognised: {sign}"))
        .hint("answer in a terminal of your own; the attempt was noted"))
}

/// The agent whose command line this is, if it is one's.
fn agent(words: &[String]) -> Option<&'static str> {
    let names = words.iter().take(2).enumerate().filter_map(|(i, word)| {
        let path = Path::new(word);
        let interpreted = || {
            let first = Path::new(&words[0]).file_stem().and_then(|name| name.to_str());
            first.is_some_and(|first| {
                ["node", "bun", "deno"].contains(&first) || first.starts_with("python")
            })
        };
        (i == 0 || interpreted()).then_some(path)
    });
    let known = |name: &str| PROGRAMS.into_iter().find(|program| *program == name);
    let mut parts = names.flat_map(|path| {
        // The program, or the package a script belongs to: …/claude-code/cli.js
        let stem = path.file_stem().into_iter();
        stem.chain(path.components().map(std::path::Component::as_os_str))
    });
    parts.find_map(|part| part.to_str().and_then(known))
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
        let line = std::fs::read(format!("/proc/{}/cmdline", next?)).unwrap_or_default();
        let words = line.split(|byte| *byte == 0).filter(|word| !word.is_empty());
        Some(words.map(|word| String::from_utf8_lossy(word).into_owned()).collect())
    })
}

#[cfg(not(target_os = "linux"))]
fn ancestors() -> impl Iterator<Item = Vec<String>> {
    let ask = |pid: u32| -> Option<(u32, Vec<String>)> {
        let output = std::process::Command::new("ps")
            .args(["-o", "ppid=,command=", "-p", &pid.to_string()])
            .output()
            .ok()?;
        let line = String::from_utf8_lossy(&output.stdout).into_owned();
        let mut words = line.split_whitespace().map(str::to_owned);
        Some((words.next()?.parse().ok()?, words.collect()))
    };
    let mut next = ask(std::process::id()).map(|(parent, _)| parent);
    std::iter::from_fn(move || {
        let (parent, words) = ask(next.filter(|pid| *pid > 0)?)?;
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
        assert_eq!(found(&["claude", "--resume"]), Some("claude"));
        assert_eq!(found(&["/home/ann/.local/bin/claude"]), Some("claude"));
        assert_eq!(
            found(&["node", "/opt/lib/node_modules/@google/gemini-cli/x.js"]),
            Some("gemini-cli")
        );
        assert_eq!(found(&["python3.11", "/usr/bin/aider"]), Some("aider"));
    }

    #[test]
    fn others_are_not_taken_for_agents() {
        for line in
            [&["bash", "claude"][..], &["vim", "codex.rs"], &["tmux"], &["node", "x.js"], &[]]
        {
            assert_eq!(found(line), None, "{line:?}");
        }
    }
}
