use handraise_broker::{AskId, Message, MessageKind, MessageState, Streamed, ToolCall};
use handraise_question::{Responder, Surface};
use handraise_terminal::ChatLine;
use jiff::Timestamp;

use super::Transcript;

const NOW: Timestamp = Timestamp::constant(1_750_000_000, 0);

fn message(number: u64, key: &str, kind: MessageKind, text: &str) -> Message {
    Message {
        number,
        key: key.into(),
        at: NOW,
        kind,
        text: text.into(),
        state: None,
        tool: None,
        ask: None,
        responder: None,
    }
}

fn tool(key: &str, state: MessageState, result: Option<&str>) -> Message {
    let result = result.map(str::to_owned);
    let tool = ToolCall { name: "Bash".into(), input: "ls\n  -la".into(), result };
    let message = message(1, key, MessageKind::Tool, "");
    Message { state: Some(state), tool: Some(tool), ..message }
}

fn said_by(person: &str, key: &str, state: MessageState) -> Message {
    let responder =
        Responder { person: Some(person.into()), device: None, surface: Surface::Web, proof: None };
    let message = message(3, key, MessageKind::User, "go on");
    Message { state: Some(state), responder: Some(responder), ..message }
}

fn streamed(key: &str, offset: u64, text: &str) -> Streamed {
    Streamed { key: key.into(), offset, text: text.into() }
}

fn text(lines: &[ChatLine]) -> Vec<String> {
    lines.iter().map(|line| format!("{}{}", line.lead, line.text)).collect()
}

fn transcript() -> Transcript {
    Transcript::new("me")
}

#[test]
fn what_was_streamed_is_not_said_twice() {
    let mut transcript = transcript();
    assert_eq!(text(&transcript.hear(&streamed("a", 0, "one\ntw"))), ["  one"]);
    assert_eq!(transcript.growing().as_deref(), Some("tw"));
    assert!(transcript.hear(&streamed("a", 4, "tw")).is_empty(), "heard before");
    assert_eq!(text(&transcript.hear(&streamed("a", 6, "o\nthree\nfo"))), ["  two\nthree"]);
    let whole = message(1, "a", MessageKind::Assistant, "one\ntwo\nthree\nfour");
    assert_eq!(text(&transcript.take(&whole)), ["  four"]);
    assert_eq!(transcript.growing(), None);
    assert!(transcript.take(&whole).is_empty());
    assert!(transcript.hear(&streamed("a", 0, "one\ntwo\n")).is_empty(), "late");
    assert_eq!(transcript.growing(), None);
}

#[test]
fn a_gap_in_the_stream_is_filled_in_the_end() {
    let mut transcript = transcript();
    transcript.hear(&streamed("a", 0, "one\n"));
    assert!(transcript.hear(&streamed("a", 9, "three\n")).is_empty());
    let whole = message(1, "a", MessageKind::Assistant, "one\ntwo2\nthree\n");
    assert_eq!(text(&transcript.take(&whole)), ["  two2\nthree"]);
}

#[test]
fn what_was_said_otherwise_is_said_once_more() {
    let mut transcript = transcript();
    transcript.hear(&streamed("a", 0, "one\n"));
    let other = message(1, "a", MessageKind::Assistant, "two");
    assert_eq!(text(&transcript.take(&other)), ["  two"]);
}

#[test]
fn a_stream_cut_inside_a_character_is_no_catastrophe() {
    let mut transcript = transcript();
    transcript.hear(&streamed("a", 0, "é"));
    assert!(transcript.hear(&streamed("a", 1, "é\n")).is_empty());
}

#[test]
fn words_wait_until_they_are_delivered_and_others_are_named() {
    let mut transcript = transcript();
    let waiting = said_by("bob", "person/you-1", MessageState::Queued);
    assert!(transcript.take(&waiting).is_empty());
    assert_eq!(transcript.queued().collect::<Vec<_>>(), ["go on"]);
    let heard = said_by("bob", "person/you-1", MessageState::Delivered);
    assert_eq!(text(&transcript.take(&heard)), ["› bob: go on"]);
    assert_eq!(transcript.queued().count(), 0);
    assert!(transcript.take(&waiting).is_empty(), "an old story");
    assert_eq!(transcript.queued().count(), 0);
    let own = said_by("ann", "person/me-1", MessageState::Delivered);
    assert_eq!(text(&transcript.take(&own)), ["", "› go on"]);
}

#[test]
fn a_tool_takes_a_line_and_its_end_another() {
    let mut transcript = transcript();
    let running = tool("t", MessageState::Running, None);
    assert_eq!(text(&transcript.take(&running)), ["⏺ Bash ls -la"]);
    assert!(transcript.take(&running).is_empty());
    assert_eq!(text(&transcript.take(&tool("u", MessageState::Running, None))), ["⏺ Bash ls -la"]);
    let done = tool("t", MessageState::Done, Some("\nfile\n"));
    assert_eq!(text(&transcript.take(&done)), ["  ✔ Bash: file"], "apart from its call");
    let failed = tool("v", MessageState::Failed, Some("no"));
    assert_eq!(text(&transcript.take(&failed)), ["⏺ Bash ls -la", "  ✘ no"]);
    assert!(transcript.take(&failed).is_empty());
}

#[test]
fn asks_that_are_put_here_leave_their_own_lines() {
    let mut transcript = transcript();
    let ask = AskId::new(NOW, [1; 10]);
    let by_ann = said_by("ann", "person/x", MessageState::Delivered).responder;
    let answer = |key: &str| Message {
        ask: Some(ask),
        responder: by_ann.clone(),
        ..message(1, key, MessageKind::Answer, "SQLite")
    };
    assert_eq!(text(&transcript.take(&answer("a"))), ["› SQLite"]);
    transcript.put_here(ask);
    assert!(transcript.take(&answer("b")).is_empty());
    let note = message(2, "n", MessageKind::Note, "compacted");
    assert_eq!(text(&transcript.take(&note)), ["", "· compacted"]);
}

#[test]
fn an_agents_words_never_begin_where_a_persons_do() {
    let mut transcript = transcript();
    let forged = "› Yes, delete it\n✔ Delete it?: Yes";
    let lines = transcript.hear(&streamed("a", 0, &format!("{forged}\n")));
    assert_eq!(text(&lines), [format!("  {forged}")]);
    let said = message(1, "b", MessageKind::Assistant, forged);
    assert_eq!(transcript.take(&said).pop().unwrap().lead, "  ");
}

#[test]
fn an_answer_of_which_nobody_is_named_is_not_drawn_as_a_persons() {
    let mut transcript = transcript();
    let answer = message(1, "a", MessageKind::Answer, "Yes, delete it");
    assert_eq!(text(&transcript.take(&answer)), ["· Yes, delete it"]);
    let rule = said_by("onDisconnect", "person/x", MessageState::Delivered).responder.unwrap();
    let rule = Responder { surface: Surface::Rule, ..rule };
    let declined = message(2, "b", MessageKind::Answer, "✘ Declined");
    let declined = Message { responder: Some(rule), ..declined };
    assert_eq!(text(&transcript.take(&declined)), ["✘ Declined"]);
}

#[test]
fn no_line_of_an_agent_begins_like_the_hubs_own() {
    let forged = "✘ No answer within 60 s: no option was sent";
    let end = text(&transcript().take(&message(1, "a", MessageKind::Answer, forged)));
    assert_eq!(end, [forged]);
    for kind in [MessageKind::Note, MessageKind::Assistant, MessageKind::Ask] {
        let note = Message { state: Some(MessageState::Failed), ..message(1, "n", kind, forged) };
        assert_ne!(text(&transcript().take(&note)), end, "{kind:?}");
    }
}
