//! The real Claude Code writes down what a watchdog needs: who decided, when, and what the model read.

use std::fs;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use handraise_agent_claude::transcript::{Ending, Found, Outcome, Places, Reading, doubt, endings};
use handraise_broker::DoubtKind;
use handraise_testkit::{Block, ClaudeHome, ClaudeSession, PATIENCE, ScriptedModel};
use serde_json::{Value, json};

use crate::claude_scene::{DEFAULT, auth, database};

/// A session without Handraise, with these settings, and a model that asks.
struct Scene {
    home: ClaudeHome,
    model: ScriptedModel,
    session: ClaudeSession,
}

impl Scene {
    fn new(settings: &Value, questions: &Value) -> Self {
        let model = ScriptedModel::start();
        model.script("ask", vec![vec![Block::ask(questions)]]);
        let home = ClaudeHome::new(&model);
        fs::write(home.settings(), settings.to_string()).unwrap();
        let project = home.project("my_shop.v2");
        let session = home.session(&project, &["--permission-mode", DEFAULT]);
        session.prompt("SCRIPT:ask TAG:one");
        Self { home, model, session }
    }

    /// What came of the one question, as soon as it is written down; and what is thought of it.
    fn outcome(&self) -> (Outcome, Vec<Ending>, Option<DoubtKind>) {
        self.model.wait_result("one");
        let places = Places::new(self.home.config().to_owned());
        let project = self.home.project("my_shop.v2");
        let start = Instant::now();
        let mut reading = None;
        let mut settled = None;
        while settled.is_none() {
            assert!(start.elapsed() < PATIENCE, "nothing is written down in {places:?}");
            if reading.is_none() {
                let file = places.transcripts_of(&project).into_iter().next();
                reading = file.map(|file| Reading::new(file.path));
            }
            if let Some(reading) = &mut reading {
                let take = |found| {
                    if let Found::Settled(call, outcome) = found {
                        settled = Some((call, outcome));
                    }
                };
                reading.catch_up(take).unwrap();
            }
            thread::sleep(Duration::from_millis(10));
        }
        let (call, outcome) = settled.unwrap();
        assert_eq!(call.cwd.as_deref(), Some(project.as_path()));
        assert_eq!(call.entrypoint.as_deref(), Some("cli"));
        let running = places.running();
        let running =
            running.iter().find(|running| running.session == *call.session.as_ref().unwrap());
        let running = running.unwrap();
        assert_eq!(running.pid, self.session.pid());
        assert_eq!(running.cwd.as_deref(), Some(Path::new(&project)));
        let doubted = doubt(&call, &outcome, false).map(|doubt| doubt.kind);
        (outcome.clone(), endings(&call, &outcome), doubted)
    }
}

#[test]
fn an_answer_at_the_dialog_of_the_real_claude_code_is_not_doubted() {
    let scene = Scene::new(&json!({}), &json!([database()]));
    scene.session.wait_dialog("Which database should we use?");
    scene.session.answer(&["2"]);
    let (outcome, endings, doubted) = scene.outcome();
    assert_eq!(outcome.decided_by.as_deref(), Some("user_temporary"));
    assert_eq!(outcome.result["answers"], json!({"Which database should we use?": "SQLite"}));
    assert_eq!((endings, doubted), (vec![Ending::FromOptions], None));
}

#[test]
fn a_dialog_of_the_real_claude_code_that_was_submitted_empty_is_doubted() {
    let scene = Scene::new(&json!({}), &json!([database(), auth()]));
    scene.session.wait_dialog("Which database should we use?");
    scene.session.answer(&["Tab"]);
    scene.session.wait_for("Which auth method?");
    scene.session.answer(&["Tab"]);
    scene.session.wait_for("Ready to submit your answers?");
    scene.session.answer(&["Enter"]);
    let (outcome, endings, doubted) = scene.outcome();
    assert_eq!(outcome.text, "The user did not answer the questions.");
    assert_eq!(outcome.decided_by.as_deref(), Some("user_temporary"), "the word clears nobody");
    assert_eq!((endings, doubted), (vec![Ending::NoAnswer; 2], Some(DoubtKind::Empty)));
}

#[test]
fn a_hook_of_the_real_claude_code_that_answers_at_once_is_doubted() {
    let answers = json!({"Which database should we use?": "SQLite"});
    let output = json!({"hookSpecificOutput": {"hookEventName": "PreToolUse",
        "permissionDecision": "allow", "updatedInput": {"questions": [database()], "answers": answers}}});
    let hook = json!({"type": "command", "command": format!("cat > /dev/null; echo '{output}'")});
    let settings =
        json!({"hooks": {"PreToolUse": [{"matcher": "AskUserQuestion", "hooks": [hook]}]}});
    let scene = Scene::new(&settings, &json!([database()]));
    let (outcome, endings, doubted) = scene.outcome();
    assert_eq!(outcome.decided_by.as_deref(), Some("hook"));
    assert_eq!(outcome.result["answers"], answers);
    assert_eq!(endings, [Ending::FromOptions]);
    // A busy machine takes longer to run a hook than a person takes to react.
    let quick = doubted == Some(DoubtKind::FromNowhere);
    assert!(quick || doubted.is_none(), "{doubted:?}");
}
