//! What must not happen by accident.

use handraise_testkit::Key::{Ctrl, Down, Enter, Esc, Paste, Text};
use serde_json::json;

use crate::asking::{Asking, Place, database, features, two_questions};

#[test]
fn keys_typed_before_the_prompt_do_not_answer_it() {
    // `stty -echo` shows that the keys were taken by the terminal, before the prompt is there.
    let before = "stty -echo; echo typing; read line; echo typed;";
    let mut asking = Asking::launch(before, &database(), &[], &Place::default());
    asking.see("typing");
    // The shell's `read` takes the first line; "1", "2" and two more Enters are left over.
    asking.press(&[Text("x\n1\n2\n")]);
    asking.see("typed").see("> ○ PostgreSQL (Recommended)").press(&[Text("3")]);
    assert_eq!(asking.end().chosen(), json!([[["SQLite"], null]]));
}

#[test]
fn escape_asks_once_before_throwing_typed_text_away() {
    let mut asking = Asking::start(&database());
    asking.press(&[Text("4")]).see("Please specify:").press(&[Text("precious"), Esc]);
    asking.see("● Other: precious").press(&[Esc]).see("Throw away what you typed?");
    asking.press(&[Text("n")]).see_no("Throw away").see("● Other: precious");
    asking.press(&[Esc]).see("Throw away").press(&[Esc]);
    assert_eq!(asking.end().code, 3);
}

#[test]
fn typed_text_survives_another_choice() {
    let mut asking = Asking::start(&two_questions());
    asking.press(&[Text("4")]).see("Please specify:").press(&[Text("cockroach"), Enter]);
    asking.see("Question 2 of 2").press(&[handraise_testkit::Key::BackTab]);
    asking.see("● Other: cockroach").press(&[Text("1")]).see("Question 2 of 2");
    asking.press(&[handraise_testkit::Key::BackTab]).see("○ Other: cockroach");
    asking.press(&[Text("4")]).see("Please specify: cockroach").press(&[Enter]);
    asking.see("Question 2 of 2").press(&[Text("1"), Enter]).see("Send").press(&[Enter]);
    assert_eq!(asking.end().chosen(), json!([[[], "cockroach"], [["TypeScript"], null]]));
}

#[test]
fn two_hundred_pasted_lines_are_one_answer() {
    let text: Vec<String> =
        (1..=200).map(|n| format!("line {n}, with 1 2 3 and \"quotes\"")).collect();
    let text = text.join("\n");
    for marked in [true, false] {
        let mut asking = Asking::start(&database());
        asking.press(&[Text("4")]).see("Please specify:");
        if marked {
            asking.press(&[Paste(&text)]);
        } else {
            asking.press(&[Text(&text.replace('\n', "\r"))]);
        }
        asking.see("line 200, with").press(&[Enter]);
        assert_eq!(asking.end().chosen(), json!([[[], text]]), "marked: {marked}");
    }
}

#[test]
fn a_paste_into_the_list_chooses_nothing() {
    let mut asking = Asking::start(&database());
    asking.press(&[Paste("2 nodes\n3 replicas")]).see("Please specify: 2 nodes");
    asking.press(&[Enter]);
    assert_eq!(asking.end().chosen(), json!([[[], "2 nodes\n3 replicas"]]));
}

#[test]
fn pasted_escape_sequences_are_refused_whole() {
    let mut asking = Asking::start(&database());
    asking.press(&[Text("4")]).see("Please specify:").press(&[Text("safe")]).see("safe");
    asking.press(&[Paste("evil\x1b[2Jtext")]).see("✘ Not accepted: control character U+001B");
    asking.press(&[Enter]);
    assert_eq!(asking.end().chosen(), json!([[[], "safe"]]));
}

#[test]
fn hostile_labels_are_shown_and_harmless() {
    let ask = json!({"questions": [{"question": "Q\u{1b}[2J?", "header": "\u{1b}[31mH", "options": [
        {"label": "\u{1b}]0;pwned\u{7}", "description": "\u{1b}[999;1Hgone"},
        {"label": "txt.\u{202e}exe", "description": "a\u{9b}5mb"}]}]});
    let mut asking = Asking::start(&ask);
    asking.see("␛]0;pwned␇").see("txt.<U+202E>exe").see("Q␛[2J?").see("␛[31mH");
    let raw = String::from_utf8(asking.pty.raw()).unwrap();
    for sequence in ["\x1b]0;", "\x1b[2J", "\x1b[31m", "\x1b[999", "\u{202e}", "\u{9b}"] {
        assert!(!raw.contains(sequence), "{sequence:?} in {raw:?}");
    }
    asking.press(&[Enter]);
    let asked = asking.end();
    assert_eq!(asked.chosen(), json!([[["\u{1b}]0;pwned\u{7}"], null]]));
    assert!(asked.screen.has("✔ ␛[31mH: ␛]0;pwned␇"), "{}", asked.screen);
}

#[test]
fn a_key_does_not_choose_what_is_out_of_view() {
    let options: Vec<_> = (1..=9).map(|n| json!({"label": format!("Label {n}")})).collect();
    let ask = json!({"questions": [{"question": "Which?", "header": "H", "options": options}]});
    let mut asking = Asking::with(&ask, &[], &Place { size: (40, 10), ..Place::default() });
    asking.see("Label 1").press(&[Text("9")]).see("out of view").see("> ○ Label 9");
    asking.press(&[Text("9")]);
    assert_eq!(asking.end().chosen(), json!([[["Label 9"], null]]));
}

#[test]
fn ctrl_c_sends_nothing() {
    let mut asking = Asking::start(&features());
    asking.press(&[Text("1"), Down]).see("☑ TypeScript").press(&[Ctrl('c')]);
    let asked = asking.end();
    assert_eq!(asked.code, 130);
    assert_eq!(asked.stdout, "");
    assert!(asked.screen.has("nothing was sent"), "{}", asked.screen);
}
