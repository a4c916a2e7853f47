//! systemd: the unit of a person's own manager.

use std::fs;
use std::path::{Path, PathBuf};

use super::manager::{Activity, ask};
use super::plan::Plan;
use crate::environment;
use crate::failure::{Exit, Failure};

const UNIT: &str = "handraise.service";
/// By this a unit of ours is known.
const MARK: &str = "# Written by `handraise service install`";
const PATH: &str = "PATH=";

/// The unit as it is written.
///
/// Agents that are started from the dashboard run below this unit. So nothing here may stand in their
/// way (no sandbox, no umask), and they go on when the hub is stopped or started anew: `KillMode`. One of
/// them that eats all memory does not take the hub along: `OOMPolicy`.
pub(super) fn text(plan: &Plan) -> String {
    let mut words = plan.words(&["serve", "--json", "--watch"]).into_iter();
    // The colon keeps `$` from meaning anything.
    let program = format!(":{}", words.next().unwrap_or_default());
    let words: Vec<_> = std::iter::once(program.as_str()).chain(words).map(quoted).collect();
    format!(
        "\
{MARK}, which replaces it whole the next time.
# To change something: systemctl --user edit handraise
[Unit]
Description=Handraise: carries agents' questions to you and your answers back
# It is tried again for as long as it takes.
StartLimitIntervalSec=0

[Service]
Type=exec
ExecStart={words}
Environment={path}
Restart=always
RestartSec=2
# Agents that it has started go on without it, and find it again.
KillMode=process
OOMPolicy=continue
TimeoutStopSec=20

[Install]
WantedBy=default.target
",
        words = words.join(" "),
        path = quoted(&format!("{PATH}{}", plan.path)),
    )
}

/// What a unit of ours runs; nothing when it is not ours.
pub(super) fn read(text: &str) -> Option<Plan> {
    if !text.starts_with(MARK) {
        return None;
    }
    let value = |name: &str| text.lines().find_map(|line| line.strip_prefix(name));
    let mut words = unquoted(value("ExecStart=")?);
    let program = words.first_mut()?;
    *program = program.strip_prefix(':').unwrap_or(program).to_owned();
    let path = unquoted(value("Environment=")?);
    Plan::read(&words, path.first()?.strip_prefix(PATH)?)
}

/// A word as units write it. Only these four mean something to systemd between double quotes.
fn quoted(word: &str) -> String {
    let mut text = String::from('"');
    for c in word.chars() {
        match c {
            '"' | '\\' => text.extend(['\\', c]),
            '%' => text.push_str("%%"),
            _ => text.push(c),
        }
    }
    text + "\""
}

/// Words as we quote them.
fn unquoted(line: &str) -> Vec<String> {
    let mut words = vec![];
    let mut word: Option<String> = None;
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match (&mut word, c) {
            (None, '"') => word = Some(String::new()),
            (None, _) => {}
            (Some(_), '"') => words.extend(word.take()),
            // The second of two means itself.
            (Some(word), '\\' | '%') => word.extend(chars.next()),
            (Some(word), _) => word.push(c),
        }
    }
    words
}

/// Where the unit belongs.
pub(super) fn file() -> Result<PathBuf, Failure> {
    let units = environment::systemd_units().ok_or_else(|| {
        Failure::new(Exit::BadInput, anyhow::anyhow!("no home directory is known"))
            .hint("set HOME, and run this again")
    })?;
    Ok(units.join(UNIT))
}

/// Whether systemd would run the program: it takes no quotes and backslashes in its path, however they
/// are written.
pub(super) fn check_plan(plan: &Plan) -> Result<(), Failure> {
    if !plan.program.contains(['"', '\'', '\\']) {
        return Ok(());
    }
    let error = anyhow::anyhow!("systemd runs no program with a quote or backslash in its path");
    Err(Failure::new(Exit::BadInput, error)
        .detail(format!("this one is {}", plan.program))
        .hint("move it elsewhere; nothing was changed"))
}

/// Whether a unit in the place of ours is a link to nothing, which is how systemd is told never to start it.
pub(super) fn is_masked(file: &Path) -> bool {
    fs::canonicalize(file).is_ok_and(|target| target == Path::new("/dev/null"))
}

/// Refuses to go against a person who has masked the unit.
pub(super) fn check_unmasked(file: &Path) -> Result<(), Failure> {
    if !is_masked(file) {
        return Ok(());
    }
    let error =
        anyhow::anyhow!("the service is masked: somebody has forbidden systemd to start it");
    Err(Failure::new(Exit::BadInput, error)
        .detail(format!("{} leads to /dev/null", file.display()))
        .hint("allow it with: systemctl --user unmask handraise; then run this again")
        .nothing_changed())
}

/// Whether there is a manager, and whether it would find the unit.
pub(super) fn check(file: &Path) -> Result<(), Failure> {
    let places = systemctl(&["show", "--property=UnitPath", "--value"]).map_err(|said| {
        let error = anyhow::anyhow!("no systemd runs for your account here");
        Failure::new(Exit::BadInput, error).detail(said).hint(without_manager()).nothing_changed()
    })?;
    let directory = file.parent().unwrap_or(file).display().to_string();
    // With spaces in it, it is more than one word there.
    if !places.contains(&directory) {
        let error = anyhow::anyhow!("systemd does not look for units in {directory}");
        return Err(Failure::new(Exit::BadInput, error)
            .hint("XDG_CONFIG_HOME is another one here than where systemd was started"));
    }
    Ok(())
}

/// What to do where no manager answers.
fn without_manager() -> String {
    const OTHERWISE: &str = "run `handraise serve`, or let hooks start the hub: autostart = true under \
                             [hub] in config.toml";
    if !Path::new("/run/systemd/system").is_dir() {
        return format!("this system, perhaps a container, is not run by systemd: {OTHERWISE}");
    }
    // Where it is for everybody who has logged in.
    let usual = format!("/run/user/{}", rustix::process::getuid().as_raw());
    let runs = Path::new(&usual).join("systemd/private").exists();
    if runs && environment::variable("XDG_RUNTIME_DIR").is_none_or(|here| here != usual) {
        return format!(
            "it runs, but this shell does not know where: export XDG_RUNTIME_DIR={usual}, and run this \
             again"
        );
    }
    let user = environment::user().unwrap_or_default();
    format!(
        "log in to the account itself, not by su, sudo or cron; or have its systemd run without a login: \
         sudo loginctl enable-linger {user}. Else {OTHERWISE}"
    )
}

/// Takes note of a unit that was written, or is gone.
pub(super) fn reload() -> Result<(), String> {
    systemctl(&["daemon-reload"]).map(drop)
}

/// Starts it anew, and with every login.
pub(super) fn start_for_good() -> Result<(), String> {
    systemctl(&["enable", "--quiet", UNIT])?;
    systemctl(&["stop", UNIT])?;
    // How often it has ended is counted anew, so that the end of this one is seen. Where there is nothing
    // to count it fails.
    let _ = systemctl(&["reset-failed", UNIT]);
    systemctl(&["start", UNIT]).map(drop)
}

/// Starts it if it does not run, and does not wait.
pub(super) fn start() -> Result<(), String> {
    systemctl(&["start", "--no-block", UNIT]).map(drop)
}

/// Stops it, for good.
pub(super) fn stop_for_good() -> Result<(), String> {
    systemctl(&["disable", "--quiet", UNIT])?;
    match systemctl(&["stop", UNIT]) {
        // A unit that cannot be loaded cannot be stopped either.
        Err(why) if activity().is_ok_and(|activity| activity.pid.is_some()) => Err(why),
        Ok(_) | Err(_) => Ok(()),
    }
}

/// How it is.
pub(super) fn activity() -> Result<Activity, String> {
    let names = "--property=ActiveState,SubState,UnitFileState,MainPID,NRestarts";
    let said = systemctl(&["show", names, UNIT])?;
    let value = |name: &str| {
        let lines = said.lines().filter_map(|line| line.split_once('='));
        lines.into_iter().find_map(|(found, value)| (found == name).then_some(value))
    };
    let state = value("ActiveState").unwrap_or("unknown");
    let waits = value("SubState").is_some_and(|state| state.starts_with("auto-restart"));
    let again = value("NRestarts").is_some_and(|count| count != "0");
    Ok(Activity {
        enabled: value("UnitFileState") == Some("enabled"),
        state: state.to_owned(),
        has_ended: waits || again || state == "failed",
        pid: value("MainPID").and_then(|pid| pid.parse().ok()).filter(|pid| *pid != 0),
    })
}

/// Whether a person's units go on when they are logged out.
pub(super) fn lingers() -> bool {
    environment::user().is_some_and(|user| Path::new("/var/lib/systemd/linger").join(user).exists())
}

fn systemctl(args: &[&str]) -> Result<String, String> {
    ask("systemctl", &[&["--user", "--no-pager", "--no-ask-password"], args].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_unit_runs_is_read_back_from_it() {
        let plan = Plan {
            program: "/opt/my tools/50% $HOME/hand;raise".into(),
            home: "/home/\"änn\"/%h :\\data".into(),
            path: "/usr/bin:/opt/a b/%n".into(),
        };
        let text = text(&plan);
        assert_eq!(read(&text), Some(plan));
        assert!(text.contains(r#"/50%% $HOME/hand;raise" "--data" "/home/\"änn\"/%%h :\\data""#));
    }

    #[test]
    fn a_unit_of_somebody_elses_is_not_ours() {
        assert_eq!(read("[Service]\nExecStart=\"/x\" \"--data\" \"/y\" \"serve\"\n"), None);
        assert_eq!(read(MARK), None);
        assert_eq!(read(&format!("{MARK}\nExecStart=\nEnvironment=\"\\")), None);
    }
}
