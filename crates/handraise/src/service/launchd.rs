//! launchd: a person's own agent, on a Mac.

use std::path::{Path, PathBuf};

use super::manager::{Activity, ask};
use super::plan::Plan;
use crate::environment;
use crate::failure::{Exit, Failure};

const LABEL: &str = "handraise.hub";
/// By this a file of ours is known.
const MARK: &str = "<!-- Written by `handraise service install`";

/// The agent as it is written. It keeps its own log in the home, because launchd lets one grow for ever.
/// `AbandonProcessGroup` and `ProcessType`: agents that are started from the dashboard go on without
/// it, and are not held back.
pub(super) fn text(plan: &Plan) -> String {
    let words: Vec<_> =
        plan.words(&["serve", "--log-to-home", "--watch"]).into_iter().map(string).collect();
    format!(
        r#"<?xml version="1.0" encoding="UTF-8"?>
{MARK}, which replaces it whole the next time. -->
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>{LABEL}</string>
  <key>ProgramArguments</key>
  <array>
    {words}
  </array>
  <key>EnvironmentVariables</key>
  <dict>
    <key>PATH</key>
    {path}
  </dict>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <true/>
  <key>ThrottleInterval</key>
  <integer>2</integer>
  <key>ExitTimeOut</key>
  <integer>20</integer>
  <key>AbandonProcessGroup</key>
  <true/>
  <key>ProcessType</key>
  <string>Interactive</string>
</dict>
</plist>
"#,
        words = words.join("\n    "),
        path = string(&plan.path),
    )
}

/// What a file of ours runs; nothing when it is not ours.
pub(super) fn read(text: &str) -> Option<Plan> {
    if !text.contains(MARK) {
        return None;
    }
    let between = |from: &str, to: &str| Some(text.split_once(from)?.1.split_once(to)?.0);
    let words = strings(between("<array>", "</array>")?);
    let path = strings(between("<key>PATH</key>", "</dict>")?);
    Plan::read(&words, path.first()?)
}

fn string(word: &str) -> String {
    let word = word.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    format!("<string>{word}</string>")
}

fn strings(xml: &str) -> Vec<String> {
    let parts = xml.split("<string>").skip(1);
    let parts = parts.filter_map(|part| Some(part.split_once("</string>")?.0));
    let plain = |text: &str| text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    parts.map(plain).collect()
}

/// Where the file belongs.
pub(super) fn file() -> Result<PathBuf, Failure> {
    let agents = environment::launch_agents().ok_or_else(|| {
        Failure::new(Exit::BadInput, anyhow::anyhow!("no home directory is known"))
            .hint("set HOME, and run this again")
    })?;
    Ok(agents.join(format!("{LABEL}.plist")))
}

/// Whether there is somebody to run it.
pub(super) fn check() -> Result<(), Failure> {
    ask("launchctl", &["print", &domain()]).map(drop).map_err(|said| {
        let error = anyhow::anyhow!("no launchd runs for your account here");
        Failure::new(Exit::BadInput, error)
            .detail(said)
            .hint("log in at the screen of this Mac once, and run this again")
    })
}

/// Starts it anew, and with every login.
pub(super) fn start_for_good(file: &Path) -> Result<(), String> {
    // It may not be there yet.
    let _ = ask("launchctl", &["bootout", &target()]);
    ask("launchctl", &["enable", &target()])?;
    ask("launchctl", &["bootstrap", &domain(), &file.display().to_string()]).map(drop)
}

/// Starts it if it does not run.
pub(super) fn start() -> Result<(), String> {
    ask("launchctl", &["kickstart", &target()]).map(drop)
}

/// Stops it, for good.
pub(super) fn stop_for_good() -> Result<(), String> {
    if activity().is_err() {
        return Ok(());
    }
    ask("launchctl", &["bootout", &target()]).map(drop)
}

/// How it is.
pub(super) fn activity() -> Result<Activity, String> {
    let said = ask("launchctl", &["print", &target()])?;
    let value = |name: &str| {
        let mut lines = said.lines().filter_map(|line| line.trim().split_once(" = "));
        lines.find_map(|(found, value)| (found == name).then(|| value.to_owned()))
    };
    let pid = value("pid").and_then(|pid| pid.parse().ok());
    // Of one that has never ended it says so in words.
    let ended = value("last exit code").is_some_and(|code| code.parse::<i32>().is_ok());
    Ok(Activity {
        enabled: true,
        state: value("state").unwrap_or_else(|| "unknown".into()),
        pid,
        has_ended: ended && pid.is_none(),
    })
}

pub(super) fn domain() -> String {
    format!("gui/{}", rustix::process::getuid().as_raw())
}

pub(super) fn target() -> String {
    format!("{}/{LABEL}", domain())
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::process::{Command, Stdio};

    use super::*;

    fn plan() -> Plan {
        Plan {
            program: "/Applications/my <tools> & more/hand--raise \"x\"".into(),
            home: "/Users/änn/Library/Application Support/handraise &amp;".into(),
            path: "/usr/bin:/opt/<a>".into(),
        }
    }

    #[test]
    fn what_a_file_runs_is_read_back_from_it() {
        assert_eq!(read(&text(&plan())), Some(plan()));
        assert_eq!(read(&text(&plan()).replace("Written by", "Thanks to")), None);
        assert_eq!(read(MARK), None);
    }

    /// There is no Mac here, but Python reads such files on every system.
    #[test]
    fn another_reader_of_such_files_reads_the_same() {
        let script = "import json, plistlib, sys; \
                      print(json.dumps(plistlib.loads(sys.stdin.buffer.read())))";
        let mut python = Command::new("python3")
            .args(["-c", script])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("Python 3 is installed");
        python.stdin.take().unwrap().write_all(text(&plan()).as_bytes()).unwrap();
        let read = python.wait_with_output().unwrap().stdout;
        let read: serde_json::Value = serde_json::from_slice(&read).unwrap();
        let Plan { program, home, path } = plan();
        let words =
            serde_json::json!([program, "--data", home, "serve", "--log-to-home", "--watch"]);
        assert_eq!(read["ProgramArguments"], words);
        assert_eq!(read["EnvironmentVariables"]["PATH"], path.as_str());
        assert_eq!((&read["Label"], &read["KeepAlive"]), (&LABEL.into(), &true.into()));
    }
}
