use std::time::{Duration, Instant};

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use proptest::prelude::*;

use super::{Conversation, Effect, Read, read};
use crate::chat::{ChatOrder, Status};
use crate::prompt::Input;

fn key(code: KeyCode, modifiers: KeyModifiers) -> Input {
    Input::Key(KeyEvent::new(code, modifiers))
}

fn press(conversation: &mut Conversation, keys: &str) -> Vec<Effect> {
    let now = Instant::now();
    let input = |c| match c {
        '⏎' => key(KeyCode::Enter, KeyModifiers::NONE),
        '↵' => key(KeyCode::Enter, KeyModifiers::ALT),
        '␛' => key(KeyCode::Esc, KeyModifiers::NONE),
        '␃' => key(KeyCode::Char('c'), KeyModifiers::CONTROL),
        '␄' => key(KeyCode::Char('d'), KeyModifiers::CONTROL),
        c => key(KeyCode::Char(c), KeyModifiers::NONE),
    };
    keys.chars().filter_map(|c| conversation.update(input(c), now)).collect()
}

fn at(status: Status) -> Conversation {
    let mut conversation = Conversation::default();
    conversation.show(ChatOrder::Status(status));
    conversation
}

fn sent(words: &str) -> Vec<Effect> {
    vec![Effect::Send(words.into())]
}

#[test]
fn enter_sends_and_other_enters_go_on() {
    let mut conversation = at(Status::Idle);
    assert_eq!(press(&mut conversation, "one↵two⏎"), sent("one\ntwo"));
    assert_eq!(conversation.typed(), "");
    assert_eq!(press(&mut conversation, "one\\⏎two⏎"), sent("one\ntwo"));
    assert_eq!(press(&mut conversation, "one\\\\⏎"), sent("one\\"));
    assert_eq!(press(&mut conversation, "⏎ ⏎"), []);
}

#[test]
fn a_paste_is_taken_whole_and_sends_nothing() {
    let mut conversation = at(Status::Idle);
    let now = Instant::now();
    assert_eq!(conversation.update(Input::Paste("a\nb\n".into()), now), None);
    assert_eq!(press(&mut conversation, "⏎"), sent("a\nb\n"));
    conversation.update(Input::Paste("x\u{1b}[2J".into()), now);
    assert_eq!(conversation.typed(), "");
    assert!(conversation.notice.is_some_and(|notice| notice.starts_with("not pasted")));
}

#[test]
fn esc_interrupts_only_what_can_be() {
    for (status, interrupts) in [
        (Status::Working, true),
        (Status::Asking, true),
        (Status::SetAside, true),
        (Status::Idle, false),
        (Status::Starting, false),
        (Status::Stopped, false),
        (Status::Away, false),
    ] {
        let effects = press(&mut at(status), "␛");
        assert_eq!(effects == [Effect::Interrupt], interrupts, "{status:?}");
    }
}

#[test]
fn ctrl_c_interrupts_once_and_leaves_twice() {
    assert_eq!(press(&mut at(Status::Working), "␃␃"), [Effect::Interrupt, Effect::Leave]);
    assert_eq!(press(&mut at(Status::Idle), "␃␃"), [Effect::Leave]);
    let mut slow = at(Status::Idle);
    assert_eq!(press(&mut slow, "␃"), []);
    let later = Instant::now() + Duration::from_secs(3);
    let ctrl_c = key(KeyCode::Char('c'), KeyModifiers::CONTROL);
    assert_eq!(slow.update(ctrl_c, later), None, "too late to be the second");
}

#[test]
fn nothing_typed_is_thrown_away_by_leaving_or_interrupting() {
    let mut conversation = at(Status::Working);
    assert_eq!(press(&mut conversation, "words␄␛␃"), [Effect::Interrupt, Effect::Interrupt]);
    assert_eq!(conversation.typed(), "words");
    assert_eq!(press(&mut at(Status::Idle), "␄"), [Effect::Leave]);
    assert_eq!(press(&mut at(Status::Idle), "/quit⏎"), [Effect::Leave]);
}

#[test]
fn what_was_typed_is_there_again_when_the_chat_is() {
    let mut conversation = at(Status::Working);
    press(&mut conversation, "half a");
    conversation.show(ChatOrder::Close);
    assert!(conversation.closing);
    conversation.begin();
    assert!(!conversation.closing);
    assert_eq!(press(&mut conversation, " word⏎"), sent("half a word"));
}

#[test]
fn a_notice_gives_way_to_the_next_status() {
    let mut conversation = at(Status::Working);
    press(&mut conversation, "␛");
    assert_eq!(conversation.notice.as_deref(), Some("interrupting"));
    conversation.show(ChatOrder::Status(Status::Working));
    assert!(conversation.notice.is_some());
    conversation.show(ChatOrder::Status(Status::Idle));
    assert_eq!(conversation.notice, None);
}

proptest! {
    #[test]
    fn what_is_sent_is_what_was_typed(text in "[a-z /\\\\\n]{0,40}") {
        match read(&text) {
            Read::Nothing => prop_assert!(text.trim().is_empty()),
            Read::Leave => prop_assert_eq!(text.trim(), "/quit"),
            Read::Words(words) => {
                let dropped = text.ends_with("\\\\");
                prop_assert_eq!(&text[..text.len() - usize::from(dropped)], words);
            }
            Read::GoesOn(words) => {
                prop_assert_eq!(format!("{}\n", &text[..text.len() - 1]), words);
            }
        }
    }
}
