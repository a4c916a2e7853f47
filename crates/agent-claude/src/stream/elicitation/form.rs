//! A form as questions, and their answers as its content.

use std::fmt;

use handraise_question::{AnswerForm, Limits};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::cut;
use super::field::{Field, Kind};

/// A schema above this size is nobody's form.
const MOST_BYTES: usize = 256 * 1024;

/// The fields of a form, in the order in which they are asked; at least one.
#[derive(Debug, Clone, PartialEq)]
pub struct Form {
    fields: Vec<Field>,
}

/// Why an answer does not fit its field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The field's place among the questions.
    pub field: usize,
    /// What a person calls the field.
    pub name: String,
    /// What is wrong.
    pub why: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name, self.why)
    }
}

impl Form {
    /// Reads a schema, its properties in this order and then in their own; `None` when it has none.
    ///
    /// # Errors
    ///
    /// Why it cannot be put as questions.
    pub fn read(schema: &RawValue, order: &[String]) -> Result<Option<Self>, String> {
        if schema.get().len() > MOST_BYTES {
            return Err(format!("the form is larger than {MOST_BYTES} bytes"));
        }
        let schema: Value = serde_json::from_str(schema.get())
            .map_err(|_| "the form is nested too deeply".to_owned())?;
        let none = Map::new();
        let properties = match &schema["properties"] {
            Value::Object(properties) => properties,
            Value::Null if schema.is_object() => &none,
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Array(_) => return Err("the form has no list of fields".into()),
        };
        let most = Limits::WIDE.questions.max;
        if properties.len() > most {
            return Err(format!("the form has {} fields, more than {most}", properties.len()));
        }
        let required = |name: &str| {
            let required = schema["required"].as_array();
            required.is_some_and(|required| required.iter().any(|one| one == name))
        };
        let ordered = order.iter().filter_map(|name| properties.get_key_value(name.as_str()));
        let mut fields: Vec<Field> = vec![];
        for (name, property) in ordered.chain(properties) {
            if fields.iter().any(|field| field.name == *name) {
                continue;
            }
            let field = Field::read(name, property, required(name));
            fields.push(field.map_err(|why| format!("the field {}: {why}", cut(name, 50)))?);
        }
        Ok((!fields.is_empty()).then_some(Self { fields }))
    }

    /// One question for each field; the texts are told apart, because answers go by them.
    #[must_use]
    pub fn questions(&self, problems: &[Problem]) -> Value {
        let mut texts: Vec<String> = vec![];
        let mut questions = vec![];
        for (i, field) in self.fields.iter().enumerate() {
            let said = field.description.as_deref().unwrap_or_else(|| field.shown());
            let said = cut(said, Limits::WIDE.question.characters.max / 2);
            let mut text = format!("{said} ({})", field.constraints().join(", "));
            for problem in problems.iter().filter(|problem| problem.field == i) {
                text = format!("{text}\nThe last answer was not taken: {}", cut(&problem.why, 500));
            }
            if texts.contains(&text) {
                text = format!("{}: {text}", cut(&field.name, 200));
            }
            while texts.contains(&text) {
                text.push('*');
            }
            let options = field.options();
            let options: Vec<Value> =
                options.into_iter().map(|label| json!({"label": label})).collect();
            questions.push(json!({
                "question": text,
                "header": cut(field.shown(), Limits::WIDE.header.characters.max),
                "options": options,
                "multiSelect": matches!(field.kind, Kind::Choices { .. }),
            }));
            texts.push(text);
        }
        questions.into()
    }

    /// The content of the form: what was left open is absent.
    ///
    /// # Errors
    ///
    /// Everything that does not fit, at once.
    pub fn content(&self, answers: &[AnswerForm]) -> Result<Map<String, Value>, Vec<Problem>> {
        let mut content = Map::new();
        let mut problems = vec![];
        for (i, field) in self.fields.iter().enumerate() {
            let answer = answers.get(i).filter(|answer| !answer.left_open);
            let value = match answer {
                None if field.required => Err("required, and left open".to_owned()),
                None => continue,
                Some(answer) => field.value(&answer.selected, answer.words.as_deref()),
            };
            match value {
                Ok(value) => {
                    content.insert(field.name.clone(), value);
                }
                Err(why) => {
                    problems.push(Problem { field: i, name: field.shown().to_owned(), why });
                }
            }
        }
        if problems.is_empty() { Ok(content) } else { Err(problems) }
    }
}
