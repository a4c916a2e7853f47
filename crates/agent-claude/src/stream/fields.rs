//! The fields of a JSON object somebody else wrote: each is taken for what it is meant to be, or for
//! absent. New versions of Claude Code bring new fields and new forms of old ones.

use std::collections::HashMap;
use std::fmt;

use serde::de::{Deserializer, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

/// The fields, as they were written. Of two with the same name the later one counts, as in JavaScript.
pub(super) struct Fields<'a>(HashMap<String, &'a RawValue>);

impl<'a> Fields<'a> {
    /// The fields of this object; `None` of anything else.
    pub(super) fn of(raw: &'a RawValue) -> Option<Self> {
        serde_json::from_str(raw.get()).ok().map(Self)
    }

    fn present(&self, name: &str) -> Option<&'a RawValue> {
        self.0.get(name).copied().filter(|raw| raw.get() != "null")
    }

    /// Byte for byte.
    pub(super) fn raw(&self, name: &str) -> Option<Box<RawValue>> {
        self.present(name).map(RawValue::to_owned)
    }

    pub(super) fn text(&self, name: &str) -> Option<String> {
        self.present(name).and_then(text)
    }

    pub(super) fn flag(&self, name: &str) -> bool {
        self.present(name).is_some_and(|raw| raw.get() == "true")
    }

    pub(super) fn number<N: serde::de::DeserializeOwned>(&self, name: &str) -> Option<N> {
        self.present(name).and_then(|raw| serde_json::from_str(raw.get()).ok())
    }

    /// Null when it is absent, or nested too deeply to be understood.
    pub(super) fn value(&self, name: &str) -> Value {
        self.present(name).and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default()
    }

    pub(super) fn object(&self, name: &str) -> Option<Fields<'a>> {
        self.present(name).and_then(Self::of)
    }

    /// The items of a list; none when there is no list.
    pub(super) fn list(&self, name: &str) -> Vec<&'a RawValue> {
        let items = self.present(name).map(|raw| serde_json::from_str(raw.get()));
        items.and_then(Result::ok).unwrap_or_default()
    }
}

/// A text. JavaScript can write half a character, where a stream was cut in the middle of one: that half
/// is shown as missing, and the rest is kept.
pub(crate) fn text(raw: &RawValue) -> Option<String> {
    struct Text;
    impl Visitor<'_> for Text {
        type Value = String;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a text")
        }

        fn visit_str<E>(self, text: &str) -> Result<String, E> {
            Ok(text.to_owned())
        }

        fn visit_bytes<E>(self, bytes: &[u8]) -> Result<String, E> {
            Ok(String::from_utf8_lossy(bytes).into_owned())
        }
    }
    let raw = raw.get();
    // Read as bytes, because only then half a character is no error.
    raw.starts_with('"')
        .then(|| serde_json::Deserializer::from_str(raw).deserialize_bytes(Text))?
        .ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(json: &str) -> Fields<'_> {
        Fields::of(serde_json::from_str(json).unwrap()).unwrap()
    }

    #[test]
    fn what_has_another_form_counts_as_absent() {
        let fields =
            fields(r#"{"text":5,"list":{},"object":[],"flag":"true","number":"1","null":null}"#);
        assert_eq!(fields.text("text"), None);
        assert!(fields.list("list").is_empty());
        assert!(fields.object("object").is_none());
        assert!(!fields.flag("flag"));
        assert_eq!(fields.number::<u64>("number"), None);
        assert!(fields.raw("null").is_none());
    }

    #[test]
    fn half_a_character_costs_only_itself() {
        let fields = fields(r#"{"text":"caf\u00e9 \ud83d"}"#);
        assert_eq!(fields.text("text").unwrap().trim_end_matches('\u{fffd}'), "café ");
    }

    #[test]
    fn what_is_kept_is_kept_byte_for_byte() {
        let fields = fields(r#"{"raw":{ "a" : 1.50,"b":"\u00e9" }}"#);
        assert_eq!(fields.raw("raw").unwrap().get(), r#"{ "a" : 1.50,"b":"\u00e9" }"#);
    }
}
