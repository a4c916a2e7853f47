//! Reading `AskUserQuestion` input: tolerant of what it does not know, exact about what it does.

use serde_json::value::RawValue;

use crate::characters::{count, plural, thousands};
use crate::fields::Object;
use crate::limits::{Count, Field, Limits, MAX_BYTES};
use crate::path::Path;
use crate::{
    Ask, Question, QuestionOption, Reading, Select, Violation, Violations, check_metadata,
};

/// How many items of an overlong list are looked into; the length itself is reported anyway.
const MAX_INSPECTED: usize = 100;
const WORDS_PER_LABEL: Count = Count { min: 1, max: 5 };

pub(crate) fn read(json: &[u8], limits: &Limits) -> Result<Reading, Violations> {
    let text = as_text(json)?;
    let whole: &RawValue = serde_json::from_str(text).map_err(|error| not_json(&error))?;
    if !whole.get().starts_with('{') {
        return Err(Violation::new("input", kind_of(whole), "an object with questions").into());
    }
    let mut fields: Object = serde_json::from_str(whole.get()).map_err(|error| not_json(&error))?;

    let mut reader = Reader { limits, violations: vec![], warnings: vec![] };
    let as_sent = fields.take("questions");
    let questions = reader.questions(as_sent);
    for forged in ["answers", "annotations"] {
        if fields.take(forged).is_some() {
            reader.warn(Path::Top(forged), "written by the asker and dropped", "a person's answer");
        }
    }
    let metadata = fields.take("metadata").filter(|metadata| metadata.get() != "null");
    if let Some(Err(odd)) = metadata.map(check_metadata) {
        reader.warnings.push(odd);
    }
    let metadata = metadata.filter(|metadata| metadata.get().starts_with('{'));
    let Reader { violations, warnings, .. } = reader;
    match as_sent {
        Some(as_sent) => Violations::none_or(violations, || Reading {
            ask: Ask {
                questions,
                as_sent: as_sent.to_owned(),
                metadata: metadata.map(ToOwned::to_owned),
                unknown: fields.rest(),
            },
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

pub(crate) fn kind_of(value: &RawValue) -> &'static str {
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
    fn refuse(&mut self, path: Path, found: impl Into<String>, allowed: impl Into<String>) {
        self.violations.push(Violation::new(path.to_string(), found, allowed));
    }

    fn warn(&mut self, path: Path, found: impl Into<String>, allowed: impl Into<String>) {
        self.warnings.push(Violation::new(path.to_string(), found, allowed));
    }

    fn questions(&mut self, value: Option<&RawValue>) -> Vec<Question> {
        let path = Path::Top("questions");
        let items = self.list(path, value, self.limits.questions, "question");
        let mut questions: Vec<Question> = vec![];
        for (i, item) in items.into_iter().enumerate().take(MAX_INSPECTED) {
            let Some(question) = self.question(path.item(i), item) else { continue };
            // Answers are matched by the text, so two equal questions could swap theirs.
            if let Some(first) =
                questions.iter().position(|q| q.text == question.text && !q.text.is_empty())
            {
                let found = format!("the same text as {path}[{first}].question");
                self.refuse(path.item(i).field("question"), found, "a text of its own");
            }
            questions.push(question);
        }
        questions
    }

    fn question(&mut self, path: Path, value: &RawValue) -> Option<Question> {
        let mut fields = self.object(path, value, "a question")?;
        let text = self.text(path, "question", &mut fields, self.limits.question);
        let header = self.text(path, "header", &mut fields, self.limits.header);
        let options = self.options(path.field("options"), fields.take("options"));
        let select = self.select(path.field("multiSelect"), fields.take("multiSelect"));
        let unknown = fields.rest();
        Some(Question { text: text.unwrap_or_default(), header, options, select, unknown })
    }

    fn options(&mut self, path: Path, value: Option<&RawValue>) -> Vec<QuestionOption> {
        // An open question needs no options, so it needs no empty list either.
        if value.is_none() && self.limits.options.min == 0 {
            return vec![];
        }
        let items = self.list(path, value, self.limits.options, "option");
        let mut options: Vec<QuestionOption> = vec![];
        for (i, item) in items.into_iter().enumerate().take(MAX_INSPECTED) {
            let Some(option) = self.option(path.item(i), item) else { continue };
            if let Some(first) =
                options.iter().position(|o| o.label == option.label && !o.label.is_empty())
            {
                let found = format!("the same label as {path}[{first}].label");
                self.refuse(path.item(i).field("label"), found, "a label of its own");
            }
            options.push(option);
        }
        if let Some(i) = options.iter().position(QuestionOption::is_recommended)
            && i > 0
        {
            self.warn(path.item(i), "recommended but not first", "first place");
        }
        options
    }

    fn option(&mut self, path: Path, value: &RawValue) -> Option<QuestionOption> {
        let mut fields = self.object(path, value, "an option")?;
        let label = self.text(path, "label", &mut fields, self.limits.label);
        let description = self.text(path, "description", &mut fields, self.limits.description);
        let preview = self.text(path, "preview", &mut fields, self.limits.preview);
        let option = QuestionOption {
            label: label.unwrap_or_default(),
            description,
            preview,
            unknown: fields.rest(),
        };
        let words = option.short_label().split_whitespace().count();
        if words > WORDS_PER_LABEL.max {
            self.warn(path.field("label"), plural(words, "word"), WORDS_PER_LABEL.describe());
        }
        Some(option)
    }

    fn select(&mut self, path: Path, value: Option<&RawValue>) -> Select {
        match value.map(RawValue::get) {
            Some("true") => return Select::Multi,
            Some("false") => {}
            None if !self.limits.multi_select_required => {}
            _ => self.refuse(path, value.map_or("missing", kind_of), "true or false"),
        }
        Select::Single
    }

    fn object<'a>(&mut self, path: Path, value: &'a RawValue, wanted: &str) -> Option<Object<'a>> {
        let fields = serde_json::from_str(value.get()).ok();
        if fields.is_none() {
            self.refuse(path, kind_of(value), format!("{wanted} object"));
        }
        fields
    }

    fn list<'a>(
        &mut self,
        path: Path,
        value: Option<&'a RawValue>,
        allowed: Count,
        one: &str,
    ) -> Vec<&'a RawValue> {
        let items = value.and_then(|value| serde_json::from_str(value.get()).ok());
        let Some(items): Option<Vec<&RawValue>> = items else {
            self.refuse(path, value.map_or("missing", kind_of), format!("a list of {one}s"));
            return vec![];
        };
        if !allowed.allows(items.len()) {
            self.refuse(path, plural(items.len(), one), allowed.describe());
        }
        items
    }

    /// Takes the text field `name` out of the fields of the object at `path`.
    fn text(
        &mut self,
        path: Path,
        name: &'static str,
        fields: &mut Object,
        field: Field,
    ) -> Option<String> {
        let path = path.field(name);
        let value = fields.take(name);
        let text = match value.map(|value| (value.get(), kind_of(value))) {
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
