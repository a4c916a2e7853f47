//! A few fields of an object somebody else wrote, and the items of a list, without keeping the rest:
//! an object may have millions of fields and a list as many items.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// The fields of these names, as they were written; `None` of anything but an object. Of two with the
/// same name the later one counts, as in JavaScript. What is null counts as absent.
pub(crate) fn pick<'a, const N: usize>(
    json: &'a str,
    names: [&str; N],
) -> Option<[Option<&'a RawValue>; N]> {
    struct Pick<'n, const N: usize>([&'n str; N]);
    impl<'a, const N: usize> Visitor<'a> for Pick<'_, N> {
        type Value = [Option<&'a RawValue>; N];

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'a>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut picked = [None; N];
            while let Some(which) = map.next_key_seed(Which(&self.0))? {
                match which.and_then(|which| picked.get_mut(which)) {
                    Some(slot) => *slot = Some(map.next_value::<&RawValue>()?),
                    None => drop(map.next_value::<IgnoredAny>()?),
                }
            }
            Ok(picked.map(|raw| raw.filter(|raw| raw.get() != "null")))
        }
    }
    let mut json = serde_json::Deserializer::from_str(json);
    let picked = json.deserialize_map(Pick(names)).ok()?;
    json.end().ok().map(|()| picked)
}

/// Which of these names a key is.
#[derive(Clone, Copy)]
struct Which<'n>(&'n [&'n str]);

impl<'a> DeserializeSeed<'a> for Which<'_> {
    type Value = Option<usize>;

    fn deserialize<D: Deserializer<'a>>(self, key: D) -> Result<Self::Value, D::Error> {
        key.deserialize_str(self)
    }
}

impl Visitor<'_> for Which<'_> {
    type Value = Option<usize>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E>(self, key: &str) -> Result<Self::Value, E> {
        Ok(self.0.iter().position(|name| *name == key))
    }
}

/// Gives each item of a list to `item`, in order; none when it is no list.
pub(super) fn each<'a>(json: &'a str, item: impl FnMut(&'a RawValue)) {
    struct Each<F>(F);
    impl<'a, F: FnMut(&'a RawValue)> Visitor<'a> for Each<F> {
        type Value = ();

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a list")
        }

        fn visit_seq<A: SeqAccess<'a>>(mut self, mut items: A) -> Result<(), A::Error> {
            while let Some(item) = items.next_element::<&RawValue>()? {
                (self.0)(item);
            }
            Ok(())
        }
    }
    // What it is part of was found sound before: nothing ends in the middle.
    let _ = serde_json::Deserializer::from_str(json).deserialize_seq(Each(item));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picked(json: &str) -> Option<[Option<&str>; 2]> {
        pick(json, ["a", "b"]).map(|found| found.map(|raw| raw.map(RawValue::get)))
    }

    #[test]
    fn only_the_named_fields_are_kept_and_the_last_of_them_counts() {
        assert_eq!(picked(r#"{"a": [1 ,2],"x":{"b":3}}"#), Some([Some("[1 ,2]"), None]));
        assert_eq!(picked(r#"{"a":1,"b":null,"a":2}"#), Some([Some("2"), None]));
        assert_eq!(picked(r#"{"\u0061":1}"#), Some([Some("1"), None]));
    }

    #[test]
    fn what_is_not_one_whole_object_is_nothing() {
        for json in ["", "[]", "5", r#"{"a":1"#, r#"{"a":1}}"#, r#"{"a":1} x"#, "{\"a\":\"\n\"}"] {
            assert_eq!(picked(json), None, "{json}");
        }
    }

    #[test]
    fn depth_takes_no_stack() {
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        let json = format!(r#"{{"x":{deep},"a":{deep},"b":1}}"#);
        assert_eq!(picked(&json), Some([Some(deep.as_str()), Some("1")]));
        let mut items = 0;
        each(&format!("[{deep},{deep}]"), |_| items += 1);
        assert_eq!(items, 2);
    }
}
