//! A desktop nobody sees: an X server without a screen, a bus of its own, and Debian's notification
//! daemon (dunst), which is as real as any.

#![expect(clippy::missing_panics_doc, reason = "a panic here is a failed test, with its reason")]
#![expect(clippy::expect_used, reason = "a panic here is a failed test, with its reason")]

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use tempfile::TempDir;

use crate::{PATIENCE, Program};

/// Nobody else's services are started on it, and nobody else's bus is asked.
const BUS: &str = r#"<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:dir=DIRECTORY</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
"#;

const DUNST: &str = "[global]
    font = DejaVu Sans 11
    width = (320, 440)
    height = 200
    offset = 24x24
    origin = top-right
    icon_position = off
    padding = 12
    horizontal_padding = 14
    frame_width = 1
    history_length = 1000
    notification_limit = 0
    show_indicators = no
    frame_color = \"#4b5563\"
[urgency_normal]
    background = \"#20242b\"
    foreground = \"#e5e7eb\"
";

/// A desktop with notifications. Everything ends with it.
#[derive(Debug)]
pub struct Desktop {
    directory: TempDir,
    display: String,
    address: String,
    daemon: Option<Program>,
    _screen: Program,
    _bus: Program,
}

/// What a notification says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// Its title.
    pub title: String,
    /// Its body, as it came: with markup.
    pub body: String,
}

/// What was said on the bus to the notification daemon.
#[derive(Debug)]
pub struct Overheard(Program);

impl Overheard {
    /// Waits until this was said.
    pub fn wait(&self, text: &str) {
        let start = Instant::now();
        while !self.0.stdout().contains(text) {
            assert!(start.elapsed() < PATIENCE, "no {text}: {}", self.0.stdout());
            thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Desktop {
    /// Starts one.
    #[must_use]
    pub fn start() -> Self {
        let desktop = Self::without_daemon();
        desktop.with_daemon()
    }

    /// Starts one on which nobody shows notifications yet.
    #[must_use]
    pub fn without_daemon() -> Self {
        let directory = tempfile::tempdir().expect("a place for the desktop");
        let home = directory.path();
        let screen = Program::spawn(
            Program::command("Xvfb", home).args([
                "-displayfd",
                "1",
                "-screen",
                "0",
                "640x240x24",
                "-nolisten",
                "tcp",
            ]),
            "",
        );
        let display = format!(":{}", screen.first_line().expect("Xvfb names its display"));
        let settings = home.join("bus.conf");
        let text = BUS.replace("DIRECTORY", &home.display().to_string());
        fs::write(&settings, text).expect("settings can be written");
        let bus = Program::spawn(
            Program::command("dbus-daemon", home)
                .args(["--nofork", "--print-address=1", "--config-file"])
                .arg(settings),
            "",
        );
        let address = bus.first_line().expect("the bus names its address");
        Self { directory, display, address, daemon: None, _screen: screen, _bus: bus }
    }

    fn with_daemon(mut self) -> Self {
        self.start_daemon();
        self
    }

    /// The address of its bus.
    #[must_use]
    pub fn bus(&self) -> &str {
        &self.address
    }

    /// Starts the notification daemon, and waits until it shows what it is sent.
    pub fn start_daemon(&mut self) {
        assert!(self.daemon.is_none(), "there is a daemon already");
        let settings = self.directory.path().join("dunstrc");
        fs::write(&settings, DUNST).expect("settings can be written");
        let mut dunst = self.command("dunst");
        dunst.arg("-config").arg(settings).arg("-print");
        self.daemon = Some(Program::spawn(&mut dunst, ""));
        let start = Instant::now();
        while self.ask("NotificationListHistory").is_none() {
            assert!(
                start.elapsed() < PATIENCE,
                "dunst does not answer: {}",
                self.daemon().stderr()
            );
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Ends the notification daemon without any warning (SIGKILL); what it showed is gone.
    pub fn kill_daemon(&mut self) {
        let _ = self.daemon.take().expect("there is a daemon").kill();
    }

    /// Follows what the daemon is told to show, from now on, whether it listens or not.
    #[must_use]
    pub fn overhear(&self) -> Overheard {
        let mut monitor = self.command("dbus-monitor");
        monitor.args(["--session", "interface='org.freedesktop.Notifications',member='Notify'"]);
        let overheard = Overheard(Program::spawn(&mut monitor, ""));
        // It gives up its own name when it becomes a monitor.
        overheard.wait("member=NameLost");
        overheard
    }

    /// Has the daemon hang, or go on.
    pub fn freeze_daemon(&self, frozen: bool) {
        self.daemon().signal(if frozen { Signal::STOP } else { Signal::CONT });
    }

    /// What is on the desktop: everything that came, as it was said last, without what is gone.
    #[must_use]
    pub fn shown(&self) -> Vec<Shown> {
        let gone = self.ask("NotificationListHistory").expect("dunst answers");
        let gone: HashSet<_> = numbers(&gone).collect();
        let came = came(&self.daemon().stdout());
        came.into_iter().filter(|(id, _)| !gone.contains(id)).map(|(_, shown)| shown).collect()
    }

    /// How often anything was shown, or shown anew.
    #[must_use]
    pub fn times_shown(&self) -> usize {
        self.daemon().stdout().matches("\n\tsummary: '").count()
    }

    /// Waits until the desktop is as described. It tells nobody when it changes, so it is asked.
    pub fn wait_until(&self, what: &str, holds: impl Fn(&[Shown]) -> bool) -> Vec<Shown> {
        let start = Instant::now();
        loop {
            let shown = self.shown();
            if holds(&shown) {
                return shown;
            }
            assert!(start.elapsed() < PATIENCE, "no {what}; the desktop: {shown:#?}");
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Waits until these bodies are there, in whatever order, and no others.
    #[expect(clippy::must_use_candidate, reason = "waiting is the point; the rest is a courtesy")]
    pub fn wait_bodies(&self, bodies: &[&str]) -> Vec<Shown> {
        self.wait_until(&format!("{bodies:?}"), |shown| {
            let mut found: Vec<_> = shown.iter().map(|shown| shown.body.as_str()).collect();
            let mut wanted = bodies.to_vec();
            found.sort_unstable();
            wanted.sort_unstable();
            found == wanted
        })
    }

    /// How many notifications are drawn on the screen, by the daemon's own word.
    #[must_use]
    pub fn drawn(&self) -> String {
        let count = self.command("dunstctl").args(["count", "displayed"]).output();
        let count = count.expect("dunstctl is installed");
        String::from_utf8_lossy(&count.stdout).trim().to_owned()
    }

    /// Waits until so many are drawn. What another one has taken the place of is not among what is gone.
    pub fn wait_drawn(&self, count: &str) {
        let start = Instant::now();
        while self.drawn() != count {
            assert!(start.elapsed() < PATIENCE, "{} are drawn, not {count}", self.drawn());
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Clicks on the last notification.
    pub fn click(&self) {
        self.tell(&["action", "0"]);
    }

    /// Closes the last notification, as a person does.
    pub fn dismiss(&self) {
        self.tell(&["close"]);
    }

    /// Takes a picture of what is on the screen, as soon as something is.
    pub fn picture(&self, file: &Path) {
        let start = Instant::now();
        loop {
            let raw = self.directory.path().join("screen.png");
            let imported = self.command("import").args(["-window", "root"]).arg(&raw).status();
            assert!(imported.expect("ImageMagick is installed").success(), "no picture");
            let mut convert = self.command("convert");
            convert.arg(&raw).args([
                "-trim",
                "+repage",
                "-bordercolor",
                "#14171c",
                "-border",
                "16",
            ]);
            convert.args(["-strip", "-format", "%k", "-write"]).arg(file).arg("info:");
            let taken = convert.output().expect("ImageMagick is installed");
            let colours = String::from_utf8_lossy(&taken.stdout).trim().parse::<u32>();
            // Letters have many shades.
            if colours.is_ok_and(|colours| colours > 10) {
                return;
            }
            let said = String::from_utf8_lossy(&taken.stderr);
            assert!(start.elapsed() < PATIENCE, "nothing is drawn on the screen: {said}");
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// The daemon's answer to one of its own methods, if it answers.
    fn ask(&self, method: &str) -> Option<String> {
        let mut ask = self.command("dbus-send");
        ask.args(["--session", "--print-reply", "--dest=org.freedesktop.Notifications"]);
        ask.arg("/org/freedesktop/Notifications").arg(format!("org.dunstproject.cmd0.{method}"));
        let answer = ask.output().expect("dbus-send is installed");
        answer.status.success().then(|| String::from_utf8_lossy(&answer.stdout).into_owned())
    }

    fn tell(&self, args: &[&str]) {
        let told = self.command("dunstctl").args(args).status();
        assert!(told.expect("dunstctl is installed").success(), "{args:?}");
    }

    fn daemon(&self) -> &Program {
        self.daemon.as_ref().expect("there is a daemon")
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Program::command(program, self.directory.path());
        command.env("DISPLAY", &self.display).env("DBUS_SESSION_BUS_ADDRESS", &self.address);
        command
    }
}

/// The numbers in what `dbus-send` prints of the history.
fn numbers(printed: &str) -> impl Iterator<Item = u32> {
    let lines: Vec<_> = printed.lines().map(str::trim).collect();
    let pairs: Vec<_> =
        lines.windows(2).map(|pair| (pair[0].to_owned(), pair[1].to_owned())).collect();
    let ids = pairs.into_iter().filter(|(name, _)| name == "string \"id\"");
    ids.filter_map(|(_, value)| value.rsplit(' ').next()?.parse().ok())
}

/// What dunst printed of each notification that came, the last word on each.
fn came(printed: &str) -> BTreeMap<u32, Shown> {
    let mut came = BTreeMap::new();
    let (mut title, mut body) = (String::new(), String::new());
    for line in printed.lines() {
        let value = |name: &str| line.strip_prefix(name);
        if let Some(text) = value("\tsummary: '") {
            text.trim_end_matches('\'').clone_into(&mut title);
        } else if let Some(text) = value("\tbody: '") {
            text.trim_end_matches('\'').clone_into(&mut body);
        } else if let Some(id) = value("\tid: ").and_then(|id| id.parse().ok()) {
            came.insert(id, Shown { title: title.clone(), body: body.clone() });
        }
    }
    came
}
