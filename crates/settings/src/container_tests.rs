use proptest::prelude::*;
use serde_json::json;

use super::*;

const DIALECT: Dialect = Dialect::CommentsAndCommas;

fn appended(text: &str) -> String {
    let root = parse(text, DIALECT).unwrap();
    let style = Style::of(text, &root);
    let value = json!({"x": [1, "y"]});
    Container::from(&root).append(text, &style, |indent| style.property("ours", &value, indent))
}

fn removed(text: &str, name: &str) -> String {
    let root = parse(text, DIALECT).unwrap();
    let at = root.properties.iter().position(|p| p.name.as_str() == name).unwrap();
    Container::from(&root).remove(text, at)
}

#[test]
fn a_remark_stays_with_what_it_is_about() {
    let text = "{\n  // first\n  \"a\": 1, /* one */ // and\n  \"b\": 2 // two\n  // last\n}\n";
    let with = appended(text);
    assert_eq!(
        with,
        "{\n  // first\n  \"a\": 1, /* one */ // and\n  \"b\": 2, // two\n  \"ours\": {\n    \"x\": [\n      1,\n      \"y\"\n    ]\n  }\n  // last\n}\n"
    );
    assert_eq!(removed(&with, "ours"), text);
}

#[test]
fn a_comma_at_the_end_stays_at_the_end() {
    let text = "{\n  \"a\": 1, // one\n}\n";
    let with = appended(text);
    assert!(with.starts_with("{\n  \"a\": 1, // one\n  \"ours\": {"), "{with}");
    assert!(with.ends_with("  },\n}\n"), "{with}");
    assert_eq!(removed(&with, "ours"), text);
    assert_eq!(appended("{\"a\":1,}"), "{\"a\":1,\"ours\":{\"x\":[1,\"y\"]},}");
}

#[test]
fn an_empty_object_keeps_its_remarks() {
    for text in ["{\n  // nothing yet\n}\n", "{ /* nothing */ }", "{\n}", "{}"] {
        let with = appended(text);
        parse(&with, DIALECT).unwrap();
        let without = removed(&with, "ours");
        let remark = text.contains('/');
        assert_eq!(without, if remark { text } else { "{}" }, "{with}");
    }
}

#[test]
fn what_is_cut_out_of_the_middle_leaves_the_rest() {
    let text = "{\n  \"a\": 1, // one\n  \"ours\": 2, // our remark\n  // about c\n  \"c\": 3,\n}";
    assert_eq!(
        removed(text, "ours"),
        "{\n  \"a\": 1, // one\n  // our remark\n  // about c\n  \"c\": 3,\n}"
    );
    assert_eq!(removed("{\"ours\": 1, \"b\": 2}", "ours"), "{\"b\": 2}");
    assert_eq!(removed("{\"a\":0,\"ours\":1, \"b\":2}", "ours"), "{\"a\":0, \"b\":2}");
    assert_eq!(removed("{\"a\":0, \"ours\":1,\n\n\"b\":2}", "ours"), "{\"a\":0,\n\n\"b\":2}");
    let remark = "{\"a\":0, // a\n\"ours\":1, \"b\":2}";
    assert_eq!(removed(remark, "ours"), "{\"a\":0, // a\n\"b\":2}");
}

/// White space and remarks as anybody might leave them.
fn space() -> impl Strategy<Value = String> {
    proptest::sample::select(vec![
        "",
        "",
        " ",
        "\n",
        "\n  ",
        "\r\n\t",
        " // a, b\n",
        "/* , */",
        " /* \n */ ",
        "\n  // c\n  ",
    ])
    .prop_map(str::to_owned)
}

fn settings() -> impl Strategy<Value = String> {
    let value =
        proptest::sample::select(vec!["1", "\"é // , \\\"\"", "[1, 2,]", "{\"k\": {}}", "null"]);
    let members = prop::collection::vec((space(), space(), value, space()), 0..4);
    (members, space(), any::<bool>()).prop_map(|(members, end, trailing)| {
        let trailing = trailing && !members.is_empty();
        let members = members.into_iter().enumerate();
        let members = members.map(|(at, (a, b, value, c))| format!("{a}\"k{at}\":{b}{value}{c}"));
        let members = members.collect::<Vec<_>>().join(",");
        format!("{{{members}{}{end}}}\n", if trailing { "," } else { "" })
    })
}

proptest! {
    #[test]
    fn in_and_out_again_is_the_same_whatever_stands_between(text in settings()) {
        let with = appended(&text);
        let parsed = parse(&with, DIALECT).unwrap();
        prop_assert_eq!(parsed.properties.len(), parse(&text, DIALECT).unwrap().properties.len() + 1);
        let without = removed(&with, "ours");
        let blank = text[1..text.trim_end().len() - 1].trim_ascii().is_empty();
        prop_assert_eq!(&without, if blank { "{}\n" } else { &text });
    }
}
