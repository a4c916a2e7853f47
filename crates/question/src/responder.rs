//! Who resolved an ask, and where.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// A place where questions are answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Surface {
    /// A terminal prompt.
    Terminal,
    /// The web dashboard.
    Web,
    /// The agent's own dialog.
    Dialog,
    /// A call to the API.
    Api,
    /// A front end that speaks another system's wire form.
    Dialect(String),
    /// A rule, not a person.
    Rule,
}

impl Serialize for Surface {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Terminal => serializer.serialize_str("terminal"),
            Self::Web => serializer.serialize_str("web"),
            Self::Dialog => serializer.serialize_str("dialog"),
            Self::Api => serializer.serialize_str("api"),
            Self::Dialect(name) => serializer.collect_str(&format_args!("dialect:{name}")),
            Self::Rule => serializer.serialize_str("rule"),
        }
    }
}

impl<'de> Deserialize<'de> for Surface {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        Ok(match name.as_str() {
            "terminal" => Self::Terminal,
            "web" => Self::Web,
            "dialog" => Self::Dialog,
            "api" => Self::Api,
            "rule" => Self::Rule,
            other => match other.strip_prefix("dialect:") {
                Some(dialect) if !dialect.is_empty() => Self::Dialect(dialect.to_owned()),
                _ => return Err(de::Error::custom("no such surface")),
            },
        })
    }
}

/// Who resolved an ask. What is not known is null: never guessed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Responder {
    /// The person, or the rule by name.
    pub person: Option<String>,
    /// The paired device.
    pub device: Option<String>,
    /// Where the answer was given.
    pub surface: Surface,
    /// What shows that a person gave it, e.g. `tty`.
    pub proof: Option<String>,
}
