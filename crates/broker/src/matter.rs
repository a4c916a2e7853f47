//! What an ask is about.

use handraise_question::{Approval, Ask, Decision, DecisionForm, Limits, Violation, Violations};
use serde_json::Value;
use serde_json::value::RawValue;

/// Questions, or one approval, byte for byte as the agent sent them.
///
/// Kept as text: a hub may hold a hundred thousand of them, and needs to understand one only at the
/// moment it is answered.
#[derive(Debug, Clone)]
pub enum Matter {
    /// The `questions` array.
    Questions(Box<RawValue>),
    /// The `approval` object.
    Approval(Box<RawValue>),
}

impl Matter {
    /// Takes questions that fit the widest limits.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with them, at once.
    pub fn questions(as_sent: Box<RawValue>) -> Result<Self, Violations> {
        check_depth("questions", &as_sent)?;
        ask(&as_sent)?;
        Ok(Self::Questions(as_sent))
    }

    /// Takes an approval.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with it, at once.
    pub fn approval(as_sent: Box<RawValue>) -> Result<Self, Violations> {
        check_depth("approval", &as_sent)?;
        Approval::read(&as_sent)?;
        Ok(Self::Approval(as_sent))
    }

    /// The name of the kind: `question` or `approval`.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Questions(_) => "question",
            Self::Approval(_) => "approval",
        }
    }

    /// What the agent sent.
    #[must_use]
    pub fn as_sent(&self) -> &RawValue {
        match self {
            Self::Questions(raw) | Self::Approval(raw) => raw,
        }
    }

    /// The questions, if it is questions.
    ///
    /// # Errors
    ///
    /// When it is an approval.
    pub fn ask(&self) -> Result<Ask, Violations> {
        match self {
            Self::Questions(raw) => ask(raw),
            Self::Approval(_) => {
                Err(Violation::new("answers", "for an approval", "a decision").into())
            }
        }
    }

    /// Checks a decision on the approval.
    ///
    /// # Errors
    ///
    /// When it does not fit, or this is about questions.
    pub fn decision_on(&self, form: DecisionForm) -> Result<Decision, Violations> {
        match self {
            Self::Questions(_) => {
                Err(Violation::new("decision", "for questions", "answers").into())
            }
            Self::Approval(raw) => Approval::read(raw)?.check(form),
        }
    }

    /// Whether two are the same request, however their JSON is laid out.
    #[must_use]
    pub fn same(&self, other: &Self) -> bool {
        let value = |matter: &Self| serde_json::from_str::<Value>(matter.as_sent().get()).ok();
        self.kind() == other.kind()
            && (self.as_sent().get() == other.as_sent().get()
                || value(self).is_some_and(|one| value(other) == Some(one)))
    }
}

/// Byte for byte; whether two ask for the same thing is [`Matter::same`].
impl PartialEq for Matter {
    fn eq(&self, other: &Self) -> bool {
        self.kind() == other.kind() && self.as_sent().get() == other.as_sent().get()
    }
}

impl Eq for Matter {}

/// Deeper than this, other people's JSON readers give up, and with them whoever lists all asks.
const MOST_DEPTH: usize = 100;

fn check_depth(path: &str, json: &RawValue) -> Result<(), Violations> {
    let (mut depth, mut deepest, mut in_text, mut escaped) = (0_usize, 0, false, false);
    for byte in json.get().bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = in_text,
            b'"' => in_text = !in_text,
            b'[' | b'{' if !in_text => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b']' | b'}' if !in_text => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    if deepest <= MOST_DEPTH {
        return Ok(());
    }
    let found = format!("{deepest} levels of nesting");
    Err(Violation::new(path, found, format!("{MOST_DEPTH} or fewer")).into())
}

fn ask(questions: &RawValue) -> Result<Ask, Violations> {
    let json = format!("{{\"questions\":{}}}", questions.get());
    Ok(Ask::read(json.as_bytes(), &Limits::WIDE)?.ask)
}
