use proptest::prelude::*;

use super::*;

macro_rules! screen {
    ($name:literal) => {
        read(include_str!(concat!("../../samples/screens/", $name, ".txt")))
    };
}

fn read(screen: &str) -> Option<Dialog> {
    Dialog::read(&screen.lines().map(|line| line.trim_end().to_owned()).collect::<Vec<_>>())
}

fn page_of(dialog: Option<Dialog>) -> Page {
    match dialog {
        Some(Dialog::Question(page)) => page,
        other => panic!("{other:?}"),
    }
}

fn review_of(dialog: Option<Dialog>) -> Review {
    match dialog {
        Some(Dialog::Review(review)) => review,
        other => panic!("{other:?}"),
    }
}

fn texts(page: &Page) -> Vec<(usize, Option<bool>, String)> {
    let row = |row: &Row| {
        let text = row.text.split_whitespace().collect::<Vec<_>>().join(" ");
        (row.number, row.ticked, text)
    };
    page.rows.iter().map(row).collect()
}

#[test]
fn a_question_has_its_options_and_a_row_for_words() {
    let page = page_of(screen!("one_question"));
    assert_eq!(page.answered, Some(vec![false]));
    assert_eq!(page.question.as_deref().map(str::trim), Some("Which database should we use?"));
    assert_eq!(page.focus, Some(Focus::Row(1)));
    let rows = ["Postgres desc of Postgres", "SQLite desc of SQLite", "MySQL desc of MySQL"];
    let rows = rows.iter().chain(&["Type something."]).enumerate();
    let rows: Vec<_> = rows.map(|(place, row)| (place + 1, None, (*row).to_owned())).collect();
    assert_eq!(texts(&page), rows);
    assert!(!page.writes && page.notes.is_none());
}

#[test]
fn what_is_ticked_and_written_is_seen() {
    let page = page_of(screen!("several_ticked"));
    let ticks: Vec<_> = page.rows.iter().map(|row| row.ticked).collect();
    assert_eq!(ticks, [Some(true), Some(false), Some(true), Some(false)]);
    assert_eq!(page.focus, Some(Focus::Row(3)));
    let page = page_of(screen!("several_with_words"));
    assert_eq!(page.rows[3], Row { number: 4, ticked: Some(true), text: "custom y".into() });
    assert_eq!((page.focus, page.writes), (Some(Focus::Onward), true));
    let page = page_of(screen!("words_typed"));
    assert_eq!(page.rows[3].text, "use DuckDB");
    assert!(page.writes);
}

#[test]
fn of_several_questions_the_answered_ones_are_marked() {
    let page = page_of(screen!("second_of_two"));
    assert_eq!(page.answered, Some(vec![true, false]));
    let page = page_of(screen!("narrow"));
    assert_eq!(page.answered, Some(vec![false; 4]));
}

#[test]
fn beside_a_preview_there_are_notes() {
    let page = page_of(screen!("preview_with_note"));
    let labels = [(1, None, "Sidebar".to_owned()), (2, None, "Topbar".to_owned())];
    assert_eq!(texts(&page), labels);
    assert_eq!(page.notes.as_deref().map(str::trim), Some("my note"));
    let page = page_of(screen!("preview_narrow_noting"));
    assert_eq!(page.notes.as_deref().map(str::trim), Some("Add notes on this des…"));
    assert!(page.writes);
}

#[test]
fn what_is_out_of_sight_is_unknown() {
    let page = page_of(screen!("taller_than_the_window"));
    assert_eq!((page.answered.as_ref(), page.question.as_ref(), page.focus), (None, None, None));
    let numbers: Vec<_> = page.rows.iter().map(|row| row.number).collect();
    assert_eq!(numbers, [2, 3, 4]);
    let page = page_of(screen!("several_taller_than_the_window"));
    let ticks: Vec<_> = page.rows.iter().map(|row| (row.number, row.ticked)).collect();
    assert_eq!(ticks, [(3, Some(false)), (4, Some(true))]);
}

#[test]
fn the_name_of_a_session_stands_below() {
    let screen = include_str!("../../samples/screens/one_question.txt").trim_end();
    let plain = read(screen);
    for name in ["────────────────── shop ─", "─ a name almost as long as the line ─"]
    {
        assert_eq!(read(&format!("{screen}\n{name}\n")), plain);
    }
}

#[test]
fn a_dialog_that_closes_by_itself_before_long_is_still_one() {
    let screen = include_str!("../../samples/screens/one_question.txt").trim_end();
    let counting = format!("{screen}\n            auto-continue in 20s · any key to stay\n");
    assert_eq!(read(&counting), read(screen));
}

#[test]
fn an_editor_with_modes_has_another_footer() {
    let screen = include_str!("../../samples/screens/words_typed.txt");
    let (above, _) = screen.rsplit_once("Enter to select").unwrap();
    let footer = "-- INSERT -- · Enter to select · ↑/↓ to navigate · ctrl+g to edit in Vim";
    assert_eq!(read(&format!("{above}{footer}\n")), read(screen));
}

#[test]
fn a_question_of_several_lines_has_a_bar() {
    let screen = include_str!("../../samples/screens/one_question.txt");
    let text = "Which database should we use?";
    let screen = screen.replace(text, "│ Which database\n│ should we use?");
    let question = page_of(read(&screen)).question.unwrap();
    assert_eq!(question.split_whitespace().collect::<Vec<_>>().join(" "), text);
}

#[test]
fn the_review_says_what_would_be_sent() {
    let review = review_of(screen!("review_of_four"));
    assert_eq!(review.answered, Some(vec![true; 4]));
    assert!(review.text.contains("→ Auth, \"Billing, taxes\"") && review.sends && !review.is_cut);
    let review = review_of(screen!("review_one_left_out"));
    assert_eq!(review.answered, Some(vec![false, true]));
    assert!(review.text.contains("You have not answered all questions"));
}

#[test]
fn anything_else_is_no_dialog_with_questions() {
    for screen in [
        screen!("permission"),
        screen!("answered"),
        screen!("form"),
        screen!("composer"),
        read(""),
        read("Enter to select · Esc to cancel"),
        read("Chat about this\nEnter to select · Esc to cancel"),
    ] {
        assert_eq!(screen, None);
    }
}

proptest! {
    #[test]
    fn no_screen_breaks_it(lines in prop::collection::vec(piece(), 0..40)) {
        let _ = Dialog::read(&lines);
    }

    #[test]
    fn no_cut_of_a_dialog_breaks_it(rows in 0usize..30, columns in 0usize..90) {
        for text in [
            include_str!("../../samples/screens/several_with_words.txt"),
            include_str!("../../samples/screens/preview_with_note.txt"),
            include_str!("../../samples/screens/review_of_four.txt"),
        ] {
            let cut = |line: &str| line.chars().take(columns).collect::<String>();
            let _ = Dialog::read(&text.lines().skip(rows).map(cut).collect::<Vec<_>>());
        }
    }
}

/// Lines that look like those of a dialog, in any order.
fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("────────────────────────".to_owned()),
        Just("❯ 1. [✔] Auth".to_owned()),
        Just("  2. Topbar   ┌────┐".to_owned()),
        Just("日本 ┌──┐".to_owned()),
        Just("❯ 1. Submit answers".to_owned()),
        Just("  2. Cancel".to_owned()),
        Just("Ready to submit your answers?".to_owned()),
        Just("←  ☐ A  ☒ B  →".to_owned()),
        Just("❯ Chat about this".to_owned()),
        Just("Enter to select · Esc to cancel".to_owned()),
        Just("  Notes: ".to_owned()),
        Just(String::new()),
        ".*",
        "[❯↓ ] [0-9]{1,25}\\. .{0,10}",
    ]
}
