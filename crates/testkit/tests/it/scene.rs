//! A session of Claude Code with something to ask.

use handraise_testkit::{Block, ClaudeHome, ClaudeSession, ScriptedModel, one_of};
pub(crate) use handraise_testkit::{
    auth_question as auth, database_question as database, layout_question as layout,
};
use serde_json::{Value, json};

pub(crate) fn features() -> Value {
    let labels = ["Auth", "Billing, taxes", "Search"];
    let mut features = one_of("Which features do you want?", "Features", &labels);
    features["multiSelect"] = json!(true);
    features
}

/// One session, and a model that asks when told `SCRIPT:ask`.
pub(crate) struct Scene {
    pub(crate) session: ClaudeSession,
    pub(crate) model: ScriptedModel,
    pub(crate) home: ClaudeHome,
}

impl Scene {
    pub(crate) fn of(questions: &Value, args: &[&str]) -> Self {
        let model = ScriptedModel::start();
        model.script("ask", vec![vec![Block::text("Let me ask."), Block::ask(questions)]]);
        model.script("hello", vec![vec![Block::text("Hello there.")]]);
        let home = ClaudeHome::new(&model);
        let project = home.project("shop");
        let session = home.session(&project, args);
        Self { session, model, home }
    }
}

pub(crate) const DEFAULT: &[&str] = &["--permission-mode", "default"];
