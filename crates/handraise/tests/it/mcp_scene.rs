//! A hub, a person, and MCP clients that say exactly the lines a test wants.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use handraise_broker::{AskId, Hub, Power, Query, Record, Reply, State};
use handraise_testkit::{HubProcess, PATIENCE};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_handraise");

/// A hub and the person at it.
pub(crate) struct Scene {
    pub(crate) hub: HubProcess,
    runtime: Runtime,
}

impl Scene {
    pub(crate) fn new() -> Self {
        Self::with_config("")
    }

    pub(crate) fn with_config(config: &str) -> Self {
        let mut scene = Self::without_hub(config);
        scene.hub.restart();
        scene
    }

    /// A home in which no hub runs yet.
    pub(crate) fn without_hub(config: &str) -> Self {
        let hub = HubProcess::prepare(Path::new(PROGRAM));
        hub.home().create().unwrap();
        std::fs::write(hub.home().config(), config).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        Self { hub, runtime }
    }

    /// A client that has said hello in the words of 2025-06-18.
    pub(crate) fn client(&self, options: &[&str]) -> Client {
        let mut client = self.silent_client(options);
        client.hello("2025-06-18", "scene");
        client
    }

    /// A client that has said nothing yet.
    pub(crate) fn silent_client(&self, options: &[&str]) -> Client {
        let mut command = self.hub.command();
        command.arg("mcp").args(options);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (said, heard) = channel();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        thread::spawn(move || {
            for line in stdout.lines() {
                // The test may have ended.
                let _ = said.send(line.unwrap());
            }
        });
        let mut stderr = child.stderr.take().unwrap();
        let stderr = thread::spawn(move || {
            let mut text = String::new();
            stderr.read_to_string(&mut text).unwrap();
            text
        });
        let input = child.stdin.take();
        Client { child, input, heard, kept: vec![], stderr: Some(stderr), calls: 0 }
    }

    pub(crate) fn open(&self) -> Vec<Arc<Record>> {
        let open = Query { states: vec![State::Open], limit: 100, ..Query::default() };
        self.runtime.block_on(self.hub.client(Power::Agent).list(open)).unwrap()
    }

    /// Every ask there ever was.
    pub(crate) fn asks(&self) -> Vec<Arc<Record>> {
        let all = Query { limit: 100, ..Query::default() };
        self.runtime.block_on(self.hub.client(Power::Agent).list(all)).unwrap()
    }

    /// Waits until so many asks are open.
    pub(crate) fn wait_open(&self, count: usize) -> Vec<Arc<Record>> {
        wait("that many open asks", || Some(self.open()).filter(|asks| asks.len() == count))
    }

    /// Waits for the one ask that is open.
    pub(crate) fn the_ask(&self) -> Arc<Record> {
        self.wait_open(1).remove(0)
    }

    pub(crate) fn get(&self, id: AskId) -> Arc<Record> {
        self.runtime.block_on(self.hub.client(Power::Agent).get(id)).unwrap()
    }

    pub(crate) fn wait_state(&self, id: AskId, state: State) -> Arc<Record> {
        wait(state.name(), || Some(self.get(id)).filter(|record| record.state() == state))
    }

    pub(crate) fn reply(&self, id: AskId, reply: Reply) {
        self.runtime.block_on(self.hub.client(Power::Person).reply(id, reply, None)).unwrap();
    }

    pub(crate) fn answer(&self, id: AskId, answers: Value) {
        self.reply(id, Reply::Answer(serde_json::from_value(answers).unwrap()));
    }

    pub(crate) fn withdraw(&self, id: AskId, reason: &str) {
        let agent = self.hub.asker_of(&self.get(id));
        self.runtime.block_on(agent.withdraw(id, Some(reason.to_owned()))).unwrap();
    }

    /// Waits until an ask was taken back, and says why.
    pub(crate) fn wait_withdrawn(&self, id: AskId) -> String {
        let record = wait("withdrawal", || Some(self.get(id)).filter(|record| !record.is_open()));
        let resolution = &record.resolved().unwrap().resolution;
        assert_eq!(resolution["kind"], "withdrawn");
        resolution["reason"].as_str().unwrap().to_owned()
    }
}

/// Waits until a look finds something.
pub(crate) fn wait<T>(what: &str, look: impl Fn() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(start.elapsed() < PATIENCE, "no {what}");
        thread::sleep(Duration::from_millis(10));
    }
}

/// `handraise mcp`, as a client has it. It is killed when this is dropped.
pub(crate) struct Client {
    child: Child,
    input: Option<ChildStdin>,
    heard: Receiver<String>,
    /// What was heard before it was looked for.
    kept: Vec<Value>,
    stderr: Option<JoinHandle<String>>,
    calls: i64,
}

impl Client {
    /// Says hello as clients with a handshake do, and returns what the server says of itself.
    pub(crate) fn hello(&mut self, version: &str, name: &str) -> Value {
        let info = json!({"name": name, "version": "1"});
        let params = json!({"protocolVersion": version, "capabilities": {}, "clientInfo": info});
        self.say(
            &json!({"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": params}),
        );
        let greeting = self.result(&json!("hello"));
        self.say(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        greeting
    }

    pub(crate) fn say(&mut self, message: &Value) {
        self.say_bytes(format!("{message}\n").as_bytes());
    }

    pub(crate) fn say_bytes(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(bytes).unwrap();
        input.flush().unwrap();
    }

    /// Calls a tool and does not wait for what comes of it.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        self.call_with(tool, arguments, &json!({}))
    }

    pub(crate) fn call_with(&mut self, tool: &str, arguments: &Value, meta: &Value) -> Value {
        self.calls += 1;
        let params = json!({"name": tool, "arguments": arguments, "_meta": meta});
        let id = json!(self.calls);
        self.say(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}));
        id
    }

    /// Asks one question with two options.
    pub(crate) fn ask(&mut self, question: &str) -> Value {
        self.call("ask_user", &one(question))
    }

    pub(crate) fn cancel(&mut self, call: &Value, reason: &str) {
        let params = json!({"requestId": call, "reason": reason});
        self.say(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}));
    }

    /// The next thing it says, whatever it is.
    pub(crate) fn next(&mut self) -> Value {
        let line = self.heard.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("nothing is said"));
        let message: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("{line:?}"));
        assert_eq!(message["jsonrpc"], "2.0", "{line}");
        message
    }

    /// Waits for a message that is as described; what comes before it is kept.
    pub(crate) fn wait(&mut self, holds: impl Fn(&Value) -> bool) -> Value {
        if let Some(place) = self.kept.iter().position(&holds) {
            return self.kept.remove(place);
        }
        loop {
            let message = self.next();
            if holds(&message) {
                return message;
            }
            self.kept.push(message);
        }
    }

    /// What comes of a request.
    pub(crate) fn response(&mut self, id: &Value) -> Value {
        self.wait(|message| message.get("method").is_none() && message["id"] == *id)
    }

    pub(crate) fn result(&mut self, id: &Value) -> Value {
        let mut response = self.response(id);
        assert!(response.get("error").is_none(), "{response}");
        response["result"].take()
    }

    /// Asks for a tool's result and returns it.
    pub(crate) fn called(&mut self, tool: &str, arguments: &Value) -> Value {
        let call = self.call(tool, arguments);
        self.result(&call)
    }

    /// Waits until everything said before was read.
    pub(crate) fn settle(&mut self) {
        self.calls += 1;
        let id = json!(self.calls);
        self.say(&json!({"jsonrpc": "2.0", "id": id, "method": "ping"}));
        self.result(&id);
    }

    /// What was heard and not looked for.
    pub(crate) fn rest(&mut self) -> Vec<Value> {
        std::mem::take(&mut self.kept)
    }

    /// Closes its end of the line.
    pub(crate) fn hang_up(&mut self) {
        self.input = None;
    }

    pub(crate) fn signal(&self, signal: Signal) {
        let pid = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw).unwrap();
        kill_process(pid, signal).unwrap();
    }

    /// Waits until it has ended.
    pub(crate) fn ended(&mut self) -> Ended {
        let stderr = self.stderr.take().unwrap();
        let start = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(start.elapsed() < PATIENCE, "it does not end");
            thread::sleep(Duration::from_millis(5));
        };
        Ended { status, after: start.elapsed(), stderr: stderr.join().unwrap() }
    }
}

/// How it ended.
pub(crate) struct Ended {
    pub(crate) status: ExitStatus,
    pub(crate) after: Duration,
    pub(crate) stderr: String,
}

impl Drop for Client {
    fn drop(&mut self) {
        // It may have ended long ago.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// One question, and two options.
pub(crate) fn one(question: &str) -> Value {
    json!({"questions": [{"question": question, "options": [{"label": "yes"}, {"label": "no"}]}]})
}

/// What the model reads.
pub(crate) fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{result}"))
}

/// What programs read.
pub(crate) fn structured(result: &Value) -> &Value {
    assert_eq!(result["isError"], false, "{result}");
    &result["structuredContent"]
}

/// Why the tool failed.
pub(crate) fn failure(result: &Value) -> &str {
    assert_eq!(result["isError"], true, "{result}");
    text(result)
}
