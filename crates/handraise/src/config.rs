//! `config.toml`: everything has a default, and what it does not know it refuses.

use std::io;
use std::net::{Ipv6Addr, SocketAddr};
use std::num::{NonZeroU16, NonZeroU32, NonZeroUsize};
use std::path::PathBuf;
use std::time::Duration;

use handraise_agent_claude::hook::Switches;
use handraise_broker::PolicyCaps;
use handraise_client::Home;
use handraise_notify::Text;
use handraise_notify::terminal::Sequence;
use serde::Deserialize;

use crate::cli::Approvals;
use crate::duration::duration;
use crate::failure::{Exit, Failure};

const LONGEST_NAME: usize = 64;

/// What the configuration says.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Config {
    /// The name under which the owner of this hub answers; the account's name when absent.
    pub(crate) person: Option<String>,
    /// Where to listen.
    pub(crate) listen: Option<SocketAddr>,
    /// Names beside the loopback ones under which the hub may be reached.
    pub(crate) allow_hosts: Vec<String>,
    /// Origins beside its own from which pages may call the hub.
    pub(crate) allow_origins: Vec<String>,
    /// How far an agent's own wishes go.
    pub(crate) policy: PolicyCaps,
    pub(crate) limits: LimitsConfig,
    pub(crate) retention: Retention,
    pub(crate) hub: Hub,
    pub(crate) claude: Claude,
    pub(crate) run: Run,
    pub(crate) notify: Notify,
    pub(crate) watch: Watch,
}

/// How a person is tapped on the shoulder.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Notify {
    /// On the desktop; when absent, wherever there is one.
    pub(crate) desktop: Option<bool>,
    /// In the terminal in which the hub or an inbox runs; when absent, an inbox rings its bell.
    pub(crate) terminal: Option<Ring>,
    /// A program to run, with what happened on its standard input.
    pub(crate) command: Option<Vec<String>>,
    /// How much is said.
    pub(crate) text: Text,
    /// After how long an ask that still waits is shown once more.
    pub(crate) remind_after: Option<Wait>,
}

/// How a terminal is rung.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Ring {
    Off,
    Bell,
    Osc9,
    Osc777,
    Osc99,
}

impl Ring {
    pub(crate) fn sequence(self) -> Option<Sequence> {
        match self {
            Self::Off => None,
            Self::Bell => Some(Sequence::Bell),
            Self::Osc9 => Some(Sequence::Osc9),
            Self::Osc777 => Some(Sequence::Osc777),
            Self::Osc99 => Some(Sequence::Osc99),
        }
    }
}

/// How long, as people write it.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct Wait(pub(crate) Duration);

impl TryFrom<String> for Wait {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        duration(&text).map(Self)
    }
}

/// Sessions of Claude Code that the hub itself watches, hooks or not.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Watch {
    /// Whether it does; when absent, a hub of the service does, and any other does not.
    pub(crate) enabled: Option<bool>,
    /// Claude Code's configuration directory; when absent, `$CLAUDE_CONFIG_DIR`, else `~/.claude`.
    pub(crate) claude: Option<PathBuf>,
}

/// The hub itself.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Hub {
    /// Whether whoever needs a hub and finds none starts one.
    pub(crate) autostart: bool,
}

/// How agents are run under the hub.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Run {
    /// Who is asked before a tool is used. When absent, the preset of a run decides, else you are asked.
    pub(crate) approvals: Option<Approvals>,
    /// Where a person may start one from the dashboard; below these, too.
    pub(crate) start_in: Vec<PathBuf>,
    /// What is started then.
    pub(crate) command: Vec<String>,
}

impl Default for Run {
    fn default() -> Self {
        Self { approvals: None, start_in: vec![], command: vec!["claude".into()] }
    }
}

/// What of Claude Code's dialogs goes to the hub.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Claude {
    /// Its questions.
    pub(crate) questions: bool,
    /// Its plans, to be approved.
    pub(crate) plans: bool,
    /// Its tool calls that need approval.
    pub(crate) tools: bool,
}

impl Default for Claude {
    fn default() -> Self {
        let Switches { questions, plans, tools } = Switches::default();
        Self { questions, plans, tools }
    }
}

impl From<Claude> for Switches {
    fn from(claude: Claude) -> Self {
        let Claude { questions, plans, tools } = claude;
        Self { questions, plans, tools }
    }
}

/// How much the hub takes at once. A limit of nothing would let nobody in, the owner least of all.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct LimitsConfig {
    /// Asks that may be open at once.
    pub(crate) open_asks: usize,
    /// Requests a second for each token.
    pub(crate) requests_per_second: NonZeroU32,
    /// Connections at once.
    pub(crate) connections: NonZeroUsize,
    /// How many seconds a connection may say nothing, or take over one request.
    pub(crate) patience_seconds: NonZeroU16,
}

impl Default for LimitsConfig {
    fn default() -> Self {
        let limits = handraise_server::Limits::default();
        Self {
            open_asks: handraise_broker::Settings::default().most_open,
            requests_per_second: NonZeroU32::new(limits.requests_per_second)
                .unwrap_or(NonZeroU32::MIN),
            connections: NonZeroUsize::new(limits.connections).unwrap_or(NonZeroUsize::MIN),
            patience_seconds: u16::try_from(limits.patience.as_secs())
                .ok()
                .and_then(NonZeroU16::new)
                .unwrap_or(NonZeroU16::MIN),
        }
    }
}

/// How long what has ended is kept.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Retention {
    /// For so many days; for ever when absent.
    pub(crate) days: Option<u32>,
}

impl Config {
    pub(crate) fn read(home: &Home) -> Result<Self, Failure> {
        let path = home.config();
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => {
                let error =
                    anyhow::Error::new(error).context(format!("cannot read {}", path.display()));
                return Err(Failure::new(Exit::BadInput, error));
            }
        };
        let problem = || {
            let problem = anyhow::anyhow!("{} cannot be understood", path.display());
            Failure::new(Exit::BadInput, problem)
        };
        let config: Self = toml::from_str(&text).map_err(|error| {
            error.to_string().trim_end().lines().fold(problem(), Failure::detail)
        })?;
        match config.mistake() {
            None => Ok(config),
            Some(mistake) => Err(problem().detail(mistake)),
        }
    }

    /// What is of the right type and still makes no sense.
    fn mistake(&self) -> Option<String> {
        if let Some(person) = &self.person
            && (person.trim().is_empty()
                || person.chars().count() > LONGEST_NAME
                || person.chars().any(char::is_control))
        {
            return Some(format!(
                "person: write a name of 1–{LONGEST_NAME} characters, without control characters"
            ));
        }
        if let Some(path) = self.run.start_in.iter().find(|path| !path.is_absolute()) {
            return Some(format!("run.start_in: `{}` is no absolute path", path.display()));
        }
        if let Some(path) = self.watch.claude.as_ref().filter(|path| !path.is_absolute()) {
            return Some(format!("watch.claude: `{}` is no absolute path", path.display()));
        }
        if self.run.command.is_empty() {
            return Some("run.command: write the program to start, e.g. [\"claude\"]".into());
        }
        if self
            .notify
            .command
            .as_ref()
            .is_some_and(|words| words.first().is_none_or(String::is_empty))
        {
            return Some("notify.command: write the program to run, e.g. [\"notify-me\"]".into());
        }
        let PolicyCaps { min_deadline_seconds: min, max_deadline_seconds: max, .. } = self.policy;
        if max.is_some_and(|max| max < min.max(1)) {
            return Some("policy: max_deadline_seconds is below min_deadline_seconds, or 0".into());
        }
        if let Some(host) = self.allow_hosts.iter().find(|host| !is_host(host)) {
            return Some(format!(
                "allow_hosts: `{host}` is no name; write it as example.com or example.com:8443"
            ));
        }
        let is_origin = |text: &str| {
            let host = text.strip_prefix("http://").or_else(|| text.strip_prefix("https://"));
            host.is_some_and(is_host)
        };
        let wrong = self.allow_origins.iter().find(|origin| !is_origin(origin));
        wrong.map(|origin| {
            format!("allow_origins: `{origin}` is no origin; write it as https://example.com:8443")
        })
    }
}

/// Whether it is a name or an address, perhaps with a port.
fn is_host(text: &str) -> bool {
    let (name, port) = match text.rsplit_once(':') {
        Some((name, port)) if !text.ends_with(']') => (name, Some(port)),
        _ => (text, None),
    };
    let address = name.strip_prefix('[').and_then(|name| name.strip_suffix(']'));
    let is_name = match address {
        Some(address) => address.parse::<Ipv6Addr>().is_ok(),
        None => !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "-._".contains(c)),
    };
    is_name && port.is_none_or(|port| port.parse::<u16>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_origins_make_sense() {
        let mistake = |text: &str| toml::from_str::<Config>(text).unwrap().mistake();
        for right in [
            "person = 'Ann'",
            "allow_origins = ['http://localhost:5173', 'https://a.example']",
            "allow_hosts = ['a.example', 'a.example:8443', '[::1]:80', '[::1]', '10.0.0.1']",
            "policy = { min_deadline_seconds = 5, max_deadline_seconds = 5 }",
            "notify = { desktop = false, terminal = 'osc777', command = ['a'], remind_after = '15m' }",
        ] {
            assert_eq!(mistake(right), None, "{right}");
        }
        for (wrong, field) in [
            ("person = ' '", "person"),
            ("person = \"a\\u001bb\"", "person"),
            ("allow_origins = ['*']", "allow_origins"),
            ("allow_origins = ['localhost:5173']", "allow_origins"),
            ("allow_origins = ['http://localhost:5173/']", "allow_origins"),
            ("allow_origins = ['http://:80']", "allow_origins"),
            ("allow_hosts = ['']", "allow_hosts"),
            ("allow_hosts = ['*']", "allow_hosts"),
            ("allow_hosts = ['http://a.example']", "allow_hosts"),
            ("watch = { claude = '~/.claude' }", "watch.claude"),
            ("notify = { command = [] }", "notify.command"),
            ("notify = { command = [''] }", "notify.command"),
            ("policy = { max_deadline_seconds = 0, min_deadline_seconds = 0 }", "policy"),
            ("policy = { min_deadline_seconds = 9, max_deadline_seconds = 5 }", "policy"),
        ] {
            assert!(mistake(wrong).unwrap().starts_with(field), "{wrong}");
        }
    }

    #[test]
    fn what_notifications_cannot_be_is_named() {
        for (wrong, said) in [
            ("remind_after = 'soon'", "write it as 90s, 5m, 1h30m or 2d"),
            ("terminal = 'loud'", "`off`, `bell`, `osc9`, `osc777`, `osc99`"),
            ("text = 'all'", "`full` or `project`"),
            ("desktop = 'yes'", "expected a boolean"),
            ("deskop = true", "unknown field `deskop`"),
        ] {
            let error = toml::from_str::<Config>(&format!("[notify]\n{wrong}")).unwrap_err();
            assert!(error.to_string().contains(said), "{error}");
        }
    }

    #[test]
    fn the_documented_configuration_is_understood() {
        let page = include_str!("../../../docs/configuration.md");
        let (_, rest) = page.split_once("```toml").unwrap();
        let (example, _) = rest.split_once("```").unwrap();
        assert_eq!(toml::from_str::<Config>(example).unwrap().mistake(), None);
    }

    #[test]
    fn a_limit_of_nothing_is_refused() {
        for limit in ["requests_per_second", "connections", "patience_seconds"] {
            let read = |value| toml::from_str::<Config>(&format!("[limits]\n{limit} = {value}"));
            assert!(read(1).is_ok(), "{limit}");
            assert!(read(0).is_err(), "{limit}");
        }
    }
}
