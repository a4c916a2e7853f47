//! Claude Code itself.

use std::ffi::OsStr;
use std::process::{Command, Stdio};

use handraise_agent_claude::VERIFIED;

use super::finding::Finding;
use super::probe::finish;
use crate::environment;

const CLAUDE: &str = "Claude Code";

pub(super) fn look() -> Finding {
    let Some(program) = environment::found_by_shell(OsStr::new("claude")) else {
        return Finding::unsure(CLAUDE, format!("no `claude` on the PATH; {}", verified()));
    };
    let asked = Command::new(&program)
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let said = asked.ok().and_then(|asked| finish(asked).ok());
    let version = said.as_deref().and_then(|said| said.split_whitespace().next());
    let name = program.display();
    match version {
        Some(version) if VERIFIED.contains(&version) => {
            Finding::well(CLAUDE, format!("{version}, a verified version ({name})"))
        }
        Some(version) => Finding::unsure(CLAUDE, format!("{version} ({name}); {}", verified())),
        None => Finding::unsure(CLAUDE, format!("{name} does not say its version; {}", verified())),
    }
}

fn verified() -> String {
    format!("verified: {}", VERIFIED.join(", "))
}
