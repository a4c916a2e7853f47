use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use handraise_question::{AnswerForm, Ask, Limits, Resolution};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Effect, Input, Prompt};

fn prompt(json: &Value, wait: Option<u64>) -> Prompt {
    let ask = Ask::read(json.to_string().as_bytes(), &Limits::WIDE).unwrap().ask;
    Prompt::new(ask, wait.map(Duration::from_secs))
}

fn three() -> Value {
    json!({"questions": [
        {"question": "Single?", "options": [{"label": "a"}, {"label": "b"}]},
        {"question": "Multi?", "multiSelect": true, "options": [{"label": "c"}, {"label": "d"}]},
        {"question": "Open?"}]})
}

fn key(c: char) -> Input {
    let (code, modifiers) = match c {
        '⏎' => (KeyCode::Enter, KeyModifiers::NONE),
        '↓' => (KeyCode::Down, KeyModifiers::NONE),
        '⇥' => (KeyCode::Tab, KeyModifiers::NONE),
        '⇤' => (KeyCode::BackTab, KeyModifiers::NONE),
        '␛' => (KeyCode::Esc, KeyModifiers::NONE),
        '␃' => (KeyCode::Char('c'), KeyModifiers::CONTROL),
        c => (KeyCode::Char(c), KeyModifiers::NONE),
    };
    Input::Key(KeyEvent::new(code, modifiers))
}

/// Each key is pressed a while after the one before.
fn later() -> Duration {
    static SECONDS: AtomicU64 = AtomicU64::new(0);
    Duration::from_secs(SECONDS.fetch_add(10, Ordering::Relaxed) + 100)
}

/// Presses keys one after the other, each long enough after the one before.
fn press(prompt: &mut Prompt, keys: &str) -> Option<Effect> {
    keys.chars()
        .filter_map(|c| {
            let effect = prompt.update(key(c), later());
            effect.or_else(|| prompt.update(Input::Tick, later()))
        })
        .last()
}

fn forms(effect: Option<Effect>) -> Value {
    match effect {
        Some(Effect::Resolve(Resolution::Answered(answers))) => {
            serde_json::to_value(answers.forms()).unwrap()
        }
        other => panic!("no answer: {other:?}"),
    }
}

#[test]
fn three_questions_are_answered_and_sent_together() {
    let mut prompt = prompt(&three(), None);
    assert_eq!(press(&mut prompt, "2 ↓ ⏎words⏎"), None);
    assert_eq!(
        forms(press(&mut prompt, "⏎")),
        json!([{"selected": ["b"], "words": null, "notes": null, "leftOpen": false},
               {"selected": ["c", "d"], "words": null, "notes": null, "leftOpen": false},
               {"selected": [], "words": "words", "notes": null, "leftOpen": false}])
    );
}

#[test]
fn ctrl_c_interrupts_everywhere() {
    for before in ["", "3", "3typing", "?", "⇥⇥⇥", "3x␛␛"] {
        let mut prompt = prompt(&three(), None);
        press(&mut prompt, before);
        assert_eq!(press(&mut prompt, "␃"), Some(Effect::Interrupt), "after {before:?}");
    }
}

#[test]
fn unticking_own_words_keeps_them_for_later() {
    let mut prompt = prompt(
        &json!({"questions": [{"question": "M?", "multiSelect": true, "options": [{"label": "c"}]}]}),
        None,
    );
    press(&mut prompt, "2hello␛");
    press(&mut prompt, "1");
    assert_eq!(forms(press(&mut prompt.clone(), "k⏎"))[0]["words"], json!(null));
    press(&mut prompt, " ");
    assert_eq!(forms(press(&mut prompt, "k⏎"))[0]["words"], json!("hello"));
}

#[test]
fn space_marks_a_single_select_without_sending() {
    let mut prompt = prompt(
        &json!({"questions": [{"question": "S?", "options": [{"label": "a"}, {"label": "b"}]}]}),
        None,
    );
    assert_eq!(press(&mut prompt, " ↓"), None);
    assert_eq!(forms(press(&mut prompt, "⏎"))[0]["selected"], json!(["b"]));
}

#[test]
fn a_deadline_ends_in_silence_and_waits_for_somebody_typing() {
    let mut prompt = prompt(&three(), Some(20));
    let at = Duration::from_secs;
    assert_eq!(prompt.next_tick(), Some(at(1)));
    assert_eq!(prompt.update(key('↓'), at(10)), None);
    assert_eq!(prompt.update(key(' '), at(19)), None);
    assert_eq!(prompt.update(Input::Tick, at(33)), None);
    assert_eq!(
        prompt.update(Input::Tick, at(34)),
        Some(Effect::Resolve(Resolution::NoAnswer { after_seconds: 34 }))
    );
}

#[test]
fn moving_about_does_not_move_the_deadline() {
    let mut prompt = prompt(&three(), Some(20));
    assert_eq!(prompt.update(key('↓'), Duration::from_secs(19)), None);
    assert_eq!(
        prompt.update(Input::Tick, Duration::from_secs(20)),
        Some(Effect::Resolve(Resolution::NoAnswer { after_seconds: 20 }))
    );
}

#[test]
fn an_enter_held_down_is_one_press() {
    let singles = json!({"questions": [
        {"question": "A?", "options": [{"label": "a"}]}, {"question": "B?", "options": [{"label": "b"}]}]});
    let mut prompt = prompt(&singles, None);
    let at = Duration::from_millis;
    // Pressed, half a second of nothing, then repeated as keyboards do; in between, time passes.
    let presses = std::iter::once(0).chain((500..2000).step_by(33));
    for ms in presses {
        assert_eq!(prompt.update(key('⏎'), at(ms)), None);
        assert_eq!(prompt.update(Input::Tick, at(ms + 30)), None);
        if ms == 0 {
            assert_eq!(prompt.next_tick(), Some(at(80)));
            assert_eq!(prompt.update(Input::Tick, at(80)), None);
        }
    }
    assert_eq!(prompt.page_number(), 1);
    assert_eq!(press(&mut prompt, "⏎"), None);
    assert_eq!(prompt.page_number(), 2);
    assert!(press(&mut prompt, "⏎").is_some());
}

#[test]
fn an_enter_held_down_never_goes_on_to_choose() {
    let one =
        json!({"questions": [{"question": "Q?", "options": [{"label": "a"}, {"label": "b"}]}]});
    // A note, the help page, text about to be thrown away, words set aside.
    for before in ["nnote", "?", "3a␛j␛", "3words␛"] {
        let mut prompt = prompt(&one, None);
        press(&mut prompt, before);
        let start = later();
        for ms in std::iter::once(0).chain((500..2000).step_by(33)) {
            let at = start + Duration::from_millis(ms);
            assert_eq!(prompt.update(key('⏎'), at), None, "{before:?}");
            let tick = at + Duration::from_millis(if ms == 0 { 80 } else { 30 });
            assert_eq!(prompt.update(Input::Tick, tick), None, "{before:?}");
        }
    }
}

#[test]
fn a_key_right_behind_an_enter_is_not_taken_for_the_next_page() {
    let mut prompt = prompt(&three(), None);
    prompt.update(key('⏎'), Duration::from_millis(0));
    prompt.update(key('1'), Duration::from_millis(10));
    assert_eq!(prompt.page_number(), 1);
    assert!(!prompt.drafts[1].has_choice());
}

#[test]
fn a_question_left_open_stays_so_when_its_words_are_only_looked_at() {
    let mut prompt = prompt(&three(), None);
    press(&mut prompt, "1");
    press(&mut prompt, "3words⏎");
    press(&mut prompt, "open⏎kk");
    press(&mut prompt, "l⏎3␛⇥⇥");
    assert_eq!(forms(press(&mut prompt, "⏎"))[1]["leftOpen"], true);
}

#[test]
fn words_beyond_the_limit_are_refused_and_kept() {
    let mut prompt = prompt(&json!({"questions": [{"question": "Open?"}]}), None);
    prompt.update(Input::Paste("x".repeat(10_001)), Duration::ZERO);
    assert_eq!(press(&mut prompt, "⏎"), None);
    prompt
        .update(Input::Key(KeyEvent::new(KeyCode::Backspace, KeyModifiers::NONE)), Duration::ZERO);
    assert_eq!(forms(press(&mut prompt, "⏎"))[0]["words"], json!("x".repeat(10_000)));
}

#[test]
fn whatever_is_ticked_and_typed_is_unsent() {
    let mut prompt = prompt(&three(), None);
    assert!(prompt.unsent().answers.iter().all(|form| *form == AnswerForm::default()));
    // A tick and words set aside, a note accepted, a field still open, a question left open.
    press(&mut prompt, " 3aside␛");
    press(&mut prompt, "⇥1nnoted⏎");
    press(&mut prompt, "⇥being typed");
    let unsent = prompt.unsent();
    assert_eq!(
        serde_json::to_value(&unsent.answers).unwrap(),
        json!([{"selected": ["a"], "words": "aside", "notes": null, "leftOpen": false},
               {"selected": ["c"], "words": null, "notes": "noted", "leftOpen": false},
               {"selected": [], "words": "being typed", "notes": null, "leftOpen": false}])
    );
    assert!(unsent.texts().eq(["aside", "noted", "being typed"]));
    press(&mut prompt, "⇥⇤⇤dlet us talk␛xno");
    let unsent = prompt.unsent();
    assert_eq!(unsent.discuss.as_deref(), Some("let us talk"));
    assert_eq!(unsent.reason.as_deref(), Some("no"));
    assert!(unsent.texts().eq(["aside", "noted", "being typed", "let us talk", "no"]));
}

#[test]
fn a_deadline_from_elsewhere_counts() {
    let mut prompt = prompt(&three(), None);
    assert_eq!(prompt.seconds_left(), None);
    prompt.wait_until(Some(Duration::from_secs(20)));
    assert_eq!(prompt.update(Input::Tick, Duration::from_secs(19)), None);
    assert_eq!(prompt.seconds_left(), Some(1));
    prompt.wait_until(Some(Duration::from_secs(40)));
    assert_eq!(prompt.update(Input::Tick, Duration::from_secs(20)), None);
    assert_eq!(
        prompt.update(Input::Tick, Duration::from_secs(40)),
        Some(Effect::Resolve(Resolution::NoAnswer { after_seconds: 40 }))
    );
}

proptest! {
    /// Whatever is pressed, what is sent is a whole, valid set, or not an answer at all.
    #[test]
    fn no_keys_send_half_a_set(keys in "[1-5⏎↓⇥⇤␛ njklxdy?a]{0,60}") {
        let mut prompt = prompt(&three(), None);
        for c in keys.chars() {
            match press(&mut prompt, &c.to_string()) {
                Some(Effect::Resolve(Resolution::Answered(answers))) => {
                    prop_assert_eq!(answers.as_slice().len(), 3);
                    let checked = prompt.ask().check(answers.forms());
                    prop_assert_eq!(checked.as_ref(), Ok(&answers));
                    return Ok(());
                }
                Some(Effect::Resolve(_)) => return Ok(()),
                _ => {}
            }
        }
    }
}
