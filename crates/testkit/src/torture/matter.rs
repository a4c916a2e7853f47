//! What is asked, and what is said to it: everything that could get bent on the way.

use handraise_broker::{Asker, Level, Matter, NewAsk, Policy, Reply};
use handraise_question::AnswerForm;
use serde_json::{Value, json};

use crate::{Chance, questions};

const LABELS: [&str; 3] = ["JWT, signed", "Sessions \"classic\"", "none — עברית 🦀"];

fn words(chance: &mut Chance) -> String {
    let texts = [
        "neither, nor",
        "\"quoted\", and 'quoted', and \\\"escaped\\\"",
        "two\nlines\n\n\tand a tab",
        "👩‍👩‍👧‍👦 all of us 🙋🏽",
        "שלום, עולם",
        "{\"answers\": [{\"selected\": [\"JWT, signed\"]}]}",
        "'; DROP TABLE event; --",
        " spaces around it ",
    ];
    let text = chance.pick(&texts);
    // Now and then more than fits on one page of the database.
    if chance.one_in(6) { format!("{text} ").repeat(150) } else { text.to_owned() }
}

/// An ask by this key.
pub(super) fn ask(key: &str, session: &str, mut chance: Chance) -> NewAsk {
    let asked = json!([
        {"question": format!("Which \"auth\", for {key}?\n(👉 one)"), "header": "Auth",
         "options": LABELS.map(|label| json!({"label": label, "description": "a, \"b\"\nc"}))},
        {"question": "Which parts?", "header": "Parts", "multiSelect": true,
         "options": LABELS.map(|label| json!({"label": label}))},
    ]);
    let receipt = if chance.one_in(2) { Level::Seen } else { Level::Handed };
    NewAsk {
        asker: Asker {
            agent: "torture".into(),
            session: Some(session.into()),
            preamble: chance.one_in(3).then(|| words(&mut chance)),
            ..Asker::default()
        },
        key: Some(key.to_owned()),
        matter: asked_as(&asked),
        policy: Policy { receipt, ..Policy::default() },
        rival_dialog: false,
        deliverer: None,
    }
}

fn asked_as(asked: &Value) -> Matter {
    questions(&asked.to_string())
}

/// Answers to such an ask, whole or half.
pub(super) fn forms(chance: &mut Chance) -> Vec<AnswerForm> {
    let label = |chance: &mut Chance| vec![(*chance.pick(&LABELS)).to_owned()];
    let notes = chance.one_in(4).then(|| words(chance));
    let first = if chance.one_in(3) {
        AnswerForm { words: Some(words(chance)), notes, ..AnswerForm::default() }
    } else {
        AnswerForm { selected: label(chance), notes, ..AnswerForm::default() }
    };
    let second = match chance.below(3) {
        0 => AnswerForm { left_open: true, ..AnswerForm::default() },
        1 => AnswerForm { selected: LABELS.map(str::to_owned).into(), ..AnswerForm::default() },
        _ => AnswerForm {
            selected: label(chance),
            words: Some(words(chance)),
            ..AnswerForm::default()
        },
    };
    vec![first, second]
}

/// Something to say to such an ask, and the resolution it has to become.
pub(super) fn reply(chance: &mut Chance) -> (Reply, Value) {
    match chance.below(8) {
        0 => {
            let reason = chance.one_in(2).then(|| words(chance));
            (Reply::Decline(reason.clone()), json!({"kind": "declined", "reason": reason}))
        }
        1 => {
            let words = words(chance);
            (Reply::Discuss(words.clone()), json!({"kind": "discuss", "words": words}))
        }
        _ => {
            let forms = forms(chance);
            let resolution = json!({"kind": "answered", "answers": forms});
            (Reply::Answer(forms), resolution)
        }
    }
}
