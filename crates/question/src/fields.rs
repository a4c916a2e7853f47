//! A JSON object taken apart without reading more of it than is needed.
//!
//! Fields nobody here knows are kept as the text they came as: a number too large for this
//! machine, or a value nested without end, is no reason to refuse a question.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// The fields of a JSON object, in their order.
#[derive(Debug, Clone, Default)]
pub struct Fields(Vec<(String, Box<RawValue>)>);

impl Fields {
    /// The text of a field's value. Of two with the same name the last counts, as in JavaScript.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().rfind(|(key, _)| key == name).map(|(_, value)| value.get())
    }

    /// The names, in their order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }
}

impl PartialEq for Fields {
    fn eq(&self, other: &Self) -> bool {
        let text = |(name, value): &(String, Box<RawValue>)| (name.clone(), value.get().to_owned());
        self.0.iter().map(text).eq(other.0.iter().map(text))
    }
}

/// The fields of a JSON object while it is read, where they stand in its text.
#[derive(Debug)]
pub(crate) struct Object<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'a> Object<'a> {
    /// The text of a field's value. Of two with the same name the last counts, as in JavaScript.
    pub(crate) fn get(&self, name: &str) -> Option<&'a str> {
        self.0.iter().rfind(|(key, _)| key == name).map(|(_, value)| value.get())
    }

    /// All fields and the text of their values, in their order.
    pub(crate) fn into_texts(self) -> impl Iterator<Item = (String, &'a str)> {
        self.0.into_iter().map(|(name, value)| (name.into_owned(), value.get()))
    }

    /// Takes a field out, and any other of the same name with it.
    pub(crate) fn take(&mut self, name: &str) -> Option<&'a RawValue> {
        let taken = self.0.extract_if(.., |(key, _)| key == name);
        taken.last().map(|(_, value)| value)
    }

    /// What was not taken out, to be kept.
    pub(crate) fn rest(self) -> Fields {
        let keep = |(name, value): (Cow<'_, str>, &RawValue)| (name.into_owned(), value.to_owned());
        Fields(self.0.into_iter().map(keep).collect())
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Object<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(serde::Deserialize)]
        struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

        struct Fields;

        impl<'de> Visitor<'de> for Fields {
            type Value = Object<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object<'de>, A::Error> {
                let mut fields = vec![];
                while let Some((Name(name), value)) = map.next_entry()? {
                    fields.push((name, value));
                }
                Ok(Object(fields))
            }
        }

        deserializer.deserialize_map(Fields)
    }
}
