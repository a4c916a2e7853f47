//! Reading `AskUserQuestion` input: tolerant of what it does not know, exact about what it does.

use serde_json::value::RawValue;

use crate::characters::{count, plural, thousands};
use crate::limits::{Count, Field, Limits, MAX_BYTES};
use crate::{Ask, Fields, Question, QuestionOption, Reading, Select, Violation, Violations};

/// How many items of an overlong list are looked into; the length itself is reported anyway.
const MAX_INSPECTED: usize = 100;
const WORDS_PER_LABEL: Count = Count { min: 1, max: 5 };

pub(crate) fn read(json: &[u8], limits: &Limits) -> Result<Reading, Violations> {
    let text = as_text(json)?;
    let whole: Box<RawValue> = serde_json::from_str(text).map_err(|error| not_json(&error))?;
    if !whole.get().starts_with('{') {
        return Err(Violation::new("input", kind_of(&whole), "an object with questions").into());
    }
    let mut fields: Fields = serde_json::from_str(whole.get()).map_err(|error| not_json(&error))?;

    let mut reader = Reader { limits, violations: vec![], warnings: vec![] };
    let as_sent = fields.take("questions");
    let questions = reader.questions(as_sent.as_deref());
    for forged in ["answers", "annotations"] {
        if fields.take(forged).is_some() {
            reader.warn(forged, "written by the asker and dropped", "a person's answer");
        }
    }
    let Reader { violations, warnings, .. } = reader;
    match as_sent {
        Some(as_sent) => Violations::none_or(violations, || Reading {
            ask: Ask { questions, as_sent, unknown: fields },
            warnings,
        }),
        None => Err(Violation::new("questions", "missing", "a list of questions").into()),
    }
}

fn as_text(json: &[u8]) -> Result<&str, Violation> {
    const WANTED: &str = "AskUserQuestion JSON";
    if json.len() > MAX_BYTES {
        let found = format!("{} bytes", thousands(json.len()));
        return Err(Violation::new("input", found, format!("{} or fewer", thousands(MAX_BYTES))));
    }
    let text = std::str::from_utf8(json).map_err(|error| {
        Violation::new("input", format!("not UTF-8 at byte {}", error.valid_up_to()), WANTED)
    })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim().is_empty() {
        return Err(Violation::new("input", "empty", WANTED));
    }
    Ok(text)
}

fn not_json(error: &serde_json::Error) -> Violation {
    Violation::new("input", format!("not JSON ({error})"), "AskUserQuestion JSON")
}

fn kind_of(value: &RawValue) -> &'static str {
    match value.get().as_bytes().first() {
        Some(b'n') => "null",
        Some(b't' | b'f') => "true or false",
        Some(b'"') => "a string",
        Some(b'[') => "a list",
        Some(b'{') => "an object",
        _ => "a number",
    }
}

struct Reader<'a> {
    limits: &'a Limits,
    violations: Vec<Violation>,
    warnings: Vec<Violation>,
}

impl Reader<'_> {
    fn refuse(&mut self, path: &str, found: impl Into<String>, allowed: impl Into<String>) {
        self.violations.push(Violation::new(path, found, allowed));
    }

    fn warn(&mut self, path: &str, found: impl Into<String>, allowed: impl Into<String>) {
        self.warnings.push(Violation::new(path, found, allowed));
    }

    fn questions(&mut self, value: Option<&RawValue>) -> Vec<Question> {
        let items = self.list("questions", value, self.limits.questions, "question");
        let mut questions: Vec<Question> = vec![];
        for (i, item) in items.into_iter().enumerate().take(MAX_INSPECTED) {
            let path = format!("questions[{i}]");
            let Some(question) = self.question(&path, &item) else { continue };
            // Answers are matched by the text, so two equal questions could swap theirs.
            if let Some(first) =
                questions.iter().position(|q| q.text == question.text && !q.text.is_empty())
            {
                let found = format!("the same text as questions[{first}].question");
                self.refuse(&format!("{path}.question"), found, "a text of its own");
            }
            questions.push(question);
        }
        questions
    }

    fn question(&mut self, path: &str, value: &RawValue) -> Option<Question> {
        let mut fields = self.object(path, value, "a question")?;
        let text = self.text(&format!("{path}.question"), &mut fields, self.limits.question);
        let header = self.text(&format!("{path}.header"), &mut fields, self.limits.header);
        let options = self.options(path, fields.take("options").as_deref());
        let select = self.select(path, fields.take("multiSelect").as_deref());
        Some(Question { text: text.unwrap_or_default(), header, options, select, unknown: fields })
    }

    fn options(&mut self, path: &str, value: Option<&RawValue>) -> Vec<QuestionOption> {
        let path = format!("{path}.options");
        // An open question needs no options, so it needs no empty list either.
        if value.is_none() && self.limits.options.min == 0 {
            return vec![];
        }
        let items = self.list(&path, value, self.limits.options, "option");
        let mut options: Vec<QuestionOption> = vec![];
        for (i, item) in items.into_iter().enumerate().take(MAX_INSPECTED) {
            let item_path = format!("{path}[{i}]");
            let Some(option) = self.option(&item_path, &item) else { continue };
            if let Some(first) =
                options.iter().position(|o| o.label == option.label && !o.label.is_empty())
            {
                let found = format!("the same label as {path}[{first}].label");
                self.refuse(&format!("{item_path}.label"), found, "a label of its own");
            }
            options.push(option);
        }
        if let Some(i) = options.iter().position(QuestionOption::is_recommended)
            && i > 0
        {
            self.warn(&format!("{path}[{i}]"), "recommended but not first", "first place");
        }
        options
    }

    fn option(&mut self, path: &str, value: &RawValue) -> Option<QuestionOption> {
        let mut fields = self.object(path, value, "an option")?;
        let label_path = format!("{path}.label");
        let label = self.text(&label_path, &mut fields, self.limits.label);
        let description =
            self.text(&format!("{path}.description"), &mut fields, self.limits.description);
        let preview = self.text(&format!("{path}.preview"), &mut fields, self.limits.preview);
        let option = QuestionOption {
            label: label.unwrap_or_default(),
            description,
            preview,
            unknown: fields,
        };
        let words = option.short_label().split_whitespace().count();
        if words > WORDS_PER_LABEL.max {
            self.warn(&label_path, plural(words, "word"), WORDS_PER_LABEL.describe());
        }
        Some(option)
    }

    fn select(&mut self, path: &str, value: Option<&RawValue>) -> Select {
        let path = format!("{path}.multiSelect");
        match value.map(RawValue::get) {
            Some("true") => return Select::Multi,
            Some("false") => {}
            None if !self.limits.multi_select_required => {}
            _ => self.refuse(&path, value.map_or("missing", kind_of), "true or false"),
        }
        Select::Single
    }

    fn object(&mut self, path: &str, value: &RawValue, wanted: &str) -> Option<Fields> {
        let fields = serde_json::from_str(value.get()).ok();
        if fields.is_none() {
            self.refuse(path, kind_of(value), format!("{wanted} object"));
        }
        fields
    }

    fn list(
        &mut self,
        path: &str,
        value: Option<&RawValue>,
        allowed: Count,
        one: &str,
    ) -> Vec<Box<RawValue>> {
        let items = value.and_then(|value| serde_json::from_str(value.get()).ok());
        let Some(items): Option<Vec<Box<RawValue>>> = items else {
            self.refuse(path, value.map_or("missing", kind_of), format!("a list of {one}s"));
            return vec![];
        };
        if !allowed.allows(items.len()) {
            self.refuse(path, plural(items.len(), one), allowed.describe());
        }
        items
    }

    /// Takes a text field out of `fields`, named by the last step of `path`.
    fn text(&mut self, path: &str, fields: &mut Fields, field: Field) -> Option<String> {
        let name = path.rsplit('.').next().unwrap_or(path);
        let value = fields.take(name);
        let text = match value.as_deref().map(|value| (value.get(), kind_of(value))) {
            None | Some(("null", _)) if !field.required => return None,
            None => Err("missing"),
            Some((json, "a string")) => {
                serde_json::from_str::<String>(json).map_err(|_| "text with half a character")
            }
            Some((_, other)) => Err(other),
        };
        let text = match text {
            Ok(text) => text,
            Err(found) => {
                self.refuse(path, found, "a text");
                return None;
            }
        };
        let characters = count(&text);
        if !field.characters.allows(characters) {
            self.refuse(path, plural(characters, "character"), field.characters.describe());
        } else if field.characters.min > 0 && text.trim().is_empty() {
            self.refuse(path, "nothing but spaces", "a text");
        }
        Some(text)
    }
}

#[cfg(test)]
#[path = "read_tests.rs"]
mod tests;
