//! The environment, read in one place and passed on as values.

#![expect(clippy::disallowed_methods, reason = "this is the edge where it is read")]

use std::ffi::OsStr;
use std::path::PathBuf;

use handraise_terminal::ColorHints;
use jiff::Timestamp;
use jiff::tz::TimeZone;

/// What the environment says of the terminal's colours.
pub(crate) fn color_hints() -> ColorHints {
    let var = |name| std::env::var(name).ok();
    ColorHints {
        no_color: var("NO_COLOR"),
        colorterm: var("COLORTERM"),
        term: var("TERM"),
        colorfgbg: var("COLORFGBG"),
    }
}

/// The time now.
pub(crate) fn time() -> Timestamp {
    Timestamp::now()
}

/// The person's time zone; UTC where nothing says which.
pub(crate) fn zone() -> TimeZone {
    TimeZone::system()
}

/// Where a hub's home is when nobody says otherwise.
pub(crate) fn home() -> Option<PathBuf> {
    path("HANDRAISE_HOME").or_else(platform_home)
}

/// The agent whose token is to be used.
pub(crate) fn agent() -> Option<String> {
    let name = std::env::var_os("HANDRAISE_AGENT").filter(|value| !value.is_empty());
    // What is not text is no name either, and is refused as one.
    name.map(|name| name.to_string_lossy().into_owned())
}

/// Where a hub's home is when nothing at all says otherwise.
pub(crate) fn platform_home() -> Option<PathBuf> {
    let data = if cfg!(target_os = "macos") {
        path("HOME").map(|home| home.join("Library/Application Support"))
    } else {
        // A relative path there is to be passed over, says the specification.
        let xdg = path("XDG_DATA_HOME").filter(|path| path.is_absolute());
        xdg.or_else(|| path("HOME").map(|home| home.join(".local/share")))
    };
    data.map(|data| data.join("handraise"))
}

fn path(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// Where Claude Code keeps a person's settings.
pub(crate) fn claude_directory() -> Option<PathBuf> {
    path("CLAUDE_CONFIG_DIR").or_else(|| path("HOME").map(|home| home.join(".claude")))
}

/// Where systemd looks for a person's own units.
pub(crate) fn systemd_units() -> Option<PathBuf> {
    let xdg = path("XDG_CONFIG_HOME").filter(|path| path.is_absolute());
    let config = xdg.or_else(|| path("HOME").map(|home| home.join(".config")));
    config.map(|config| config.join("systemd/user"))
}

/// Where launchd looks for a person's own agents.
pub(crate) fn launch_agents() -> Option<PathBuf> {
    path("HOME").map(|home| home.join("Library/LaunchAgents"))
}

/// Where a shell looks for programs: the absolute places of it.
pub(crate) fn search_path() -> Vec<PathBuf> {
    let directories = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&directories).filter(|directory| directory.is_absolute()).collect()
}

/// Where Codex keeps a person's settings.
pub(crate) fn codex_directory() -> Option<PathBuf> {
    path("CODEX_HOME").or_else(|| path("HOME").map(|home| home.join(".codex")))
}

/// Where opencode keeps a person's settings, also on a Mac.
pub(crate) fn opencode_directory() -> Option<PathBuf> {
    let config = path("XDG_CONFIG_HOME").or_else(|| path("HOME").map(|home| home.join(".config")));
    config.map(|config| config.join("opencode"))
}

/// Where Gemini CLI keeps a person's settings.
pub(crate) fn gemini_directory() -> Option<PathBuf> {
    path("GEMINI_CLI_HOME").or_else(|| path("HOME")).map(|home| home.join(".gemini"))
}

/// Where Qwen Code keeps a person's settings.
pub(crate) fn qwen_directory() -> Option<PathBuf> {
    path("HOME").map(|home| home.join(".qwen"))
}

/// Where Panopticon keeps what it knows of its agents.
pub(crate) fn panopticon_agents() -> Option<PathBuf> {
    path("HOME").map(|home| home.join(".panopticon/agents"))
}

/// Where a shell would find a program of this name.
pub(crate) fn found_by_shell(name: &OsStr) -> Option<PathBuf> {
    let directories = std::env::var_os("PATH")?;
    std::env::split_paths(&directories).map(|directory| directory.join(name)).find(|p| p.is_file())
}

/// The name of whoever runs this.
pub(crate) fn user() -> Option<String> {
    let said = ["USER", "LOGNAME"].into_iter().find_map(|name| std::env::var(name).ok());
    said.filter(|name| !name.is_empty()).or_else(account)
}

/// The name of this account, where it is in the usual file.
fn account() -> Option<String> {
    let accounts = std::fs::read_to_string("/etc/passwd").ok()?;
    let id = rustix::process::getuid().as_raw().to_string();
    let mut accounts = accounts.lines().map(|line| line.split(':').collect::<Vec<_>>());
    accounts.find(|fields| fields.get(2) == Some(&id.as_str())).map(|fields| fields[0].to_owned())
}

/// How much to log: `HANDRAISE_LOG`, in the form of `RUST_LOG`.
pub(crate) fn log_filter() -> Option<String> {
    std::env::var("HANDRAISE_LOG").ok()
}

/// Whether an environment variable is set to anything.
pub(crate) fn is_set(name: &str) -> bool {
    std::env::var_os(name).is_some_and(|value| !value.is_empty())
}

/// What an environment variable is set to.
pub(crate) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// All of it, for a process that is to have the same.
pub(crate) fn all() -> Vec<(String, String)> {
    let text = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
        Some((name.into_string().ok()?, value.into_string().ok()?))
    };
    std::env::vars_os().filter_map(text).collect()
}

/// What of it a hub is to have that this process starts by itself: what a login would give it, and nothing
/// of the agent that happens to be behind this.
pub(crate) fn for_a_hub() -> Vec<(std::ffi::OsString, std::ffi::OsString)> {
    const OURS: [&str; 18] = [
        "DBUS_SESSION_BUS_ADDRESS",
        "DISPLAY",
        "HANDRAISE_LOG",
        "HOME",
        "LANG",
        "LOGNAME",
        "PATH",
        "SHELL",
        "SSH_AUTH_SOCK",
        "TMPDIR",
        "TMUX_TMPDIR",
        "TZ",
        "USER",
        "WAYLAND_DISPLAY",
        "XAUTHORITY",
        "XDG_CONFIG_HOME",
        "XDG_DATA_HOME",
        "XDG_RUNTIME_DIR",
    ];
    let is_ours = |name: &std::ffi::OsString| {
        name.to_str().is_some_and(|name| OURS.contains(&name) || name.starts_with("LC_"))
    };
    std::env::vars_os().filter(|(name, _)| is_ours(name)).collect()
}

/// This program itself.
pub(crate) fn this_program() -> std::io::Result<PathBuf> {
    std::env::current_exe()
}

/// The directory this was started in.
pub(crate) fn directory() -> Option<String> {
    std::env::current_dir().ok().map(|path| path.display().to_string())
}

/// The name of this machine.
pub(crate) fn host() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

/// The process of the Claude Code that runs this hook.
pub(crate) fn claude_process() -> Option<u32> {
    std::env::var("CLAUDE_PID").ok()?.parse().ok()
}

/// Whether the Claude Code that runs this hook is itself run by a program: then it shows no dialogs.
pub(crate) fn is_run_by_a_program() -> bool {
    std::env::var("CLAUDE_CODE_ENTRYPOINT").is_ok_and(|entry| entry.starts_with("sdk"))
}

/// The address of the session bus, if there is one. Where it usually is but nobody says so, it is not
/// looked for: whoever has no environment has no desktop.
pub(crate) fn session_bus() -> Option<String> {
    let usual = || {
        let socket = path("XDG_RUNTIME_DIR")?.join("bus");
        socket.exists().then(|| format!("unix:path={}", socket.display()))
    };
    variable("DBUS_SESSION_BUS_ADDRESS").or_else(usual)
}

/// Whether a browser that is opened here would be seen by whoever sits at this terminal.
pub(crate) fn has_display() -> bool {
    let remote = ["SSH_CONNECTION", "SSH_TTY"].into_iter().any(is_set);
    let display = ["DISPLAY", "WAYLAND_DISPLAY"].into_iter().any(is_set);
    !remote && (display || cfg!(target_os = "macos"))
}

/// The time now, in whole seconds.
pub(crate) fn seconds() -> i64 {
    time().as_second()
}

/// Where tmux keeps its sockets.
pub(crate) fn tmux_directory() -> PathBuf {
    let above = path("TMUX_TMPDIR").unwrap_or_else(|| "/tmp".into());
    above.join(format!("tmux-{}", rustix::process::getuid().as_raw()))
}
