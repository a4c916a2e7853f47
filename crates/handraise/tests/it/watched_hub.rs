//! A hub of the built binary that is watched: everything it says and keeps is searched for secrets.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

use handraise_broker::BUILT_IN;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::asking::database;
use crate::http::{Answer, Call, Line};
use crate::socket::Socket;

/// A running hub with a home of its own. It is killed when this is dropped; [`WatchedHub::end`] ends
/// it in peace and looks at what it leaves behind.
pub(crate) struct WatchedHub {
    child: Child,
    said: Arc<Mutex<Vec<u8>>>,
    listening: Option<JoinHandle<()>>,
    directory: TempDir,
    /// Where it listens.
    pub(crate) address: SocketAddr,
    pub(crate) person: String,
    pub(crate) agent: String,
    secrets: Mutex<Vec<String>>,
}

impl WatchedHub {
    pub(crate) fn start() -> Self {
        Self::with("127.0.0.1:0", "", "trace")
    }

    pub(crate) fn configured(config: &str) -> Self {
        Self::with("127.0.0.1:0", config, "trace")
    }

    pub(crate) fn with(listen: &str, config: &str, log: &str) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let home = directory.path().join("home");
        if !config.is_empty() {
            fs::create_dir(&home).unwrap();
            fs::set_permissions(&home, fs::Permissions::from_mode(0o700)).unwrap();
            fs::write(home.join("config.toml"), config).unwrap();
        }
        Self::serve(directory, &["--listen", listen], log, vec![])
    }

    /// Stops it, with all that [`WatchedHub::end`] looks at, and starts it on the same home.
    pub(crate) fn restart(self) -> Self {
        self.restart_after(|_| {})
    }

    /// The same, with something done to the home in between.
    pub(crate) fn restart_after(mut self, change: impl FnOnce(&Path)) -> Self {
        self.stop();
        change(&self.home());
        let secrets = self.secrets.lock().unwrap().clone();
        let directory = std::mem::replace(&mut self.directory, tempfile::tempdir().unwrap());
        Self::serve(directory, &[], "trace", secrets)
    }

    fn serve(directory: TempDir, args: &[&str], log: &str, mut secrets: Vec<String>) -> Self {
        let home = directory.path().join("home");
        let mut child = handraise(&home)
            .args(["serve", "--json"])
            .args(args)
            .env("HANDRAISE_LOG", log)
            .env("HOME", directory.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let said = Arc::new(Mutex::new(vec![]));
        let mut stderr = child.stderr.take().unwrap();
        let sink = Arc::clone(&said);
        let listening = thread::spawn(move || {
            let mut buf = [0; 8192];
            while let Ok(read @ 1..) = stderr.read(&mut buf) {
                sink.lock().unwrap().extend_from_slice(&buf[..read]);
            }
        });
        let mut greeting = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut greeting).unwrap();
        let greeting: Value = serde_json::from_str(&greeting).unwrap_or_else(|_| {
            panic!("no hub: {}", String::from_utf8_lossy(&said.lock().unwrap()));
        });
        let address = greeting["url"].as_str().unwrap().trim_start_matches("http://");
        let token = |name: &str| fs::read_to_string(home.join(name)).unwrap().trim().to_owned();
        let (person, agent) = (token("person.token"), token("agent.token"));
        secrets.extend([person.clone(), agent.clone()]);
        secrets.extend(BUILT_IN.map(|name| token(&format!("agents/{name}.token"))));
        Self {
            child,
            said,
            listening: Some(listening),
            address: address.parse().unwrap(),
            secrets: Mutex::new(secrets),
            person,
            agent,
            directory,
        }
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.directory.path().join("home")
    }

    /// A place for files of a test.
    pub(crate) fn place(&self) -> &Path {
        self.directory.path()
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// What it wrote to standard error so far.
    /// How much memory it has in use, in bytes.
    pub(crate) fn memory(&self) -> usize {
        let status = fs::read_to_string(format!("/proc/{}/status", self.pid())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        line.trim().trim_end_matches(" kB").parse::<usize>().unwrap() * 1024
    }

    pub(crate) fn said(&self) -> String {
        String::from_utf8_lossy(&self.said.lock().unwrap()).into_owned()
    }

    /// Runs a command with this home and a clean environment.
    pub(crate) fn run(&self, args: &[&str]) -> Output {
        handraise(&self.home()).args(args).output().unwrap()
    }

    /// Makes one request over a connection of its own. What a GET returns holds no secret.
    pub(crate) fn call(&self, call: &Call<'_>) -> Answer {
        let answer = Line::to(self.address).call(call);
        if call.method() == "GET" {
            self.assert_no_secret_in("a response", answer.text.as_bytes());
        }
        answer
    }

    /// Asks something as an agent, and returns the ask's id.
    pub(crate) fn ask(&self) -> String {
        let ask = json!({"asker": {"agent": "tester"}, "questions": database()["questions"]});
        let answer = self.call(&Call::post("/api/v1/asks").token(&self.agent).json(&ask));
        assert_eq!(answer.status, 201, "{answer:?}");
        answer.json()["id"].as_str().unwrap().to_owned()
    }

    /// The ask as it stands.
    pub(crate) fn look(&self, id: &str) -> Value {
        let path = format!("/api/v1/asks/{id}");
        let answer = self.call(&Call::get(&path).token(&self.person));
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.json()
    }

    /// The secret of a new login link.
    pub(crate) fn link(&self) -> String {
        let answer = self.call(&Call::post("/api/v1/links").token(&self.person));
        assert_eq!(answer.status, 201, "{answer:?}");
        let url = answer.json()["url"].as_str().unwrap().to_owned();
        let (page, secret) = url.split_once("#login=").unwrap();
        assert_eq!(page, format!("http://{}/", self.address));
        self.keep_secret(secret);
        secret.to_owned()
    }

    /// A device of the person's that came in by a link: its id and its token.
    pub(crate) fn pair(&self) -> (String, String) {
        let secret = self.link();
        let params = json!({"secret": secret, "name": "a phone"});
        let answer = self.call(&Call::post("/api/v1/login").json(&params));
        assert_eq!(answer.status, 201, "{answer:?}");
        let answer = answer.json();
        let token = answer["token"].as_str().unwrap().to_owned();
        self.keep_secret(&token);
        (answer["device"]["id"].as_str().unwrap().to_owned(), token)
    }

    /// The id of the device all agents share.
    pub(crate) fn agents_device(&self) -> String {
        let answer = self.call(&Call::get("/api/v1/devices").token(&self.person)).json();
        let devices = answer["devices"].as_array().unwrap();
        let is_shared = |name: &Value| name.as_str().unwrap().starts_with("agents on ");
        let agents = devices.iter().find(|device| is_shared(&device["name"])).unwrap();
        agents["id"].as_str().unwrap().to_owned()
    }

    pub(crate) fn revoke(&self, device: &str) {
        let path = format!("/api/v1/devices/{device}");
        let answer = self.call(&Call::delete(&path).token(&self.person));
        assert_eq!(answer.status, 200, "{answer:?}");
    }

    /// Notes something that must be found nowhere.
    pub(crate) fn keep_secret(&self, secret: &str) {
        assert!([43, 64].contains(&secret.len()), "a secret of 32 bytes: {secret:?}");
        self.secrets.lock().unwrap().push(secret.to_owned());
    }

    /// Waits until the log has a refusal with this code, and returns the first one.
    pub(crate) fn refusal(&self, code: &str, tried: &str) -> Value {
        let mut socket = Socket::follow(self, &self.person, Some(0)).unwrap();
        loop {
            let frame = socket.frame();
            let detail = &frame["detail"];
            let refused = frame["name"] == "access.refused";
            if refused && detail["code"] == code && detail["tried"] == tried {
                self.assert_no_secret_in("an event", frame.to_string().as_bytes());
                return detail.clone();
            }
        }
    }

    /// The codes of all refusals in the log by now.
    pub(crate) fn refused(&self) -> Vec<String> {
        let mut socket = Socket::follow(self, &self.person, Some(0)).unwrap();
        let mut codes = vec![];
        loop {
            let frame = socket.frame();
            if frame["type"] == "live" {
                return codes;
            }
            if frame["name"] == "access.refused" {
                codes.push(frame["detail"]["code"].as_str().unwrap().to_owned());
            }
        }
    }

    pub(crate) fn assert_no_secret_in(&self, place: &str, bytes: &[u8]) {
        for secret in self.secrets.lock().unwrap().iter() {
            let found = bytes.windows(secret.len()).any(|window| window == secret.as_bytes());
            assert!(!found, "a secret is in {place}");
            // Nor as the bytes it stands for.
            let raw = raw(secret);
            let found = bytes.windows(raw.len()).any(|window| window == raw);
            assert!(!found, "the bytes of a secret are in {place}");
        }
    }

    /// Stops the hub as a person would. Its log adds up, its files are for their owner alone, and no
    /// secret is in what it said or in any file but those of the two tokens.
    pub(crate) fn end(mut self) {
        self.stop();
    }

    /// The same, with all that it said on standard error.
    pub(crate) fn end_saying(mut self) -> String {
        self.stop();
        self.said()
    }

    /// Has it begin to stop.
    pub(crate) fn terminate(&self) {
        let pid = Pid::from_raw(i32::try_from(self.child.id()).unwrap()).unwrap();
        kill_process(pid, Signal::TERM).unwrap();
    }

    fn stop(&mut self) {
        self.assert_files_are_private();
        self.assert_files_hold_no_secret();
        self.terminate();
        assert!(self.child.wait().unwrap().success(), "{}", self.said());
        self.listening.take().unwrap().join().unwrap();
        self.assert_no_secret_in("what the hub said", &self.said.lock().unwrap());
        self.assert_files_are_private();
        self.assert_files_hold_no_secret();
        let verified = self.run(&["audit", "verify", "--json"]);
        assert!(verified.status.success(), "{}", String::from_utf8_lossy(&verified.stderr));
    }

    fn files(&self) -> Vec<PathBuf> {
        let paths_in = |directory: PathBuf| {
            let entries = fs::read_dir(directory).unwrap();
            entries.map(|entry| entry.unwrap().path()).collect::<Vec<_>>()
        };
        let agents = self.home().join("agents");
        let mut files = paths_in(self.home());
        files.retain(|path| *path != agents);
        files.extend(paths_in(agents));
        files
    }

    fn assert_files_are_private(&self) {
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o7777;
        assert_eq!(mode(&self.home()), 0o700);
        assert_eq!(mode(&self.home().join("agents")), 0o700);
        // The configuration is its owner's to share.
        for file in self.files().iter().filter(|file| !file.ends_with("config.toml")) {
            assert_eq!(mode(file), 0o600, "{}", file.display());
        }
    }

    fn assert_files_hold_no_secret(&self) {
        for file in self.files() {
            if file.extension().is_none_or(|extension| extension != "token") {
                self.assert_no_secret_in(&file.display().to_string(), &fs::read(&file).unwrap());
            }
        }
    }
}

impl Drop for WatchedHub {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The built binary with a clean environment, whoever runs the tests, and no mask that would make
/// its files private for it.
pub(crate) fn handraise(home: &Path) -> Command {
    let mut command = Command::new("/bin/sh");
    command
        .args(["-c", r#"umask 000; exec "$0" "$@""#, env!("CARGO_BIN_EXE_handraise")])
        .env_clear()
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .env("USER", "ann")
        .arg("--data")
        .arg(home)
        .stdin(Stdio::null());
    command
}

/// The 32 bytes that a secret stands for: one of a link has six bits in a character, others four.
fn raw(secret: &str) -> Vec<u8> {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let (width, digits) =
        if secret.len() == 43 { (6, DIGITS) } else { (4, b"0123456789abcdef".as_slice()) };
    let value = |byte| digits.iter().position(|digit| *digit == byte).unwrap();
    let bits = |value: usize| (0..width).rev().map(move |n| value >> n & 1 == 1);
    let bits: Vec<bool> = secret.bytes().map(value).flat_map(bits).collect();
    let byte = |bits: &[bool]| bits.iter().fold(0, |byte, bit| byte << 1 | u8::from(*bit));
    bits.chunks_exact(8).map(byte).collect()
}
