//! As much of JSON Schema as models get wrong: types, required fields, enums, items.
//!
//! What is not understood is not held against anybody: the tool itself looks at its input, too.

use handraise_question::{Violation, Violations};
use serde_json::Value;

pub(crate) fn check(schema: &Value, input: &Value) -> Result<(), Violations> {
    let mut found = vec![];
    look(schema, input, "input", &mut found);
    Violations::none_or(found, || ())
}

fn look(schema: &Value, value: &Value, path: &str, found: &mut Vec<Violation>) {
    let wanted = types(&schema["type"]);
    if !wanted.is_empty() && !wanted.iter().any(|name| is(name, value)) {
        found.push(Violation::new(path, kind(value), wanted.join(" or ")));
        return;
    }
    if let Some(allowed) = schema["enum"].as_array()
        && !allowed.contains(value)
    {
        let allowed: Vec<_> = allowed.iter().map(Value::to_string).collect();
        found.push(Violation::new(path, "something else", allowed.join(" or ")));
    }
    if let Some(fields) = value.as_object() {
        for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            if !fields.contains_key(name) {
                let wanted = types(&schema["properties"][name]["type"]).join(" or ");
                let wanted = if wanted.is_empty() { "a value".to_owned() } else { wanted };
                found.push(Violation::new(format!("{path}.{name}"), "missing", wanted));
            }
        }
        for (name, schema) in schema["properties"].as_object().into_iter().flatten() {
            if let Some(value) = fields.get(name) {
                look(schema, value, &format!("{path}.{name}"), found);
            }
        }
    }
    if let (Some(items), schema @ Value::Object(_)) = (value.as_array(), &schema["items"]) {
        for (i, item) in items.iter().enumerate() {
            look(schema, item, &format!("{path}[{i}]"), found);
        }
    }
}

fn types(names: &Value) -> Vec<&str> {
    match names {
        Value::String(name) => vec![name],
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => vec![],
    }
}

fn is(name: &str, value: &Value) -> bool {
    match name {
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        "object" | "array" | "string" | "number" | "boolean" | "null" => kind(value) == name,
        _ => true,
    }
}

/// The schema's own name for the type of a value.
pub(crate) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_violation_is_named_and_nothing_is_quoted() {
        let schema = json!({"type": "object", "required": ["path", "mode"], "properties": {
            "path": {"type": "string"},
            "mode": {"enum": ["read", "write"]},
            "lines": {"type": "array", "items": {"type": "integer"}},
            "deep": {"type": "object", "required": ["x"], "properties": {"x": {"type": "null"}}}}});
        let input = json!({"mode": "SECRET", "lines": [1, 2.5, "SECRET"], "deep": {}, "more": 1});
        let text = check(&schema, &input).unwrap_err().to_string();
        assert_eq!(
            text,
            "input.path: missing, string needed\n\
             input.mode: something else, \"read\" or \"write\" needed\n\
             input.lines[1]: number, integer needed\n\
             input.lines[2]: string, integer needed\n\
             input.deep.x: missing, null needed"
        );
        let right = json!({"path": "a", "mode": "read", "lines": [1, 2.0], "deep": {"x": null}});
        assert_eq!(check(&schema, &right), Ok(()));
    }

    #[test]
    fn what_is_not_understood_is_let_through() {
        let odd = json!({"type": ["string", "fancy"], "pattern": "("});
        assert_eq!(check(&odd, &json!(1)), Ok(()));
        assert_eq!(check(&json!(true), &json!({"a": [1]})), Ok(()));
    }
}
