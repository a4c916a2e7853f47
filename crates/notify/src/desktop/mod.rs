//! Notifications on a desktop of the freedesktop kind.
//!
//! Nobody waits for it: it is told what is to be seen, and one task of its own brings the desktop
//! there, whenever that is possible. A daemon that hangs, dies or comes back holds up that task alone.

mod daemon;
mod mirror;

use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::board::{Notices, Topic};
use crate::memory;
use crate::way::{Tap, Way};
use crate::words::Words;
use daemon::{Bus, Signal, Skills};
use mirror::{Kept, Mirror, Step};

pub use daemon::Trouble;

/// After how long a daemon that does not answer is worth a word.
const SLOW: Duration = Duration::from_secs(10);
/// How long to wait before the bus is tried again: longer each time.
const FIRST_PAUSE: Duration = Duration::from_secs(5);
const LONGEST_PAUSE: Duration = Duration::from_mins(5);
/// How long a hub that stops waits for the desktop to be cleared.
const FAREWELL: Duration = Duration::from_secs(1);

/// How the desktop is reached.
#[derive(Debug, Clone)]
pub struct DesktopSettings {
    /// The address of the session bus.
    pub bus: String,
    /// Whether a person asked for it, who would miss it.
    pub wanted: bool,
    /// The dashboard's address; a click opens it. `None` when there is none.
    pub dashboard: Option<String>,
}

/// The desktop, as it is told what is to be seen.
pub(crate) struct Desktop {
    notices: watch::Sender<Notices>,
}

impl Desktop {
    /// Starts the task that speaks with the desktop. `file` is where it notes what it has shown.
    pub(crate) fn start(
        settings: DesktopSettings,
        file: PathBuf,
        stopping: CancellationToken,
    ) -> (Self, JoinHandle<()>) {
        let (notices, wanted) = watch::channel(Notices::default());
        let mirror = Mirror::from(memory::read::<Kept>(&file));
        let painter = Painter { settings, file, mirror, wanted, complained: false };
        (Self { notices }, tokio::spawn(painter.run(stopping)))
    }
}

impl Way for Desktop {
    fn happened(&mut self, _: &Tap<'_>) {}

    fn to_be_seen(&mut self, notices: &Notices) {
        self.notices.send_replace(notices.clone());
    }
}

struct Painter {
    settings: DesktopSettings,
    file: PathBuf,
    mirror: Mirror,
    wanted: watch::Receiver<Notices>,
    /// Whether it was said that the desktop cannot be reached.
    complained: bool,
}

/// Why the line to the bus is given up.
enum End {
    /// There is nothing to be seen, and nothing to be taken down.
    Idle,
    /// Nobody is left who could want something shown.
    Over,
    Lost(Trouble),
}

impl Painter {
    async fn run(mut self, stopping: CancellationToken) {
        tokio::select! {
            () = self.paint() => {}
            () = stopping.cancelled() => {}
        }
        // Without a hub nobody could answer what is shown. A desktop that is slow keeps it until then.
        let _ = timeout(FAREWELL, self.clear()).await;
    }

    async fn paint(&mut self) {
        // The first of it says what an earlier hub may have left.
        if self.wanted.changed().await.is_err() {
            return;
        }
        let mut pause = FIRST_PAUSE;
        loop {
            let wanted = self.wanted.borrow_and_update().clone();
            if self.mirror.next(&wanted).is_none() && self.mirror.is_blank() {
                // A line is kept only while something is on the desktop.
                if self.wanted.changed().await.is_err() {
                    return;
                }
                continue;
            }
            let end = match Bus::connect(&self.settings.bus).await {
                Ok(mut bus) => {
                    pause = FIRST_PAUSE;
                    self.work(&mut bus).await.unwrap_or_else(End::Lost)
                }
                Err(trouble) => End::Lost(trouble),
            };
            match end {
                End::Idle => {}
                End::Over => return,
                End::Lost(trouble) => {
                    self.complain(&trouble);
                    sleep(pause).await;
                    pause = (pause * 2).min(LONGEST_PAUSE);
                }
            }
        }
    }

    /// Brings the desktop to show what it should, for as long as there is anything on it.
    async fn work(&mut self, bus: &mut Bus) -> Result<End, Trouble> {
        let mut skills = self.meet(bus).await?;
        let mut has_died = false;
        loop {
            let wanted = self.wanted.borrow_and_update().clone();
            // One that has died is not called for the same again: that may be what it died of.
            if !has_died {
                match self.step(bus, &wanted, &mut skills).await {
                    Ok(true) => continue,
                    Ok(false) if self.mirror.is_blank() => return Ok(End::Idle),
                    Ok(false) => {}
                    // Until a daemon comes, or there is something else to say.
                    Err(trouble @ (Trouble::NoDaemon | Trouble::Other(_))) => {
                        self.complain(&trouble);
                    }
                    Err(trouble @ Trouble::NoBus(_)) => return Err(trouble),
                }
            }
            tokio::select! {
                changed = self.wanted.changed() => {
                    if changed.is_err() {
                        return Ok(End::Over);
                    }
                    has_died = false;
                }
                signal = bus.signals.recv() => match signal {
                    None => return Err(Trouble::NoBus("it has ended".into())),
                    Some(Signal::Closed(id)) => {
                        self.mirror.was_dismissed(id);
                        self.keep();
                    }
                    Some(Signal::Clicked(id)) => self.open(self.mirror.topic(id)),
                    Some(Signal::Owner(None)) => {
                        has_died = true;
                        skills = None;
                        self.mirror.meet(None);
                    }
                    Some(Signal::Owner(Some(_))) => {
                        has_died = false;
                        skills = self.meet(bus).await?;
                    }
                },
            }
        }
    }

    /// Gets to know the daemon that is there, if one is.
    async fn meet(&mut self, bus: &Bus) -> Result<Option<Skills>, Trouble> {
        let daemon = bus.daemon().await?;
        let is_there = daemon.is_some();
        self.mirror.meet(daemon);
        self.keep();
        Ok(if is_there { self.patiently(bus.skills()).await.ok() } else { None })
    }

    /// Does the next thing that is to be done; `false` when there is none.
    async fn step(
        &mut self,
        bus: &Bus,
        wanted: &Notices,
        skills: &mut Option<Skills>,
    ) -> Result<bool, Trouble> {
        let Some(step) = self.mirror.next(wanted) else { return Ok(false) };
        match step {
            Step::Close(topic, id) => {
                self.patiently(bus.close(id)).await?;
                self.mirror.is_closed(topic);
            }
            Step::Find(topic) => {
                let skills = self.skills(bus, skills).await?;
                if skills.tags {
                    let words = Words { title: "Handraise".into(), body: "It has ended.".into() };
                    let tag = self.tag(topic);
                    let show = bus.show(&words, None, Some(&tag), skills, false);
                    // It has a number again, by which it is taken down.
                    let id = self.patiently(show).await?;
                    self.patiently(bus.close(id)).await?;
                }
                self.mirror.is_given_up(topic);
            }
            Step::Show { topic, replaces, notice } => {
                let skills = self.skills(bus, skills).await?;
                if replaces.is_none() {
                    // Should this be the end, the next hub knows that it may be there.
                    self.mirror.is_called_for(topic);
                    self.keep();
                }
                let clickable = self.settings.dashboard.is_some();
                let tag = self.tag(topic);
                let show = bus.show(&notice.words, replaces, Some(&tag), skills, clickable);
                let id = self.patiently(show).await?;
                self.mirror.is_shown(topic, notice, id);
                self.complained = false;
            }
        }
        self.keep();
        Ok(true)
    }

    /// What the daemon can do; the bus starts one if there is none and it can.
    async fn skills(&mut self, bus: &Bus, known: &mut Option<Skills>) -> Result<Skills, Trouble> {
        if let Some(skills) = *known {
            return Ok(skills);
        }
        let found = self.patiently(bus.skills()).await?;
        self.mirror.meet(bus.daemon().await?);
        Ok(*known.insert(found))
    }

    /// By what a notification can be found whose number nobody knows: no other hub has the same.
    fn tag(&self, topic: Topic) -> String {
        let place = self.file.display();
        match topic {
            Topic::Ask(ask) => format!("{place} {ask}"),
            Topic::Many => format!("{place} many"),
        }
    }

    /// Waits for a daemon however long it takes, because what it does late must still be known here;
    /// and says so when it takes long.
    async fn patiently<T>(&mut self, call: impl Future<Output = T>) -> T {
        tokio::pin!(call);
        if let Ok(done) = timeout(SLOW, &mut call).await {
            return done;
        }
        self.complain(&Trouble::Other("nothing, for ten seconds".into()));
        call.await
    }

    /// Says what is wrong, once until it is well again.
    fn complain(&mut self, trouble: &Trouble) {
        if std::mem::replace(&mut self.complained, true) {
            return;
        }
        if self.settings.wanted {
            tracing::warn!(%trouble, "no notification on the desktop; it is tried again");
        } else {
            tracing::info!(%trouble, "no notification on the desktop; it is tried again");
        }
    }

    fn keep(&self) {
        memory::keep(&self.file, &self.mirror.kept());
    }

    /// Opens the dashboard, where the person logs in once: a secret has no place in the arguments of
    /// a program, which everybody on the machine can read.
    fn open(&self, topic: Option<Topic>) {
        let (Some(topic), Some(dashboard)) = (topic, &self.settings.dashboard) else { return };
        let place = match topic {
            Topic::Ask(ask) => format!("{dashboard}/#/ask/{ask}"),
            Topic::Many => format!("{dashboard}/"),
        };
        let mut opener = tokio::process::Command::new("xdg-open");
        opener.arg(place).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        // The hub's Ctrl-C is not for the browser.
        match opener.process_group(0).spawn() {
            Ok(mut opener) => drop(tokio::spawn(async move { opener.wait().await })),
            Err(error) => tracing::warn!(%error, "xdg-open cannot be run"),
        }
    }

    /// Takes everything down.
    async fn clear(&mut self) {
        if self.mirror.is_blank() {
            return;
        }
        let Ok(bus) = Bus::connect(&self.settings.bus).await else { return };
        let Ok(daemon) = bus.daemon().await else { return };
        self.mirror.meet(daemon);
        for (topic, id) in self.mirror.ids() {
            if bus.close(id).await.is_ok() {
                self.mirror.is_closed(topic);
                self.keep();
            }
        }
    }
}

/// Shows a notification and takes it down again, to find out whether that works. Returns the name of
/// the program that showed it.
///
/// # Errors
///
/// Why it does not work.
pub async fn try_desktop(bus: &str, words: &Words) -> Result<String, Trouble> {
    let tried = async {
        let bus = Bus::connect(bus).await?;
        let skills = bus.skills().await?;
        let id = bus.show(words, None, None, skills, false).await?;
        bus.close(id).await?;
        bus.name().await
    };
    let late = || Trouble::Other("nothing, for ten seconds".into());
    timeout(SLOW, tried).await.unwrap_or_else(|_| Err(late()))
}
