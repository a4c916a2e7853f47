//! Sessions that are no more than a process, a file and a transcript, and `handraise watch`.

use std::cell::Cell;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use handraise_broker::{Hub, Power, Query, Record, State};
use handraise_client::RemoteHub;
use handraise_testkit::{HubProcess, PATIENCE, Program, database_question};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::runtime::Runtime;

/// A hub, and a directory as Claude Code has one.
pub(crate) struct Scene {
    pub(crate) hub: HubProcess,
    directory: TempDir,
    runtime: Runtime,
}

impl Scene {
    pub(crate) fn new() -> Self {
        let hub = HubProcess::start(Path::new(env!("CARGO_BIN_EXE_handraise")));
        let directory = tempfile::tempdir().unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        Self { hub, directory, runtime }
    }

    /// What stands for Claude Code's configuration directory.
    pub(crate) fn config(&self) -> PathBuf {
        self.directory.path().join("home/.claude")
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = self.hub.command();
        command.args(["watch", "--json", "--claude"]).arg(self.config()).args(args);
        // No tmux of anybody else's.
        command.env("TMUX_TMPDIR", self.directory.path());
        command
    }

    /// Watches, from a moment on at which everything is seen.
    pub(crate) fn watch(&self) -> Watch {
        let watch = Watch(Program::spawn(&mut self.command(&[]), ""));
        // One that is found after the watch began shows that it has.
        let beacon = self.session("beacon");
        watch.wait("found", |line| line["session"] == json!(beacon.id));
        watch
    }

    /// A session that runs. What it writes is `<project>/<id>.jsonl`.
    pub(crate) fn session(&self, project: &str) -> Session {
        let session = Session::start(&self.config(), project, &[]);
        session.announce();
        session
    }

    /// A session with something in its environment.
    pub(crate) fn session_with(&self, project: &str, variables: &[(&str, &str)]) -> Session {
        let session = Session::start(&self.config(), project, variables);
        session.announce();
        session
    }

    pub(crate) fn agent(&self) -> RemoteHub {
        self.hub.client(Power::Agent)
    }

    pub(crate) fn block_on<T>(&self, future: impl Future<Output = T>) -> T {
        self.runtime.block_on(future)
    }

    /// Every ask of a session there ever was, as they were asked.
    pub(crate) fn asks(&self, session: &Session) -> Vec<Arc<Record>> {
        let session = Some(session.id.clone());
        let query = Query { session, limit: 500, ..Query::default() };
        self.block_on(self.agent().list(query)).unwrap()
    }

    /// The one ask of a session.
    pub(crate) fn the_ask(&self, session: &Session) -> Arc<Record> {
        self.wait("ask", || self.asks(session).pop())
    }

    /// Waits until the one ask of a session is as described.
    pub(crate) fn wait_ask(
        &self,
        session: &Session,
        what: &str,
        holds: impl Fn(&Record) -> bool,
    ) -> Arc<Record> {
        let found = || self.asks(session).pop().filter(|record| holds(record));
        let record = self.wait(what, found);
        assert_eq!(self.asks(session).len(), 1, "it was asked twice");
        record
    }

    pub(crate) fn wait_state(&self, session: &Session, state: State) -> Arc<Record> {
        self.wait_ask(session, state.name(), |record| record.state() == state)
    }

    /// Asks a question in a session of its own and waits until the hub has it: whatever was asked
    /// before would be there by now.
    pub(crate) fn fence(&self) {
        let session = self.session("fence");
        session.asks("toolu_fence", &json!([database_question()]));
        self.the_ask(&session);
    }

    pub(crate) fn wait<T>(&self, what: &str, look: impl Fn() -> Option<T>) -> T {
        let start = Instant::now();
        loop {
            if let Some(found) = look() {
                return found;
            }
            let all = Query { limit: 100, ..Query::default() };
            let known = || self.block_on(self.agent().list(all.clone()));
            assert!(start.elapsed() < PATIENCE, "no {what}; the hub knows {:#?}", known());
            thread::sleep(Duration::from_millis(10));
        }
    }
}

/// `handraise watch --json`. It is killed when this is dropped.
pub(crate) struct Watch(pub(crate) Program);

impl Watch {
    /// What it has told so far.
    pub(crate) fn lines(&self) -> Vec<Value> {
        parsed(&self.0.stdout())
    }

    /// Waits until it has told of an event that is as described.
    pub(crate) fn wait(&self, event: &str, holds: impl Fn(&Value) -> bool) -> Value {
        let found = |said: &str| {
            parsed(said).into_iter().find(|line| line["event"] == event && holds(line))
        };
        let said = self.0.wait_stdout(event, |said| found(said).is_some());
        found(&said).unwrap()
    }

    /// How often it has told of such an event.
    pub(crate) fn count(&self, event: &str) -> usize {
        self.lines().iter().filter(|line| line["event"] == event).count()
    }

    /// Ends it without any warning.
    pub(crate) fn kill(self) {
        let _ = self.0.kill();
    }
}

pub(crate) fn parsed(said: &str) -> Vec<Value> {
    let whole = said.rsplit_once('\n').map_or("", |(whole, _)| whole);
    whole.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// A process that stands for a session of Claude Code. It is killed when this is dropped.
pub(crate) struct Session {
    process: Child,
    config: PathBuf,
    pub(crate) id: String,
    pub(crate) cwd: PathBuf,
    /// When it asked last.
    asked_at: Cell<Timestamp>,
}

impl Session {
    pub(crate) fn start(config: &Path, project: &str, variables: &[(&str, &str)]) -> Self {
        let cwd = config.parent().unwrap().join("work").join(project);
        fs::create_dir_all(&cwd).unwrap();
        let mut command = Program::command("sleep", &cwd);
        command.arg("1000").envs(variables.iter().copied()).current_dir(&cwd);
        Self::of(command, config, cwd)
    }

    /// One whose process calls itself Claude Code, and that tells nothing of itself.
    pub(crate) fn silent(config: &Path, project: &str) -> Self {
        let cwd = config.parent().unwrap().join("work").join(project);
        fs::create_dir_all(&cwd).unwrap();
        let program = cwd.join("claude");
        if !program.exists() {
            fs::copy("/bin/sleep", &program).unwrap();
        }
        let mut command = Program::command(&program, &cwd);
        command.arg("1000").current_dir(&cwd);
        Self::of(command, config, cwd)
    }

    fn of(mut command: Command, config: &Path, cwd: PathBuf) -> Self {
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let process = command.spawn().unwrap();
        // Until then it is still this very program, under another name.
        let own = format!("/proc/{}/comm", process.id());
        let start = Instant::now();
        while !fs::read_to_string(&own).is_ok_and(|name| ["sleep", "claude"].contains(&name.trim()))
        {
            assert!(start.elapsed() < PATIENCE);
            thread::sleep(Duration::from_millis(1));
        }
        let id = format!("{:08x}-0000-4000-8000-000000000000", process.id());
        Self { process, config: config.to_owned(), id, cwd, asked_at: Cell::new(now()) }
    }

    pub(crate) fn pid(&self) -> u32 {
        self.process.id()
    }

    /// Writes the file in which Claude Code tells of a process.
    pub(crate) fn announce(&self) {
        let kernel = fs::read_to_string(format!("/proc/{}/stat", self.pid())).unwrap();
        let since = kernel.rsplit_once(") ").unwrap().1.split(' ').nth(19).unwrap();
        self.announce_as(&json!({"procStart": since}));
    }

    /// The same, with something else in it.
    pub(crate) fn announce_as(&self, more: &Value) {
        let sessions = self.config.join("sessions");
        fs::create_dir_all(&sessions).unwrap();
        let mut told = json!({"pid": self.pid(), "sessionId": self.id, "cwd": self.cwd,
            "version": "2.1.325", "kind": "interactive", "entrypoint": "cli", "status": "waiting",
            "startedAt": 0, "name": "made up", "nameSource": "derived"});
        for (name, value) in more.as_object().unwrap() {
            told[name] = value.clone();
        }
        let draft = sessions.join(format!("{}.draft", self.pid()));
        fs::write(&draft, told.to_string()).unwrap();
        fs::rename(draft, sessions.join(format!("{}.json", self.pid()))).unwrap();
    }

    /// Goes on under another id, as after `/clear`.
    pub(crate) fn become_another(&mut self) {
        self.id = format!("{:08x}-0000-4000-8000-111111111111", self.pid());
        self.announce();
    }

    pub(crate) fn transcript(&self) -> PathBuf {
        let mangled = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
        let name: String = self.cwd.display().to_string().chars().map(mangled).collect();
        self.config.join("projects").join(name).join(format!("{}.jsonl", self.id))
    }

    /// Appends something to the transcript.
    pub(crate) fn write(&self, bytes: impl AsRef<[u8]>) {
        let path = self.transcript();
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let mut file = OpenOptions::new().create(true).append(true).open(path).unwrap();
        file.write_all(bytes.as_ref()).unwrap();
    }

    /// Writes down that it asks.
    pub(crate) fn asks(&self, call: &str, questions: &Value) {
        self.write(format!("{}\n", self.call(call, questions)));
    }

    /// The line that says so. Each call is a minute after the one before.
    pub(crate) fn call(&self, call: &str, questions: &Value) -> Value {
        // Of what was over before it began a watch thinks otherwise: these are still to come.
        self.asked_at.set(self.asked_at.get() + SignedDuration::from_mins(1));
        json!({"type": "assistant", "sessionId": self.id, "cwd": self.cwd, "gitBranch": "feature",
            "timestamp": self.asked_at.get(), "message": {"role": "assistant", "content": [
                {"type": "text", "text": "Let me ask."},
                {"type": "tool_use", "id": call, "name": "AskUserQuestion",
                 "input": {"questions": questions}}]}})
    }

    /// Writes down that it was answered after a while.
    pub(crate) fn answered(&self, call: &str, after: SignedDuration, answers: &Value) {
        self.write(format!("{}\n", self.answer(call, after, answers)));
    }

    /// The line that says so.
    pub(crate) fn answer(&self, call: &str, after: SignedDuration, answers: &Value) -> Value {
        let text = format!("Your questions have been answered: {answers}.");
        let result = json!({"questions": [database_question()], "answers": answers});
        self.result(call, after, &text, &result)
    }

    pub(crate) fn result(
        &self,
        call: &str,
        after: SignedDuration,
        text: &str,
        result: &Value,
    ) -> Value {
        json!({"type": "user", "sessionId": self.id, "timestamp": self.asked_at.get() + after,
            "message": {"role": "user", "content": [
                {"type": "tool_result", "content": text, "tool_use_id": call}]},
            "toolUseResult": result,
            "permissionDecision": {"decision": "accept", "source": "user_temporary"}})
    }

    /// Ends without a word.
    pub(crate) fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[expect(clippy::disallowed_methods, reason = "a test is an edge, too")]
fn now() -> Timestamp {
    Timestamp::now()
}

/// As long as a person takes.
pub(crate) const A_WHILE: SignedDuration = SignedDuration::from_secs(8);

pub(crate) fn database() -> Value {
    json!([database_question()])
}

pub(crate) fn sqlite() -> Value {
    json!({"Which database should we use?": "SQLite"})
}
