//! What must not happen by accident.

use handraise_testkit::Key::{BackTab, Ctrl, Down, Enter, Esc, Home, Paste, Tab, Text};
use handraise_testkit::Pty;
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
    asking.see("○ Other: precious").press(&[Esc]).see("Throw away what you typed?");
    asking.press(&[Esc]).see_no("Throw away").see("○ Other: precious");
    asking.press(&[Esc]).see("Throw away").press(&[Text("y")]);
    assert_eq!(asking.end().code, 3);
}

#[test]
fn text_set_aside_with_escape_is_kept_and_not_sent() {
    let mut asking = Asking::start(&features());
    asking.press(&[Text("5")]).see("Please specify:").press(&[Text("never mind"), Esc]);
    asking.see("☐ Other: never mind").see("kept, but not part of the answer");
    asking.press(&[Text("n")]).see("Note:").press(&[Text("nor this"), Esc]).see_no("> Note:");
    asking.press(&[Text("1"), Home]).see("> ☑ TypeScript").press(&[Enter]);
    let answers = asking.end().answers();
    assert_eq!(answers[0]["selected"], json!(["TypeScript"]));
    assert_eq!((&answers[0]["words"], &answers[0]["notes"]), (&json!(null), &json!(null)));
}

#[test]
fn escape_and_a_key_right_after_choose_nothing() {
    for key in ["\r", "1", "2", "d", "\u{18}"] {
        let mut asking = Asking::start(&database());
        // Terminals, tmux among them, deliver the two as one key with Alt.
        asking.pty.send(format!("\x1b{key}").as_bytes());
        asking.pty.send(b"j");
        asking.see("> ○ MongoDB").press(&[Ctrl('c')]);
        assert_eq!(asking.end().stdout, "", "{key:?}");
    }
}

#[test]
fn a_heap_of_enters_chooses_nothing() {
    let mut asking = Asking::start(&two_questions());
    asking.pty.send(&[b'\r'; 20]);
    asking.press(&[Down]).see("> ○ MongoDB").see("Question 1 of 2");
    // One alone does what it says.
    asking.press(&[Enter]).see("Question 2 of 2").press(&[Ctrl('c')]);
    assert_eq!(asking.end().code, 130);
}

#[test]
fn line_ends_pasted_behind_words_send_nothing() {
    let mut asking = Asking::start(&database());
    asking.press(&[Text("4")]).see("Please specify:");
    asking.press(&[Text("bun\r\r\r")]).see("Please specify: bun").press(&[Ctrl('c')]);
    let asked = asking.end();
    assert_eq!((asked.code, asked.stdout.as_str()), (130, ""));
}

#[test]
fn changed_words_set_aside_leave_the_chosen_ones_as_they_were() {
    let mut asking = Asking::start(&two_questions());
    asking.press(&[Text("4")]).see("Please specify:").press(&[Text("bun"), Enter]);
    asking.see("Question 2 of 2").press(&[BackTab]).see("● Other: bun");
    asking.press(&[Text("4")]).see("Please specify: bun").press(&[Text("X"), Esc]);
    asking.see("not part of the answer").see("● Other: bun");
    asking.press(&[Text("4")]).see("Please specify: bunX").press(&[Ctrl('u'), Esc]);
    asking.see("● Other: bun").press(&[Tab]).see("Question 2 of 2").press(&[Text("1"), Enter]);
    asking.see("> Send these answers").press(&[Enter]);
    assert_eq!(asking.end().chosen(), json!([[[], "bun"], [["TypeScript"], null]]));
}

#[test]
fn a_tab_in_a_paste_is_part_of_it() {
    let mut asking = Asking::start(&two_questions());
    asking.press(&[Text("4")]).see("Please specify:");
    asking.press(&[Text("name\tvalue 1\tx")]).see("value 1").press(&[Enter]);
    asking.see("Question 2 of 2").press(&[Text("1"), Enter]).see("> Send").press(&[Enter]);
    assert_eq!(asking.end().chosen()[0], json!([[], "name\tvalue 1\tx"]));
}

#[test]
fn a_key_that_came_along_with_one_that_turned_the_page_is_dropped() {
    let mut asking = Asking::start(&two_questions());
    asking.press(&[Text("11")]).see("Question 2 of 2");
    asking.press(&[Down]).see("> ☐ ESLint + Prettier");
    let screen = asking.pty.screen();
    assert!(!screen.has("☑"), "{screen}");
}

#[test]
fn an_unmarked_paste_into_the_list_is_text() {
    let mut asking = Asking::start(&database());
    asking.press(&[Text("use 1 please\rand 2\r")]).see("Please specify: use 1 please");
    asking.press(&[Enter]);
    assert_eq!(asking.end().chosen(), json!([[[], "use 1 please\nand 2\n"]]));
}

#[test]
fn a_paste_with_nowhere_to_go_says_so() {
    let mut asking = Asking::start(&two_questions());
    asking.press(&[Tab]).see("Question 2 of 2").press(&[Tab]).see("not answered yet");
    asking.press(&[Paste("lost?")]).see("Nothing pasted: open a text field first");
    asking.press(&[Ctrl('c')]);
    assert_eq!(asking.end().code, 130);
}

#[test]
fn what_an_agent_wrote_is_made_visible_on_a_terminal_and_kept_in_a_pipe() {
    let ask = json!({"questions": [{"question": "Q?", "options": [
        {"label": "A\u{1b}]0;pwned\u{7}\u{9b}2J\u{202e}"}, {"label": "B"}]}]});
    for format in ["json", "text", "summary", "claude", "gencode"] {
        let mut asking = Asking::launch("", &ask, &["--format", format], &Place::default());
        asking.see("╰").press(&[Text("1")]);
        let asked = asking.end();
        assert!(asked.stdout.contains('\u{202e}'), "{format}: {:?}", asked.stdout);

        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("ask.json"), ask.to_string()).unwrap();
        let program = [env!("CARGO_BIN_EXE_handraise"), "ask", "--format", format, "ask.json"];
        let place = Place::default();
        let mut pty = Pty::spawn(&program, directory.path(), place.env, place.size);
        pty.wait_for("╰");
        pty.press(&[Text("1")]);
        pty.wait_exit();
        let raw = String::from_utf8(pty.raw()).unwrap();
        for hostile in ["\x1b]0;", "\u{9b}", "\u{202e}"] {
            assert!(!raw.contains(hostile), "{format}: {hostile:?} in {raw:?}");
        }
    }
}

#[test]
fn typed_text_survives_another_choice() {
    let mut asking = Asking::start(&two_questions());
    asking.press(&[Text("4")]).see("Please specify:").press(&[Text("cockroach"), Enter]);
    asking.see("Question 2 of 2").press(&[BackTab]);
    asking.see("● Other: cockroach").press(&[Text("1")]).see("Question 2 of 2");
    asking.press(&[BackTab]).see("○ Other: cockroach");
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
