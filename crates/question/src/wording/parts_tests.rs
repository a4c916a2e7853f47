use proptest::prelude::*;
use serde_json::json;

use super::super::fixtures::ask;
use super::*;
use crate::{Answer, AnswerForm, Ask};

fn question(labels: &[&str], multi: bool) -> Ask {
    let options: Vec<_> = labels.iter().map(|label| json!({"label": label})).collect();
    ask(&json!({"questions": [{"question": "Q?", "multiSelect": multi, "options": options}]}))
}

fn written(ask: &Ask, selected: &[&str], words: Option<&str>) -> String {
    let form = AnswerForm {
        selected: selected.iter().map(|&s| s.into()).collect(),
        words: words.map(Into::into),
        ..Default::default()
    };
    let answers = ask.check(vec![form]).unwrap();
    match &answers.as_slice()[0] {
        Answer::Chosen(chosen) => write(&ask.questions()[0], chosen),
        Answer::LeftOpen { .. } => unreachable!(),
    }
}

/// Each row was recognised by the real Claude Code 2.1.325 as a choice of exactly these labels.
#[test]
fn labels_are_written_as_claude_code_recognises_them() {
    for (label, sent) in [
        ("Billing, taxes", r#""Billing, taxes", Plain"#),
        (r#"say "hi""#, r#""say \"hi\"", Plain"#),
        (r"C:\temp", r"C:\temp, Plain"),
        (r"a,\", r"a,\, Plain"),
        (r#"a\"b"#, r#""a\\\"b", Plain"#),
        (r"C:\temp, D:\x", r#""C:\\temp, D:\\x", Plain"#),
        ("two\nlines", "two\nlines, Plain"),
        ("two, x\nlines", r#""two, x\nlines", Plain"#),
        (" A ", " A , Plain"),
        ("1,000", "1,000, Plain"),
        ("end,", "end,, Plain"),
        ("a, b\u{1f}c", r#""a, b\u001fc", Plain"#),
        ("🚀, x/y", r#""🚀, x/y", Plain"#),
        ("שלום", "שלום, Plain"),
    ] {
        let ask = question(&[label, "Plain"], true);
        assert_eq!(written(&ask, &["Plain", label], None), sent);
        assert_eq!(
            read(&ask.questions()[0], sent),
            (vec![label.to_owned(), "Plain".to_owned()], None)
        );
    }
}

#[test]
fn one_label_alone_stays_raw_unless_it_reads_as_others() {
    let ask = question(&["Billing, taxes", "X"], true);
    assert_eq!(written(&ask, &["Billing, taxes"], None), "Billing, taxes");
    let ask = question(&["X", "Y", "X, Y"], true);
    assert_eq!(written(&ask, &["X, Y"], None), r#""X, Y""#);
    assert_eq!(written(&ask, &["X", "Y"], None), "X, Y");
}

#[test]
fn a_single_select_is_verbatim() {
    let ask = question(&[r#"say "hi", ok"#, "X"], false);
    assert_eq!(written(&ask, &[r#"say "hi", ok"#], None), r#"say "hi", ok"#);
    assert_eq!(written(&ask, &[], Some("a, \"b\"\nc")), "a, \"b\"\nc");
}

#[test]
fn own_words_follow_the_labels_and_keep_their_newlines() {
    let ask = question(&["Auth", "Search"], true);
    assert_eq!(written(&ask, &["Auth"], Some("my own")), "Auth, my own");
    assert_eq!(written(&ask, &["Auth"], Some("a, b\n\"c\"")), "Auth, \"a, b\n\\\"c\\\"\"");
    assert_eq!(written(&ask, &[], Some("Auth, Search")), r#""Auth, Search""#);
}

#[test]
fn what_others_write_is_read_without_losing_a_word() {
    let ask = question(&["Auth", "Billing, taxes"], true);
    let question = &ask.questions()[0];
    let words = |text: &str| (vec![], Some(text.to_owned()));
    assert_eq!(read(question, "foo, bar"), words("foo, bar"));
    assert_eq!(read(question, r#""hi""#), words(r#""hi""#));
    assert_eq!(read(question, r#""unclosed, "#), words(r#""unclosed, "#));
    assert_eq!(read(question, ""), words(""));
    assert_eq!(read(question, "Auth, "), words("Auth, "));
    assert_eq!(read(question, "Auth, x, y"), (vec!["Auth".into()], Some("x, y".into())));
}

proptest! {
    #[test]
    fn reading_is_the_inverse_of_writing(
        labels in prop::collection::btree_set("[ab,\" \\\\\n]{0,5}[ab]", 1..5),
        picks in prop::collection::vec(any::<bool>(), 5),
        words in prop::option::of("[w,\" \\\\\n]{0,6}w"),
        multi in any::<bool>(),
    ) {
        let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
        let ask = question(&labels, multi);
        let mut selected: Vec<&str> =
            labels.iter().zip(picks).filter(|(_, pick)| *pick).map(|(label, _)| *label).collect();
        let mut words = words.as_deref();
        if !multi {
            selected.truncate(1);
            if !selected.is_empty() { words = None; }
        }
        prop_assume!(!selected.is_empty() || words.is_some());
        let text = written(&ask, &selected, words);
        let expected: Vec<String> = selected.iter().map(|&s| s.into()).collect();
        let expected = (expected, words.map(Into::into));
        prop_assert_eq!(&read(&ask.questions()[0], &text), &expected);
        prop_assert_eq!(&read_joined(&ask.questions()[0], &text), &expected);
    }

    /// Somebody who joins labels as they are means what can be read in one way only; and whatever is read
    /// is what the text says.
    #[test]
    fn what_is_joined_as_it_is_is_never_read_as_something_it_does_not_say(
        labels in prop::collection::btree_set("[ab,\" ]{0,4}[ab]", 1..5),
        picks in prop::collection::vec(any::<bool>(), 5),
    ) {
        let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
        let ask = question(&labels, true);
        let chosen = labels.iter().zip(picks).filter(|(_, pick)| *pick).map(|(label, _)| *label);
        let chosen: Vec<&str> = chosen.collect();
        prop_assume!(!chosen.is_empty());
        let text = chosen.join(SEPARATOR);
        let (read, words) = read_joined(&ask.questions()[0], &text);
        let parts: Vec<_> = read.iter().map(String::as_str).chain(words.as_deref()).collect();
        let raw = parts.join(SEPARATOR);
        let marked = is_written(&read, words.as_deref(), &text);
        prop_assert!(raw == text || marked, "{:?} read as {:?}", text, (read, words));
    }
}
