//! `handraise inbox`, in tmux: what is shown, what keys do, and what is left behind.

use std::process::Command;

use handraise_broker::{AnswerIn, Draft, Hub, Policy, Reply};
use handraise_question::AnswerForm;
use handraise_testkit::{approval, one_of, questions};
use serde_json::json;

use crate::inbox_scene::{Scene, selected, way};

const SMALL: (u16, u16) = (80, 24);
const WIDE: (u16, u16) = (160, 40);

#[test]
fn an_ask_is_answered_in_place_and_the_screen_is_given_back() {
    let scene = Scene::new(SMALL);
    let ask = scene.asks("claude-code", way("Road"));
    scene.inbox();
    let screen = scene.tmux.wait_for("Road: Which way for Road?");
    assert!(screen.contains("1 waits") && !screen.contains("before"), "{screen}");
    scene.tmux.press(&["Enter"]);
    let screen = scene.tmux.wait_for("╭─ Road ─╮");
    assert!(screen.contains("This is what claude-code wrote before."), "{screen}");
    assert!(screen.contains("esc back"), "{screen}");
    scene.tmux.press(&["2"]);
    let answers = scene.resolution(ask.id);
    assert_eq!(answers["answers"][0]["selected"], json!(["Right"]));
    let screen = scene.tmux.wait_for("● Answered by ann in a terminal:\n✔ Road: Right");
    assert!(screen.contains("nothing waits"), "{screen}");
    scene.tmux.press(&["n"]);
    scene.tmux.wait_for("Nothing waits. What agents ask appears here by itself.");
    let screen = scene.leave();
    assert!(screen.contains("before\ncode=0"), "the screen is as it was:\n{screen}");
    let responder = scene.get(ask.id).resolved().unwrap().responder.clone().unwrap();
    assert_eq!(responder.proof.as_deref(), Some("tty"));
}

#[test]
fn list_and_ask_stand_side_by_side_on_a_wide_screen() {
    let scene = Scene::new(WIDE);
    scene.asks("first", way("Road"));
    let second = scene.asks("second", way("River"));
    scene.inbox();
    let screen = scene.tmux.wait_for("╭─ Road ─╮");
    assert!(screen.contains("River: Which way"), "{screen}");
    // Keys go to the list as long as no ask was opened.
    scene.tmux.press(&["1", "Down"]);
    scene.tmux.wait_for("╭─ River ─╮");
    scene.tmux.press(&["Enter"]);
    scene.tmux.wait_for("↑↓ navigate");
    scene.tmux.press(&["1"]);
    assert_eq!(scene.resolution(second.id)["answers"][0]["selected"], json!(["Left"]));
    scene.tmux.wait_for("✔ River: Left");
    scene.tmux.press(&["n"]);
    scene.tmux.wait_until("the other one", |screen| {
        screen.contains("╭─ Road ─╮") && screen.contains("↑↓ navigate")
    });
    scene.tmux.press(&["Escape"]);
    scene.tmux.wait_for("enter open");
    scene.leave();
}

#[test]
fn an_approval_is_denied_with_a_word() {
    let scene = Scene::new(SMALL);
    let call = json!({"tool": "Bash", "input": {"command": "rm -r build"}});
    let ask = scene.asks("claude-code", approval(&call.to_string()));
    scene.inbox();
    scene.tmux.wait_for("May it use Bash: rm -r build");
    scene.tmux.press(&["Enter"]);
    let screen = scene.tmux.wait_for("command: rm -r build");
    assert!(screen.contains("Allow") && screen.contains("Deny"), "{screen}");
    scene.tmux.press(&["3"]);
    scene.tmux.wait_for("Please specify:");
    scene.tmux.type_text("not the cache");
    scene.tmux.wait_for("not the cache");
    scene.tmux.press(&["Enter"]);
    let resolution = scene.resolution(ask.id);
    assert_eq!(
        (&resolution["decision"], &resolution["message"]),
        (&json!("deny"), &json!("not the cache"))
    );
    scene.tmux.wait_for("✘ Denied");
    scene.tmux.press(&["Escape"]);
    scene.tmux.wait_for("q leave");
    scene.leave();
}

#[test]
fn an_answer_from_elsewhere_leaves_the_words_that_were_typed() {
    let scene = Scene::new(SMALL);
    let ask = scene.asks("claude-code", way("Road"));
    scene.inbox();
    scene.tmux.press(&["Enter"]);
    scene.tmux.wait_for("╭─ Road ─╮");
    scene.tmux.press(&["3"]);
    scene.tmux.wait_for("Please specify:");
    scene.tmux.type_text("straight on");
    scene.tmux.wait_for("straight on");
    // What is typed is kept at the hub as well, as a draft of that person's.
    scene.tmux.wait_until("the draft at the hub", |_| {
        let draft = scene.runtime.block_on(scene.hub.person().draft(ask.id)).unwrap();
        draft.is_some_and(|draft| draft.answers[0].words.as_deref() == Some("straight on"))
    });
    scene.answer_elsewhere(ask.id, "Left");
    let screen = scene.tmux.wait_for("✔ Road: Left");
    assert!(screen.contains("You had typed, and it was not sent:\nstraight on"), "{screen}");
    // Whatever is typed is still meant for the text; Esc leaves it, and another the ask.
    scene.tmux.press(&["1", "n", "x", "Enter"]);
    scene.tmux.wait_for("It has ended. Esc leaves your text.");
    scene.tmux.press(&["Escape", "Escape"]);
    let screen = scene.tmux.wait_for("q leave");
    assert!(selected(&screen).is_some_and(|(_, line)| line.contains('✎')), "{screen}");
    scene.tmux.press(&["x"]);
    scene.tmux.wait_for("Nothing waits.");
    let screen = scene.leave();
    assert!(screen.contains("You had typed, for claude-code-project"), "{screen}");
    assert!(screen.contains("\nstraight on\n"), "{screen}");
}

#[test]
fn keys_meant_for_an_ask_that_has_just_ended_answer_no_other() {
    let scene = Scene::new(SMALL);
    let first = scene.asks("first", way("Road"));
    let second = scene.asks("second", way("River"));
    scene.inbox();
    scene.tmux.press(&["Enter"]);
    scene.tmux.wait_for("╭─ Road ─╮");
    scene.answer_elsewhere(first.id, "Left");
    scene.tmux.wait_for("✔ Road: Left");
    scene.tmux.press(&["Down", "Down", "Enter", "j", "Tab", "1", "Enter", "Escape"]);
    let screen = scene.tmux.wait_for("enter open");
    assert!(selected(&screen).is_some_and(|(_, line)| line.contains("Road")), "{screen}");
    assert!(scene.get(second.id).is_open());
}

#[test]
fn what_was_typed_on_the_page_is_there() {
    let scene = Scene::new(SMALL);
    let ask = scene.asks("claude-code", way("Road"));
    let form = AnswerForm { words: Some("over the hill".into()), ..AnswerForm::default() };
    let draft = Draft { version: 3, answers: vec![form], ..Draft::default() };
    scene.runtime.block_on(scene.hub.person().keep_draft(ask.id, draft)).unwrap();
    scene.inbox();
    scene.tmux.press(&["Enter"]);
    scene.tmux.wait_for("Other: over the hill");
    scene.tmux.press(&["3"]);
    scene.tmux.wait_for("Please specify:");
    scene.tmux.type_text(" and back");
    scene.tmux.wait_for("over the hill and back");
    scene.tmux.press(&["Enter"]);
    assert_eq!(scene.resolution(ask.id)["answers"][0]["words"], "over the hill and back");
}

#[test]
fn what_was_typed_on_the_page_is_never_written_over_unseen() {
    let scene = Scene::new(SMALL);
    let ask = scene.asks("claude-code", way("Road"));
    let words = |version, words: &str| {
        let form = AnswerForm { words: Some(words.into()), ..AnswerForm::default() };
        Draft { version, answers: vec![form], ..Draft::default() }
    };
    let keep =
        |draft| scene.runtime.block_on(scene.hub.person().keep_draft(ask.id, draft)).unwrap();
    let kept = || scene.runtime.block_on(scene.hub.person().draft(ask.id)).unwrap();
    keep(words(3, "over the hill"));
    scene.inbox();
    scene.tmux.press(&["Enter"]);
    scene.tmux.wait_for("Other: over the hill");
    keep(words(7, "through the woods"));
    // It is looked for each time the ask is shown.
    scene.tmux.press(&["Escape"]);
    scene.tmux.wait_for("enter open");
    scene.tmux.press(&["Enter"]);
    scene.tmux.wait_for("Other: through the woods");
    keep(words(9, "by the river"));
    scene.tmux.press(&["3"]);
    scene.tmux.wait_for("Please specify:");
    scene.tmux.type_text(" at night");
    scene.tmux.wait_for("Both are kept");
    assert_eq!(kept(), Some(words(9, "by the river")));
    // It is said until it is no longer so: not only until the next key, and again after a look elsewhere.
    scene.tmux.type_text(" alone");
    let screen = scene.tmux.wait_for("through the woods at night alone");
    assert!(screen.contains("Both are kept"), "{screen}");
    scene.tmux.press(&["Escape"]);
    scene.tmux.wait_for("What you typed is kept");
    scene.tmux.press(&["Escape"]);
    let screen = scene.tmux.wait_for("enter open");
    assert!(!screen.contains("Both are kept"), "{screen}");
    scene.tmux.press(&["Enter"]);
    scene.tmux.wait_for("Both are kept");
    scene.runtime.block_on(scene.hub.person().drop_draft(ask.id)).unwrap();
    scene.tmux.press(&["3"]);
    scene.tmux.wait_for("Please specify:");
    scene.tmux.type_text("!");
    scene.tmux.wait_until("one draft", |screen| !screen.contains("Both are kept"));
    scene.tmux.wait_until("the draft at the hub", |_| {
        let words = kept().and_then(|draft| draft.answers[0].words.clone());
        words.as_deref() == Some("through the woods at night alone!")
    });
}

#[test]
fn a_word_with_a_decision_decides_nothing_here_and_an_edited_input_stays() {
    let scene = Scene::new(SMALL);
    let call = json!({"tool": "Bash", "input": {"command": "rm -r build"}});
    let ask = scene.asks("claude-code", approval(&call.to_string()));
    let input = Some("{\"command\": \"ls".to_owned());
    let message = Some("mind".to_owned());
    let draft = Draft { version: 2, message, input: input.clone(), ..Draft::default() };
    scene.runtime.block_on(scene.hub.person().keep_draft(ask.id, draft)).unwrap();
    scene.inbox();
    scene.tmux.press(&["Enter"]);
    let screen = scene.tmux.wait_for("Other: mind");
    assert!(!screen.contains('●') && !screen.contains('◉'), "nothing is chosen:\n{screen}");
    scene.tmux.press(&["3"]);
    scene.tmux.wait_for("Please specify:");
    scene.tmux.type_text(" the cache");
    scene.tmux.wait_until("the draft at the hub", |_| {
        let draft = scene.runtime.block_on(scene.hub.person().draft(ask.id)).unwrap().unwrap();
        draft.message.as_deref() == Some("mind the cache") && draft.input == input
    });
}

#[test]
fn what_is_typed_and_answered_outlives_the_hub() {
    let mut scene = Scene::new(SMALL);
    let first = scene.asks("first", way("Road"));
    scene.asks("second", way("River"));
    scene.inbox();
    scene.tmux.press(&["Down", "Enter"]);
    scene.tmux.wait_for("╭─ River ─╮");
    scene.tmux.press(&["n"]);
    scene.tmux.wait_for("Note:");
    scene.tmux.type_text("mind the bridge");
    scene.tmux.wait_for("mind the bridge");
    scene.hub.kill();
    scene.tmux.wait_for("the hub is away; what you type stays");
    scene.tmux.press(&["Escape"]);
    scene.tmux.wait_for("What you typed is kept");
    scene.tmux.press(&["["]);
    scene.tmux.wait_for("╭─ Road ─╮");
    scene.tmux.press(&["1"]);
    let screen = scene.tmux.wait_for("Your answer is kept here and sent when it is back");
    assert!(screen.contains("✔ Road: Left"), "{screen}");
    scene.hub.restart();
    scene.tmux.wait_for("● Answered by ann in a terminal:\n✔ Road: Left");
    assert_eq!(scene.resolution(first.id)["answers"][0]["selected"], json!(["Left"]));
    scene.tmux.wait_until("the hub is back", |screen| !screen.contains("the hub is away"));
    scene.tmux.press(&["n"]);
    scene.tmux.wait_for("╭─ River ─╮");
    scene.tmux.press(&["n"]);
    scene.tmux.wait_for("mind the bridge");
}

#[test]
fn whoever_leaves_in_a_hurry_still_has_their_words() {
    let mut scene = Scene::new(SMALL);
    scene.asks("first", way("Road"));
    scene.inbox();
    scene.tmux.press(&["Enter"]);
    scene.tmux.wait_for("╭─ Road ─╮");
    scene.hub.kill();
    scene.tmux.wait_for("the hub is away");
    scene.tmux.press(&["3"]);
    scene.tmux.wait_for("Please specify:");
    scene.tmux.type_text("by the sea");
    scene.tmux.wait_for("by the sea");
    scene.tmux.press(&["Enter"]);
    scene.tmux.wait_for("Your answer is kept here");
    scene.tmux.press(&["C-c"]);
    scene.tmux.wait_for("Being sent: ✔ Road: by the sea");
    // Without waiting for the hub.
    scene.tmux.press(&["C-c"]);
    let screen = scene.tmux.wait_for("ready$");
    assert!(screen.contains("Being sent: ✔ Road: by the sea"), "{screen}");
}

#[test]
fn an_answer_the_hub_never_took_is_told_on_leaving() {
    let mut scene = Scene::new(SMALL);
    scene.asks("first", way("Road"));
    scene.inbox();
    scene.tmux.press(&["Enter"]);
    scene.tmux.wait_for("╭─ Road ─╮");
    scene.hub.kill();
    scene.tmux.wait_for("the hub is away");
    scene.tmux.press(&["1"]);
    scene.tmux.wait_for("Your answer is kept here");
    scene.tmux.press(&["C-c"]);
    let screen = scene.tmux.wait_for("code=0");
    assert!(screen.contains("Not sent, the hub is away: ✔ Road: Left"), "{screen}");
}

#[test]
fn it_is_filtered_and_searched_and_goes_on_in_the_browser() {
    let scene = Scene::new(SMALL);
    let ask = scene.asks("first", way("Road"));
    scene.asks("second", way("River"));
    let decline = Reply::Decline(Some("too early".into()));
    scene.runtime.block_on(scene.hub.person().reply(ask.id, decline, None)).unwrap();
    for agent in ["third", "fourth"] {
        scene.asks(agent, way("Bridge"));
    }
    scene.inbox();
    scene.tmux.press(&["/"]);
    scene.tmux.wait_for("Only:");
    scene.tmux.type_text("fourth bri");
    let screen = scene.tmux.wait_until("one left", |screen| !screen.contains("River"));
    assert!(selected(&screen).unwrap().1.contains("fourth-project"), "{screen}");
    scene.tmux.press(&["Escape"]);
    scene.tmux.wait_for("River");
    scene.tmux.press(&["h"]);
    scene.tmux.wait_for("✘ Declined: too early");
    scene.tmux.type_text("nothing like it");
    scene.tmux.press(&["Enter"]);
    scene.tmux.wait_for("Nothing like that was decided.");
    scene.tmux.press(&["/"]);
    scene.tmux.wait_until("a field", |screen| !screen.contains("/ search"));
    scene.tmux.press(&["C-u"]);
    scene.tmux.type_text("TOO EARLY");
    scene.tmux.wait_for("Decided: TOO EARLY");
    scene.tmux.press(&["Enter"]);
    scene.tmux.wait_until("the first result", |screen| {
        selected(screen).is_some_and(|(_, line)| line.contains("first-project"))
    });
    scene.tmux.press(&["Enter"]);
    let screen = scene.tmux.wait_for("● Declined by ann over the API:\n ✘ Declined: too early");
    assert!(screen.contains("○ Left") && screen.contains("Which way for Road?"), "{screen}");
    scene.tmux.press(&["Escape"]);
    scene.tmux.wait_for("Decided:");
    scene.tmux.press(&["Escape"]);
    scene.tmux.wait_for("enter open");
    scene.tmux.press(&["o"]);
    let screen = scene.tmux.wait_for("/#login=");
    assert!(screen.contains("Whoever opens it can answer for you"), "{screen}");
    scene.tmux.press(&["Escape"]);
    scene.tmux.wait_for("enter open");
    scene.tmux.press(&["?"]);
    scene.tmux.wait_for("In the list");
    scene.tmux.press(&["Escape"]);
    scene.tmux.wait_for("q leave");
    scene.leave();
}

#[test]
fn what_only_the_agents_own_dialog_takes_says_so() {
    let scene = Scene::new(SMALL);
    let policy = Policy { answer_in: AnswerIn::Dialog, ..Policy::default() };
    let ask = scene.asks_with("claude-code", way("Road"), policy);
    scene.inbox();
    scene.tmux.press(&["Enter"]);
    scene.tmux.wait_for("Answer this in the agent's own terminal.");
    scene.tmux.press(&["1", "Enter", "Escape"]);
    scene.tmux.wait_for("q leave");
    scene.leave();
    assert!(scene.get(ask.id).is_open());
}

#[test]
fn hostile_words_of_an_agent_steer_nothing() {
    let scene = Scene::new(WIDE);
    scene.asks("evil\u{1b}]0;owned\u{7}", way("\u{1b}[2JRoad\u{202e}"));
    scene.inbox();
    let screen = scene.tmux.wait_for("␛[2JRoad<U+202E>");
    assert!(screen.contains("evil␛]0;owned␇"), "{screen}");
    assert!(!scene.tmux.ask("#{pane_title}").contains("owned"));
}

#[test]
fn a_command_with_hidden_characters_does_not_look_like_another() {
    let scene = Scene::new(WIDE);
    let hidden = [
        '\u{200d}',
        '\u{fe0f}',
        '\u{2065}',
        '\u{fff0}',
        '\u{180f}',
        '\u{1bca0}',
        '\u{e0080}',
        '\u{e01f0}',
        '\u{e0fff}',
        '\u{378}',
        '\u{94d}',
    ];
    let programs = hidden.map(|c| format!("g{c}it")).join(" ");
    let command = format!("{programs} git\u{a0}status\u{a0}; git\u{2800}log ❤\u{fe0f} ls\r\n");
    let call = json!({"tool": "Bash", "input": {"command": command}});
    let ask = scene.asks("claude-code", approval(&call.to_string()));
    scene.inbox();
    let in_list = scene.tmux.wait_for("g<U+200D>it");
    scene.tmux.press(&["Enter"]);
    let opened = scene.tmux.wait_for("❤<U+FE0F>");
    let opened = opened.replace(|c: char| c.is_whitespace() || c == '│', "");
    for c in hidden {
        let mark = format!("g<U+{:04X}>it", u32::from(c));
        assert!(opened.contains(&mark), "{mark}: {opened}");
    }
    assert!(opened.contains("git<U+00A0>status<U+00A0>;git<U+2800>log❤<U+FE0F>ls␍"), "{opened}");
    assert!(!in_list.contains(": git"), "{in_list}");
    scene.tmux.press(&["Escape"]);
    scene.tmux.wait_for("q leave");
    scene.leave();
    assert!(scene.get(ask.id).is_open());
}

#[test]
fn it_stops_and_comes_back_like_any_job_and_follows_the_size() {
    let scene = Scene::new(SMALL);
    scene.asks("claude-code", way("Road"));
    scene.inbox();
    scene.tmux.press(&["Enter"]);
    scene.tmux.wait_for("╭─ Road ─╮");
    scene.tmux.press(&["C-z"]);
    scene.tmux.wait_for("Stopped");
    let screen = scene.tmux.screen();
    assert!(!screen.contains("╭─ Road ─╮") && screen.contains("before"), "{screen}");
    scene.tmux.type_line("fg");
    scene.tmux.wait_for("╭─ Road ─╮");
    scene.tmux.resize(40, 12);
    scene.tmux.wait_until("a smaller picture", |screen| {
        screen.contains("╭─ Road ─╮") && screen.lines().count() <= 12
    });
    scene.tmux.resize(120, 30);
    scene.tmux.wait_until("both", |screen| {
        screen.contains("╭─ Road ─╮") && screen.contains("Road: Which way")
    });
    scene.tmux.press(&["C-c"]);
    // What is typed before the shell is back is dropped.
    scene.tmux.wait_until("the shell", |screen| screen.trim_end().ends_with("ready$"));
    scene.tmux.type_line("echo left=$?");
    scene.tmux.wait_for("left=0");
}

#[test]
fn a_signal_ends_it_with_the_screen_given_back() {
    let scene = Scene::new(SMALL);
    scene.asks("claude-code", way("Road"));
    let program = env!("CARGO_BIN_EXE_handraise");
    scene
        .tmux
        .type_line(&format!("clear; sh -c 'echo $$ > pid; exec {program} inbox'; echo code=$?"));
    scene.tmux.wait_for("Road: Which way");
    assert_eq!(scene.tmux.ask("#{alternate_on}"), "1");
    let pid = std::fs::read_to_string(scene.directory().join("pid")).unwrap();
    let killed = Command::new("kill").args(["-TERM", pid.trim()]).status().unwrap();
    assert!(killed.success());
    scene.tmux.wait_for("code=143");
    assert_eq!(scene.tmux.ask("#{alternate_on}#{mouse_any_flag}#{cursor_flag}"), "001");
}

#[test]
fn an_agent_cannot_open_it() {
    let scene = Scene::new(SMALL);
    scene.tmux.type_line("CLAUDECODE=1 handraise inbox; echo code=$?");
    let screen = scene.tmux.wait_for("code=2");
    assert!(screen.contains("does not run inside an agent"), "{screen}");
}

#[test]
fn the_terminal_rings_when_something_new_waits_and_nobody_looks() {
    let scene = Scene::new(SMALL);
    let raw = scene.directory().join("raw");
    let rings = || std::fs::read(&raw).unwrap().split(|byte| *byte == 7).count() - 1;
    scene.asks("first", way("Road"));
    scene.tmux.type_line(&format!("tmux pipe-pane 'cat > {}'", raw.display()));
    scene.tmux.wait_until("a record of what is written", |_| raw.exists());
    scene.inbox();
    scene.tmux.wait_for("Road");
    scene.asks("second", way("River"));
    scene.tmux.wait_until("a ring", |_| rings() == 1);
    scene.tmux.press(&["Down"]);
    scene.tmux.wait_until("the second one", |screen| {
        selected(screen).is_some_and(|(_, line)| line.contains("River"))
    });
    scene.asks("third", way("Bridge"));
    scene.tmux.wait_for("Bridge");
    scene.leave();
    assert_eq!(rings(), 1, "somebody is there now, and nothing rings for what waited before");
}

#[test]
fn several_questions_are_reviewed_and_another_ask_is_discussed_first() {
    let scene = Scene::new(SMALL);
    let two = json!([
        one_of("Which way?", "Way", &["Left", "Right"]),
        one_of("Which day?", "Day", &["Monday", "Friday"]),
    ]);
    let both = scene.asks("first", questions(&two.to_string()));
    let road = scene.asks("second", way("Road"));
    scene.inbox();
    scene.tmux.wait_for("Way: Which way? (+1)");
    scene.tmux.press(&["Enter"]);
    scene.tmux.wait_for("Question 1 of 2");
    scene.tmux.press(&["2"]);
    scene.tmux.wait_for("Question 2 of 2");
    scene.tmux.press(&["Tab"]);
    scene.tmux.wait_for("These answers will be sent together");
    scene.tmux.press(&["l"]);
    scene.tmux.wait_for("Day: left open on purpose");
    scene.tmux.press(&["Down", "Enter"]);
    let answers = scene.resolution(both.id)["answers"].clone();
    assert_eq!(answers[0]["selected"], json!(["Right"]));
    assert_eq!(answers[1]["leftOpen"], true);
    scene.tmux.wait_for("– Day: left open on purpose");
    scene.tmux.press(&["n"]);
    scene.tmux.wait_for("╭─ Road ─╮");
    scene.tmux.press(&["d"]);
    scene.tmux.wait_for("Talk first:");
    scene.tmux.type_text("why not the train?");
    scene.tmux.wait_for("why not the train?");
    scene.tmux.press(&["Enter"]);
    let resolution = scene.resolution(road.id);
    assert_eq!(
        (&resolution["kind"], &resolution["words"]),
        (&json!("discuss"), &json!("why not the train?"))
    );
    scene.tmux.wait_for("● To be discussed first by ann in a terminal:");
}
