//! `--plain`: numbered lines, typed answers.

use handraise_testkit::Key::{Ctrl, Text};
use serde_json::json;

use crate::asking::{Asking, Place, database, two_questions};

#[test]
fn questions_are_answered_by_number_and_reviewed() {
    let mut asking = Asking::with(&two_questions(), &["--plain"], &Place::default());
    asking.see("Question 1 of 2: Database").see("  1. PostgreSQL (Recommended): Robust");
    asking.see("  4. Other").press(&[Text("7\n")]).see("Numbers go from 1 to 4.");
    asking.press(&[Text("2\n")]).see("Question 2 of 2: Features");
    asking.press(&[Text("1, 3 5\n")]).see("Please specify:").press(&[Text("bun\n")]);
    asking.see("  2. Features: TypeScript, Testing (Vitest), bun").press(&[Text("s\n")]);
    let asked = asking.end();
    assert_eq!(
        asked.chosen(),
        json!([[["MongoDB"], null], [["TypeScript", "Testing (Vitest)"], "bun"]])
    );
    assert!(asked.screen.has("✔ Database: MongoDB"), "{}", asked.screen);
}

#[test]
fn a_dumb_terminal_gets_plain_lines_and_no_control_sequences() {
    let dumb = Place { env: &[("TERM", "dumb")], ..Place::default() };
    let mut asking = Asking::launch("", &database(), &[], &dumb);
    asking.see("? for help.").press(&[Text("1\n")]);
    asking.pty.wait_exit();
    assert!(!asking.pty.raw().contains(&0x1b));
    assert_eq!(asking.end().code, 0);
}

#[test]
fn ctrl_d_cancels_whatever_was_typed_before_it() {
    for typed in ["", "2"] {
        let mut asking = Asking::with(&database(), &["--plain"], &Place::default());
        asking.press(&[Text(typed), Ctrl('d'), Ctrl('d')]);
        assert_eq!(asking.end().code, 3, "{typed:?}");
    }
}

#[test]
fn a_label_cannot_pass_for_another_option() {
    let ask = json!({"questions": [{"question": "Q?", "options": [
        {"label": "No\n  2. Yes, deploy"}, {"label": "Delete everything"}]}]});
    let asking = Asking::with(&ask, &["--plain"], &Place::default());
    let screen = asking.pty.screen();
    assert!(!screen.text().lines().any(|line| line.starts_with("  2. Yes")), "{screen}");
}

#[test]
fn silence_ends_it_too() {
    let asking = Asking::with(
        &database(),
        &["--plain", "--timeout", "1s", "--format", "text"],
        &Place::default(),
    );
    let asked = asking.end();
    assert_eq!(asked.code, 4);
    assert!(asked.stdout.starts_with("Nobody answered within 1 s."), "{}", asked.stdout);
}

#[test]
fn a_pasted_text_is_one_answer_and_answers_nothing_else() {
    let mut asking = Asking::with(&two_questions(), &["--plain"], &Place::default());
    asking.press(&[Text("4\n")]).see("Please specify:");
    asking.press(&[Text("line one\n1\nline three\n")]).see("Question 2 of 2");
    asking.press(&[Text("2\n")]).see("sent together").press(&[Text("s\n")]);
    assert_eq!(
        asking.end().chosen(),
        json!([[[], "line one\n1\nline three"], [["ESLint + Prettier"], null]])
    );
}

#[test]
fn a_line_the_terminal_cut_off_is_not_taken_for_the_whole() {
    let mut asking = Asking::with(&database(), &["--plain"], &Place::default());
    asking.press(&[Text("4\n")]).see("Please specify:");
    asking.press(&[Text(&"x".repeat(5000)), Text("\n")]).see("The terminal cut that line off");
    asking.press(&[Text("2\n")]);
    assert_eq!(asking.end().chosen(), json!([[["MongoDB"], null]]));
}
