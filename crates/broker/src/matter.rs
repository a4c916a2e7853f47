//! What an ask is about.

use handraise_question::{
    Approval, Ask, Decision, DecisionForm, Limits, Violation, Violations, check_field_names,
    check_metadata, check_nesting, numbers,
};
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

impl Matter {
    /// Takes questions that fit the widest limits.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with them, at once.
    pub fn questions(as_sent: Box<RawValue>) -> Result<Self, Violations> {
        Self::questions_with(as_sent, None)
    }

    /// Reads questions that are not asked, such as those in a transcript, under the widest
    /// limits.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with them, at once.
    pub fn read_questions(as_sent: &RawValue) -> Result<Ask, Violations> {
        let json = format!("{{\"questions\":{}}}", as_sent.get());
        Ok(Ask::read(json.as_bytes(), &Limits::WIDE)?.ask)
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
        check_nesting("questions", &as_sent)?;
        check_field_names("questions", &as_sent)?;
        if let Some(metadata) = &metadata {
            check_metadata(metadata)?;
        }
        let questions = Questions { as_sent, metadata };
        questions.ask()?;
        Ok(Self::Questions(questions))
    }

    /// Takes questions that fit the widest limits from the input of an agent's call.
    ///
    /// Metadata that a hub does not keep is left out: the question matters more.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with the questions, at once.
    pub fn questions_of_call(
        as_sent: Box<RawValue>,
        metadata: Option<Box<RawValue>>,
    ) -> Result<Self, Violations> {
        Self::questions_with(as_sent, metadata.filter(|metadata| check_metadata(metadata).is_ok()))
    }

    /// Takes an approval.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with it, at once.
    pub fn approval(as_sent: Box<RawValue>) -> Result<Self, Violations> {
        check_nesting("approval", &as_sent)?;
        check_field_names("approval", &as_sent)?;
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
        let value = |json: &str| serde_json::from_str::<Value>(json).ok();
        let (one, another) = (self.as_sent().get(), other.as_sent().get());
        self.kind() == other.kind()
            && (one == another
                || numbers(one) == numbers(another)
                    && value(one).is_some_and(|one| value(another) == Some(one)))
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

/// Questions that were read. Metadata that a hub does not keep is left out.
impl From<&Ask> for Matter {
    fn from(ask: &Ask) -> Self {
        let metadata = ask.metadata().filter(|metadata| check_metadata(metadata).is_ok());
        let metadata = metadata.map(ToOwned::to_owned);
        Self::Questions(Questions { as_sent: ask.as_sent().to_owned(), metadata })
    }
}

impl Questions {
    fn ask(&self) -> Result<Ask, Violations> {
        // Without the metadata: questions that just fit a document fit with metadata, too.
        Ok(Matter::read_questions(&self.as_sent)?.with_metadata(self.metadata.clone()))
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
    fn odd_metadata_is_refused_by_the_api_and_left_out_of_a_call() {
        let long = format!(r#"{{"source":"{}"}}"#, "x".repeat(Limits::MAX_METADATA_BYTES));
        let deep = format!("{}{}{}", r#"{"a":"#.repeat(101), 1, "}".repeat(101));
        for odd in ["[]", "1", "null", "\"text\"", &long, &deep] {
            let violations = with(odd).unwrap_err();
            assert_eq!(violations.as_slice()[0].path, "metadata");
            let of_call = Matter::questions_of_call(raw(QUESTIONS), Some(raw(odd)));
            assert_eq!(of_call.unwrap(), Matter::questions(raw(QUESTIONS)).unwrap());
        }
        assert!(with("{}").is_ok());
    }

    #[test]
    fn the_same_is_asked_whatever_its_layout_but_not_with_another_number() {
        let approval = |input: &str| {
            Matter::approval(raw(&format!(r#"{{"tool": "Pay", "input": {input}}}"#))).unwrap()
        };
        let one = approval(r#"{"sum": 0.1, "to": "ann"}"#);
        assert!(one.same(&approval(r#"{ "to":"\u0061nn","sum":0.1 }"#)));
        for other in
            [r#"{"sum": 0.1000000000000000055, "to": "ann"}"#, r#"{"sum": 0.2, "to": "ann"}"#]
        {
            assert!(!one.same(&approval(other)), "{other}");
        }
    }

    #[test]
    fn no_field_is_given_twice() {
        let question = r#"{"question": "Q?", "options": [{"label": "a"}, {"label": "b"}]}"#;
        assert!(Matter::questions(raw(&format!("[{question}]"))).is_ok());
        let twice = question.replace(r#"{"label": "a"}"#, r#"{"label": "a", "label": "c"}"#);
        assert!(Matter::questions(raw(&format!("[{twice}]"))).is_err());
        for (input, is_fine) in [
            (r#"{"command": "ls"}"#, true),
            (r#"{"command": "rm -rf /", "command": "ls"}"#, false),
            (r#"{"o": {"a": {"command": "rm -rf /", "command": "ls"}}}"#, false),
        ] {
            let approval = raw(&format!(r#"{{"tool": "Bash", "input": {input}}}"#));
            assert_eq!(Matter::approval(approval).is_ok(), is_fine, "{input}");
        }
    }

    #[test]
    fn questions_that_just_fit_are_not_too_long_with_metadata() {
        let room = Limits::MAX_BYTES - r#"{"questions":}"#.len() - QUESTIONS.len();
        let full = QUESTIONS.replace(" ]", &format!("{} ]", " ".repeat(room)));
        let matter = Matter::questions_with(raw(&full), Some(raw(r#"{"source":"remember"}"#)));
        assert!(matter.unwrap().ask().is_ok());
    }
}
