//! A hub as people run it: the built binary, in a process that can be killed.

#![expect(clippy::missing_panics_doc, reason = "a panic here is a failed test, with its reason")]
#![expect(clippy::expect_used, reason = "a panic here is a failed test, with its reason")]

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::Command;

use handraise_broker::{BUILT_IN, Power, RealWorld, Record, World};
use handraise_client::{Home, RemoteHub};
use handraise_question::Surface;
use rustix::process::Signal;
use serde_json::Value;
use tempfile::TempDir;

use crate::{Ended, PATIENCE, PlainAnswer, Program, plain_request};

/// A hub with a home and a port of its own. It is killed when this is dropped.
#[derive(Debug)]
pub struct HubProcess {
    /// What stands before the program: the way into another namespace, for instance.
    wrapper: Vec<String>,
    program: PathBuf,
    /// The home, by the hub's name for it.
    data: PathBuf,
    /// The home, as it is seen from here.
    home: Home,
    /// Where to listen the first time; later the hub has to know by itself.
    listen: Option<SocketAddr>,
    running: Option<Program>,
    url: String,
    /// What all its processes but the last said on standard error.
    said: String,
    directory: TempDir,
    /// What is added to the environment of all its processes.
    variables: Vec<(String, String)>,
}

impl HubProcess {
    /// Starts a hub on a new home.
    #[must_use]
    pub fn start(program: &Path) -> Self {
        let mut hub = Self::prepare(program);
        hub.launch();
        hub.greeted();
        hub
    }

    /// Prepares a hub on a new home, without starting it.
    #[must_use]
    pub fn prepare(program: &Path) -> Self {
        let directory = tempfile::tempdir().expect("a place for the home");
        let data = directory.path().join("home");
        Self {
            wrapper: vec![],
            program: program.to_owned(),
            home: Home::new(&data),
            data,
            listen: Some(free_address()),
            running: None,
            url: String::new(),
            said: String::new(),
            directory,
            variables: vec![],
        }
    }

    /// Has it run through a `wrapper`, where its home is called `data`; from here it is seen as `home`.
    #[must_use]
    pub fn within(mut self, wrapper: &[&str], data: &Path, home: &Path) -> Self {
        self.wrapper = wrapper.iter().map(ToString::to_string).collect();
        data.clone_into(&mut self.data);
        self.home = Home::new(home);
        self
    }

    /// Sets a variable in the environment of every process from now on.
    pub fn set_variable(&mut self, name: &str, value: &str) {
        self.variables.push((name.to_owned(), value.to_owned()));
    }

    /// Starts the process, and does not wait until it is up.
    pub fn launch(&mut self) {
        assert!(self.running.is_none(), "the hub is running already");
        let mut args = vec!["serve".to_owned(), "--json".to_owned()];
        if let Some(listen) = self.listen {
            args.extend(["--listen".to_owned(), listen.to_string()]);
        }
        let mut command = self.command();
        self.running = Some(Program::spawn(command.args(args), ""));
    }

    /// Waits until it is up, and returns what it said then.
    pub fn greeted(&mut self) -> Value {
        self.up().unwrap_or_else(|ended| panic!("the hub did not come up: {ended:?}"))
    }

    /// Waits until it is up, or has given up.
    ///
    /// # Errors
    ///
    /// What it said when it gave up.
    pub fn up(&mut self) -> Result<Value, Ended> {
        let running = self.running.as_ref().expect("the hub was started");
        let Some(line) = running.first_line() else { return Err(self.ended()) };
        let greeting: Value = serde_json::from_str(&line).expect("the greeting is JSON");
        greeting["url"].as_str().expect("the greeting has an address").clone_into(&mut self.url);
        self.listen = None;
        Ok(greeting)
    }

    /// Ends it without any warning (SIGKILL).
    pub fn kill(&mut self) {
        let ended = self.running.take().expect("the hub is running").kill();
        self.said += &ended.stderr;
    }

    /// Starts it again on the same home, and waits until it is up.
    pub fn restart(&mut self) -> Value {
        self.launch();
        self.greeted()
    }

    /// Asks it to stop (SIGTERM), and waits until it has.
    pub fn stop(&mut self) -> Ended {
        self.running.as_ref().expect("the hub is running").signal(Signal::TERM);
        self.ended()
    }

    /// Waits until it ends by itself.
    pub fn ended(&mut self) -> Ended {
        let ended = self.running.take().expect("the hub was started").wait_exit();
        self.said += &ended.stderr;
        ended
    }

    /// Its process.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.running.as_ref().expect("the hub is running").pid()
    }

    /// Where it is.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Everything its processes said on standard error.
    #[must_use]
    pub fn said(&self) -> String {
        let last = self.running.as_ref().map(Program::stderr).unwrap_or_default();
        format!("{}{last}", self.said)
    }

    /// Waits until it has said this on standard error.
    pub fn wait_said(&self, text: &str) {
        self.running.as_ref().expect("the hub is running").wait_stderr(text);
    }

    /// Its home.
    #[must_use]
    pub fn home(&self) -> &Home {
        &self.home
    }

    /// A directory of its own, beside the home.
    #[must_use]
    pub fn directory(&self) -> &Path {
        self.directory.path()
    }

    /// The same program, with the same home, for another command.
    #[must_use]
    pub fn command(&self) -> Command {
        let program = self.program.display().to_string();
        let words: Vec<_> = self.wrapper.iter().chain([&program]).collect();
        let mut command = Program::command(words[0], self.directory.path());
        command.args(&words[1..]).arg("--data").arg(&self.data);
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }

    /// A client with the token of this power; it waits out a hub that is away.
    #[must_use]
    pub fn client(&self, power: Power) -> RemoteHub {
        RemoteHub::new(self.home.clone(), power, Surface::Api).patient(PATIENCE)
    }

    /// The hub, as the agent of this name sees it.
    #[must_use]
    pub fn agent(&self, name: &str) -> RemoteHub {
        RemoteHub::agent(self.home.clone(), name.to_owned()).patient(PATIENCE)
    }

    /// The hub, as the agent that asked this sees it.
    #[must_use]
    pub fn asker_of(&self, ask: &Record) -> RemoteHub {
        let built_in = |owner: &&str| BUILT_IN.contains(owner);
        match ask.opened.owner.as_deref().filter(built_in) {
            Some(owner) => self.agent(owner),
            None => self.client(Power::Agent),
        }
    }

    /// Sends one request and returns what the hub says to it.
    #[must_use]
    pub fn plain(
        &self,
        power: Power,
        method: &str,
        path: &str,
        body: Option<&Value>,
    ) -> PlainAnswer {
        let token = self.home.token(power).expect("the home has a token");
        plain_request(&self.url, token.reveal(), method, path, body)
            .unwrap_or_else(|error| panic!("{method} {path}: {error}; the hub:\n{}", self.said()))
    }
}

/// An address nobody listens at, below the ports the system hands out by itself: while a hub is being
/// restarted, no connection of somebody else's may come to sit on its port.
#[must_use]
pub fn free_address() -> SocketAddr {
    // Above the last one that browsers refuse.
    const PORTS: std::ops::Range<u16> = 11_000..32_000;
    let mut places = std::iter::repeat_with(|| {
        let random = RealWorld.random();
        let port = u16::from_le_bytes([random[0], random[1]]) % (PORTS.end - PORTS.start);
        SocketAddr::from((Ipv4Addr::LOCALHOST, PORTS.start + port))
    });
    places
        .by_ref()
        .take(1000)
        .find(|place| TcpListener::bind(place).is_ok())
        .expect("a port that is free")
}
