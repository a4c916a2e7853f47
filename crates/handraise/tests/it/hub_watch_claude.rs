//! Panopticon's page, a hub that watches, and the real Claude Code in a pane of real tmux: no hooks, no
//! `handraise run`, no `handraise watch`.

use std::fs;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use handraise_broker::Power;
use handraise_testkit::{Block, ClaudeHome, ClaudeSession, HubProcess, PATIENCE, ScriptedModel};
use serde_json::{Value, json};

use crate::claude_scene::{auth, chosen, database, features};
use crate::http::{Answer, Call, Line};

const AGENT: &str = "agent-pan-1";

struct Scene {
    session: ClaudeSession,
    model: ScriptedModel,
    hub: HubProcess,
    _claude: ClaudeHome,
}

impl Scene {
    fn new() -> Self {
        let model = ScriptedModel::start();
        let claude = ClaudeHome::new(&model);
        let project = claude.project("feature-pan-1");
        let mut hub = HubProcess::prepare(Path::new(env!("CARGO_BIN_EXE_handraise")));
        let agent = hub.directory().join(".panopticon/agents").join(AGENT);
        fs::create_dir_all(&agent).unwrap();
        let state = json!({"id": AGENT, "workspace": project});
        fs::write(agent.join("state.json"), state.to_string()).unwrap();
        hub.home().create().unwrap();
        let config = format!("[watch]\nenabled = true\nclaude = '{}'\n", claude.config().display());
        fs::write(hub.home().config(), config).unwrap();
        hub.restart();
        let session = claude.session_of(&project, &["--permission-mode", "default"], (80, 24));
        Self { session, model, hub, _claude: claude }
    }

    fn call(&self, call: Call<'_>) -> Answer {
        let token = self.hub.home().token(Power::Person).unwrap();
        let address = self.hub.url().strip_prefix("http://").unwrap().parse().unwrap();
        Line::to(address).call(&call.token(token.reveal()))
    }

    /// Has the model ask.
    fn ask(&self, tag: &str, questions: &[Value]) {
        self.model.script(tag, vec![vec![Block::ask(&json!(questions))]]);
        self.session.prompt(&format!("SCRIPT:{tag} TAG:{tag}"));
    }

    /// Looks as the page does, until something is pending.
    fn pending(&self) -> Value {
        let start = Instant::now();
        loop {
            let path = format!("/api/agents/{AGENT}/pending-questions");
            let told = self.call(Call::get(&path)).json();
            if told["pending"] == true {
                return told;
            }
            let (screen, said) = (self.session.screen(), self.hub.said());
            assert!(start.elapsed() < PATIENCE, "nothing is pending:\n{screen}\n{said}");
            thread::sleep(Duration::from_millis(50));
        }
    }

    /// Answers as the page does.
    fn answer(&self, answers: &[&str]) -> Answer {
        let path = format!("/api/agents/{AGENT}/answer-question");
        self.call(Call::post(&path).json(&json!({"answers": answers})))
    }

    /// Answers the one question that is open, and waits for nothing.
    fn answer_elsewhere(&self, label: &str) {
        let open = self.call(Call::get("/api/v1/asks")).json();
        let path = format!("/api/v1/asks/{}/answer", open["asks"][0]["id"].as_str().unwrap());
        let answer = json!({"answers": [{"selected": [label]}]});
        assert_eq!(self.call(Call::post(&path).json(&answer)).status, 200);
    }
}

#[test]
fn panopticon_get_and_post_reach_a_pane_through_a_hub_alone() {
    let scene = Scene::new();
    let ways = [
        ("one", vec![database()], vec!["SQLite"], chosen(&[(&database(), "SQLite")])),
        ("several", vec![features()], vec!["Auth", "Search"], {
            chosen(&[(&features(), "Auth, Search")])
        }),
        ("two", vec![database(), auth()], vec!["MySQL", "JWT"], {
            chosen(&[(&database(), "MySQL"), (&auth(), "JWT")])
        }),
    ];
    for (tag, questions, answers, read) in ways {
        scene.ask(tag, &questions);
        let told = scene.pending();
        let calls = told["questions"].as_array().unwrap();
        assert_eq!(calls.len(), 1, "{told}");
        assert_eq!(calls[0]["questions"], json!(questions));
        assert!(calls[0]["toolId"].as_str().unwrap().starts_with("toolu_"), "{told}");
        let posted = scene.answer(&answers);
        assert_eq!((posted.status, posted.text.as_str()), (200, r#"{"success":true}"#), "{tag}");
        // The session has written it down, and sends it to the model at the same time.
        let result = scene.model.wait_result(tag);
        assert_eq!((result.text.as_str(), result.is_error), (read.as_str(), false));
        scene.session.wait_closed();
    }
}

#[test]
fn panopticon_post_fails_when_the_answer_cannot_be_typed() {
    let scene = Scene::new();
    scene.ask("several", &[features()]);
    scene.pending();
    scene.session.wait_dialog("Which features do you want?");
    scene.session.tmux().press(&["1"]);
    scene.session.tmux().wait_for("[✔] Auth");
    let posted = scene.answer(&["Search"]);
    assert_eq!(posted.status, 500, "{posted:?}");
    let body = posted.json();
    assert_eq!(body["error"], "Failed to send answer");
    let reason = "it did not arrive: The answer was not typed: somebody has begun to answer in the \
                  session's own dialog.";
    assert_eq!(body["reason"], reason);
    assert_eq!(scene.model.tool_results().len(), 0);
    // The person at the dialog finishes it.
    let path = format!("/api/agents/{AGENT}/pending-questions");
    assert_eq!(scene.call(Call::get(&path)).json(), json!({"pending": false, "questions": []}));
}

#[test]
fn an_answer_that_a_hub_did_not_get_to_type_is_typed_once_by_the_next() {
    let mut scene = Scene::new();
    for (tag, end) in [("killed", HubProcess::kill as fn(&mut HubProcess)), ("stopped", stop)] {
        scene.ask(tag, &[database()]);
        scene.pending();
        scene.session.wait_dialog("Which database should we use?");
        // Nothing is typed while the pane is scrolled.
        scene.session.tmux().copy_mode(true);
        scene.answer_elsewhere("SQLite");
        end(&mut scene.hub);
        assert!(scene.model.tool_results().iter().all(|result| result.tag.as_deref() != Some(tag)));
        scene.hub.restart();
        scene.session.tmux().copy_mode(false);
        assert_eq!(scene.model.wait_result(tag).text, chosen(&[(&database(), "SQLite")]));
        scene.session.wait_closed();
    }
    assert_eq!(scene.model.tool_results().len(), 2);
}

/// It does not wait until the pane is scrolled back.
fn stop(hub: &mut HubProcess) {
    let start = Instant::now();
    assert_eq!(hub.stop().status.code(), Some(0), "{}", hub.said());
    assert!(start.elapsed() < Duration::from_secs(8), "{}", hub.said());
}
