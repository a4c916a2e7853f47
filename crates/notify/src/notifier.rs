//! Follows the hub, and has those tapped on the shoulder who do not look.

use std::collections::{HashMap, HashSet};
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use handraise_broker::{AskId, Broker, Hub, HubError, News, Record, Seat, State, Told};
use jiff::Timestamp;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::board::{Board, Remembered};
use crate::command::{CommandSettings, Program};
use crate::desktop::{Desktop, DesktopSettings};
use crate::memory;
use crate::policy::{Action, Deadline, Policy, Why};
use crate::ringing::Ringing;
use crate::terminal::Style;
use crate::way::{Occasion, Tap, Way};
use crate::words::{self, Text, Who};

/// The timer stands still while the machine sleeps: it is not trusted for longer than this.
const LONGEST_NAP: Duration = Duration::from_mins(1);

/// How a person wants to be tapped on the shoulder.
pub struct Settings {
    /// How much is said.
    pub text: Text,
    /// After how long an ask that still waits is shown once more; never, when absent.
    pub remind_after: Option<Duration>,
    /// Where small notes are kept for the next hub.
    pub directory: PathBuf,
    /// The desktop.
    pub desktop: Option<DesktopSettings>,
    /// The terminal of the hub itself.
    pub terminal: Option<(Style, Box<dyn Write + Send>)>,
    /// A program of the person's own.
    pub command: Option<CommandSettings>,
}

impl std::fmt::Debug for Settings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Settings").field("desktop", &self.desktop).finish_non_exhaustive()
    }
}

/// Taps on shoulders until the hub stops. Without any way of doing so it ends at once.
pub async fn run(broker: Broker, hub: Seat, settings: Settings, stopping: CancellationToken) {
    let (mut ways, mut tasks): (Vec<Box<dyn Way>>, Vec<JoinHandle<()>>) = (vec![], vec![]);
    if let Some(desktop) = settings.desktop {
        let file = settings.directory.join("desktop-notifications.json");
        let (desktop, task) = Desktop::start(desktop, file, stopping.clone());
        ways.push(Box::new(desktop));
        tasks.push(task);
    }
    if let Some((style, terminal)) = settings.terminal {
        ways.push(Box::new(Ringing::new(style, terminal)));
    }
    if let Some(command) = settings.command {
        ways.push(Box::new(Program::new(command, settings.text, &stopping)));
    }
    if ways.is_empty() {
        return;
    }
    let notifier = Notifier {
        policy: Policy::new(settings.remind_after),
        board: Board::default(),
        file: settings.directory.join("notified.json"),
        text: settings.text,
        latest: HashMap::new(),
        last: None,
        ways,
        broker,
        hub,
    };
    if let Some(Err(error)) = stopping.run_until_cancelled(notifier.follow()).await {
        tracing::warn!(%error, "nobody is notified any more");
    }
    for task in tasks {
        if let Err(error) = task.await {
            tracing::error!(%error, "the desktop's part of the hub failed");
        }
    }
}

struct Notifier {
    policy: Policy,
    board: Board,
    file: PathBuf,
    text: Text,
    /// What was just heard of asks, and not acted upon.
    latest: HashMap<AskId, Arc<Record>>,
    /// The newest ask there is.
    last: Option<AskId>,
    ways: Vec<Box<dyn Way>>,
    broker: Broker,
    hub: Seat,
}

impl Notifier {
    async fn follow(mut self) -> Result<(), HubError> {
        let mut looks = self.broker.looks();
        let mut feed = self.hub.follow(None).await?;
        self.take_up().await?;
        loop {
            self.act().await?;
            let next = self.policy.next();
            let nap = next.map(|next| next.saturating_sub(self.elapsed()).min(LONGEST_NAP));
            tokio::select! {
                news = feed.next() => {
                    self.hear(news?);
                    while let Some(news) = feed.ready() {
                        self.hear(news);
                    }
                }
                Ok(()) = looks.changed() => self.policy.looks_changed(self.elapsed()),
                () = tokio::time::sleep(nap.unwrap_or_default()), if nap.is_some() => {}
            }
        }
    }

    /// Goes on where the last hub of this home was.
    async fn take_up(&mut self) -> Result<(), HubError> {
        let before: Remembered = memory::read(&self.file);
        let single: HashSet<_> = before.single.iter().copied().collect();
        let now = self.elapsed();
        for record in self.broker.open_asks(|_| true) {
            self.last = self.last.max(Some(record.id));
            let deadline = self.deadline(&record);
            if before.was_shown(record.id) {
                self.restore(&record, Why::Opened, !single.contains(&record.id));
                self.policy.shown_before(record.id, deadline, now);
            } else {
                self.policy.opened(record.id, deadline, now);
            }
        }
        // What went wrong with answers stays until it is closed.
        for ask in single.into_iter().filter(|ask| !self.board.has(*ask)).collect::<Vec<_>>() {
            let record = match self.hub.get(ask).await {
                Ok(record) => record,
                Err(HubError::Rejected(_)) => continue,
                Err(error) => return Err(error),
            };
            if let Some(why) = trouble(&record) {
                self.restore(&record, why, false);
                self.policy.told_before(ask, why);
            }
        }
        self.tell_what_is_seen();
        Ok(())
    }

    fn restore(&mut self, record: &Record, why: Why, together: bool) {
        let words = words::of(record, why, self.text, self.time());
        self.board.restore(record.id, why, words, Who::from(record.asker()), together);
    }

    fn hear(&mut self, news: News) {
        match news {
            News::Event(told) => self.hear_of(&told),
            News::Typing { ask, ends_at } => {
                let ends_at = ends_at.map(|at| self.when(at));
                self.policy.typed(ask, ends_at, self.elapsed());
            }
            News::Reset(_) => self.look_around(),
            News::Live(_) | News::Speaking { .. } => {}
        }
    }

    fn hear_of(&mut self, told: &Told) {
        let Some(record) = &told.ask else { return };
        self.latest.insert(record.id, record.clone());
        self.last = self.last.max(Some(record.id));
        let now = self.elapsed();
        match record.state() {
            State::Open if told.name == "ask.extended" => {
                self.policy.extended(record.id, self.deadline(record), now);
            }
            State::Open => self.policy.opened(record.id, self.deadline(record), now),
            State::Resolved => self.policy.ended(record.id),
            State::Delivered | State::Overruled | State::Undelivered => {
                self.policy.ended(record.id);
                self.policy.delivery(record.id, trouble(record));
            }
        }
    }

    /// Something was not heard: what is open is asked for anew.
    fn look_around(&mut self) {
        let open = self.broker.open_asks(|_| true);
        let is_open: HashSet<_> = open.iter().map(|record| record.id).collect();
        for ask in self.policy.waiting().filter(|ask| !is_open.contains(ask)).collect::<Vec<_>>() {
            self.policy.ended(ask);
        }
        for record in open {
            self.policy.opened(record.id, self.deadline(&record), self.elapsed());
        }
    }

    /// Does what is due.
    async fn act(&mut self) -> Result<(), HubError> {
        let broker = self.broker.clone();
        let actions = self.policy.due(self.elapsed(), |ask| broker.looked_at_until(ask));
        let latest = std::mem::take(&mut self.latest);
        if actions.is_empty() {
            return Ok(());
        }
        for action in actions {
            let (Action::Show(ask, _) | Action::Withdraw(ask)) = action;
            let record = match latest.get(&ask) {
                Some(record) => record.clone(),
                None => match self.hub.get(ask).await {
                    Ok(record) => record,
                    // Retention may have dropped it.
                    Err(HubError::Rejected(_)) => {
                        self.board.withdraw(ask);
                        continue;
                    }
                    Err(error) => return Err(error),
                },
            };
            match action {
                Action::Show(_, why) => self.show(&record, why),
                Action::Withdraw(_) => self.withdraw(&record),
            }
        }
        self.tell_what_is_seen();
        Ok(())
    }

    fn show(&mut self, record: &Record, why: Why) {
        let of_an_open_one = matches!(why, Why::Opened | Why::Waiting | Why::Deadline);
        if of_an_open_one && !record.is_open() {
            return;
        }
        let occasion = if self.board.has(record.id) || !of_an_open_one {
            Occasion::Again
        } else {
            Occasion::Opened
        };
        let words = words::of(record, why, self.text, self.time());
        let who = Who::from(record.asker());
        let topic = self.board.show(record.id, why, words.clone(), who, self.elapsed());
        let words = match topic {
            crate::board::Topic::Ask(_) => words,
            crate::board::Topic::Many => self.board.words_of_many().unwrap_or(words),
        };
        let said = Some((topic, &words));
        let tap = Tap { occasion, reason: why.name(), record, said };
        self.ways.iter_mut().for_each(|way| way.happened(&tap));
    }

    fn withdraw(&mut self, record: &Record) {
        self.board.withdraw(record.id);
        let reason = match record.state() {
            State::Open | State::Resolved => {
                record.resolved().map_or("", |resolved| resolved.kind())
            }
            state @ (State::Delivered | State::Overruled | State::Undelivered) => state.name(),
        };
        let tap = Tap { occasion: Occasion::Withdrawn, reason, record, said: None };
        self.ways.iter_mut().for_each(|way| way.happened(&tap));
    }

    fn tell_what_is_seen(&mut self) {
        let unshown = self.policy.unshown();
        memory::keep(&self.file, &self.board.remember(self.last, unshown));
        let notices = self.board.notices();
        self.ways.iter_mut().for_each(|way| way.to_be_seen(&notices));
    }

    fn deadline(&self, record: &Record) -> Option<Deadline> {
        let at = record.deadline_at?;
        let whole = at.duration_since(record.asked_at);
        Some(Deadline { at: self.when(at), whole: whole.try_into().unwrap_or_default() })
    }

    /// A time on the wall, in the time that only ever passes.
    fn when(&self, at: Timestamp) -> Duration {
        let left = at.duration_since(self.time());
        self.elapsed() + Duration::try_from(left).unwrap_or_default()
    }

    fn elapsed(&self) -> Duration {
        self.broker.world().elapsed()
    }

    fn time(&self) -> Timestamp {
        self.broker.world().now()
    }
}

/// What went wrong with the answer a person gave; whatever else became of an ask is no news to them.
fn trouble(record: &Record) -> Option<Why> {
    if record.doubt().is_some() {
        return Some(Why::Doubted);
    }
    let given = record
        .resolved()
        .is_some_and(|resolved| ["answered", "declined", "discuss"].contains(&resolved.kind()));
    match record.state() {
        State::Overruled if given => Some(Why::Overruled),
        State::Undelivered if given => Some(Why::Undelivered),
        State::Overruled
        | State::Undelivered
        | State::Open
        | State::Resolved
        | State::Delivered => None,
    }
}
