//! The real Claude Code asks, somebody at its terminal answers, the model reads the answer.

use handraise_testkit::{Block, ClaudeHome, Ended, Program, ScriptedModel};
use serde_json::json;

use crate::scene::{DEFAULT, Scene, auth, database, features, layout};

#[test]
fn the_real_claude_code_takes_a_digit_for_an_answer() {
    let Scene { session, model, home: _home } = Scene::of(&json!([database()]), DEFAULT);
    session.prompt("SCRIPT:ask TAG:one");
    session.wait_dialog("Which database should we use?");
    session.answer(&["2"]);
    let result = model.wait_result("one");
    assert_eq!(
        result.text,
        "Your questions have been answered: \"Which database should we use?\"=\"SQLite\". \
         You can now continue with these answers in mind."
    );
    assert!(!result.is_error);
    session.wait_closed();
    session.wait_for("User answered Claude's questions:");
    session.wait_for(&format!("ECHO {}", result.tool_use_id));
}

#[test]
fn the_real_claude_code_takes_several_choices() {
    let Scene { session, model, home: _home } = Scene::of(&json!([features()]), DEFAULT);
    session.prompt("SCRIPT:ask TAG:one");
    session.wait_dialog("Which features do you want?");
    session.answer(&["1", "2", "Tab"]);
    session.wait_for("Ready to submit your answers?");
    session.answer(&["Enter"]);
    let text = model.wait_result("one").text;
    let answer = r#""Which features do you want?"="Auth, "Billing, taxes"""#;
    assert!(text.contains(answer), "{text}");
    session.wait_closed();
}

#[test]
fn the_real_claude_code_takes_four_answers_at_once() {
    let questions = json!([database(), features(), layout(), auth()]);
    let Scene { session, model, home: _home } = Scene::of(&questions, DEFAULT);
    session.prompt("SCRIPT:ask TAG:one");
    session.wait_dialog("Which database should we use?");
    session.answer(&["1"]);
    session.wait_for("Which features do you want?");
    session.answer(&["1", "3", "Tab"]);
    session.wait_for("Which layout do you prefer?");
    session.answer(&["2", "Enter"]);
    session.wait_for("Which auth method?");
    session.answer(&["2"]);
    session.wait_for("Ready to submit your answers?");
    session.answer(&["Enter"]);
    let text = model.wait_result("one").text;
    for answer in [
        r#""Which database should we use?"="Postgres""#,
        r#""Which features do you want?"="Auth, Search""#,
        r#""Which layout do you prefer?"="Topbar""#,
        r#""Which auth method?"="Session cookie""#,
    ] {
        assert!(text.contains(answer), "no {answer} in {text}");
    }
    session.wait_closed();
}

#[test]
fn the_real_claude_code_tells_of_escape_with_the_next_prompt() {
    let Scene { session, model, home: _home } = Scene::of(&json!([database()]), DEFAULT);
    session.prompt("SCRIPT:ask TAG:one");
    session.wait_dialog("Which database should we use?");
    session.answer(&["Escape"]);
    session.wait_closed();
    session.wait_for("User declined to answer questions");
    assert_eq!(model.tool_results(), []);
    session.prompt("SCRIPT:hello TAG:two");
    let result = model.wait_result("one");
    assert!(result.is_error && result.text.contains("doesn't want to proceed"), "{result:?}");
    session.wait_for("Hello there.");
}

#[test]
fn two_real_claude_codes_get_an_answer_each() {
    let model = ScriptedModel::start();
    model.script("ask", vec![vec![Block::ask(&json!([database()]))]]);
    let home = ClaudeHome::new(&model);
    let (left, right) = (home.project("left"), home.project("right"));
    let left = home.session(&left, DEFAULT);
    let right = home.session(&right, &["--permission-mode", "bypassPermissions"]);
    left.prompt("SCRIPT:ask TAG:left");
    right.prompt("SCRIPT:ask TAG:right");
    left.wait_dialog("Which database should we use?");
    right.wait_dialog("Which database should we use?");
    right.answer(&["3"]);
    left.answer(&["1"]);
    let (of_left, of_right) = (model.wait_result("left"), model.wait_result("right"));
    assert!(of_left.text.contains(r#"="Postgres""#), "{of_left:?}");
    assert!(of_right.text.contains(r#"="MySQL""#), "{of_right:?}");
    assert_ne!(of_left.tool_use_id, of_right.tool_use_id);
    assert_eq!(model.wait_results(2).len(), 2);
}

fn asks_in(mode: &str) {
    let args = ["--permission-mode", mode];
    let Scene { session, model, home: _home } = Scene::of(&json!([database()]), &args);
    session.prompt("SCRIPT:ask TAG:one, please;");
    session.wait_dialog("Which database should we use?");
    session.answer(&["2"]);
    let result = model.wait_result("one");
    assert!(result.text.contains(r#"="SQLite""#), "{result:?}");
}

#[test]
fn the_real_claude_code_asks_in_auto_mode() {
    asks_in("auto");
}

#[test]
fn the_real_claude_code_asks_in_plan_mode() {
    asks_in("plan");
}

#[test]
fn the_real_claude_code_asks_while_it_accepts_edits() {
    asks_in("acceptEdits");
}

#[test]
fn the_real_claude_code_asks_on_the_screen_it_shares_with_the_shell() {
    let model = ScriptedModel::start();
    model.script("ask", vec![vec![Block::ask(&json!([database()]))]]);
    let home = ClaudeHome::new(&model).with_variable("CLAUDE_CODE_NO_FLICKER", "0");
    let session = home.session(&home.project("shop"), DEFAULT);
    session.prompt("SCRIPT:ask TAG:one");
    session.wait_dialog("Which database should we use?");
    assert_eq!(session.tmux().ask("#{alternate_on}"), "0");
    session.answer(&["2"]);
    assert!(model.wait_result("one").text.contains(r#"="SQLite""#));
    session.wait_closed();
}

#[test]
fn the_real_claude_code_works_without_a_terminal() {
    let model = ScriptedModel::start();
    let greet = json!({ "command": "echo $GREETING", "description": "Greet" });
    model.script("greet", vec![vec![Block::tool("Bash", greet)]]);
    let home = ClaudeHome::new(&model).with_variable("GREETING", "hello");
    let project = home.project("shop");
    let mut command = home.command(&project);
    command.args(["-p", "--permission-mode", "bypassPermissions", "SCRIPT:greet TAG:one"]);
    let Ended { status, stdout, stderr } = Program::run(&mut command);
    assert!(status.success(), "{stderr}");
    let result = model.wait_result("one");
    assert_eq!(result.text, "hello");
    assert!(stdout.contains(&format!("ECHO {}: hello", result.tool_use_id)), "{stdout}");
}
