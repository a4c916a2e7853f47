//! Several asks at a plain desk.

use handraise_testkit::Key::{Ctrl, Text};

use crate::program::Program;

#[test]
fn one_is_closed_and_the_next_is_answered() {
    let mut program = Program::in_shell("raced", "plain");
    program.see("? for help.").press(&[Text("3\r")]).see("Please specify:");
    program.press(&[Text("half a li")]).see("half a li").go_on("close");
    program.see("half a li\n● Answered by ann in the browser: ␛]0;JWT\nfirst: closed");
    program.see("the terminal is as it was: true").see("1. red").press(&[Text("2\r")]);
    program.see("second: answered [\"green\"]").see("\nready$");
}

#[test]
fn ctrl_d_cancels_one_ask_and_not_the_next() {
    let mut program = Program::start("two", "plain");
    program.see("? for help.").press(&[Ctrl('d')]).see("first: Declined");
    program.see("printed in between").press(&[Ctrl('d'), Text("1\r")]).see("in between\n1");
    program.go_on("go").see("1. red").press(&[Text("2\r")]);
    program.see("second: answered [\"green\"]");
}

#[test]
fn a_guarded_question_longer_than_the_screen_is_shown_page_by_page() {
    let mut program = Program::start("guarded", "plain");
    program.see("line 27.").see("more (Enter goes on").see_no("Allow").press(&[Text("1\r")]);
    program.see("Nothing can be chosen before").press(&[Text("\r")]).see("line 28.");
    program.see("1. Allow").press(&[Text("1\r")]).see("first: answered [\"Allow\"]");
}
