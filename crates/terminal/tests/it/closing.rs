//! A prompt that is closed from elsewhere.

use handraise_testkit::Key::{Enter, Esc, Paste, Text};

use crate::program::Program;

#[test]
fn it_gives_way_and_loses_no_word() {
    let mut program = Program::in_shell("raced", "drawn");
    program.see("> ○ alpha").press(&[Text(" ")]).see("● alpha");
    program.press(&[Text("3")]).see("Please specify:").press(&[Text("gamma ray")]);
    program.see("gamma ray").go_on("close");
    program.see("first: closed with [\"alpha\"] Some(\"gamma ray\")");
    program.see("the terminal is as it was: true");
    let screen = program.pty.wait_for("> ☐ red");
    let closing = "● Answered by ann in the browser: ␛]0;JWT\nYou had typed: gamma ray\nfirst: ";
    assert!(screen.text().contains(closing), "{screen}");
    assert_eq!(screen.text().matches('╰').count(), 1, "the first prompt is gone:\n{screen}");
    program.press(&[Text("2")]).see("☑ green").press(&[Enter]);
    program.see("second: answered [\"green\"]").see("\nready$");
}

#[test]
fn half_typed_words_do_not_reach_the_shell() {
    for manner in ["drawn", "plain"] {
        let mut program = Program::in_shell("one", manner);
        program.see("alpha").press(&[Text(if manner == "drawn" { "3" } else { "3\r" })]);
        program.see("Please specify:").press(&[Text("echo oh''no")]).see("oh''no");
        program.go_on("close").see("first: closed").see("\nready$");
        program.press(&[Text("\recho over\r")]).see("\nover");
        assert!(!program.pty.screen().has("ohno"), "{}", program.pty.screen());
    }
}

#[test]
fn words_set_aside_and_notes_are_shown_as_they_were_typed() {
    let mut program = Program::start("raced", "drawn");
    program.see("> ○ alpha").press(&[Text("n")]).see("Note");
    program.press(&[Paste("one\n  two")]).see("two").press(&[Enter]).see("↑↓ navigate");
    program.press(&[Text("3")]).see("Please specify:").press(&[Text("gamma"), Esc]);
    program.see("not part of the answer").go_on("close");
    let screen = program.pty.wait_for("> ☐ red");
    let words = "\nYou had typed: gamma\nYou had typed:\none\n  two\nfirst: closed";
    assert!(screen.text().contains(words), "{screen}");
}

#[test]
fn whoever_wants_to_know_is_told_of_each_change() {
    let mut program = Program::start("raced", "drawn");
    program.see("> ○ alpha").press(&[Text(" ")]).see("● alpha");
    program.press(&[Text("j")]).see("> ○ beta").press(&[Text("3")]).see("Please specify:");
    program.press(&[Text("o")]).see("specify: o").press(&[Text("k")]).see("specify: ok");
    program.go_on("close").see("first: closed");
    let drafts = [r#"["alpha"] None None"#, r#"["alpha"] Some("o") None"#];
    let drafts = format!("{}\n{}\n", drafts.join("\n"), r#"["alpha"] Some("ok") None"#);
    assert_eq!(program.written("drafts"), drafts);
}

#[test]
fn a_late_close_hits_no_other_prompt() {
    for manner in ["drawn", "plain"] {
        let mut program = Program::start("late", manner);
        program.see("alpha").press(&[Text("1\r")]).see("first: answered [\"alpha\"]");
        if manner == "drawn" {
            // A tick is a draft, and each draft closes the first ask once more.
            program.see("> ☐ red").press(&[Text("1")]).see("☑ red");
            program.press(&[Text("2")]).see("☑ green").press(&[Enter]);
        } else {
            program.see("1. red").press(&[Text("1,2\r")]);
        }
        program.see("second: answered [\"red\", \"green\"]");
        assert!(!program.pty.screen().has("too late"), "{}", program.pty.screen());
    }
}

#[test]
fn an_early_close_shows_no_prompt_and_an_early_deadline_ends_it() {
    for manner in ["drawn", "plain"] {
        let mut program = Program::start("early", manner);
        program.see("● Withdrawn\nfirst: closed with [] None");
        program.see("✘ No answer within 0 s").see("second: NoAnswer");
        assert_eq!(program.pty.wait_exit().exit_code(), 0);
        let raw = String::from_utf8(program.pty.raw()).unwrap();
        assert!(!raw.contains("Which letter?"), "{raw:?}");
    }
}
