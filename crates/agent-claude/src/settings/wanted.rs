//! The hooks that let a session raise its hand.

use serde_json::{Value, json};

/// A hook we want in the settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wanted {
    /// The event it is run at.
    pub event: &'static str,
    /// The tools it is run for, where the event is about one.
    pub matcher: Option<&'static str>,
    /// Seconds after which Claude Code ends it.
    pub timeout: u64,
}

/// Twenty-four days: about as long as Claude Code's own timer can count (2³¹ milliseconds).
const AS_LONG_AS_IT_TAKES: u64 = 2_073_600;

/// These only leave a note.
const SHORT: u64 = 10;

const QUESTIONS_AND_PLANS: Option<&str> = Some("AskUserQuestion|ExitPlanMode");

/// Every hook we want. Only the one that waits for a person may take long.
pub const WANTED: [Wanted; 8] = [
    Wanted { event: "PreToolUse", matcher: QUESTIONS_AND_PLANS, timeout: SHORT },
    Wanted { event: "PermissionRequest", matcher: Some("*"), timeout: AS_LONG_AS_IT_TAKES },
    Wanted { event: "PostToolUse", matcher: QUESTIONS_AND_PLANS, timeout: SHORT },
    Wanted { event: "PostToolBatch", matcher: None, timeout: SHORT },
    Wanted { event: "SessionStart", matcher: None, timeout: SHORT },
    Wanted { event: "SessionEnd", matcher: None, timeout: SHORT },
    Wanted { event: "Stop", matcher: None, timeout: SHORT },
    Wanted { event: "Notification", matcher: None, timeout: SHORT },
];

impl Wanted {
    /// The group that holds it, as it stands in the array of its event.
    pub(super) fn group(&self, command: &str) -> Value {
        let hooks = json!([{"type": "command", "command": command, "timeout": self.timeout}]);
        match self.matcher {
            Some(matcher) => json!({"matcher": matcher, "hooks": hooks}),
            None => json!({"hooks": hooks}),
        }
    }

    /// Whether a group's matcher lets through what this hook is for.
    #[must_use]
    pub fn fits(&self, matcher: Option<&str>) -> bool {
        // To Claude Code these are all the same: everything.
        let all = |matcher: Option<&str>| matches!(matcher, None | Some("" | "*"));
        matcher == self.matcher || all(matcher) && all(self.matcher)
    }
}
