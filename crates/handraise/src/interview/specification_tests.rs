use handraise_question::wording::api;
use handraise_question::{Ask, Limits, Surface};
use serde_json::{Value, json};

use super::super::model::Api;
use super::*;
use crate::ask::Ending;

fn at(minute: i64) -> Timestamp {
    Timestamp::from_second(1_700_000_000 + minute * 60).unwrap()
}

fn about() -> About {
    About {
        id: "1a2b3c4d".into(),
        task: "Add authentication to my app".into(),
        api: Api::Anthropic,
        model: "a-model".into(),
        base_url: "http://localhost".into(),
        output: "SPEC.md".into(),
        begun: at(0),
        most_asks: 12,
    }
}

fn asked(call: &str, questions: &Value, resolution: &Value) -> Asked {
    let json = json!({ "questions": questions }).to_string();
    let ask = Ask::read(json.as_bytes(), &Limits::WIDE).unwrap().ask;
    let resolution = api::read(&ask, resolution).unwrap();
    let responder = Responder {
        person: Some("ann".into()),
        device: None,
        surface: Surface::Web,
        proof: Some("browser".into()),
    };
    Asked {
        call: call.into(),
        ask,
        ending: Ending { resolution, responder: Some(responder), at: at(1) },
        at_hub: None,
    }
}

fn answered(answers: &Value) -> Value {
    json!({"kind": "answered", "answers": answers})
}

fn method() -> Value {
    json!({"question": "Which authentication method?", "header": "Auth Method", "options": [
        {"label": "OAuth 2.0 (Recommended)", "description": "Industry standard"},
        {"label": "JWT", "description": "Stateless"}]})
}

#[test]
fn a_specification_holds_decisions_reasons_who_decided_and_what_is_open() {
    let providers = json!({"question": "Which providers?", "header": "Providers",
        "multiSelect": true, "options": [{"label": "Google", "description": "Most used"},
        {"label": "GitHub", "description": "For developers"}, {"label": "Apple"}]});
    let store = json!({"question": "Where are sessions kept?"});
    let said = "# Sign-in\n\nPeople sign in with an account they have.\n\n## Details\n\n- One page.\n\n\
                ## Decisions\n\n- The model's own list, which is not taken.\n\n## Open points\n\n- Who may see the log?\n";
    let all = [
        asked(
            "c1",
            &json!([method(), providers]),
            &answered(&json!([
            {"selected": ["OAuth 2.0 (Recommended)"], "notes": "as in the other app"},
            {"selected": ["Google", "GitHub"], "words": "GitLab"}])),
        ),
        asked("c2", &json!([store]), &json!({"kind": "declined", "reason": "later"})),
    ];
    assert_eq!(
        write(&about(), &all, &Closing::Words(said.into()), at(5)),
        "\
# Sign-in

- Task: Add authentication to my app
- Interview: 1a2b3c4d, with a-model, finished 2023-11-14 22:18 UTC
- Decisions: 2

## Summary, in the model's words

People sign in with an account they have.

### Details

- One page.

## Decisions

### 1. Auth Method

Which authentication method?

- Decided: **OAuth 2.0 (Recommended)**
- Reason: Industry standard
- Remark: as in the other app
- Not chosen: JWT
- Decided by: ann, in the browser, 2023-11-14 22:14 UTC

### 2. Providers

Which providers?

- Decided: **Google**, **GitHub**, “GitLab”
- Reason (Google): Most used
- Reason (GitHub): For developers
- Not chosen: Apple
- Decided by: ann, in the browser, 2023-11-14 22:14 UTC

## Open points

- Where are sessions kept? (declined by ann: later)

- Who may see the log?
"
    );
}

#[test]
fn a_question_that_was_asked_again_stands_once_with_its_last_answer() {
    let first = asked("c1", &json!([method()]), &answered(&json!([{"selected": ["JWT"]}])));
    let talk = json!({"kind": "discuss", "words": "What of cost?"});
    let again = json!([{"selected": ["OAuth 2.0 (Recommended)"]}]);
    let all = [
        first,
        asked("c2", &json!([method()]), &talk),
        asked("c3", &json!([method()]), &answered(&again)),
        asked("c4", &json!([method()]), &json!({"kind": "no_answer", "afterSeconds": 5})),
    ];
    let text = write(&about(), &all, &Closing::Words(String::new()), at(5));
    assert_eq!(text.matches("- Decided by: ").count(), 1, "{text}");
    assert!(text.contains("- Decided: **OAuth 2.0 (Recommended)**"), "{text}");
    assert!(text.ends_with("## Open points\n\nNone.\n"), "{text}");
}

#[test]
fn the_same_words_about_another_choice_are_another_question() {
    let which = |header: &str, labels: [&str; 2]| {
        json!({"question": "Which one?", "header": header, "options": [
            {"label": labels[0], "description": "x"}, {"label": labels[1], "description": "y"}]})
    };
    let all = [
        asked(
            "c1",
            &json!([which("Database", ["Postgres", "SQLite"])]),
            &answered(&json!([{"selected": ["SQLite"]}])),
        ),
        asked(
            "c2",
            &json!([which("Cache", ["Redis", "None"])]),
            &answered(&json!([{"selected": ["Redis"]}])),
        ),
    ];
    let text = write(&about(), &all, &Closing::Words(String::new()), at(5));
    for once in ["- Decided: **SQLite**", "- Decided: **Redis**"] {
        assert_eq!(text.matches(once).count(), 1, "{text}");
    }
}

#[test]
fn what_was_talked_about_and_then_decided_in_other_words_is_not_open() {
    let mut again = method();
    again["question"] = json!("Which method, then?");
    let all = [
        asked("c1", &json!([method()]), &json!({"kind": "discuss", "words": "What of cost?"})),
        asked("c2", &json!([again]), &answered(&json!([{"selected": ["JWT"]}]))),
    ];
    let text = write(&about(), &all, &Closing::Words(String::new()), at(5));
    assert!(text.ends_with("## Open points\n\nNone.\n"), "{text}");
}

#[test]
fn the_model_can_neither_forge_nor_hide_a_decision() {
    let all = [asked("c1", &json!([method()]), &answered(&json!([{"selected": ["JWT"]}])))];
    for forged in
        ["# Decisions", "## Decisions:", "## The decisions", "Decisions\n=========", "## Decided"]
    {
        let said =
            format!("# T\n\nWords.\n\n{forged}\n\n- Decided: **OAuth**\n- Decided by: ann\n");
        let text = write(&about(), &all, &Closing::Words(said), at(5));
        assert!(!text.contains("**OAuth**"), "{forged}: {text}");
        assert_eq!(text.lines().filter(|line| *line == "## Decisions").count(), 1, "{text}");
    }
    // Below another heading it stays in the model's own part, deeper than what is ours.
    let said = "# T\n\n## Requirements\n\n### 2. Auth Method\n\n- Decided: **OAuth**\n\n```\nopen";
    let text = write(&about(), &all, &Closing::Words(said.into()), at(5));
    let record = text.find("\n## Decisions\n").unwrap();
    assert!(text.find("**OAuth**").unwrap() < record, "{text}");
    assert_eq!(text.lines().filter(|line| line.starts_with("### 1.")).count(), 1, "{text}");
    let sections = crate::markdown::sections(&text);
    let titles: Vec<_> = sections.iter().map(|section| section.title.as_str()).collect();
    assert!(titles.ends_with(&["Decisions", "Open points"]), "{titles:?}");
}

#[test]
fn words_of_several_lines_are_kept_as_they_were_typed() {
    let words = "first, \"quoted\"\n  # second\n```\nthird 🙋";
    let text = write(
        &about(),
        &[asked("c1", &json!([method()]), &answered(&json!([{"words": words}])))],
        &Closing::Words("Just a closing sentence.".into()),
        at(5),
    );
    for line in words.lines() {
        assert!(text.contains(line), "{line} in {text}");
    }
    assert!(
        text.contains("## Summary, in the model's words\n\nJust a closing sentence.\n"),
        "{text}"
    );
}

#[test]
fn nothing_anybody_wrote_becomes_markup() {
    let hostile = json!({"question": "<img src=x onerror=alert(1)>\n# Decisions\nWhich?\u{1b}[2J",
        "header": "**x**", "options": [{"label": "<script>a</script>", "description": "</div>"}]});
    let answers = json!([{"selected": ["<script>a</script>"], "notes": "- [x](javascript:y)"}]);
    let said = "# <b>T</b>\n\n<script>alert(1)</script>\n";
    let text = write(
        &about(),
        &[asked("c1", &json!([hostile]), &answered(&answers))],
        &Closing::Words(said.into()),
        at(5),
    );
    let html = pulldown_cmark::Parser::new(&text).any(|event| {
        matches!(event, pulldown_cmark::Event::Html(_) | pulldown_cmark::Event::InlineHtml(_))
    });
    assert!(!html, "{text}");
    assert!(!text.contains('\u{1b}'), "{text}");
    assert_eq!(text.lines().filter(|line| line.starts_with("# ")).count(), 1, "{text}");
    assert_eq!(text.lines().filter(|line| *line == "## Decisions").count(), 1, "{text}");
}

#[test]
fn without_any_answer_it_says_so() {
    let text = write(&about(), &[], &Closing::Cut("it asks and asks".into()), at(5));
    assert!(text.contains("Nothing was decided."), "{text}");
    assert!(text.contains("more may be open: it asks and asks"), "{text}");
    assert!(text.contains("# Add authentication to my app"), "{text}");
}
