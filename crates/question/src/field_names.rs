//! Names of fields that readers of JSON take for different things.

use std::borrow::Cow;
use std::collections::HashSet;

use serde_json::value::RawValue;

use crate::Violation;

/// `serde_json` takes an object with one field of such a name for what the field holds.
const RESERVED: &str = "$serde_json::private::";

/// Checks that no object in a value has two fields of one name, or one of a name that stands for
/// something else to our own reader: a person could be shown one thing and a tool be called with
/// another. `path` names the value in the error.
///
/// # Errors
///
/// When one has.
pub fn check_field_names(path: &str, json: &RawValue) -> Result<(), Violation> {
    let text = json.get();
    // For each object that is open the names of its fields; for each list nothing.
    let mut open: Vec<Option<HashSet<Cow<'_, str>>>> = vec![];
    let mut at = 0;
    while let Some(byte) = text.as_bytes().get(at) {
        let begin = at;
        at += 1;
        match byte {
            b'{' => open.push(Some(HashSet::new())),
            b'[' => open.push(None),
            b'}' | b']' => drop(open.pop()),
            b'"' => {
                at = end_of_text(text, at);
                let is_name = text[at..].trim_start().starts_with(':');
                let Some(Some(names)) = open.last_mut().filter(|_| is_name) else { continue };
                let raw = &text[begin..at];
                // Half of a pair of surrogates is no text here, but is a name.
                let name = serde_json::from_str(raw)
                    .map_or_else(|_| Cow::Owned(raw.to_ascii_lowercase()), |Name(name)| name);
                if name.starts_with(RESERVED) {
                    let found = format!("a field whose name begins with {RESERVED}");
                    return Err(Violation::new(path, found, "another name"));
                }
                if !names.insert(name) {
                    return Err(Violation::new(
                        path,
                        "a field given twice in one object",
                        "each once",
                    ));
                }
            }
            _ => {}
        }
    }
    Ok(())
}

#[derive(serde::Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

/// Where a text ends that begins before `at`, its quotation mark included.
fn end_of_text(text: &str, mut at: usize) -> usize {
    while let Some(byte) = text.as_bytes().get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_fine(json: &str) -> bool {
        check_field_names("x", &RawValue::from_string(json.to_owned()).unwrap()).is_ok()
    }

    #[test]
    fn no_field_has_a_name_that_our_reader_takes_for_another_value() {
        for wrapped in [
            r#"{"force": {"$serde_json::private::RawValue": "false"}}"#,
            r#"[{"\u0024serde_json::private::RawValue": "{}"}]"#,
            r#"{"n": {"$serde_json::private::Number": "1"}}"#,
        ] {
            assert!(!is_fine(wrapped), "{wrapped}");
        }
        assert!(is_fine(r#"{"a": "$serde_json::private::RawValue", "$serde_json": 1}"#));
    }

    #[test]
    fn a_field_that_is_given_twice_is_found_wherever_it_is() {
        for twice in [
            r#"{"a": 1, "a": 2}"#,
            r#"{"o": {"b": [{"c": "x", "d": 1, "c" : "y"}]}}"#,
            r#"{"command": "rm", "\u0063ommand": "ls"}"#,
            r#"{"n": 1e999, "s": "\ud800", "a": "\"", "a": 1}"#,
            r#"{"\ud800": 1, "\uD800": 2}"#,
            r#"{"": 1, "": 1}"#,
        ] {
            assert!(!is_fine(twice), "{twice}");
        }
        for once in [
            r#"{"a": {"a": [{"a": "a"}, {"a": "a"}]}, "b": "a"}"#,
            r#"["a", "a", {"a": "a:"}, "a"]"#,
            r#"{"a": "\"a\": 1", "b": "{\"a\": 1, \"a\": 2}", "c": "\\"}"#,
            "{}",
            r#""a""#,
        ] {
            assert!(is_fine(once), "{once}");
        }
    }
}
