use std::sync::Arc;

use handraise_broker::{AskId, Asker, Delivery, Opened, Phase, Policy, Resolved};
use handraise_question::{AnswerForm, Ask, Limits};
use jiff::Timestamp;
use proptest::prelude::*;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::*;

fn raw(value: &Value) -> Box<RawValue> {
    to_raw_value(value).unwrap()
}

fn form(properties: &Value, required: &Value) -> Form {
    let schema = json!({"type": "object", "properties": properties, "required": required});
    Form::read(&raw(&schema), &[]).unwrap().unwrap()
}

fn asked(form: &Form) -> Ask {
    Elicited::Form(form.clone()).matter(&[]).unwrap().ask().unwrap()
}

fn forms(value: Value) -> Vec<AnswerForm> {
    serde_json::from_value(value).unwrap()
}

fn words(text: &str) -> Value {
    json!([{"words": text}])
}

fn content(form: &Form, answers: Value) -> Value {
    form.content(&forms(answers)).unwrap().into()
}

fn problem(form: &Form, answers: Value) -> String {
    form.content(&forms(answers)).unwrap_err()[0].to_string()
}

#[test]
fn a_form_becomes_one_question_for_each_field_in_the_servers_order() {
    let schema = json!({"type": "object", "properties": {
        "name": {"type": "string", "title": "Name"},
        "color": {"type": "string", "enum": ["red", "green"], "description": "Which color?"},
        "sure": {"type": "boolean"},
        "days": {"type": "array", "items": {"anyOf": [
            {"const": "mo", "title": "Monday"}, {"const": "tu", "title": "Tuesday"}]}, "minItems": 1},
    }, "required": ["name"]});
    let order = ["color".to_owned(), "name".to_owned(), "gone".to_owned()];
    let form = Form::read(&raw(&schema), &order).unwrap().unwrap();
    assert_eq!(
        form.questions(&[]),
        json!([
            {"question": "Which color? (may be left open)", "header": "color",
             "options": [{"label": "red"}, {"label": "green"}], "multiSelect": false},
            {"question": "Name (required)", "header": "Name", "options": [], "multiSelect": false},
            {"question": "sure (may be left open)", "header": "sure",
             "options": [{"label": "Yes"}, {"label": "No"}], "multiSelect": false},
            {"question": "days (choose 1 or more, may be left open)", "header": "days",
             "options": [{"label": "Monday"}, {"label": "Tuesday"}], "multiSelect": true},
        ])
    );
    let answers = json!([{"leftOpen": true}, {"words": "Ann"}, {"selected": ["No"]}, {"selected": ["Tuesday"]}]);
    assert_eq!(content(&form, answers), json!({"name": "Ann", "sure": false, "days": ["tu"]}));
}

#[test]
fn an_option_goes_back_as_the_value_it_stands_for() {
    let titled = form(
        &json!({"size": {"type": "string", "oneOf": [
            {"const": "s", "title": "Small"}, {"const": "l", "title": "Large"}]}}),
        &json!([]),
    );
    assert_eq!(content(&titled, json!([{"selected": ["Large"]}])), json!({"size": "l"}));
    assert_eq!(problem(&titled, words("huge")), "size: only the options can be chosen");
    let named = form(
        &json!({"n": {"type": "integer", "enum": [1, 2], "enumNames": ["one", "two"]}}),
        &json!([]),
    );
    assert_eq!(content(&named, json!([{"selected": ["two"]}])), json!({"n": 2}));
}

#[test]
fn options_that_look_alike_are_told_apart() {
    let form = form(
        &json!({"x": {"oneOf": [{"const": 1, "title": "A"}, {"const": 2, "title": "A"},
            {"const": 3, "title": "Other (please specify)"}, {"const": "", "title": ""}]}}),
        &json!([]),
    );
    let ask = asked(&form);
    let labels: Vec<_> = ask.questions()[0].choices().map(|one| one.label().to_owned()).collect();
    assert_eq!(labels, ["A", "[2] A", "[3] Other (please specify)", "[\"\"] "]);
    assert_eq!(content(&form, json!([{"selected": ["[2] A"]}])), json!({"x": 2}));
}

#[test]
fn numbers_are_numbers_within_their_bounds() {
    let whole =
        form(&json!({"port": {"type": "integer", "minimum": 1, "maximum": 65535}}), &json!([]));
    assert_eq!(content(&whole, words(" 8080 ")), json!({"port": 8080}));
    for wrong in ["80.5", "0", "65536", "many", "1e3", ""] {
        assert_eq!(problem(&whole, words(wrong)), "port: a whole number 1 to 65535 is needed");
    }
    let any = form(&json!({"x": {"type": "number"}}), &json!([]));
    assert_eq!(content(&any, words("-1.5")), json!({"x": -1.5}));
    assert_eq!(content(&any, words("9007199254740993")), json!({"x": 9_007_199_254_740_993_u64}));
    for wrong in ["NaN", "inf", "1,5"] {
        assert_eq!(problem(&any, words(wrong)), "x: a number is needed");
    }
}

#[test]
fn texts_have_the_form_that_is_asked_for() {
    let text = |schema: Value| form(&json!({"x": schema}), &json!([]));
    let cases = [
        ("email", "ann@example.com", "ann"),
        ("uri", "https://example.com/?q", "example.com"),
        ("date", "2026-11-16", "2026-13-01"),
        ("date-time", "2026-11-16T10:00:00Z", "2026-11-16"),
    ];
    for (format, right, wrong) in cases {
        let form = text(json!({"type": "string", "format": format}));
        assert_eq!(content(&form, words(right)), json!({"x": right}));
        assert!(problem(&form, words(wrong)).ends_with(" is needed"), "{format}");
    }
    let short = text(json!({"type": "string", "minLength": 2, "maxLength": 3}));
    assert_eq!(content(&short, words("äöü")), json!({"x": "äöü"}));
    assert_eq!(problem(&short, words("a")), "x: 1 characters, 2 to 3 characters needed");
}

#[test]
fn what_is_required_cannot_be_left_open() {
    let form = form(
        &json!({"a": {"type": "string"}, "b": {"type": "string", "title": "Bee"}}),
        &json!(["b"]),
    );
    let answers = json!([{"words": "x"}, {"leftOpen": true}]);
    let problems = form.content(&forms(answers)).unwrap_err();
    assert_eq!(problems[0].to_string(), "Bee: required, and left open");
    let again = form.questions(&problems);
    assert_eq!(
        again[1]["question"],
        "Bee (required)\nThe last answer was not taken: required, and left open"
    );
}

#[test]
fn fields_that_say_the_same_are_told_apart() {
    let same = json!({"type": "string", "description": "Say it"});
    let ask = asked(&form(&json!({"a": same, "b": same, "c": same}), &json!([])));
    assert_eq!(ask.questions().len(), 3);
}

#[test]
fn a_page_or_a_form_without_fields_is_a_matter_of_consent() {
    let asked = |mode| Elicitation { server: "lab".into(), message: "Sure?".into(), mode };
    let page = ElicitationMode::Url { url: "http://127.0.0.1/x".into(), id: None };
    let page = Elicited::read(&asked(page)).unwrap().matter(&[]).unwrap();
    assert_eq!(
        serde_json::from_str::<Value>(page.as_sent().get()).unwrap(),
        json!({"tool": "mcp__lab: open a page",
               "input": {"message": "Sure?", "url": "http://127.0.0.1/x"}})
    );
    let empty = ElicitationMode::Form { schema: raw(&json!({"type": "object"})), order: vec![] };
    let empty = Elicited::read(&asked(empty)).unwrap().matter(&[]).unwrap();
    assert_eq!(
        serde_json::from_str::<Value>(empty.as_sent().get()).unwrap(),
        json!({"tool": "mcp__lab: confirm", "input": {"message": "Sure?"}})
    );
}

/// The ask after it ended like this.
fn ended(elicited: &Elicited, resolution: Value) -> Record {
    let opened = Opened {
        asker: Asker::default(),
        key: None,
        owner: None,
        matter: elicited.matter(&[]).unwrap(),
        policy: Policy::default(),
        rival_dialog: false,
        deadline_at: None,
    };
    let at = Timestamp::UNIX_EPOCH;
    let mut record = Record::open(AskId::from_bytes([0; 16]), Arc::new(opened), 1, at);
    let resolved = Resolved { resolution, responder: None, at, submit: None };
    record.phase = Phase::Resolved { resolved: Arc::new(resolved), delivery: Delivery::Awaited };
    record
}

/// Every end but an answer, and what a server is told of it.
fn not_answered() -> [(Value, ElicitationReply); 4] {
    [
        (json!({"kind": "declined"}), ElicitationReply::Decline),
        (json!({"kind": "discuss", "words": "why?"}), ElicitationReply::Cancel),
        (json!({"kind": "no_answer", "afterSeconds": 5}), ElicitationReply::Cancel),
        (json!({"kind": "withdrawn"}), ElicitationReply::Cancel),
    ]
}

#[test]
fn only_an_answer_is_accepted() {
    let elicited = Elicited::Form(form(
        &json!({"port": {"type": "integer"}, "b": {"type": "string"}}),
        &json!([]),
    ));
    let answered = |words: &str| json!({"kind": "answered", "answers": [{"words": words}, {"leftOpen": true}]});
    let content = json!({"port": 80}).as_object().cloned();
    assert_eq!(
        elicited.reply(&ended(&elicited, answered("80"))),
        Ok(ElicitationReply::Accept { content })
    );
    let problems = elicited.reply(&ended(&elicited, answered("eighty"))).unwrap_err();
    assert_eq!(problems[0].to_string(), "port: a whole number is needed");
    for (resolution, reply) in not_answered() {
        assert_eq!(elicited.reply(&ended(&elicited, resolution)), Ok(reply));
    }
}

#[test]
fn only_consent_opens_a_page() {
    let consent = |url: Option<&str>| Elicited::Consent {
        tool: "mcp__lab: open a page".into(),
        message: "Please".into(),
        url: url.map(str::to_owned),
    };
    let page = consent(Some("http://127.0.0.1/x"));
    let decided = |verdict| json!({"kind": "answered", "decision": verdict});
    let reply = |elicited: &Elicited, resolution| elicited.reply(&ended(elicited, resolution));
    assert_eq!(reply(&page, decided("allow")), Ok(ElicitationReply::Accept { content: None }));
    assert_eq!(reply(&page, decided("deny")), Ok(ElicitationReply::Decline));
    let empty = ElicitationReply::Accept { content: Some(Map::new()) };
    assert_eq!(reply(&consent(None), decided("allow")), Ok(empty));
    for (resolution, expected) in not_answered() {
        assert_eq!(reply(&page, resolution), Ok(expected));
    }
}

#[test]
fn what_cannot_be_asked_is_refused_with_the_reason() {
    let fields: Map<String, Value> =
        (0..21).map(|i| (format!("f{i}"), json!({"type": "string"}))).collect();
    let deep: Value =
        (0..120).fold(json!({"type": "string"}), |inner, _| json!({"properties": inner}));
    for (schema, why) in [
        (json!(5), "the form has no list of fields"),
        (json!({"properties": []}), "the form has no list of fields"),
        (json!({"properties": {"a": {"type": "object"}}}), "the field a: a form within the form"),
        (json!({"properties": {"a": 5}}), "the field a: it is no schema"),
        (json!({"properties": {"a": {}}}), "the field a: a kind of field that is not known"),
        (json!({"properties": {"a": {"enum": []}}}), "the field a: no options to choose from"),
        (json!({"properties": {"a": {"enum": [[]]}}}), "the field a: options without a name"),
        (json!({"properties": {"a": {"oneOf": [{}]}}}), "the field a: options without a value"),
        (
            json!({"properties": {"a": {"type": "array", "items": {"type": "string"}}}}),
            "the field a: a list of anything but options",
        ),
        (json!({"properties": fields}), "the form has 21 fields, more than 20"),
        (json!({"properties": {"a": deep}}), "the field a: a kind of field that is not known"),
        (
            json!({"properties": {"a": {"type": "string", "title": "x".repeat(300_000)}}}),
            "the form is larger than 262144 bytes",
        ),
    ] {
        assert_eq!(Form::read(&raw(&schema), &[]).unwrap_err(), why);
    }
    let deep = "[".repeat(1000) + &"]".repeat(1000);
    let deep = RawValue::from_string(deep).unwrap();
    assert_eq!(Form::read(&deep, &[]).unwrap_err(), "the form is nested too deeply");
}

#[test]
fn too_many_options_are_refused_by_the_hubs_own_limits() {
    let many: Vec<String> = (0..51).map(|i| format!("option {i}")).collect();
    let form = form(&json!({"a": {"type": "string", "enum": many}}), &json!([]));
    assert!(Elicited::Form(form).matter(&[]).unwrap_err().contains("51 options"));
}

fn any_json() -> impl Strategy<Value = Value> {
    let word = prop_oneof![
        Just("type"),
        Just("enum"),
        Just("oneOf"),
        Just("anyOf"),
        Just("const"),
        Just("title"),
        Just("items"),
        Just("properties"),
        Just("required"),
        Just("minLength"),
        Just("maximum"),
        Just("format"),
        Just("description"),
        Just("enumNames"),
        Just("minItems"),
        Just("x"),
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        prop_oneof![
            Just("string"),
            Just("number"),
            Just("integer"),
            Just("boolean"),
            Just("array"),
            Just("object"),
            Just("email"),
            Just("date"),
            Just("\u{1b}[2J"),
            Just("")
        ]
        .prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 60, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((word.clone(), inner), 0..6).prop_map(|fields| {
                fields
                    .into_iter()
                    .map(|(name, value)| (name.to_owned(), value))
                    .collect::<Map<_, _>>()
                    .into()
            }),
        ]
    })
}

proptest! {
    /// Whatever a server sends: it is refused, or can be asked, answered and put back.
    #[test]
    fn no_schema_breaks_anything(
        properties in prop::collection::vec(("[a-c]{1,2}", any_json()), 0..5),
        text in "\\PC{0,20}",
    ) {
        let properties: Map<String, Value> = properties.into_iter().collect();
        let schema = json!({"properties": properties, "required": ["a"]});
        let Ok(Some(form)) = Form::read(&raw(&schema), &[]) else { return Ok(()) };
        let Ok(matter) = Elicited::Form(form.clone()).matter(&[]) else { return Ok(()) };
        let ask = matter.ask().unwrap();
        prop_assert!(Limits::WIDE.questions.allows(ask.questions().len()));
        let answers: Vec<AnswerForm> = ask.questions().iter().map(|question| {
            let label = question.choices().next().map(|choice| choice.label().to_owned());
            let words = label.is_none().then(|| text.clone());
            AnswerForm { selected: label.into_iter().collect(), words, ..Default::default() }
        }).collect();
        let _ = form.content(&answers);
    }

    /// An option that was chosen always comes back as one of the server's own values.
    #[test]
    fn every_option_leads_to_its_value(
        titles in prop::collection::vec("[ab ]{0,2}|Other[.…: ]?( \\(specify\\))?|\\PC{0,6}", 1..6),
    ) {
        let options: Vec<Value> = titles.iter().enumerate()
            .map(|(i, title)| json!({"const": i, "title": title})).collect();
        let form = form(&json!({"x": {"oneOf": options}}), &json!([]));
        let matter = Elicited::Form(form.clone()).matter(&[]).unwrap();
        let ask = matter.ask().unwrap();
        let labels: Vec<_> = ask.questions()[0].choices().map(|one| one.label().to_owned()).collect();
        prop_assert_eq!(labels.len(), titles.len());
        for (i, label) in labels.into_iter().enumerate() {
            let chosen = AnswerForm { selected: vec![label], ..Default::default() };
            let answers = ask.check(vec![chosen]).unwrap();
            prop_assert_eq!(Value::from(form.content(&answers.forms()).unwrap()), json!({"x": i}));
        }
    }
}
