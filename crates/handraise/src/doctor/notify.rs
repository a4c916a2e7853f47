//! Whether a tap on the shoulder would be felt: each way is tried.

use std::io::{IsTerminal, Write, stdout};

use handraise_notify::terminal::{Style, tap};
use handraise_notify::{Words, try_command, try_desktop};

use super::finding::Finding;
use crate::config::{Notify, Ring};
use crate::{environment, runtime};

const NOTIFY: &str = "notify";

/// One finding for all ways that work, and one for each that does not.
pub(super) fn try_out(config: &Notify, as_json: bool) -> Vec<Finding> {
    let tried = [desktop(config), terminal(config, as_json), command(config)];
    let (works, fails): (Vec<_>, Vec<_>) = tried.into_iter().flatten().partition(Result::is_ok);
    let works: Vec<_> = works.into_iter().flatten().collect();
    let mut findings: Vec<_> = fails.into_iter().filter_map(Result::err).collect();
    if !works.is_empty() {
        findings.insert(0, Finding::well(NOTIFY, format!("tried: {}", works.join(", "))));
    } else if findings.is_empty() {
        let nothing =
            "no desktop here, and nothing else in config.toml: nobody is tapped on the shoulder";
        findings.push(Finding::well(NOTIFY, nothing));
    }
    findings
}

/// A way that works, a way that does not, or nothing when it is not used.
type Tried = Option<Result<String, Finding>>;

fn desktop(config: &Notify) -> Tried {
    const MEND: &str = "start a notification daemon, or set notify.desktop = false in config.toml";
    if config.desktop == Some(false) {
        return None;
    }
    let wanted = config.desktop == Some(true);
    let fails = |why: String| {
        let finding = Finding::wrong(NOTIFY, format!("desktop: {why}")).hint(MEND);
        // Nobody asked for it, and a machine without a desktop is not ill.
        wanted.then_some(Err(finding))
    };
    let Some(bus) = environment::session_bus() else {
        return fails("there is no session bus, by this environment".into());
    };
    let words = Words {
        title: "handraise doctor".into(),
        body: "This is what a tap on the shoulder looks like.".into(),
    };
    let tried = match runtime::single() {
        Ok(runtime) => {
            runtime.block_on(try_desktop(&bus, &words)).map_err(|trouble| trouble.to_string())
        }
        Err(error) => Err(error.to_string()),
    };
    match tried {
        Ok(daemon) => Some(Ok(format!(
            "desktop (shown and taken down by {})",
            handraise_terminal::visible(&daemon)
        ))),
        Err(why) => fails(handraise_terminal::visible(&why)),
    }
}

fn terminal(config: &Notify, as_json: bool) -> Tried {
    let sequence = config.terminal.and_then(Ring::sequence)?;
    if as_json || !stdout().is_terminal() {
        return Some(Ok("terminal (not rung: there is none here)".into()));
    }
    let style = Style { sequence, through_tmux: environment::is_set("TMUX") };
    let bytes = tap(style, "handraise doctor", "This is what a tap on the shoulder looks like.");
    Some(match stdout().write_all(&bytes).and_then(|()| stdout().flush()) {
        Ok(()) => Ok("terminal (rung here)".into()),
        Err(error) => Err(Finding::wrong(NOTIFY, format!("terminal: {error}"))),
    })
}

fn command(config: &Notify) -> Tried {
    let words = config.command.as_ref()?;
    let tried = match runtime::single() {
        Ok(runtime) => runtime.block_on(try_command(words)).map_err(|trouble| trouble.to_string()),
        Err(error) => Err(error.to_string()),
    };
    Some(match tried {
        Ok(()) => Ok("command (run with a probe)".into()),
        Err(why) => {
            Err(Finding::wrong(NOTIFY, format!("command: {}", handraise_terminal::visible(&why)))
                .hint("correct notify.command in config.toml, or the program"))
        }
    })
}
