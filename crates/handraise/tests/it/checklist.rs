//! The manual testing checklist of the AskUserQuestion document, line by line.

use handraise_testkit::Color;
use handraise_testkit::Key::{Ctrl, Down, Enter, Esc, Text, Up};
use serde_json::json;

use crate::asking::{Asking, Place, database, features, two_questions};

#[test]
fn single_question_single_select() {
    let mut asking = Asking::start(&database());
    asking.see("╭─ Database ─╮").see("> ○ PostgreSQL (Recommended)").see("○ Other");
    asking.see("Robust relational DB, great for complex queries").see("Type something else…");
    asking.see("↑↓ navigate • enter select • esc cancel");
    asking.press(&[Enter]);
    let asked = asking.end();
    assert_eq!(asked.chosen(), json!([[["PostgreSQL (Recommended)"], null]]));
}

#[test]
fn single_question_multi_select() {
    let mut asking = Asking::start(&features());
    asking.see("(Select multiple with Space)").see("> ☐ TypeScript");
    asking.see("↑↓ navigate • enter select • space toggle • esc cancel");
    asking.press(&[Text(" ")]).see("> ☑ TypeScript");
    asking.press(&[Down, Text(" ")]).see("> ☑ ESLint + Prettier");
    asking.press(&[Down, Down, Text(" ")]).see("> ☑ Tailwind CSS");
    asking.press(&[Enter]);
    assert_eq!(
        asking.end().chosen(),
        json!([[["TypeScript", "ESLint + Prettier", "Tailwind CSS"], null]])
    );
}

#[test]
fn multiple_questions_flow() {
    let mut asking = Asking::start(&two_questions());
    asking.see("Question 1 of 2").press(&[Down, Enter]);
    asking.see("Question 2 of 2").press(&[Text(" "), Enter]);
    asking.see("Send these answers").see("✔ Database: MongoDB").see("✔ Features: TypeScript");
    asking.press(&[Enter]);
    assert_eq!(asking.end().chosen(), json!([[["MongoDB"], null], [["TypeScript"], null]]));
}

#[test]
fn other_option_with_custom_input() {
    let mut asking = Asking::start(&database());
    asking.press(&[Down, Down, Down]).see("> ○ Other");
    asking.press(&[Enter]).see("Please specify:");
    asking.press(&[Text("bun")]).see("Please specify: bun").press(&[Enter]);
    assert_eq!(asking.end().chosen(), json!([[[], "bun"]]));
}

#[test]
fn keyboard_navigation() {
    let mut asking = Asking::start(&features());
    asking.press(&[Down]).see("> ☐ ESLint + Prettier");
    asking.press(&[Text("j")]).see("> ☐ Testing (Vitest)");
    asking.press(&[Up]).see("> ☐ ESLint + Prettier");
    asking.press(&[Text("k")]).see("> ☐ TypeScript");
    asking.press(&[Up]).see("> ☐ TypeScript");
    asking.press(&[Text("2")]).see("☑ ESLint + Prettier");
    asking.press(&[Text("4")]).see("☑ Tailwind CSS");
    asking.press(&[Text("4")]).see("☐ Tailwind CSS");
    asking.press(&[Enter]);
    assert_eq!(asking.end().chosen(), json!([[["ESLint + Prettier"], null]]));
}

#[test]
fn quick_select_by_number() {
    let mut asking = Asking::start(&database());
    asking.press(&[Text("3")]);
    assert_eq!(asking.end().chosen(), json!([[["SQLite"], null]]));
}

#[test]
fn escape_cancels_without_a_choice() {
    let mut asking = Asking::start(&database());
    asking.press(&[Esc]);
    let asked = asking.end();
    assert_eq!(asked.code, 3);
    assert!(asked.stdout.starts_with(r#"{"kind":"declined""#), "{}", asked.stdout);
    assert!(asked.screen.has("✘ Declined"), "{}", asked.screen);
}

#[test]
fn long_option_labels_and_descriptions_are_whole() {
    let label = "a label of many words that is much longer than the window is wide, and \
                 then goes on for a little while yet, to the very LAST-OF-LABEL";
    let description = "d".repeat(70) + " and on " + &"e".repeat(70) + " LAST-OF-DESCRIPTION";
    let ask = json!({"questions": [{"question": format!("{} END-OF-QUESTION", "why ".repeat(40)),
        "header": "Long", "options": [{"label": label, "description": description}, {"label": "B"}]}]});
    let mut asking = Asking::with(&ask, &[], &Place { size: (60, 30), ..Place::default() });
    asking.see("END-OF-QUESTION").see("LAST-OF-LABEL").see("LAST-OF-DESCRIPTION");
    asking.press(&[Enter]);
    assert_eq!(asking.end().chosen(), json!([[[label], null]]));
}

#[test]
fn the_answer_stays_on_the_screen_after_completion() {
    let mut asking = Asking::start(&two_questions());
    asking.press(&[Enter]).see("Question 2 of 2").press(&[Text("1"), Text("2")]);
    asking.see("☑ ESLint").press(&[Enter]).see("Send these").press(&[Enter]);
    let asked = asking.end();
    assert_eq!(
        asked.screen.text().trim(),
        "✔ Database: PostgreSQL\n✔ Features: TypeScript, ESLint + Prettier"
    );
}

#[test]
fn nothing_ticked_sends_nothing_and_says_so() {
    let mut asking = Asking::start(&features());
    asking.press(&[Enter]).see("✘ Nothing is ticked");
    let frame = asking.pty.screen().inner().cell(1, 0).unwrap().fgcolor();
    assert_eq!(frame, Color::Idx(203), "the frame is the palette's red, of 256 colours");
    asking.press(&[Ctrl('c')]);
    assert_eq!(asking.end().code, 130);
}
