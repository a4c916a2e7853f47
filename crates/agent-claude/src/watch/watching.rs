//! The one loop over all sessions.

use std::collections::{HashMap, HashSet, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use handraise_broker::{Hub, RealWorld, World};
use jiff::Timestamp;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until};

use super::attending::{Attending, State, Turn};
use super::files::{Changes, Files, Unwatchable};
use super::following::{Following, News};
use super::hands::Hands;
use super::happening::{Happening, What};
use super::insisting::Insisting;
use super::notes::Notes;
use super::sessions::{self, Session};
use super::settling::GONE;
use super::{Settings, Shared};
use crate::hook::{Book, Process, process};
use crate::transcript::{Call, Found, Outcome, Places};

/// Every session that is watched.
pub(super) struct Watching {
    shared: Arc<Shared>,
    places: Places,
    sessions: HashMap<u32, Watched>,
    found: mpsc::UnboundedReceiver<News>,
    finds: mpsc::UnboundedSender<News>,
    /// Calls that are looked after, by process and id.
    calls: JoinSet<(u32, String)>,
    gone: JoinSet<u32>,
    /// Processes at work in a session that is followed in another, and which.
    others: HashMap<u32, String>,
    started: Timestamp,
    /// Calls that an earlier watch has asked about.
    asked_before: HashSet<String>,
    /// When to look who runs, because somebody writes that nobody knows.
    look: Option<Instant>,
    /// Files that belong to nobody who runs.
    strangers: HashSet<PathBuf>,
}

struct Watched {
    following: Arc<Following>,
    calls: HashMap<String, watch::Sender<State>>,
    /// The call that was asked about last.
    last: Option<oneshot::Receiver<()>>,
    /// Calls that are over, so that a file that is read anew tells nothing twice.
    done: VecDeque<String>,
}

/// Why a call is given up whose process lives on.
const ANOTHER: &str = "the session goes on as another";
/// Of so many calls of a session it is remembered that they are over.
const MOST_DONE: usize = 1_000;
/// So many calls of a session are looked after at a time.
const MOST_CALLS: usize = 200;
/// Who writes without a word of itself may be about to say one.
const A_MOMENT: Duration = Duration::from_millis(300);
/// Of more strangers than this none is remembered.
const MOST_STRANGERS: usize = 10_000;

impl Watching {
    pub(super) fn begin(
        hub: Arc<dyn Hub>,
        settings: Settings,
        tell: Box<dyn Fn(Happening) + Send + Sync>,
    ) -> Result<(Self, Files), Unwatchable> {
        let files = Files::watch(&settings.config)?;
        let tell: Arc<dyn Fn(Happening) + Send + Sync> = tell.into();
        let told = Arc::clone(&tell);
        let hub = Insisting::new(hub, settings.once, move |away| {
            let what = if away { What::HubAway } else { What::HubBack };
            told(Happening { what, ..Happening::default() });
        });
        let places = Places::new(settings.config.clone());
        let (book, notes) = (Book::new(&settings.home), Notes::new(&settings.home));
        let asked_before = notes.all().into_iter().map(|(_, note)| note.call).collect();
        let hands = Arc::new(Hands::new());
        let shared = Arc::new(Shared { hub, settings, book, notes, tell, hands });
        let (finds, found) = mpsc::unbounded_channel();
        let watching = Self {
            shared,
            places,
            sessions: HashMap::new(),
            found,
            finds,
            calls: JoinSet::new(),
            gone: JoinSet::new(),
            others: HashMap::new(),
            started: RealWorld.now(),
            asked_before,
            look: None,
            strangers: HashSet::new(),
        };
        Ok((watching, files))
    }

    pub(super) fn tell(&self, happening: Happening) {
        (self.shared.tell)(happening);
    }

    /// Who types.
    pub(super) fn hands(&self) -> Arc<Hands> {
        Arc::clone(&self.shared.hands)
    }

    pub(super) async fn go_on(&mut self, mut files: Files) -> Result<(), Unwatchable> {
        let shared = Arc::clone(&self.shared);
        let past = tokio::spawn(async move { shared.settle_the_past().await });
        self.look();
        if self.shared.settings.once {
            let _ = past.await;
            self.settle_down().await;
            return Ok(());
        }
        loop {
            let look = self.look;
            let due = async {
                match look {
                    Some(at) => sleep_until(at).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                changes = files.changed() => self.changed(changes?),
                Some(news) = self.found.recv() => self.heard(news),
                Some(Ok((pid, call))) = self.calls.join_next() => self.done(pid, &call),
                Some(Ok(pid)) = self.gone.join_next() => self.end(pid, GONE),
                () = due => self.look(),
            }
        }
    }

    /// Waits until everything that is there has been asked about.
    async fn settle_down(&mut self) {
        while let Ok(news) = self.found.try_recv() {
            self.heard(news);
        }
        let placed: Vec<_> =
            self.sessions.values_mut().filter_map(|watched| watched.last.take()).collect();
        for placed in placed {
            let _ = placed.await;
        }
    }

    fn changed(&mut self, changes: Changes) {
        if changes.everything || changes.sessions {
            self.strangers.clear();
            self.look();
        }
        if changes.everything {
            for watched in self.sessions.values() {
                watched.following.read_on();
            }
        }
        for path in changes.transcripts {
            let mut known = false;
            for watched in self.sessions.values() {
                if watched.following.may_write_to(&path) {
                    known = true;
                    watched.following.read_on();
                }
            }
            if !known && self.strangers.insert(path) {
                self.look.get_or_insert_with(|| Instant::now() + A_MOMENT);
            }
        }
        if self.strangers.len() > MOST_STRANGERS {
            self.strangers.clear();
        }
    }

    /// Looks who runs.
    fn look(&mut self) {
        self.look = None;
        let workspace = self.shared.settings.workspace.as_deref();
        for session in sessions::running(&self.places, workspace) {
            let pid = session.process.pid;
            let known = self.sessions.get(&pid).map(|watched| &watched.following.session);
            if known.is_some_and(|known| known.id == session.id && known.process == session.process)
            {
                continue;
            }
            let other = self.sessions.iter().any(|(other, watched)| {
                *other != pid && watched.following.session.id == session.id
            });
            if other {
                // Two processes at work in one session: the first is followed, the end of the other noted.
                if self.others.insert(pid, session.id.clone()).is_none() {
                    self.await_end(session.process.clone());
                }
                continue;
            }
            let same_process = known.is_some_and(|known| known.process == session.process);
            if known.is_some() {
                self.end(pid, ANOTHER);
            }
            if !same_process {
                self.await_end(session.process.clone());
            }
            self.follow(session);
        }
    }

    fn follow(&mut self, session: Session) {
        let pid = session.process.pid;
        (self.shared.tell)(Happening {
            what: What::Found,
            why: session.has_owner.then(|| "a program asks for it: left alone".into()),
            ..about(&session)
        });
        let following = Following::new(session, self.places.clone(), self.finds.clone());
        let watched = Watched {
            following: Arc::clone(&following),
            calls: HashMap::new(),
            last: None,
            done: VecDeque::new(),
        };
        self.sessions.insert(pid, watched);
        following.read_on();
    }

    fn await_end(&mut self, process: Process) {
        self.gone.spawn(async move {
            process::gone(Some(&process)).await;
            process.pid
        });
    }

    /// A session is over.
    fn end(&mut self, pid: u32, why: &'static str) {
        let lives = |watched: &Watched| watched.following.session.process.lives();
        if why == GONE && self.sessions.get(&pid).is_some_and(lives) {
            // The number went to another, which is watched by now.
            return;
        }
        let Some(watched) = self.sessions.get(&pid) else { return self.other_ended(pid) };
        // Its last words count.
        watched.following.read_on();
        while let Ok(news) = self.found.try_recv() {
            self.heard(news);
        }
        let Some(watched) = self.sessions.remove(&pid) else { return };
        // Another process may be at work in the same session.
        self.look.get_or_insert_with(|| Instant::now() + A_MOMENT);
        for state in watched.calls.values() {
            state.send_if_modified(|state| {
                let waits = matches!(state, State::Waits);
                if waits {
                    *state = State::Gone(why);
                }
                waits
            });
        }
        (self.shared.tell)(Happening {
            what: What::Gone,
            why: (why != GONE).then(|| why.into()),
            ..about(&watched.following.session)
        });
    }

    /// One of two processes at work in a session is gone. If the other waits for nothing, what is open was
    /// asked by the one that is gone.
    fn other_ended(&mut self, pid: u32) {
        let Some(id) = self.others.remove(&pid) else { return };
        let of_session = |watched: &&Watched| watched.following.session.id == id;
        let Some(watched) = self.sessions.values().find(of_session) else { return };
        let left = watched.following.session.process.pid;
        let mut told = self.places.running().into_iter();
        let status = told.find(|running| running.pid == left).and_then(|running| running.status);
        if status.is_none_or(|status| status == "waiting") {
            return;
        }
        for state in watched.calls.values() {
            state.send_if_modified(|state| {
                let waits = matches!(state, State::Waits);
                if waits {
                    *state = State::Gone(GONE);
                }
                waits
            });
        }
    }

    fn done(&mut self, pid: u32, call: &str) {
        let Some(watched) = self.sessions.get_mut(&pid) else { return };
        if watched.calls.remove(call).is_some() {
            watched.done.push_back(call.to_owned());
            if watched.done.len() > MOST_DONE {
                watched.done.pop_front();
            }
        }
    }

    /// A session has written something down.
    fn heard(&mut self, news: News) {
        let News { pid, session, first, found } = news;
        let Some(watched) = self.sessions.get(&pid) else { return };
        if watched.following.session.id != session {
            return;
        }
        let settled: HashSet<_> = found.iter().filter_map(settled_call).collect();
        let is_settled = |call: &Call| settled.contains(&call.id);
        for found in found {
            match found {
                // What is still there is told again; what is not may come back.
                Found::Restarted => {}
                // Of what is over by now only the end counts.
                Found::Asked(call) if is_settled(&call) => {}
                Found::Asked(call) => self.attend(pid, call, State::Waits),
                Found::Settled(call, outcome) => self.settled(pid, first, call, outcome),
            }
        }
    }

    fn attend(&mut self, pid: u32, call: Arc<Call>, state: State) {
        let Some(watched) = self.sessions.get_mut(&pid) else { return };
        let known = watched.calls.contains_key(&call.id) || watched.done.contains(&call.id);
        if known || !watched.following.is_of_this_process(&call) {
            return;
        }
        if watched.calls.len() >= MOST_CALLS {
            // Nobody asks so much at once; a file that says so is no reason to.
            return;
        }
        let (state, states) = watch::channel(state);
        watched.calls.insert(call.id.clone(), state);
        let (placed, is_placed) = oneshot::channel();
        let turn = Turn { before: watched.last.replace(is_placed), placed };
        let id = call.id.clone();
        let attending = Attending {
            shared: Arc::clone(&self.shared),
            following: Arc::clone(&watched.following),
            call,
            state: states,
            seen: Instant::now(),
        };
        self.calls.spawn(async move {
            attending.attend(turn).await;
            (pid, id)
        });
    }

    fn settled(&mut self, pid: u32, first: bool, call: Arc<Call>, outcome: Outcome) {
        let Some(watched) = self.sessions.get_mut(&pid) else { return };
        // What was over before anybody looked is for others to judge.
        let past = outcome.at.map_or(first, |at| at < self.started);
        let settled = State::Settled(Arc::new(outcome));
        match watched.calls.get(&call.id) {
            Some(state) => {
                state.send_replace(settled);
            }
            None if past && !self.asked_before.contains(&call.id) => {}
            None => self.attend(pid, call, settled),
        }
    }
}

fn settled_call(found: &Found) -> Option<String> {
    match found {
        Found::Settled(call, _) => Some(call.id.clone()),
        Found::Asked(_) | Found::Restarted => None,
    }
}

fn about(session: &Session) -> Happening {
    Happening {
        session: Some(session.id.clone()),
        pid: Some(session.process.pid),
        directory: session.cwd.clone(),
        ..Happening::default()
    }
}
