//! Reading JSON as it is described: an object is an object, and a word is a word.
//!
//! What serde derives would also take a list of values in the place of an object, and an object in the
//! place of a word: a stray `[]` would decline an ask.

use std::fmt;
use std::marker::PhantomData;

use handraise_question::check_field_names;
use serde::de::value::{MapAccessDeserializer, StrDeserializer};
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

/// What is written as an object, and as nothing else.
#[derive(Debug)]
pub struct Object<T>(pub T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Only(PhantomData)).map(Self)
    }
}

/// What is written as a word, and as nothing else.
struct Word<T>(T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Word<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(OnlyWord(PhantomData)).map(Self)
    }
}

struct Only<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for Only<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map))
    }
}

struct OnlyWord<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for OnlyWord<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a word")
    }

    fn visit_str<E: Error>(self, word: &str) -> Result<T, E> {
        T::deserialize(StrDeserializer::new(word))
    }
}

/// Any value whose names of fields every reader takes for the same.
pub(super) fn optional_value<'de, D: Deserializer<'de>>(
    from: D,
) -> Result<Option<Value>, D::Error> {
    let Some(raw) = Option::<Box<RawValue>>::deserialize(from)? else { return Ok(None) };
    check_field_names("", &raw).map_err(|wrong| D::Error::custom(wrong.found))?;
    serde_json::from_str(raw.get()).map(Some).map_err(D::Error::custom)
}

pub(super) fn object<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    from: D,
) -> Result<T, D::Error> {
    Object::deserialize(from).map(|Object(value)| value)
}

pub(super) fn optional_object<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    from: D,
) -> Result<Option<T>, D::Error> {
    Option::deserialize(from).map(|object| object.map(|Object(value)| value))
}

pub(super) fn objects<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    from: D,
) -> Result<Vec<T>, D::Error> {
    Vec::deserialize(from).map(values)
}

pub(super) fn optional_objects<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    from: D,
) -> Result<Option<Vec<T>>, D::Error> {
    Option::deserialize(from).map(|objects| objects.map(values))
}

pub(super) fn word<'de, D: Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<T, D::Error> {
    Word::deserialize(from).map(|Word(value)| value)
}

pub(super) fn optional_word<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    from: D,
) -> Result<Option<T>, D::Error> {
    Option::deserialize(from).map(|word| word.map(|Word(value)| value))
}

fn values<T>(objects: Vec<Object<T>>) -> Vec<T> {
    objects.into_iter().map(|Object(value)| value).collect()
}

#[cfg(test)]
mod tests {
    use crate::v1::AnswerParams;

    #[test]
    fn an_edited_input_has_each_field_once() {
        let read = |input: &str| {
            serde_json::from_str::<AnswerParams>(&format!(
                r#"{{"decision":"allow","input":{input}}}"#
            ))
        };
        for twice in [r#"{"command":"ls","command":"rm"}"#, r#"{"a":[{"b":1,"\u0062":2}]}"#] {
            let error = read(twice).unwrap_err().to_string();
            assert!(error.starts_with("a field given twice in one object"), "{error}");
        }
        assert!(read(r#"{"force":{"$serde_json::private::RawValue":"false"}}"#).is_err());
        assert_eq!(read(r#"{"a":{"a":1}}"#).unwrap().input.unwrap()["a"]["a"], 1);
        assert!(read("null").unwrap().input.is_none());
    }
}
