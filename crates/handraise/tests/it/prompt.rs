//! Everything else the prompt can do.

use handraise_testkit::Cell;
use handraise_testkit::Key::{
    AltEnter, BackTab, Backspace, Ctrl, Down, End, Enter, Esc, Home, Left, PageDown, Right, Tab,
    Text, Up,
};
use serde_json::json;

use crate::asking::{Asking, Place, database, features, two_questions};

#[test]
fn ticked_options_and_own_words_go_together() {
    let mut asking = Asking::start(&features());
    asking.press(&[Text("1")]).see("☑ TypeScript");
    asking.press(&[Text("5")]).see("Please specify:");
    asking.press(&[Text("bun, \"not\" npm")]).see("npm").press(&[Enter]);
    assert_eq!(asking.end().chosen(), json!([[["TypeScript"], "bun, \"not\" npm"]]));
}

#[test]
fn going_back_changes_an_earlier_answer() {
    let mut asking = Asking::start(&two_questions());
    asking.press(&[Enter]).see("Question 2 of 2");
    asking.press(&[BackTab]).see("Question 1 of 2").see("> ● PostgreSQL");
    asking.press(&[Down, Enter]).see("Question 2 of 2");
    asking.press(&[Left]).see("● MongoDB").see("○ PostgreSQL");
    asking.press(&[Right]).see("Question 2 of 2");
    asking.press(&[Text("1"), Enter]).see("Send these answers").see("✔ Database: MongoDB");
    asking.press(&[Up, Up]).see("> ✔ Database").press(&[Enter]).see("Question 1 of 2");
    // Changed from the review, the prompt returns to the review.
    asking.press(&[Text("3")]).see("✔ Database: SQLite").see("> Send these answers");
    asking.press(&[Enter]);
    assert_eq!(asking.end().chosen(), json!([[["SQLite"], null], [["TypeScript"], null]]));
}

#[test]
fn a_set_is_never_half_sent() {
    let mut asking = Asking::start(&two_questions());
    asking.press(&[Tab]).see("Question 2 of 2").press(&[Text("1"), Tab]);
    asking.see("Database: not answered yet").press(&[End]).see("> Send these answers");
    asking.press(&[Enter]).see("✘ Question 1 has no answer yet");
    asking.press(&[Enter]).see("Question 1 of 2").press(&[Text("2")]);
    asking.see("> Send these answers").press(&[Enter]);
    assert_eq!(asking.end().chosen(), json!([[["MongoDB"], null], [["TypeScript"], null]]));
}

#[test]
fn a_question_is_left_open_on_purpose() {
    let mut asking = Asking::start(&two_questions());
    asking.press(&[Tab]).see("Question 2 of 2").press(&[Tab]).see("not answered yet");
    asking.press(&[Home, Text("l")]).see("– Database: left open on purpose");
    asking.press(&[Down, Text("l")]).see("– Features: left open on purpose");
    asking.press(&[End, Enter]).see("✘ Every question is left open");
    asking.press(&[Up, Enter]).see("Question 2 of 2").press(&[Text("1"), Enter]);
    asking.see("✔ Features: TypeScript").press(&[Enter]);
    let answers = asking.end().answers();
    assert_eq!(answers[0]["leftOpen"], true);
    assert_eq!(answers[0]["selected"], json!([]));
    assert_eq!(answers[1]["selected"], json!(["TypeScript"]));
}

#[test]
fn a_note_goes_with_the_answer() {
    let mut asking = Asking::start(&database());
    asking.press(&[Text("n")]).see("Note:").press(&[Text("version 17, please")]);
    asking.see("please").press(&[Enter]).see_no("> Note:").see("Note: version 17, please");
    asking.press(&[Enter]);
    let answers = asking.end().answers();
    assert_eq!(answers[0]["notes"], "version 17, please");
    assert_eq!(answers[0]["selected"], json!(["PostgreSQL (Recommended)"]));
}

#[test]
fn own_words_take_several_lines_and_the_usual_keys() {
    let mut asking = Asking::start(&database());
    asking.press(&[Text("4")]).see("Please specify:");
    asking.press(&[Text("two"), AltEnter, Text("lines xx")]).see("lines xx");
    asking.press(&[Ctrl('w'), Backspace]).see_no("xx");
    asking.press(&[Home, Text(">"), End, Text("!"), Up, Home, Text("#")]).see("#two");
    asking.press(&[Enter]);
    assert_eq!(asking.end().chosen(), json!([[[], "#two\n>lines!"]]));
}

#[test]
fn a_preview_stands_beside_the_list_or_below_it_and_scrolls() {
    let lines: Vec<String> = (1..=60).map(|n| format!("    preview line {n}")).collect();
    let ask = json!({"questions": [{"question": "Which layout?", "header": "Layout", "options": [
        {"label": "Sidebar", "preview": lines.join("\n")},
        {"label": "Topbar", "preview": "+---- top ----+"}]}]});
    let wide = Place { size: (120, 24), ..Place::default() };
    let mut asking = Asking::with(&ask, &[], &wide);
    let screen = asking.pty.wait_for("│     preview line 1");
    let beside = screen.text().lines().any(|l| l.contains("Sidebar") && l.contains("preview"));
    assert!(beside, "{screen}");
    asking.press(&[PageDown, PageDown, PageDown, PageDown, PageDown, PageDown, PageDown, PageDown]);
    asking.see("preview line 60").press(&[Down]).see("+---- top ----+").press(&[Enter]);
    assert_eq!(asking.end().chosen(), json!([[["Topbar"], null]]));

    let mut asking = Asking::start(&ask);
    let screen = asking.pty.wait_for("preview line 1");
    let beside = screen.text().lines().any(|l| l.contains("Sidebar") && l.contains("preview"));
    assert!(!beside, "{screen}");
    asking.see("more, PgDn").press(&[Enter]);
    let claude = asking.end();
    assert_eq!(claude.chosen(), json!([[["Sidebar"], null]]));
}

#[test]
fn everything_can_be_reached_at_40_by_10() {
    let mut asking =
        Asking::with(&two_questions(), &[], &Place { size: (40, 10), ..Place::default() });
    asking.see("Question 1 of 2").see("↓ ");
    asking.press(&[Down, Down]).see("> ○ SQLite").press(&[Down]).see("> ○ Other");
    asking.press(&[Enter]).see("Please specify:").press(&[Text("duckdb"), Enter]);
    asking.see("Question 2 of 2").press(&[Text("1"), Enter]);
    asking.see("> Send these answers").press(&[Enter]);
    assert_eq!(asking.end().chosen(), json!([[[], "duckdb"], [["TypeScript"], null]]));
}

#[test]
fn an_open_question_goes_straight_to_its_field() {
    let ask = json!({"questions": [{"question": "What should it be called?"}]});
    let mut asking = Asking::start(&ask);
    asking.see("What should it be called?").see("> Please specify:");
    asking.press(&[Enter]).see("✘ Nothing typed yet").press(&[Text("Handraise"), Enter]);
    assert_eq!(asking.end().chosen(), json!([[[], "Handraise"]]));
}

#[test]
fn the_agents_own_other_is_not_doubled() {
    let ask = json!({"questions": [{"question": "Which?", "header": "H", "options": [
        {"label": "A"}, {"label": "Other", "description": "A shell of your own"}]}]});
    let mut asking = Asking::start(&ask);
    let screen = asking.pty.wait_for("A shell of your own");
    assert_eq!(screen.text().matches("Other").count(), 1, "{screen}");
    asking.press(&[Text("2")]).see("Please specify:").press(&[Text("zsh"), Enter]);
    assert_eq!(asking.end().chosen(), json!([[[], "zsh"]]));
}

#[test]
fn talking_first_and_declining_have_their_own_words() {
    let mut asking = Asking::start(&database());
    asking.press(&[Text("d")]).see("Talk first:").press(&[Text("what does it cost?"), Enter]);
    let asked = asking.end();
    assert_eq!(asked.code, 3);
    assert!(asked.stdout.contains(r#""kind":"discuss","words":"what does it cost?""#));

    let mut asking = Asking::with(&database(), &["--format", "claude"], &Place::default());
    asking.press(&[Text("x")]).see("Decline because:").press(&[Text("not now"), Enter]);
    let asked = asking.end();
    assert_eq!(asked.code, 3);
    assert_eq!(
        asked.stdout.trim(),
        r#"{"behavior":"deny","message":"The person declined to answer: not now. No option was chosen; do not assume one."}"#
    );
}

#[test]
fn help_lists_the_keys_and_goes_away() {
    let mut asking = Asking::start(&database());
    asking.press(&[Text("?")]).see("talk first instead of answering");
    asking.press(&[Esc]).see("> ○ PostgreSQL").press(&[Text("1")]);
    assert_eq!(asking.end().code, 0);
}

#[test]
fn silence_is_reported_as_silence() {
    let asking =
        Asking::with(&database(), &["--timeout", "1s", "--format", "text"], &Place::default());
    let asked = asking.end();
    assert_eq!(asked.code, 4);
    assert_eq!(
        asked.stdout.trim(),
        "Nobody answered within 1 s. This is neither a choice nor consent. Do not choose for the \
         person."
    );
    assert!(asked.screen.has("✘ No answer within 1 s"), "{}", asked.screen);
}

#[test]
fn a_deadline_that_nears_is_announced() {
    let mut asking = Asking::with(&database(), &["--timeout", "8s"], &Place::default());
    asking.see("left").see("then the agent is told nobody answered");
}

#[test]
fn colours_are_exact_where_they_can_be_and_absent_where_they_must_be() {
    let exact =
        Place { env: &[("COLORTERM", "truecolor"), ("COLORFGBG", "15;0")], ..Place::default() };
    let asking = Asking::with(&database(), &[], &exact);
    let raw = String::from_utf8(asking.pty.raw()).unwrap();
    for (what, sgr) in [
        ("chip", "\x1b[38;2;129;140;248m\x1b[48;2;30;41;59m"),
        ("focused option", "\x1b[38;2;241;245;249m"),
        ("other option", "\x1b[38;2;148;163;184m"),
        ("description", "\x1b[38;2;100;116;139m"),
        ("recommended", "\x1b[38;2;52;211;153m"),
    ] {
        assert!(raw.contains(sgr), "{what}: {raw:?}");
    }
    let none = Place { env: &[("COLORTERM", "truecolor"), ("NO_COLOR", "1")], ..Place::default() };
    let asking = Asking::with(&database(), &[], &none);
    let raw = String::from_utf8(asking.pty.raw()).unwrap();
    assert!(!raw.contains("[38;") && !raw.contains("[48;"), "{raw:?}");
}

#[test]
fn a_light_background_is_asked_for_and_honoured() {
    let place = Place { env: &[("COLORTERM", "truecolor")], ..Place::default() };
    let mut asking = Asking::with(&database(), &[], &place);
    let dark = asking.pty.screen();
    asking.pty.send(b"\x1b]11;rgb:ffff/ffff/ffff\x1b\\");
    asking.pty.wait_until("other colours", |screen| {
        screen.inner().cell(4, 3).map(Cell::fgcolor) != dark.inner().cell(4, 3).map(Cell::fgcolor)
    });
    // The answer itself chose nothing and typed nothing.
    asking.see("> ○ PostgreSQL").press(&[Enter]);
    assert_eq!(asking.end().chosen(), json!([[["PostgreSQL (Recommended)"], null]]));
}
