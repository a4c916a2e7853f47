//! What serde says about input that does not fit, as a violation: without quoting the input, which is
//! anybody's, and without the names of Rust types, which are nobody's business.

use handraise_question::Violation;

/// Turns `message`, which was said about what is at `path`, into a violation.
pub(crate) fn violation(path: &str, message: &str) -> Violation {
    let message = message.rsplit_once(" at line ").map_or(message, |(message, _)| message);
    let path = if matches!(path, "" | ".") { "body" } else { path };
    if let Some(field) = message.strip_prefix("missing field ") {
        let field = field.trim_matches('`');
        let path = if path == "body" { field.to_owned() } else { format!("{path}.{field}") };
        return Violation::new(path, "nothing", "a value");
    }
    if message.starts_with("duplicate field") {
        return Violation::new(path, "a field given twice", "each once");
    }
    let (found, allowed) = match message.rsplit_once(", expected ") {
        Some((found, allowed)) => (found_in_words(found), allowed_in_words(allowed)),
        None if is_about_digits(message) => ("something else".into(), "a whole number".into()),
        None if path == "after" => ("something else".into(), "the id of an ask".into()),
        None => ("something else".into(), "what the API describes".into()),
    };
    Violation::new(path, found, allowed)
}

fn found_in_words(found: &str) -> String {
    if found.starts_with("unknown field") {
        return "a field that is not known".into();
    }
    if found.starts_with("unknown variant") {
        return "an unknown word".into();
    }
    if found.starts_with("invalid length") {
        return "a list".into();
    }
    let (_, what) = found.split_once(": ").unwrap_or(("", found));
    let kind = what.split([' ', '`']).next().unwrap_or_default();
    match kind {
        "string" | "character" => "a string",
        "integer" | "floating" | "number" => "a number",
        "boolean" => "true or false",
        "null" | "unit" | "Option" => "null",
        "sequence" => "a list",
        "map" => "an object",
        _ => "something else",
    }
    .into()
}

fn allowed_in_words(allowed: &str) -> String {
    if allowed.starts_with("struct ") || allowed == "a map" {
        return "an object".into();
    }
    match allowed {
        "u64" | "usize" => "a whole number from 0 to 2^64 - 1".into(),
        "u32" => "a whole number from 0 to 2^32 - 1".into(),
        "f64" => "a number".into(),
        "a boolean" => "true or false".into(),
        "a sequence" => "a list".into(),
        other => other.replace('`', ""),
    }
}

fn is_about_digits(message: &str) -> bool {
    ["invalid digit", "number too", "cannot parse integer"].iter().any(|it| message.contains(it))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "nothing is ever read out of it")]
    struct Form {
        count: u64,
        name: Option<String>,
        list: Option<Vec<bool>>,
        choice: Option<Choice>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum Choice {
        Allow,
        Deny,
    }

    fn said(json: &str) -> String {
        let mut json = serde_json::Deserializer::from_str(json);
        let error = serde_path_to_error::deserialize::<_, Form>(&mut json).unwrap_err();
        violation(&error.path().to_string(), &error.inner().to_string()).to_string()
    }

    #[test]
    fn what_does_not_fit_is_named_in_plain_words() {
        for (json, words) in [
            ("[]", "body: a list, an object needed"),
            ("7", "body: a number, an object needed"),
            ("{}", "count: nothing, a value needed"),
            (
                r#"{"count":"a, expected b"}"#,
                "count: a string, a whole number from 0 to 2^64 - 1 needed",
            ),
            (r#"{"count":-1}"#, "count: a number, a whole number from 0 to 2^64 - 1 needed"),
            (r#"{"count":1,"name":{}}"#, "name: an object, a string needed"),
            (r#"{"count":1,"list":7}"#, "list: a number, a list needed"),
            (r#"{"count":1,"list":["x"]}"#, "list[0]: a string, true or false needed"),
            (r#"{"count":1,"choice":"x"}"#, "choice: an unknown word, allow or deny needed"),
            (r#"{"count":1,"count":1}"#, "body: a field given twice, each once needed"),
            (
                r#"{"count":1,"x":1}"#,
                "x: a field that is not known, one of count, name, list, choice needed",
            ),
        ] {
            assert_eq!(said(json), words, "{json}");
        }
    }
}
