//! Who asks.

use handraise_question::{Violation, Violations, count_characters};
use serde::{Deserialize, Serialize};

/// The agent behind an ask, and where it works. What is not known is null.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Asker {
    /// The kind of agent, e.g. `claude-code`.
    pub agent: String,
    /// The agent's own name for its session.
    pub session: Option<String>,
    /// The directory it works in.
    pub directory: Option<String>,
    /// The machine it runs on.
    pub host: Option<String>,
    /// The branch it works on.
    pub branch: Option<String>,
    /// What the session is about.
    pub title: Option<String>,
    /// What the agent wrote just before it asked.
    pub preamble: Option<String>,
}

impl Asker {
    /// Checks what an agent says of itself.
    ///
    /// # Errors
    ///
    /// Every field that is too long, and an agent without a name.
    pub fn check(self) -> Result<Self, Violations> {
        let fields = [
            ("asker.agent", Some(&self.agent), 100),
            ("asker.session", self.session.as_ref(), 500),
            ("asker.directory", self.directory.as_ref(), 4096),
            ("asker.host", self.host.as_ref(), 255),
            ("asker.branch", self.branch.as_ref(), 500),
            ("asker.title", self.title.as_ref(), 1000),
            ("asker.preamble", self.preamble.as_ref(), 100_000),
        ];
        let mut violations = vec![];
        if self.agent.trim().is_empty() {
            violations.push(Violation::new("asker.agent", "nothing", "the kind of agent"));
        }
        for (path, text, most) in fields {
            let characters = text.map_or(0, |text| count_characters(text));
            if characters > most {
                let found = format!("{characters} characters");
                violations.push(Violation::new(path, found, format!("{most} or fewer")));
            }
        }
        Violations::none_or(violations, || self)
    }
}
