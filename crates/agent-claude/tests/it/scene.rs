//! A session of Claude Code in a pane, a model that asks, and hands that type.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use handraise_agent_claude::screen::{Pane, Stopped, Typed, Typing};
use handraise_agent_claude::transcript::{Call, Found, Outcome, Places, Reading};
use handraise_broker::{Matter, RealWorld, World};
use handraise_question::{AnswerForm, Ask, Resolution};
use handraise_testkit::{Block, ClaudeHome, ClaudeSession, PATIENCE, ScriptedModel, one_of};
pub(crate) use handraise_testkit::{
    auth_question as auth, database_question as database, layout_question as layout,
};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

pub(crate) struct Scene {
    pub(crate) session: ClaudeSession,
    pub(crate) model: ScriptedModel,
    home: ClaudeHome,
    pub(crate) runtime: Runtime,
    asked: AtomicUsize,
}

/// A question that waits for an answer.
pub(crate) struct Asked {
    pub(crate) tag: String,
    pub(crate) ask: Ask,
    call: Arc<Call>,
    transcript: PathBuf,
}

impl Scene {
    pub(crate) fn of_size(size: (u16, u16)) -> Self {
        let model = ScriptedModel::start();
        let home = ClaudeHome::new(&model);
        Self::at(home, model, size)
    }

    /// In the other way of drawing: on the screen the shell has used before.
    pub(crate) fn below_the_shell(size: (u16, u16)) -> Self {
        let model = ScriptedModel::start();
        let home = ClaudeHome::new(&model).with_variable("CLAUDE_CODE_NO_FLICKER", "0");
        Self::at(home, model, size)
    }

    fn at(home: ClaudeHome, model: ScriptedModel, size: (u16, u16)) -> Self {
        let args = ["--permission-mode", "default"];
        let session = home.session_of(&home.project("shop"), &args, size);
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        Self { session, model, home, runtime, asked: AtomicUsize::default() }
    }

    /// Has the session ask, and waits until it is written down.
    pub(crate) fn ask(&self, questions: &[Value]) -> Asked {
        self.play(vec![vec![Block::ask(&json!(questions))]])
    }

    /// Has the session play turns, the first of which asks.
    pub(crate) fn play(&self, turns: Vec<Vec<Block>>) -> Asked {
        let tag = format!("q{}", self.asked.fetch_add(1, Ordering::Relaxed));
        self.model.script(&tag, turns);
        self.session.prompt(&format!("SCRIPT:{tag} TAG:{tag}"));
        self.pending(&tag)
    }

    /// The question that waits.
    pub(crate) fn pending(&self, tag: &str) -> Asked {
        let places = Places::new(self.home.config().to_owned());
        let start = Instant::now();
        loop {
            assert!(
                start.elapsed() < PATIENCE,
                "no question; the screen:\n{}",
                self.session.screen()
            );
            let directory = places.directories().into_iter().next();
            let file =
                directory.and_then(|found| Places::transcripts_in(&found).into_iter().next());
            if let Some(file) = file {
                let mut reading = Reading::new(file.path.clone());
                reading.catch_up(|_| {}).unwrap();
                if let Some(call) = reading.pending().first() {
                    let ask = Matter::questions(call.questions.clone()).unwrap().ask().unwrap();
                    let (tag, call) = (tag.to_owned(), call.clone());
                    return Asked { tag, ask, call, transcript: file.path };
                }
            }
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Types what was resolved; `before` is told before each key.
    pub(crate) fn type_in(
        &self,
        asked: &Asked,
        resolution: &Resolution,
        before: &(dyn Fn(usize) + Sync),
    ) -> Result<Typed, Stopped> {
        let pane = self.runtime.block_on(Pane::of(self.session.pid(), &[])).unwrap();
        let typing = Typing {
            pane: &pane,
            ask: &asked.ask,
            waits: &|| asked.outcome().is_none(),
            clock: &|| RealWorld.now().as_second().unsigned_abs(),
            progress: before,
        };
        self.runtime.block_on(typing.resolve(resolution))
    }

    /// Waits until it is written down what came of a question.
    pub(crate) fn wait_outcome(&self, asked: &Asked) -> Outcome {
        let start = Instant::now();
        loop {
            if let Some(outcome) = asked.outcome() {
                return outcome;
            }
            assert!(start.elapsed() < PATIENCE, "no end; the screen:\n{}", self.session.screen());
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Types answers, and looks whether they are what Claude Code took; what the model read.
    pub(crate) fn answer(&self, asked: &Asked, answers: Value) -> String {
        let typed = self.type_in(asked, &asked.answers(answers), &|_| {});
        let typed = typed.unwrap_or_else(|stopped| {
            panic!("{stopped:?}; the screen:\n{}", self.session.screen())
        });
        let outcome = self.wait_outcome(asked);
        assert!(typed.was_taken(&asked.ask, &outcome.result), "{:#}", outcome.result);
        let result = self.model.wait_result(&asked.tag);
        self.session.wait_closed();
        assert!(!result.is_error, "{result:?}");
        result.text
    }
}

impl Asked {
    pub(crate) fn answers(&self, answers: Value) -> Resolution {
        let forms: Vec<AnswerForm> = serde_json::from_value(answers).unwrap();
        Resolution::Answered(self.ask.check(forms).unwrap())
    }

    /// What came of it, by what the session wrote down.
    pub(crate) fn outcome(&self) -> Option<Outcome> {
        let mut settled = None;
        Reading::new(self.transcript.clone())
            .catch_up(|found| {
                if let Found::Settled(call, outcome) = found
                    && call.id == self.call.id
                {
                    settled = Some(outcome);
                }
            })
            .unwrap();
        settled
    }
}

pub(crate) fn features() -> Value {
    let labels = ["Auth", "Billing, taxes", "say \"hi\"", "Search"];
    let mut features = one_of("Which features do you want?", "Features", &labels);
    features["multiSelect"] = json!(true);
    features
}
