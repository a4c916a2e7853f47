//! Samples of the wording, for the clients in other languages: they have to say the same.

use std::path::Path;

use serde_json::{Value, json};

use super::fixtures::{answered, ask, own};
use super::{api, claude, parts, refusal};
use crate::{Approval, Decision, DecisionForm, Resolution};

/// Labels and words in which something could go wrong.
const HARD: [&str; 15] = [
    "Billing, taxes",
    r#"say "hi""#,
    r"C:\temp",
    r"a,\",
    r#"a\"b"#,
    r"C:\temp, D:\x",
    "two\nlines",
    "two, x\nlines",
    " A ",
    "1,000",
    "end,",
    "a, b\u{1f}c\u{7f}\u{2028}",
    "🚀, x/y",
    "שלום",
    r#""quoted""#,
];

fn question(labels: &[&str], multi: bool) -> Value {
    let options: Vec<_> = labels.iter().map(|label| json!({"label": label})).collect();
    json!({"question": "Q?", "multiSelect": multi, "options": options})
}

/// The same as a person could type it, and no label.
fn typed(hard: &str) -> String {
    format!("{hard}.").replace(['\u{1f}', '\u{7f}'], "")
}

/// What is asked, how it ends, and what Claude Code is to be given.
fn permissions() -> Vec<Value> {
    let mut cases = vec![];
    let mut add = |questions: Value, resolution: &dyn Fn(&crate::Ask) -> Resolution| {
        let ask = ask(&json!({"questions": &questions}));
        let resolution = resolution(&ask);
        let permission = claude::permission(&ask, &resolution);
        cases.push(json!({"questions": questions, "resolution": api::bare(&resolution),
                          "permission": permission}));
    };
    for hard in HARD {
        for multi in [true, false] {
            let asked = json!([question(&["Plain", hard], multi)]);
            for answer in [json!({"selected": [hard]}), json!({"words": typed(hard)})] {
                add(asked.clone(), &|ask| answered(ask, &json!([answer])));
            }
            if multi {
                let answer = json!([{"selected": ["Plain", hard], "words": typed(hard),
                                     "notes": typed(hard)}]);
                add(asked.clone(), &|ask| answered(ask, &answer));
            }
        }
    }
    let overlapping = json!([question(&["X", "Y", "X, Y"], true)]);
    add(overlapping.clone(), &|ask| answered(ask, &json!([{"selected": ["X, Y"]}])));
    add(overlapping.clone(), &|ask| answered(ask, &json!([{"selected": ["X", "Y"]}])));
    add(overlapping, &|ask| answered(ask, &json!([{"words": "X, Y, Z"}])));
    let whole = json!([
        {"question": " Which\u{1b}[31m database? ", "header": "Database", "unknown": [1.5],
         "options": [{"label": "PostgreSQL (Recommended)"}, {"label": "SQLite", "preview": "one file"}]},
        {"question": "Features?", "multiSelect": true, "options": [
            {"label": "Auth", "preview": "a\nb"}, {"label": "Search", "preview": "c"},
            {"label": "None", "preview": " \u{3000}\n"}, {"label": "Other…"}]},
        {"question": "Else?"}, {"question": "Nothing?"}]);
    add(whole, &|ask| {
        answered(
            ask,
            &json!([
            {"selected": ["SQLite"], "notes": "because small"},
            {"selected": ["None", "Search", "Auth"], "words": "dark mode"},
            {"leftOpen": true}, {"leftOpen": true, "notes": "ask Bo"}]),
        )
    });
    let simple = json!([question(&["JWT", "Sessions"], false)]);
    for end in ends(None) {
        add(simple.clone(), &|_| end.clone());
    }
    cases
}

/// Every way of not answering, with words that are hard to put into a sentence.
fn ends<A>(answered: Option<A>) -> Vec<Resolution<A>> {
    let words = ["too early", "Not now.", " \u{a0}why?\n", "two..", "\u{feff}x\u{feff}"];
    let mut ends = vec![
        Resolution::Declined { reason: None },
        Resolution::Withdrawn { reason: None },
        Resolution::Withdrawn { reason: Some(own("it left")) },
        Resolution::NoAnswer { after_seconds: 300 },
    ];
    for words in words {
        ends.push(Resolution::Declined { reason: Some(own(words)) });
        ends.push(Resolution::Discuss { words: own(words) });
    }
    ends.extend(answered.map(Resolution::Answered));
    ends
}

/// How an approval ends, and what the model is to read if it is not allowed.
fn refusals() -> Vec<Value> {
    let approval = json!({"tool": "Bash", "input": {}});
    let approval = Approval::read(&serde_json::value::to_raw_value(&approval).unwrap()).unwrap();
    let decided = |message: Option<&str>| {
        let form = json!({"decision": "deny", "message": message});
        approval.check(serde_json::from_value::<DecisionForm>(form).unwrap()).unwrap()
    };
    let mut all: Vec<Resolution<Decision>> = ends(Some(decided(Some("not here."))));
    all.push(Resolution::Answered(decided(None)));
    let said = |end: &Resolution<Decision>| json!({"resolution": api::bare(end), "message": refusal::allowed_or_words(end).unwrap_err()});
    all.iter().map(said).collect()
}

/// What somebody wrote, and what was meant by it.
fn readings() -> Vec<Value> {
    let others = ["Other", " other: ", "OTHER (please SPECIFY)", "Other (MySQL)", "Others"];
    let mut asked = vec![
        question(&["Auth", "Billing, taxes", "X", "Y", "X, Y"], true),
        question(&["Auth", "Billing, taxes"], false),
        question(&others, true),
        json!({"question": "Q?"}),
    ];
    asked.extend(HARD.map(|hard| question(&[hard, "Plain"], true)));
    let mut texts: Vec<String> = [
        "Auth",
        "foo, bar",
        r#""hi""#,
        r#""unclosed, "#,
        "",
        "\"",
        "Auth, ",
        "Auth, x, y",
        "X, Y",
        r#""X, Y""#,
        r#""X, Y", X"#,
        "X, X",
        r#"Auth, "a, b \"c\"""#,
        r#""bad \escape, ""#,
        "Other (MySQL), Others",
        "Other",
    ]
    .map(str::to_owned)
    .to_vec();
    texts.extend(HARD.map(str::to_owned));
    texts.extend(HARD.map(|hard| format!("{}, Plain", json!(hard))));
    texts.extend(HARD.map(|hard| format!("{hard}, Plain")));
    let mut cases = vec![];
    for asked in asked {
        let ask = ask(&json!({"questions": [&asked]}));
        for text in &texts {
            let (selected, words) = parts::read(&ask.questions()[0], text);
            cases.push(
                json!({"question": asked, "text": text, "selected": selected, "words": words}),
            );
        }
    }
    cases
}

#[test]
fn the_clients_are_tested_with_what_is_said_here() {
    let samples =
        json!({"permissions": permissions(), "refusals": refusals(), "readings": readings()});
    let lists = samples.as_object().unwrap().iter().map(|(name, cases)| {
        let cases: Vec<_> =
            cases.as_array().unwrap().iter().map(|case| format!("  {case}")).collect();
        format!("\"{name}\": [\n{}\n]", cases.join(",\n"))
    });
    let text = format!("{{{}}}\n", lists.collect::<Vec<_>>().join(",\n"));
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../clients/wording.json");
    #[expect(clippy::disallowed_methods, reason = "how whoever runs the tests asks for it")]
    if std::env::var_os("UPDATE_WORDING").is_some() {
        std::fs::write(&file, &text).unwrap();
    }
    assert!(
        std::fs::read_to_string(&file).unwrap_or_default() == text,
        "clients/wording.json is not what crates/question says; write it anew with: \
         UPDATE_WORDING=1 cargo test --package handraise-question"
    );
}
