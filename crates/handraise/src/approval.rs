//! An approval, put as a question.

use handraise_broker::Reply;
use handraise_question::{
    AnswerForm, Approval, Ask, DecisionForm, Limits, Resolution, Verdict, Violations,
    mark_all_hidden,
};
use serde_json::{Value, json};

use crate::ask::reply_of;

const ALLOW: &str = "Allow";
const REMEMBER: &str = "Allow and remember";
const DENY: &str = "Deny";
/// What of it a question can hold; the rest is in the dashboard.
const MOST_CHARACTERS: usize = 8_000;
const MOST_OFFERED: usize = 500;

/// The question: may it?
pub(crate) fn question(approval: &Approval) -> Result<Ask, Violations> {
    let (header, text) = match approval.plan() {
        Some(plan) => ("Plan", format!("May it go on with this plan?\n\n{plan}")),
        None => (approval.tool(), call(approval)),
    };
    let mut options = vec![json!({"label": ALLOW})];
    let offered = approval.suggestions();
    if let Some(offered) = offered.as_array().filter(|offered| !offered.is_empty()) {
        let offered = offered.iter().map(in_words).collect::<Vec<_>>().join("\n");
        let offered = mark_all_hidden(&offered);
        let offered = cut(&offered, MOST_OFFERED);
        options.push(json!({"label": REMEMBER, "description": offered}));
    }
    options.push(json!({"label": DENY, "description": "Under Other: deny, and say why"}));
    let ask = json!({"questions": [{
        "question": cut(&text, MOST_CHARACTERS), "header": cut(header, 100), "options": options}]});
    Ok(Ask::read(ask.to_string().as_bytes(), &Limits::WIDE)?.ask)
}

/// What the answer to that question decides.
pub(crate) fn reply(resolution: Resolution) -> Option<Reply> {
    let Resolution::Answered(answers) = resolution else { return reply_of(resolution) };
    let AnswerForm { selected, words, notes, .. } = answers.forms().into_iter().next()?;
    let chosen = selected.first().map(String::as_str);
    let (decision, remember) = match chosen {
        Some(ALLOW) => (Verdict::Allow, None),
        Some(REMEMBER) => (Verdict::Allow, Some(true)),
        // Words are a reason, and only a choice is an allow.
        _ => (Verdict::Deny, None),
    };
    let message = words.or(notes);
    Some(Reply::Decide(DecisionForm { decision, message, input: None, remember }))
}

fn call(approval: &Approval) -> String {
    let input = approval.input();
    let parts = [
        Some(format!("May it use {}?", approval.tool())),
        approval.description().map(str::to_owned),
        Some(readable(&input)).filter(|input| !input.is_empty()),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join("\n\n")
}

/// What would be remembered, and where; as it was offered when its form is not known.
fn in_words(offer: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let list = |value: &Value, each: &dyn Fn(&Value) -> String| {
        let items = value.as_array().map(|items| items.iter().map(each).collect::<Vec<_>>());
        items.unwrap_or_default().join(", ")
    };
    let rule = |rule: &Value| match rule["ruleContent"].as_str() {
        Some(content) => format!("{}({content})", text(&rule["toolName"])),
        None => text(&rule["toolName"]),
    };
    let what = match offer["type"].as_str() {
        Some("addRules") => {
            format!("{} {}", text(&offer["behavior"]), list(&offer["rules"], &rule))
        }
        Some("addDirectories") => format!("work in {}", list(&offer["directories"], &text)),
        Some("setMode") => format!("go on in mode {}", text(&offer["mode"])),
        _ => return offer.to_string(),
    };
    match offer["destination"].as_str() {
        Some("session") => format!("{what} (this session)"),
        Some(place) => format!("{what} ({place})"),
        None => what,
    }
}

/// The input of a call, for a person to read: every hidden character in it is marked.
fn readable(input: &Value) -> String {
    let Some(fields) = input.as_object() else { return mark_all_hidden(&input.to_string()) };
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let line = |(name, value): (&String, &Value)| match text(value) {
        long if long.contains('\n') => format!("{name}:\n{long}"),
        short => format!("{name}: {short}"),
    };
    mark_all_hidden(&fields.iter().map(line).collect::<Vec<_>>().join("\n"))
}

fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}… (cut; the dashboard has it whole)", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn approval(value: &Value) -> Approval {
        Approval::read(&serde_json::value::to_raw_value(value).unwrap()).unwrap()
    }

    fn decided(approval: &Approval, form: Value) -> DecisionForm {
        let ask = question(approval).unwrap();
        let answers = ask.check(vec![serde_json::from_value(form).unwrap()]).unwrap();
        match reply(Resolution::Answered(answers)) {
            Some(Reply::Decide(form)) => form,
            other => panic!("{other:?}"),
        }
    }

    fn labels(approval: &Approval) -> Vec<String> {
        let ask = question(approval).unwrap();
        ask.questions()[0].choices().map(|option| option.label().to_owned()).collect()
    }

    #[test]
    fn only_a_choice_is_an_allow() {
        let bash = approval(&json!({"tool": "Bash", "input": {"command": "rm -r x"}}));
        assert_eq!(labels(&bash), ["Allow", "Deny"]);
        assert_eq!(decided(&bash, json!({"selected": ["Allow"]})).decision, Verdict::Allow);
        assert_eq!(decided(&bash, json!({"selected": ["Deny"]})).decision, Verdict::Deny);
        let words = decided(&bash, json!({"words": "Allow it"}));
        assert_eq!((words.decision, words.message.as_deref()), (Verdict::Deny, Some("Allow it")));
    }

    #[test]
    fn what_would_be_remembered_is_said_in_words() {
        let rule = json!({"type": "addRules", "behavior": "allow", "destination": "localSettings",
            "rules": [{"toolName": "Bash", "ruleContent": "touch x"}, {"toolName": "Edit"}]});
        assert_eq!(in_words(&rule), "allow Bash(touch x), Edit (localSettings)");
        let mode = json!({"type": "setMode", "mode": "acceptEdits", "destination": "session"});
        assert_eq!(in_words(&mode), "go on in mode acceptEdits (this session)");
        assert_eq!(in_words(&json!({"type": "new"})), r#"{"type":"new"}"#);
    }

    #[test]
    fn what_is_offered_can_be_remembered() {
        let bash = approval(&json!({"tool": "Bash", "input": {}, "suggestions": [{"rule": "x"}]}));
        assert_eq!(labels(&bash), ["Allow", "Allow and remember", "Deny"]);
        let form = decided(&bash, json!({"selected": ["Allow and remember"], "notes": "ok"}));
        assert_eq!((form.remember, form.message.as_deref()), (Some(true), Some("ok")));
        assert!(bash.check(form).is_ok());
    }

    #[test]
    fn a_plan_and_a_call_can_be_read() {
        let plan =
            approval(&json!({"tool": "ExitPlanMode", "input": {}, "plan": "1. do\n2. rest"}));
        let text = question(&plan).unwrap().questions()[0].text().to_owned();
        assert!(text.ends_with("1. do\n2. rest"), "{text}");
        let long = "x".repeat(20_000);
        let write =
            approval(&json!({"tool": "Write", "input": {"path": "a", "text": long, "n": 1}}));
        let text = question(&write).unwrap().questions()[0].text().to_owned();
        assert!(text.starts_with("May it use Write?\n\n"), "{text}");
        assert!(text.ends_with("(cut; the dashboard has it whole)"), "{text}");
    }
}
