//! What the demo's agent asks, and what `--auto` answers.

use handraise_question::{AnswerForm, Ask, Limits, Violations};
use serde_json::{Value, json};

/// One thing the agent wants to know.
pub(super) struct Scene {
    /// What it says before it asks.
    pub(super) preamble: &'static str,
    questions: Value,
    answers: Value,
}

impl Scene {
    /// The questions.
    pub(super) fn ask(&self) -> Result<Ask, Violations> {
        let json = json!({"questions": self.questions}).to_string();
        Ok(Ask::read(json.as_bytes(), &Limits::STRICT)?.ask)
    }

    /// What `--auto` answers.
    pub(super) fn answers(&self) -> serde_json::Result<Vec<AnswerForm>> {
        serde_json::from_value(self.answers.clone())
    }
}

/// The whole play: one of several, several of several, two questions at once, words of one's own.
pub(super) fn scenes() -> [Scene; 4] {
    let option =
        |label: &str, description: &str| json!({"label": label, "description": description});
    [
        Scene {
            preamble: "I am setting up the project.",
            questions: json!([{
                "question": "Which database should we use for this project?",
                "header": "Database",
                "multiSelect": false,
                "options": [
                    option("PostgreSQL (Recommended)", "Robust relational DB, great for complex queries"),
                    option("MongoDB", "Document DB, flexible schema for rapid development"),
                    option("SQLite", "Embedded DB, zero configuration, good for small apps"),
                ],
            }]),
            answers: json!([{"selected": ["PostgreSQL (Recommended)"]}]),
        },
        Scene {
            preamble: "Now the front end.",
            questions: json!([{
                "question": "Which features should we enable?",
                "header": "Features",
                "multiSelect": true,
                "options": [
                    option("TypeScript", "Type safety and better IDE support"),
                    option("ESLint + Prettier", "Code linting and formatting"),
                    option("Testing (Vitest)", "Unit and component testing"),
                    option("Tailwind CSS", "Utility-first CSS framework"),
                ],
            }]),
            answers: json!([{"selected": ["TypeScript", "ESLint + Prettier", "Tailwind CSS"]}]),
        },
        Scene {
            preamble: "People will have to log in. Two things about that:",
            questions: json!([
                {
                    "question": "Which authentication method should we use?",
                    "header": "Auth Method",
                    "multiSelect": false,
                    "options": [
                        option("OAuth 2.0 (Recommended)", "Industry standard, supports social login"),
                        option("JWT", "Stateless tokens, good for APIs"),
                        option("Session-based", "Traditional cookie sessions"),
                    ],
                },
                {
                    "question": "Which OAuth providers should we support?",
                    "header": "Providers",
                    "multiSelect": true,
                    "options": [
                        option("Google", "Most widely used"),
                        option("GitHub", "Popular for developer tools"),
                        option("Microsoft", "Enterprise integration"),
                        option("Apple", "Required for iOS apps"),
                    ],
                },
            ]),
            answers: json!([
                {"selected": ["OAuth 2.0 (Recommended)"]},
                {"selected": ["Google", "GitHub"]},
            ]),
        },
        Scene {
            preamble: "Last one. None of these has to fit: choose Other and write what you want.",
            questions: json!([{
                "question": "Which package manager do you prefer?",
                "header": "Package Mgr",
                "multiSelect": false,
                "options": [
                    option("npm", "Default Node.js package manager"),
                    option("pnpm (Recommended)", "Fast, efficient disk space usage"),
                    option("yarn", "Alternative with workspaces support"),
                ],
            }]),
            answers: json!([{"words": "bun"}]),
        },
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scene_can_be_asked_and_answered() {
        for scene in scenes() {
            let ask = scene.ask().unwrap();
            ask.check(scene.answers().unwrap()).unwrap();
        }
    }
}
