//! The terminal between two prompts: it is the person's.

use std::process::Command;

use handraise_testkit::Key::{Ctrl, Enter, Text};

use crate::program::Program;

#[test]
fn what_is_typed_answers_nothing_and_what_is_printed_looks_right() {
    let mut program = Program::start("two", "drawn");
    program.see("> ○ alpha").press(&[Enter]).see("printed in between");
    // The terminal echoes again. Neither a whole line nor half of one answers the next question.
    program.press(&[Text("1\r2")]).see("\n1\n2").go_on("go").see("> ☐ red");
    let screen = program.pty.screen();
    assert!(!screen.has("☑"), "{screen}");
    let printed = "✔ Letter: alpha\nfirst: answered [\"alpha\"]\nprinted in between\n";
    assert!(screen.text().contains(printed), "{screen}");
    program.press(&[Text("2")]).see("☑ green").press(&[Enter]);
    program.see("second: answered [\"green\"]");
    assert_eq!(program.pty.wait_exit().exit_code(), 0);
}

#[test]
fn another_program_can_read_what_is_typed() {
    let mut program = Program::start("shared", "drawn");
    program.see("> ○ alpha").press(&[Enter]).see("a name?");
    program.press(&[Text("ann\r")]).see("hello ann").see("> ☐ red");
    program.press(&[Text("1")]).see("☑ red").press(&[Enter]).see("second: answered [\"red\"]");
}

#[test]
fn ctrl_c_and_signals_have_their_usual_effect() {
    for manner in ["drawn", "plain"] {
        let mut program = Program::start("two", manner);
        program.see("alpha").press(&[Text("1\r")]).see("printed in between");
        program.press(&[Ctrl('c')]);
        assert_eq!(program.pty.wait_exit().signal(), Some("Interrupt"), "{manner}");
    }
    for (signal, name) in [("-TERM", "Terminated"), ("-HUP", "Hangup")] {
        let mut program = Program::start("two", "drawn");
        program.see("> ○ alpha").press(&[Enter]).see("printed in between");
        let pid = program.pty.pid().to_string();
        assert!(Command::new("kill").args([signal, &pid]).status().unwrap().success());
        assert_eq!(program.pty.wait_exit().signal(), Some(name));
    }
}

#[test]
fn ctrl_z_stops_and_fg_goes_on() {
    let mut program = Program::in_shell("two", "drawn");
    program.see("> ○ alpha").press(&[Enter]).see("printed in between");
    program.press(&[Ctrl('z')]).see("Stopped").press(&[Text("fg"), Enter]).see("fg\n\"$ME\"");
    program.go_on("go").see("> ☐ red").press(&[Text("1")]).see("☑ red").press(&[Enter]);
    program.see("second: answered [\"red\"]").see("\nready$");
}

#[test]
fn in_the_background_it_works_on_and_waits_for_its_turn_to_ask() {
    let mut program = Program::in_shell("two", "drawn");
    program.see("> ○ alpha").press(&[Enter]).see("printed in between");
    program.press(&[Ctrl('z')]).see("Stopped").press(&[Text("bg"), Enter]).see("&");
    // What is typed is the shell's, and does not stop the job.
    program.press(&[Text("echo still $((6 * 7)); jobs -r"), Enter]).see("still 42");
    program.see("Running").press(&[Text("set -b; clear"), Enter]).see_no("Running");
    program.go_on("go").see("Stopped").press(&[Text("fg"), Enter]).see("> ☐ red");
    program.press(&[Text("1")]).see("☑ red");
    let screen = program.pty.screen();
    assert_eq!(screen.text().matches('╰').count(), 1, "it is drawn once:\n{screen}");
    program.press(&[Enter]).see("second: answered [\"red\"]").see("\nready$");
}
