//! One field of a form.

use serde_json::{Number, Value, json};

/// A field, as its schema has it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Field {
    pub(super) name: String,
    pub(super) title: Option<String>,
    pub(super) description: Option<String>,
    pub(super) required: bool,
    pub(super) kind: Kind,
}

/// What a field takes.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Kind {
    Text(Text),
    Number {
        whole: bool,
        least: Option<f64>,
        most: Option<f64>,
    },
    Boolean,
    /// One of these.
    Choice(Vec<Choice>),
    /// Any of these.
    Choices {
        of: Vec<Choice>,
        fewest: Option<u64>,
        most: Option<u64>,
    },
}

/// A text and what is asked of it.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Text {
    shortest: Option<u64>,
    longest: Option<u64>,
    format: Option<String>,
    pattern: Option<String>,
}

/// What is shown, and what is sent when it is chosen.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Choice {
    pub(super) label: String,
    pub(super) value: Value,
}

const YES: &str = "Yes";
const NO: &str = "No";

impl Field {
    /// Reads one property of a schema.
    ///
    /// # Errors
    ///
    /// Why it cannot be put as a question.
    pub(super) fn read(name: &str, schema: &Value, required: bool) -> Result<Self, String> {
        if !schema.is_object() {
            return Err("it is no schema".into());
        }
        let text = |key: &str| {
            schema[key].as_str().filter(|text| !text.trim().is_empty()).map(str::to_owned)
        };
        Ok(Self {
            name: name.to_owned(),
            title: text("title"),
            description: text("description"),
            required,
            kind: Kind::read(schema)?,
        })
    }

    /// What a person calls it.
    pub(super) fn shown(&self) -> &str {
        self.title.as_deref().unwrap_or(&self.name)
    }

    /// What a person needs to know about what it takes; nothing of what the options show.
    pub(super) fn constraints(&self) -> Vec<String> {
        let mut said = match &self.kind {
            Kind::Text(text) => text.constraints(),
            Kind::Number { whole, least, most } => {
                let kind = if *whole { "a whole number" } else { "a number" };
                vec![between(kind, least.map(plain), most.map(plain), "")]
            }
            Kind::Boolean | Kind::Choice(_) => vec![],
            Kind::Choices { fewest, most, .. } => {
                let (fewest, most) = (fewest.filter(|n| *n > 0), most.as_ref());
                if fewest.is_none() && most.is_none() {
                    vec![]
                } else {
                    let most = most.map(ToString::to_string);
                    vec![between("choose", fewest.map(|n| n.to_string()), most, "")]
                }
            }
        };
        said.push(if self.required { "required" } else { "may be left open" }.into());
        said
    }

    /// The options to choose from; none for a field that takes words.
    pub(super) fn options(&self) -> Vec<&str> {
        match &self.kind {
            Kind::Text(_) | Kind::Number { .. } => vec![],
            Kind::Boolean => vec![YES, NO],
            Kind::Choice(of) | Kind::Choices { of, .. } => {
                of.iter().map(|choice| choice.label.as_str()).collect()
            }
        }
    }

    /// The value for what a person chose or wrote.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub(super) fn value(&self, selected: &[String], words: Option<&str>) -> Result<Value, String> {
        let one = match (selected, words) {
            ([one], None) => Some(one.as_str()),
            ([], Some(words)) => Some(words.trim()),
            _ => None,
        };
        match &self.kind {
            Kind::Text(text) => {
                // Of a text, the spaces around it may be meant.
                let given = selected.first().map(String::as_str).or(words);
                text.value(given.ok_or("one text is needed")?)
            }
            Kind::Number { whole, least, most } => {
                number(one.ok_or("one number is needed")?, *whole, *least, *most)
            }
            Kind::Boolean => match one.map(str::to_ascii_lowercase).as_deref() {
                Some("yes" | "true") => Ok(true.into()),
                Some("no" | "false") => Ok(false.into()),
                _ => Err("Yes or No is needed".into()),
            },
            Kind::Choice(of) => chosen(of, one.ok_or("one of the options is needed")?),
            Kind::Choices { of, fewest, most } => {
                let given = selected.iter().map(String::as_str).chain(words.map(str::trim));
                let values: Vec<Value> =
                    given.map(|one| chosen(of, one)).collect::<Result<_, _>>()?;
                let count = values.len() as u64;
                if fewest.is_some_and(|fewest| count < fewest)
                    || most.is_some_and(|most| count > most)
                {
                    let (fewest, most) =
                        (fewest.map(|n| n.to_string()), most.map(|n| n.to_string()));
                    return Err(format!("{count} chosen, {}", between("choose", fewest, most, "")));
                }
                Ok(values.into())
            }
        }
    }
}

impl Kind {
    fn read(schema: &Value) -> Result<Self, String> {
        if let Some(choices) = choices(schema)? {
            return Ok(Self::Choice(choices));
        }
        match schema["type"].as_str() {
            Some("string") => Ok(Self::Text(Text {
                shortest: schema["minLength"].as_u64(),
                longest: schema["maxLength"].as_u64(),
                format: schema["format"].as_str().map(str::to_owned),
                pattern: schema["pattern"].as_str().map(str::to_owned),
            })),
            Some(kind @ ("number" | "integer")) => Ok(Self::Number {
                whole: kind == "integer",
                least: schema["minimum"].as_f64(),
                most: schema["maximum"].as_f64(),
            }),
            Some("boolean") => Ok(Self::Boolean),
            Some("array") => {
                let of = choices(&schema["items"])?.ok_or("a list of anything but options")?;
                let (fewest, most) = (schema["minItems"].as_u64(), schema["maxItems"].as_u64());
                Ok(Self::Choices { of, fewest, most })
            }
            Some("object") => Err("a form within the form".into()),
            _ => Err("a kind of field that is not known".into()),
        }
    }
}

/// The options of a schema, if it has any.
fn choices(schema: &Value) -> Result<Option<Vec<Choice>>, String> {
    let titled = ["oneOf", "anyOf"].into_iter().find_map(|key| schema[key].as_array());
    let choices: Vec<Choice> = if let Some(titled) = titled {
        let choice = |one: &Value| {
            let value = one.get("const").cloned()?;
            let label =
                one["title"].as_str().map_or_else(|| label(&value), |t| Some(t.to_owned()))?;
            Some(Choice { label, value })
        };
        titled.iter().map(choice).collect::<Option<_>>().ok_or("options without a value")?
    } else if let Some(values) = schema["enum"].as_array() {
        let names = schema["enumNames"].as_array();
        let choice = |(i, value): (usize, &Value)| {
            let own = names.and_then(|names| names.get(i)?.as_str()).map(str::to_owned);
            Some(Choice { label: own.or_else(|| label(value))?, value: value.clone() })
        };
        values
            .iter()
            .enumerate()
            .map(choice)
            .collect::<Option<_>>()
            .ok_or("options without a name")?
    } else {
        return Ok(None);
    };
    if choices.is_empty() {
        return Err("no options to choose from".into());
    }
    Ok(Some(apart(choices)))
}

/// Labels are what comes back, so each has to be its own: one that is there already, is blank, or would
/// be taken for the "Other" that stands for own words, is told by its value.
fn apart(choices: Vec<Choice>) -> Vec<Choice> {
    let mut apart: Vec<Choice> = vec![];
    for Choice { mut label, value } in choices {
        if label.trim().is_empty() || is_other(&label) {
            label = format!("[{value}] {label}");
        }
        while apart.iter().any(|one| one.label == label) {
            label = format!("[{value}] {label}");
        }
        apart.push(Choice { label, value });
    }
    apart
}

fn is_other(label: &str) -> bool {
    let label = label.trim().to_lowercase();
    let rest = label.strip_prefix("other").map(str::trim_start);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '…', ':', '(']))
}

fn label(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

fn chosen(of: &[Choice], label: &str) -> Result<Value, String> {
    let by_label = of.iter().find(|choice| choice.label == label);
    let by_value = || of.iter().find(|choice| choice.value == label);
    let choice = by_label.or_else(by_value).ok_or("only the options can be chosen")?;
    Ok(choice.value.clone())
}

fn number(text: &str, whole: bool, least: Option<f64>, most: Option<f64>) -> Result<Value, String> {
    let kind = if whole { "a whole number" } else { "a number" };
    let needed = || format!("{} is needed", between(kind, least.map(plain), most.map(plain), ""));
    // An exact integer stays exact, however large.
    let exact = text.parse::<i64>().ok().map(Number::from);
    let exact = exact.or_else(|| text.parse::<u64>().ok().map(Number::from));
    let inexact = || text.parse::<f64>().ok().and_then(Number::from_f64);
    let number = exact.or_else(|| inexact().filter(|_| !whole)).ok_or_else(needed)?;
    let size = number.as_f64().unwrap_or(f64::NAN);
    let fits = least.is_none_or(|least| size >= least) && most.is_none_or(|most| size <= most);
    if fits { Ok(number.into()) } else { Err(needed()) }
}

impl Text {
    fn constraints(&self) -> Vec<String> {
        let mut said = vec![];
        match self.format.as_deref() {
            Some("email") => said.push("an e-mail address".into()),
            Some("uri") => said.push("a URL".into()),
            Some("date") => said.push("a date: YYYY-MM-DD".into()),
            Some("date-time") => said.push("date and time: YYYY-MM-DDThh:mm:ssZ".into()),
            Some(other) => said.push(format!("format {}", super::cut(other, 50))),
            None => {}
        }
        let (shortest, longest) = (self.shortest.filter(|n| *n > 0), self.longest);
        if shortest.is_some() || longest.is_some() {
            let (shortest, longest) =
                (shortest.map(|n| n.to_string()), longest.map(|n| n.to_string()));
            said.push(between("", shortest, longest, " characters").trim().to_owned());
        }
        // A pattern is the server's to check: it is a program of its own.
        said.extend(self.pattern.as_ref().map(|it| format!("pattern {}", super::cut(it, 200))));
        said
    }

    fn value(&self, text: &str) -> Result<Value, String> {
        let length = text.chars().count() as u64;
        let too_short = self.shortest.is_some_and(|shortest| length < shortest);
        if too_short || self.longest.is_some_and(|longest| length > longest) {
            let (shortest, longest) =
                (self.shortest.map(|n| n.to_string()), self.longest.map(|n| n.to_string()));
            let needed = between("", shortest, longest, " characters");
            return Err(format!("{length} characters, {} needed", needed.trim()));
        }
        let fits = match self.format.as_deref() {
            Some("email") => is_email(text),
            Some("uri") => is_url(text),
            Some("date") => is_date(text),
            Some("date-time") => is_date_time(text),
            _ => true,
        };
        if fits {
            Ok(json!(text))
        } else {
            Err(format!("{} is needed", self.constraints().join(", ")))
        }
    }
}

/// `a number from 1 to 5`, with as many of the two ends as there are.
fn between(what: &str, least: Option<String>, most: Option<String>, of: &str) -> String {
    match (least, most) {
        (Some(least), Some(most)) => format!("{what} {least} to {most}{of}"),
        (Some(least), None) => format!("{what} {least} or more{of}"),
        (None, Some(most)) => format!("{what} at most {most}{of}"),
        (None, None) => what.to_owned(),
    }
}

fn plain(number: f64) -> String {
    number.to_string()
}

fn is_email(text: &str) -> bool {
    let parts = text.rsplit_once('@');
    !text.contains(char::is_whitespace)
        && parts.is_some_and(|(user, host)| !user.is_empty() && !host.is_empty())
}

fn is_url(text: &str) -> bool {
    let scheme = text.split_once(':').filter(|(_, rest)| !rest.is_empty());
    !text.contains(char::is_whitespace)
        && scheme.is_some_and(|(scheme, _)| {
            scheme.starts_with(|c: char| c.is_ascii_alphabetic())
                && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
        })
}

fn is_date(text: &str) -> bool {
    let digits =
        |part: &str, length| part.len() == length && part.bytes().all(|b| b.is_ascii_digit());
    let [year, month, day] = text.split('-').collect::<Vec<_>>()[..] else { return false };
    let within = |part: &str, most: u8| part.parse().is_ok_and(|n: u8| (1..=most).contains(&n));
    digits(year, 4) && digits(month, 2) && digits(day, 2) && within(month, 12) && within(day, 31)
}

fn is_date_time(text: &str) -> bool {
    let parts = text.split_once(['T', 't', ' ']);
    parts.is_some_and(|(date, time)| {
        is_date(date) && time.len() >= 5 && time.starts_with(|c: char| c.is_ascii_digit())
    })
}
