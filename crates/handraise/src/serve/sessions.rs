//! Sessions whose runner is gone, and those that a person starts from the dashboard.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};

use handraise_agent_claude::hook::Process;
use handraise_broker::{
    Broker, Hub, HubError, NewSession, News, Progress, Query, RUN, Record, Seat, Session,
    SessionChanged, SessionId, SessionState, State,
};
use handraise_client::Home;
use handraise_server::Starter;
use tokio::process::Command;
use tokio_util::sync::CancellationToken;

use crate::config;
use crate::environment;
use crate::run::Again;

/// Starts `handraise run` for sessions, each in a process that outlives the hub.
#[derive(Clone)]
pub(super) struct Runners {
    home: Home,
    broker: Broker,
    program: PathBuf,
    directories: Vec<PathBuf>,
    command: Vec<String>,
    /// Those that were started from here and have not ended.
    started: Arc<Mutex<HashSet<SessionId>>>,
    stopping: CancellationToken,
}

impl std::fmt::Debug for Runners {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Runners").field("directories", &self.directories).finish_non_exhaustive()
    }
}

impl Runners {
    pub(super) fn new(
        home: &Home,
        broker: &Broker,
        config: &config::Run,
        stopping: CancellationToken,
    ) -> std::io::Result<Self> {
        // Trust goes by the real path: a link must not lead out of what was allowed.
        let real = |path: &PathBuf| path.canonicalize().ok().filter(|path| path.is_dir());
        Ok(Self {
            home: home.clone(),
            broker: broker.clone(),
            program: environment::this_program()?,
            directories: config.start_in.iter().filter_map(real).collect(),
            command: config.command.clone(),
            started: Arc::default(),
            stopping,
        })
    }

    /// Looks after sessions that nobody runs any more: what was put off goes on when it is answered, and
    /// everything else is over.
    pub(super) async fn look_after(&self) -> Result<(), HubError> {
        let host = environment::host();
        for session in self.broker.live_sessions() {
            let is_here = session.host.as_ref().is_none_or(|of| *of == host);
            let is_run = if let Some(runner) = &session.runner {
                Process::from(runner.clone()).lives()
            } else {
                // One that we have to start has not reported yet.
                let never_began = session.ending && session.state == SessionState::Starting;
                Again::of(&self.home, session.id).is_none() && !never_began
            };
            if !is_here || is_run || self.is_starting(session.id) {
                continue;
            }
            if session.ending {
                self.bury(&session, "a person ended the session", None).await?;
            } else if session.runner.is_none() {
                self.start_again(&session).await?;
            } else if session.state != SessionState::Deferred {
                let why = "the process that ran it is gone";
                self.bury(&session, why, Some(why.into())).await?;
            } else if session.agent_session.is_some() && self.open_asks(&session).await?.is_empty()
            {
                self.start_again(&session).await?;
            }
        }
        Ok(())
    }

    async fn start_again(&self, session: &Session) -> Result<(), HubError> {
        let known =
            Again::of(&self.home, session.id).ok_or("it is not known how it was run".into());
        match known.and_then(|again| self.spawn(session.id, again)) {
            Ok(()) => Ok(()),
            Err(why) => {
                let why = format!("it could not be started again: {why}");
                self.bury(session, &why, Some(why.clone())).await
            }
        }
    }

    async fn open_asks(&self, session: &Session) -> Result<Vec<Arc<Record>>, HubError> {
        let Some(name) = &session.agent_session else { return Ok(vec![]) };
        let query = Query {
            states: vec![State::Open],
            agent: Some(session.agent.clone()),
            session: Some(name.clone()),
            limit: 100,
            ..Query::default()
        };
        let mut asks = self.hub().list(query).await?;
        // The name of the agent's session is what its agent says it is: another agent's asks stay.
        let owner = session.owner.as_deref().unwrap_or(RUN);
        asks.retain(|ask| ask.opened.owner.as_deref().is_none_or(|of| of == owner));
        Ok(asks)
    }

    /// Says that a session is over, and takes back what it asked.
    async fn bury(
        &self,
        session: &Session,
        why: &str,
        trouble: Option<String>,
    ) -> Result<(), HubError> {
        for ask in self.open_asks(session).await? {
            let owner = ask.opened.owner.as_deref().unwrap_or(RUN);
            self.broker.agent_seat(owner).withdraw(ask.id, Some(why.into())).await?;
        }
        Again::forget(&self.home, session.id);
        let state = Some(SessionState::Ended);
        let over = Progress { state, trouble, ..Progress::default() };
        self.broker.note_progress(session.id, over).await
    }

    /// The hub, as agents see it; from within, so that no connection and no token is used up.
    fn hub(&self) -> Seat {
        self.broker.agent_seat(RUN)
    }

    fn is_starting(&self, session: SessionId) -> bool {
        self.started.lock().unwrap_or_else(PoisonError::into_inner).contains(&session)
    }

    /// Starts a process that runs the session.
    fn spawn(&self, session: SessionId, again: Again) -> Result<(), String> {
        self.started.lock().unwrap_or_else(PoisonError::into_inner).insert(session);
        let mut command = Command::new(&self.program);
        command.arg("--data").arg(self.home.directory());
        command.args(["run", "--detached", "--session", &session.to_string()]);
        command.args(again.options);
        if let Some(environment) = again.environment {
            command.env_clear().envs(environment);
        }
        // What it has to say, it says to the hub.
        command.stdin(Stdio::null()).stdout(Stdio::null());
        // The hub's Ctrl-C is not for it.
        command.process_group(0);
        match command.spawn() {
            Ok(process) => {
                self.wait_for(session, process);
                Ok(())
            }
            Err(error) => {
                self.started.lock().unwrap_or_else(PoisonError::into_inner).remove(&session);
                Err(error.to_string())
            }
        }
    }

    /// Waits for the end of a runner. One that has never reported leaves a session that never began.
    fn wait_for(&self, session: SessionId, mut process: tokio::process::Child) {
        let this = self.clone();
        tokio::spawn(async move {
            // They outlive the hub, which must not wait for them when it stops.
            let status = tokio::select! {
                status = process.wait() => status,
                () = this.stopping.cancelled() => return,
            };
            this.started.lock().unwrap_or_else(PoisonError::into_inner).remove(&session);
            let live = this.broker.live_sessions().into_iter().find(|one| one.id == session);
            if let Some(session) = live.filter(|one| one.runner.is_none()) {
                let how =
                    status.map_or_else(|error| error.to_string(), |status| status.to_string());
                let why = format!("the process that was to run it ended: {how}");
                if let Err(error) = this.bury(&session, &why, Some(why.clone())).await {
                    tracing::warn!(%error, "a session that never began could not be ended");
                }
            }
        });
    }
}

impl Starter for Runners {
    fn directories(&self) -> Vec<PathBuf> {
        self.directories.clone()
    }

    fn prepare(&self, directory: &str) -> Result<NewSession, String> {
        let real = Path::new(directory).canonicalize().ok().filter(|path| path.is_dir());
        let allowed = |path: &PathBuf| self.directories.iter().any(|root| path.starts_with(root));
        // One that is not there is not told from one that is not allowed: that is nobody's business.
        let real = real.filter(allowed).ok_or("a directory in which none may be started")?;
        Ok(NewSession {
            agent: "claude-code".into(),
            directory: real.display().to_string(),
            host: Some(environment::host()),
            title: None,
            runner: None,
        })
    }

    fn start(&self, session: &Session) -> Result<(), String> {
        let again = Again {
            directory: (&session.directory).into(),
            command: self.command.clone(),
            options: vec![],
            environment: None,
        };
        // From here on nobody else starts it.
        self.started.lock().unwrap_or_else(PoisonError::into_inner).insert(session.id);
        let kept = again.keep(&self.home, session.id).map_err(|error| error.to_string());
        kept.and_then(|()| self.spawn(session.id, again)).inspect_err(|_| {
            self.started.lock().unwrap_or_else(PoisonError::into_inner).remove(&session.id);
        })
    }
}

/// Takes up what was put off when it is answered, and ends what is to end, where nobody is left who
/// would.
pub(super) async fn resume_when_answered(runners: Runners) {
    let follow = async {
        let mut feed = runners.hub().follow(None).await?;
        loop {
            let news = feed.next().await?;
            let matters = match &news {
                News::Event(told) => {
                    let ending = |changed: &Arc<SessionChanged>| changed.session.ending;
                    told.name == "ask.resolved" || told.session.as_ref().is_some_and(ending)
                }
                News::Reset(_) => true,
                News::Live(_) | News::Typing { .. } | News::Speaking { .. } => false,
            };
            if matters {
                runners.look_after().await?;
            }
        }
    };
    tokio::select! {
        ended = follow => {
            let ended: Result<(), HubError> = ended;
            if let Err(error) = ended {
                tracing::warn!(%error, "nobody looks after sessions any more");
            }
        }
        () = runners.stopping.cancelled() => {}
    }
}
