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
    /// The `questions` array, and what came with it.
    Questions(Questions),
    /// The `approval` object.
    Approval(Box<RawValue>),
}

/// Questions, byte for byte as the agent sent them.
#[derive(Debug, Clone)]
pub struct Questions {
    /// The `questions` array.
    pub as_sent: Box<RawValue>,
    /// The `metadata` object beside it: the agent's own remark on where the questions come from.
    pub metadata: Option<Box<RawValue>>,
}

/// The longest `metadata`, in bytes. Every list of asks carries it.
const MAX_METADATA: usize = 16 * 1024;

impl Matter {
    /// Takes questions that fit the widest limits.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with them, at once.
    pub fn questions(as_sent: Box<RawValue>) -> Result<Self, Violations> {
        Self::questions_with(as_sent, None)
    }

    /// Takes questions that fit the widest limits, and the metadata beside them.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with them, at once.
    pub fn questions_with(
        as_sent: Box<RawValue>,
        metadata: Option<Box<RawValue>>,
    ) -> Result<Self, Violations> {
        check_depth("questions", &as_sent)?;
        if let Some(metadata) = &metadata {
            check_metadata(metadata)?;
        }
        let questions = Questions { as_sent, metadata };
        questions.ask()?;
        Ok(Self::Questions(questions))
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
            Self::Questions(questions) => &questions.as_sent,
            Self::Approval(raw) => raw,
        }
    }

    /// The `metadata` that came with questions.
    #[must_use]
    pub fn metadata(&self) -> Option<&RawValue> {
        match self {
            Self::Questions(questions) => questions.metadata.as_deref(),
            Self::Approval(_) => None,
        }
    }

    /// The questions, if it is questions.
    ///
    /// # Errors
    ///
    /// When it is an approval.
    pub fn ask(&self) -> Result<Ask, Violations> {
        match self {
            Self::Questions(questions) => questions.ask(),
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
        self.kind() == other.kind()
            && self.as_sent().get() == other.as_sent().get()
            && self.metadata().map(RawValue::get) == other.metadata().map(RawValue::get)
    }
}

impl Eq for Matter {}

/// Questions that were read.
impl From<&Ask> for Matter {
    fn from(ask: &Ask) -> Self {
        let metadata = ask.metadata().map(ToOwned::to_owned);
        Self::Questions(Questions { as_sent: ask.as_sent().to_owned(), metadata })
    }
}

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

fn check_metadata(json: &RawValue) -> Result<(), Violations> {
    check_depth("metadata", json)?;
    let wrong = |found, allowed| Err(Violation::new("metadata", found, allowed).into());
    if !json.get().starts_with('{') {
        return wrong("JSON of another kind".to_owned(), "an object".to_owned());
    }
    if json.get().len() > MAX_METADATA {
        return wrong(format!("{} bytes", json.get().len()), format!("{MAX_METADATA} or fewer"));
    }
    Ok(())
}

impl Questions {
    fn ask(&self) -> Result<Ask, Violations> {
        let metadata = self.metadata.as_deref().unwrap_or(RawValue::NULL);
        let json = format!("{{\"questions\":{},\"metadata\":{metadata}}}", self.as_sent.get());
        Ok(Ask::read(json.as_bytes(), &Limits::WIDE)?.ask)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUESTIONS: &str = r#"[ {"question":"Which?", "options":[{"label":"a"}]} ]"#;

    fn raw(json: &str) -> Box<RawValue> {
        RawValue::from_string(json.to_owned()).unwrap()
    }

    fn with(metadata: &str) -> Result<Matter, Violations> {
        Matter::questions_with(raw(QUESTIONS), Some(raw(metadata)))
    }

    #[test]
    fn metadata_stays_with_the_questions_byte_for_byte() {
        let metadata = r#"{ "source":"caf\u00e9", "n":1.50 }"#;
        let matter = with(metadata).unwrap();
        assert_eq!(matter.metadata().map(RawValue::get), Some(metadata));
        assert_eq!(matter.ask().unwrap().metadata().map(RawValue::get), Some(metadata));
        assert_eq!(Matter::from(&matter.ask().unwrap()), matter);
        assert_ne!(Matter::questions(raw(QUESTIONS)).unwrap(), matter);
        assert!(matter.same(&Matter::questions(raw(QUESTIONS)).unwrap()), "the same is asked");
    }

    #[test]
    fn metadata_that_is_no_object_too_long_or_too_deep_is_refused() {
        let long = format!(r#"{{"source":"{}"}}"#, "x".repeat(MAX_METADATA));
        let deep = format!("{}{}{}", r#"{"a":"#.repeat(101), 1, "}".repeat(101));
        for wrong in ["[]", "1", "\"text\"", &long, &deep] {
            let violations = with(wrong).unwrap_err();
            assert_eq!(violations.as_slice()[0].path, "metadata");
        }
        assert!(with("{}").is_ok());
    }
}
