//! A question that goes all the way, through the hooks as they are installed.

use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use handraise_broker::{
    CLI, Hub, Level, Look, Power, Query, RealWorld, Record, Reply, State, World, hex,
};
use handraise_client::{Home, RemoteHub};
use handraise_question::Surface;
use serde_json::{Value, json};

use super::finding::Finding;
use super::hooks::Commands;
use crate::{inside_agent, runtime};

const PROBE: &str = "probe";
/// How long each step may take before it counts as failed.
const PATIENCE: Duration = Duration::from_secs(10);
const TURN: Duration = Duration::from_millis(5);
const QUESTION: &str = "Does Handraise work?";

pub(super) fn try_out(home: &Home, commands: Option<&Commands>) -> Finding {
    let skipped = |why: &str| Finding::unsure(PROBE, format!("not asked: {why}"));
    let Some(commands) = commands else { return skipped("there are no hooks to ask through") };
    if home.hub().is_none() {
        return skipped("there is no hub");
    }
    if let Some(sign) = inside_agent::sign() {
        return skipped(&format!("an agent may not answer for you ({sign})"));
    }
    let start = Instant::now();
    match Probe::new(home, commands).and_then(|probe| probe.run()) {
        Ok(()) => {
            let took = start.elapsed().as_millis();
            Finding::well(PROBE, format!("asked, answered and read in {took} ms"))
        }
        Err(why) => Finding::wrong(PROBE, why),
    }
}

/// A session that is none.
struct Probe<'a> {
    commands: &'a Commands,
    agent: RemoteHub,
    person: RemoteHub,
    runtime: tokio::runtime::Runtime,
    session: String,
}

impl<'a> Probe<'a> {
    fn new(home: &Home, commands: &'a Commands) -> Result<Self, String> {
        Ok(Self {
            commands,
            agent: RemoteHub::agent(home.clone(), CLI),
            person: RemoteHub::new(home.clone(), Power::Person, Surface::Terminal),
            runtime: runtime::single().map_err(|error| error.to_string())?,
            session: format!("handraise-doctor-{}", hex(&RealWorld.random()[..8])),
        })
    }

    fn run(&self) -> Result<(), String> {
        self.look(PATIENCE.as_secs());
        let done = self.steps();
        self.look(0);
        // Whatever became of it, nothing of it is left.
        let ended = self.event("SessionEnd", json!({"reason": "other"}));
        done.and(ended.map(|_| ()))
    }

    /// Nobody is to be tapped on the shoulder for a question that the doctor answers.
    fn look(&self, seconds: u64) {
        let look = Look { view: self.session.clone(), ask: None, seconds };
        // A hub that knows nothing of looks is asked all the same.
        let _ = self.runtime.block_on(self.person.look(look));
    }

    fn steps(&self) -> Result<(), String> {
        let call = json!({"tool_name": "AskUserQuestion", "tool_input": input()});
        let noted = with(&call, json!({"tool_use_id": "toolu_probe"}));
        self.event("PreToolUse", noted)?;
        let mut waiting = self.start("PermissionRequest", call)?;
        let asked = self.asked(&mut waiting)?;
        let yes = serde_json::from_value(json!([{"selected": ["Yes"]}]));
        let yes = Reply::Answer(yes.map_err(|error| error.to_string())?);
        let replied = self.runtime.block_on(self.person.reply(asked.id, yes, None));
        replied.map_err(|error| format!("the hub did not take the answer: {error}"))?;
        let printed = finish(waiting)?;
        let printed: Value = serde_json::from_str(&printed)
            .map_err(|_| format!("the hook did not print the answer but: {printed:?}"))?;
        let decision = &printed["hookSpecificOutput"]["decision"];
        let taken = &decision["updatedInput"];
        if decision["behavior"] != "allow" || taken["answers"] != json!({QUESTION: "Yes"}) {
            return Err(format!("the hook printed another answer: {decision}"));
        }
        let response = json!({"tool_use_id": "toolu_probe", "tool_name": "AskUserQuestion",
            "tool_input": taken, "tool_response": taken});
        self.event("PostToolUse", response)?;
        let read = json!([{"tool_use_id": "toolu_probe", "tool_input": input(),
            "tool_response": format!("{QUESTION:?}=\"Yes\"")}]);
        self.event("PostToolBatch", json!({"tool_calls": read}))?;
        let ask = self.runtime.block_on(self.agent.get(asked.id));
        let ask = ask.map_err(|error| error.to_string())?;
        let seen = ask.last_receipt().is_some_and(|receipt| receipt.level == Level::Seen);
        if seen && ask.state() == State::Delivered {
            Ok(())
        } else {
            Err(format!("the hub does not know that the answer was read: {}", ask.state().name()))
        }
    }

    /// The ask, as soon as the hub has it.
    fn asked(&self, waiting: &mut Child) -> Result<Arc<Record>, String> {
        let start = Instant::now();
        loop {
            let query = Query {
                states: vec![State::Open],
                session: Some(self.session.clone()),
                limit: 1,
                ..Query::default()
            };
            let found = self.runtime.block_on(self.agent.list(query));
            if let Some(ask) = found.map_err(|error| error.to_string())?.pop() {
                return Ok(ask);
            }
            if waiting.try_wait().is_ok_and(|ended| ended.is_some()) {
                return Err("the hook ended and asked nothing".into());
            }
            if start.elapsed() > PATIENCE {
                return Err("the hook asked nothing".into());
            }
            thread::sleep(TURN);
        }
    }

    /// Runs the hook of an event to its end.
    fn event(&self, name: &str, fields: Value) -> Result<String, String> {
        finish(self.start(name, fields)?)
    }

    /// Starts the hook of an event, as Claude Code does.
    fn start(&self, name: &str, fields: Value) -> Result<Child, String> {
        let command = self.commands.get(name).ok_or_else(|| format!("no hook for {name}"))?;
        let mut child = Command::new("/bin/sh")
            .args(["-c", command])
            .env("CLAUDE_PID", std::process::id().to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("the hook cannot be run: {error}"))?;
        let event = json!({"hook_event_name": name, "session_id": self.session,
            "cwd": std::env::current_dir().ok(), "prompt_id": "probe"});
        let written = child
            .stdin
            .take()
            .map(|mut stdin| stdin.write_all(with(&event, fields).to_string().as_bytes()));
        // A hook that ends before it has read everything is found out by what it does not do.
        drop(written);
        Ok(child)
    }
}

/// What a program that prints little printed, when it has ended.
pub(super) fn finish(mut program: Child) -> Result<String, String> {
    let start = Instant::now();
    while program.try_wait().map_err(|error| error.to_string())?.is_none() {
        if start.elapsed() > PATIENCE {
            // It may end this very moment.
            let _ = program.kill();
            return Err("the hook does not end".into());
        }
        thread::sleep(TURN);
    }
    let mut printed = String::new();
    if let Some(mut stdout) = program.stdout.take() {
        stdout.read_to_string(&mut printed).map_err(|error| error.to_string())?;
    }
    Ok(printed)
}

fn input() -> Value {
    json!({"questions": [{"question": QUESTION, "header": "Probe", "multiSelect": false, "options": [
        {"label": "Yes", "description": "What the doctor answers"},
        {"label": "No", "description": "What it does not answer"}]}]})
}

/// Both objects in one.
fn with(one: &Value, other: Value) -> Value {
    let mut all = one.clone();
    if let (Some(all), Value::Object(other)) = (all.as_object_mut(), other) {
        all.extend(other);
    }
    all
}
