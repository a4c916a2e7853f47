//! The hook by itself: events on standard input as Claude Code sends them, and worse ones.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use handraise_broker::{AskId, Hub, Power, Query, Record, State};
use handraise_client::{Home, HubFile};
use handraise_testkit::{Ended, HubProcess, PATIENCE, Program, answers};
use rustix::process::Signal;
use serde_json::{Value, json};
use tokio::runtime::Runtime;

const BINARY: &str = env!("CARGO_BIN_EXE_handraise");

/// A hub, and hooks that run without any Claude Code.
struct Hooks {
    hub: HubProcess,
    runtime: Runtime,
}

impl Hooks {
    fn new() -> Self {
        Self::of(HubProcess::start(Path::new(BINARY)))
    }

    fn with_config(config: &str) -> Self {
        let mut hub = HubProcess::prepare(Path::new(BINARY));
        hub.home().create().unwrap();
        std::fs::write(hub.home().config(), config).unwrap();
        hub.restart();
        Self::of(hub)
    }

    fn of(hub: HubProcess) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        Self { hub, runtime }
    }

    fn start(&self, event: &Value) -> Program {
        let mut command = self.hub.command();
        Program::spawn(command.args(["hook", "claude"]), &event.to_string())
    }

    /// Runs a hook to its end. It never complains.
    fn run(&self, event: &Value) -> String {
        quiet(self.start(event).wait_exit())
    }

    fn open(&self, count: usize) -> Vec<Arc<Record>> {
        let start = Instant::now();
        loop {
            let open = self.list(&[State::Open]);
            if open.len() == count {
                return open;
            }
            assert!(start.elapsed() < PATIENCE, "{} asks are open", open.len());
            thread::sleep(Duration::from_millis(5));
        }
    }

    fn list(&self, states: &[State]) -> Vec<Arc<Record>> {
        let query = Query { states: states.to_vec(), limit: 100, ..Query::default() };
        self.runtime.block_on(self.hub.client(Power::Agent).list(query)).unwrap()
    }

    fn get(&self, id: AskId) -> Arc<Record> {
        self.runtime.block_on(self.hub.client(Power::Agent).get(id)).unwrap()
    }

    fn choose(&self, id: AskId, label: &str) {
        let reply = answers(json!([{"selected": [label]}]));
        self.runtime.block_on(self.hub.client(Power::Person).reply(id, reply, None)).unwrap();
    }
}

pub(crate) fn quiet(ended: Ended) -> String {
    assert_eq!((ended.status.code(), ended.stderr.as_str()), (Some(0), ""));
    ended.stdout
}

fn event(name: &str, fields: &Value) -> Value {
    let mut event = json!({"hook_event_name": name, "session_id": "s-1", "prompt_id": "p-1",
        "cwd": "/home/dev/app", "tool_name": "AskUserQuestion", "tool_input": input()});
    event.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    event
}

fn input() -> Value {
    json!({"questions": [{"question": "Which auth?", "header": "Auth", "multiSelect": false,
        "options": [{"label": "JWT"}, {"label": "Sessions"}]}]})
}

pub(crate) fn noted(call: &str) -> Value {
    event("PreToolUse", &json!({"tool_use_id": call}))
}

pub(crate) fn asked() -> Value {
    event("PermissionRequest", &json!({}))
}

/// What Claude Code tells when it has taken an answer, and when its model reads it.
pub(crate) fn taken(call: &str, label: &str) -> [Value; 2] {
    let mut took = input();
    took["answers"] = json!({"Which auth?": label});
    let read = format!(
        "Your questions have been answered: \"Which auth?\"=\"{label}\". You can now continue with \
         these answers in mind."
    );
    let took = json!({"tool_use_id": call, "tool_input": took, "tool_response": took});
    let call = json!({"tool_name": "AskUserQuestion", "tool_use_id": call,
        "tool_input": took["tool_input"], "tool_response": read});
    [event("PostToolUse", &took), event("PostToolBatch", &json!({"tool_calls": [call]}))]
}

/// The label that a hook told Claude Code.
pub(crate) fn printed(line: &str) -> String {
    let line: Value = serde_json::from_str(line).unwrap();
    let decision = &line["hookSpecificOutput"]["decision"];
    assert_eq!(decision["behavior"], "allow", "{line}");
    decision["updatedInput"]["answers"]["Which auth?"].as_str().unwrap().to_owned()
}

#[test]
fn a_noted_call_is_asked_under_its_own_name_and_one_that_was_not_under_another() {
    let hooks = Hooks::new();
    assert_eq!(hooks.run(&noted("toolu_1")), "");
    let first = hooks.start(&asked());
    let named = hooks.open(1).remove(0);
    assert_eq!(named.opened.key.as_deref(), Some("s-1/toolu_1"));
    let second = hooks.start(&asked());
    let unnamed = hooks.open(2).remove(1);
    let key = unnamed.opened.key.clone().unwrap();
    assert!(key.starts_with("s-1/p-1/"), "{key}");
    hooks.choose(unnamed.id, "Sessions");
    assert_eq!(printed(&quiet(second.wait_exit())), "Sessions");
    hooks.choose(named.id, "JWT");
    assert_eq!(printed(&quiet(first.wait_exit())), "JWT");
    // The same once more is another ask, and not the answer of that time: not even when nothing is
    // left of the session.
    hooks.run(&event("Stop", &json!({})));
    hooks.run(&event("SessionEnd", &json!({})));
    let third = hooks.start(&asked());
    let again = hooks.open(1).remove(0);
    assert_ne!(again.opened.key, unnamed.opened.key);
    hooks.choose(again.id, "JWT");
    assert_eq!(printed(&quiet(third.wait_exit())), "JWT");
}

#[test]
fn twins_are_asked_in_the_order_of_their_notes() {
    let hooks = Hooks::new();
    for round in 0..10 {
        let prompt = json!({"prompt_id": format!("p-{round}")});
        let twin = |call: &str| {
            let mut note = noted(&format!("toolu_{round}_{call}"));
            note["prompt_id"] = prompt["prompt_id"].clone();
            note
        };
        // Both at once, as Claude Code runs them; whichever ends first is asked about first.
        let mut notes = vec![hooks.start(&twin("a")), hooks.start(&twin("b"))];
        let mut order = vec![];
        let mut waiting = vec![];
        let start = Instant::now();
        while !notes.is_empty() {
            if let Some(done) = notes.iter_mut().position(Program::has_ended) {
                quiet(notes.remove(done).wait_exit());
                order.push(done);
                waiting.push(hooks.start(&event("PermissionRequest", &prompt)));
                hooks.open(order.len());
            }
            assert!(start.elapsed() < PATIENCE);
        }
        let first = if order[0] == 0 { "a" } else { "b" };
        let second = if order[0] == 0 { "b" } else { "a" };
        let keys: Vec<_> =
            hooks.open(2).iter().map(|ask| ask.opened.key.clone().unwrap()).collect();
        assert_eq!(
            keys,
            [format!("s-1/toolu_{round}_{first}"), format!("s-1/toolu_{round}_{second}")]
        );
        for ask in hooks.open(2) {
            hooks.choose(ask.id, "JWT");
        }
        for one in waiting {
            assert_eq!(printed(&quiet(one.wait_exit())), "JWT");
        }
    }
}

#[test]
fn what_was_taken_without_our_note_finds_its_ask_all_the_same() {
    let hooks = Hooks::new();
    let waiting = hooks.start(&asked());
    let ask = hooks.open(1).remove(0);
    let mut taken = input();
    taken["answers"] = json!({"Which auth?": "Sessions"});
    let done = json!({"tool_use_id": "toolu_9", "tool_input": taken, "tool_response": taken});
    assert_eq!(hooks.run(&event("PostToolUse", &done)), "");
    assert_eq!(quiet(waiting.wait_exit()), "", "the dialog was first: there is nothing to say");
    let ended = hooks.get(ask.id);
    assert_eq!(ended.resolved().unwrap().resolution["answers"][0]["selected"], json!(["Sessions"]));
}

#[test]
fn silence_in_the_dialog_is_silence_and_raises_an_alarm() {
    let hooks = Hooks::new();
    hooks.run(&noted("toolu_1"));
    let waiting = hooks.start(&asked());
    let ask = hooks.open(1).remove(0);
    let response = json!({"questions": input()["questions"], "answers": {}, "annotations": {},
        "afkTimeoutMs": 60000});
    let done = event("PostToolUse", &json!({"tool_use_id": "toolu_1", "tool_response": response}));
    let alarm: Value = serde_json::from_str(&hooks.run(&done)).unwrap();
    assert!(alarm["systemMessage"].as_str().unwrap().contains("without"), "{alarm}");
    assert_eq!(quiet(waiting.wait_exit()), "");
    let resolved = hooks.get(ask.id).resolved().unwrap().clone();
    assert_eq!(resolved.resolution, json!({"kind": "no_answer", "afterSeconds": 60}));
    assert_eq!(resolved.responder, None, "nobody answered");
}

#[test]
fn a_call_that_went_on_in_a_way_nobody_understands_is_not_left_open() {
    let hooks = Hooks::new();
    hooks.run(&noted("toolu_1"));
    let waiting = hooks.start(&asked());
    let ask = hooks.open(1).remove(0);
    let calls = json!([{"tool_use_id": "toolu_1", "tool_input": input(),
        "tool_response": "Denied by somebody else's hook"}]);
    assert_eq!(hooks.run(&event("PostToolBatch", &json!({"tool_calls": calls}))), "");
    assert_eq!(quiet(waiting.wait_exit()), "");
    assert_eq!(hooks.get(ask.id).resolved().unwrap().kind(), "withdrawn");
}

#[test]
fn an_answer_that_cannot_be_kept_is_not_made_up() {
    let hooks = Hooks::new();
    hooks.run(&noted("toolu_1"));
    let waiting = hooks.start(&asked());
    let ask = hooks.open(1).remove(0);
    let response = json!({"answers": {"Which auth?": "\u{1b}[2J"}});
    hooks.run(&event("PostToolUse", &json!({"tool_use_id": "toolu_1", "tool_response": response})));
    assert_eq!(quiet(waiting.wait_exit()), "");
    assert_eq!(hooks.get(ask.id).resolved().unwrap().kind(), "withdrawn");
}

#[test]
fn a_cancelled_hook_takes_its_question_back() {
    let hooks = Hooks::new();
    for signal in [Signal::TERM, Signal::HUP, Signal::INT] {
        let waiting = hooks.start(&asked());
        let ask = hooks.open(1).remove(0);
        waiting.signal(signal);
        assert_eq!(quiet(waiting.wait_exit()), "");
        assert_eq!(hooks.get(ask.id).resolved().unwrap().kind(), "withdrawn", "{signal:?}");
    }
}

#[test]
fn the_end_of_a_turn_or_session_settles_what_nobody_waits_for() {
    let hooks = Hooks::new();
    for name in ["Stop", "SessionEnd"] {
        hooks.run(&noted(&format!("toolu_{name}")));
        let waiting = hooks.start(&asked());
        let ask = hooks.open(1).remove(0);
        let _ = waiting.kill();
        assert_eq!(hooks.run(&event(name, &json!({}))), "");
        assert_eq!(hooks.get(ask.id).resolved().unwrap().kind(), "withdrawn", "{name}");
    }
    let left = hooks.hub.home().directory().join("agents/claude-code/s-1");
    assert!(!left.exists(), "nothing of an ended session stays");
}

#[test]
fn what_is_switched_off_is_not_asked() {
    let off = Hooks::with_config("claude = { questions = false }");
    off.run(&noted("toolu_1"));
    assert_eq!(off.run(&asked()), "");
    let on = Hooks::new();
    for tool in ["Bash", "ExitPlanMode"] {
        let call = json!({"tool_name": tool, "tool_input": {"command": "ls"}});
        assert_eq!(on.run(&event("PermissionRequest", &call)), "");
    }
    assert!(off.list(&[]).is_empty() && on.list(&[]).is_empty());
}

#[test]
fn what_shows_no_dialog_beside_is_not_asked() {
    let hooks = Hooks::with_config("claude = { tools = true }");
    let bash = json!({"tool_name": "Bash", "tool_input": {"command": "ls"}});
    let mut of_a_subagent = event("PermissionRequest", &bash);
    of_a_subagent["agent_id"] = json!("a012");
    assert_eq!(hooks.run(&of_a_subagent), "");
    let mut command = hooks.hub.command();
    command.args(["hook", "claude"]).env("CLAUDE_CODE_ENTRYPOINT", "sdk-cli");
    let of_a_program = event("PermissionRequest", &bash).to_string();
    assert_eq!(quiet(Program::spawn(&mut command, &of_a_program).wait_exit()), "");
    let mut input = input();
    input["questions"][0]["question"] = json!("__proto__");
    assert_eq!(hooks.run(&event("PermissionRequest", &json!({"tool_input": input}))), "");
    assert!(hooks.list(&[]).is_empty());
}

#[test]
fn the_end_of_a_turn_leaves_a_question_that_somebody_waits_for() {
    let hooks = Hooks::new();
    hooks.run(&noted("toolu_1"));
    let waiting = hooks.start(&asked());
    let ask = hooks.open(1).remove(0);
    hooks.run(&event("Stop", &json!({})));
    hooks.run(&event("SessionEnd", &json!({})));
    assert!(hooks.get(ask.id).is_open());
    hooks.choose(ask.id, "JWT");
    assert_eq!(printed(&quiet(waiting.wait_exit())), "JWT");
}

#[test]
fn a_pipe_for_a_transcript_holds_nobody_up() {
    let hooks = Hooks::new();
    let pipe = hooks.hub.directory().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    let mut note = noted("toolu_1");
    note["transcript_path"] = json!(pipe);
    hooks.run(&note);
    let mut asked = asked();
    asked["transcript_path"] = json!(pipe);
    let waiting = hooks.start(&asked);
    let ask = hooks.open(1).remove(0);
    hooks.choose(ask.id, "JWT");
    assert_eq!(printed(&quiet(waiting.wait_exit())), "JWT");
}

/// The program that runs the hook forgets to close the pipe, or writes nothing into it.
#[test]
fn an_input_that_is_never_closed_holds_nobody_up() {
    let hooks = Hooks::new();
    let start = |event: &str| {
        let mut command = hooks.hub.command();
        command.args(["hook", "claude"]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut hook = command.spawn().unwrap();
        let mut stdin = hook.stdin.take().unwrap();
        stdin.write_all(event.as_bytes()).unwrap();
        (hook, stdin)
    };
    for event in [String::new(), "{\"hook_event_name\":".into(), noted("toolu_1").to_string()] {
        let (mut hook, stdin) = start(&event);
        assert!(hook.wait().unwrap().success(), "{event}");
        drop(stdin);
    }
    let (hook, stdin) = start(&asked().to_string());
    let ask = hooks.open(1).remove(0);
    assert_eq!(ask.opened.key.as_deref(), Some("s-1/toolu_1"), "it was noted");
    hooks.choose(ask.id, "JWT");
    let ended = hook.wait_with_output().unwrap();
    assert_eq!(printed(&String::from_utf8(ended.stdout).unwrap()), "JWT");
    drop(stdin);
}

#[test]
fn with_another_deliverer_the_hook_keeps_out() {
    let hooks = Hooks::new();
    let mut command = hooks.hub.command();
    command.args(["hook", "claude"]).env("HANDRAISE_OWNER", "1");
    assert_eq!(quiet(Program::spawn(&mut command, &asked().to_string()).wait_exit()), "");
    assert!(hooks.list(&[]).is_empty());
}

#[test]
fn no_event_makes_a_hook_complain() {
    let hooks = Hooks::new();
    let spawn = |input: &str| Program::spawn(hooks.hub.command().args(["hook", "claude"]), input);
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    for nonsense in ["", "null", "{", "[]", "\u{feff}{}", "{\"session_id\": 5}", &deep] {
        assert_eq!(quiet(spawn(nonsense).wait_exit()), "");
    }
    let strange = [
        event("PermissionRequest", &json!({"tool_input": {}})),
        event("PermissionRequest", &json!({"tool_input": {"questions": []}})),
        event("PermissionRequest", &json!({"tool_input": null, "tool_name": null})),
        event("PostToolUse", &json!({"tool_response": [1, 2]})),
        event("PostToolBatch", &json!({"tool_calls": [{"tool_use_id": ""}]})),
        event("SomethingNew", &json!({})),
        json!({"session_id": "s"}),
    ];
    for event in &strange {
        assert_eq!(hooks.run(event), "", "{event}");
    }
    // A session's name is a word of its own making, and no path.
    let mut escaping = noted("toolu_1");
    escaping["session_id"] = json!("../../../../escaped");
    hooks.run(&escaping);
    let home = hooks.hub.home().directory();
    assert!(!home.join("../escaped").exists() && !home.join("escaped").exists());
    assert!(hooks.list(&[]).is_empty());
    let trouble = std::fs::read_to_string(home.join("agents/claude-code/last-trouble.txt"));
    assert!(!trouble.unwrap().is_empty(), "whoever looks for the reason finds it");
}

/// A home whose hub does this with each connection after the head of a request came.
fn strange_hub(mut answer: impl FnMut(TcpStream) + Send + 'static) -> tempfile::TempDir {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let directory = tempfile::tempdir().unwrap();
    let home = Home::new(directory.path());
    let url = format!("http://{}", listener.local_addr().unwrap());
    home.announce(&HubFile::here(url)).unwrap();
    for power in [Power::Agent, Power::Person] {
        std::fs::write(home.token_file(power), "token\n").unwrap();
    }
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut request = vec![0; 65_536];
            // The request is nobody's business here.
            let _ = stream.read(&mut request);
            answer(stream);
        }
    });
    directory
}

/// What a hook with this home says to an event.
fn hook_at(home: &tempfile::TempDir, event: &Value) -> String {
    let mut command = Program::command(BINARY, home.path());
    command.arg("--data").arg(home.path()).args(["hook", "claude"]);
    quiet(Program::spawn(&mut command, &event.to_string()).wait_exit())
}

#[test]
fn a_hub_that_is_too_old_strange_or_silent_is_left_alone() {
    let old = "HTTP/1.1 404 Not Found\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}";
    let strange = "HTTP/1.1 200 OK\r\ncontent-length: 5\r\nconnection: close\r\n\r\nhello";
    let broken = "nonsense\r\n\r\n";
    for answer in [Some(old), Some(strange), Some(broken), None] {
        let mut silent = vec![];
        let home = strange_hub(move |mut stream| match answer {
            // It may be gone already.
            Some(answer) => drop(stream.write_all(answer.as_bytes())),
            None => silent.push(stream),
        });
        let run = |event: &Value| hook_at(&home, event);
        assert_eq!(run(&noted("toolu_1")), "");
        assert_eq!(run(&asked()), "", "{answer:?}");
        let done = json!({"tool_use_id": "toolu_1", "tool_response": {"answers": {}}});
        assert_eq!(run(&event("PostToolUse", &done)), "");
        assert_eq!(run(&event("Stop", &json!({}))), "");
    }
}

#[test]
fn a_hub_that_answers_without_end_is_given_up_at_a_bound() {
    const BOUND: usize = 64 * 1024 * 1024;
    let taken = Arc::new(AtomicUsize::new(0));
    let sum = Arc::clone(&taken);
    let home = strange_hub(move |mut stream| {
        let chunk = vec![b' '; 64 * 1024];
        let head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n";
        let mut said = stream.write_all(head);
        while said.is_ok() {
            said = stream.write_all(&chunk);
            sum.fetch_add(chunk.len(), Ordering::Relaxed);
        }
    });
    assert_eq!(hook_at(&home, &noted("toolu_1")), "");
    for event in [asked(), event("Stop", &json!({}))] {
        taken.store(0, Ordering::Relaxed);
        assert_eq!(hook_at(&home, &event), "", "the agent's own dialog is left alone");
        let taken = taken.load(Ordering::Relaxed);
        assert!(taken < BOUND, "{taken} bytes were taken");
    }
}

#[test]
fn metadata_of_a_call_comes_back_and_odd_metadata_is_dropped() {
    let hooks = Hooks::new();
    let deep = (0..120).fold(json!({}), |deep, _| json!({"a": deep}));
    for (metadata, is_kept) in [
        (json!({"source": "remember", "n": [1, {"x": null}]}), true),
        (json!({"source": "x".repeat(3_000_000)}), false),
        (deep, false),
        (json!(["remember"]), false),
        (json!("remember"), false),
        (Value::Null, false),
    ] {
        let mut input = input();
        input["metadata"] = metadata.clone();
        let hook = hooks.start(&event("PermissionRequest", &json!({"tool_input": input})));
        let ask = hooks.open(1).remove(0);
        let kept = ask.matter().metadata().map(|raw| raw.get().to_owned());
        assert_eq!(kept, is_kept.then(|| metadata.to_string()));
        hooks.choose(ask.id, "JWT");
        let line = quiet(hook.wait_exit());
        assert_eq!(printed(&line), "JWT");
        let line: Value = serde_json::from_str(&line).unwrap();
        let echoed = &line["hookSpecificOutput"]["decision"]["updatedInput"]["metadata"];
        assert_eq!(*echoed, if is_kept { metadata } else { Value::Null });
    }
}
