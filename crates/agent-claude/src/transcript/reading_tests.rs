//! What is found in a file that grows, and in one that does not behave.

use std::fs::{self, OpenOptions};
use std::io::Write;

use serde_json::{Value, json};

use super::*;

/// A file that is read again and again.
struct Scene {
    directory: tempfile::TempDir,
    reading: Reading,
}

impl Scene {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("session.jsonl");
        fs::write(&path, "").unwrap();
        Self { directory, reading: Reading::new(path) }
    }

    fn append(&self, bytes: impl AsRef<[u8]>) {
        let mut file = OpenOptions::new().append(true).open(self.reading.path()).unwrap();
        file.write_all(bytes.as_ref()).unwrap();
    }

    fn lines(&self, lines: &[Value]) {
        for line in lines {
            self.append(format!("{line}\n"));
        }
    }

    fn found(&mut self) -> Vec<String> {
        let mut found = vec![];
        self.reading.catch_up(|what| found.push(said(&what))).unwrap();
        found
    }

    fn pending(&self) -> Vec<&str> {
        self.reading.pending().iter().map(|call| call.id.as_str()).collect()
    }
}

fn said(found: &Found) -> String {
    match found {
        Found::Asked(call) => format!("asked {}", call.id),
        Found::Settled(call, outcome) => format!("settled {}: {}", call.id, outcome.text),
        Found::Restarted => "restarted".into(),
    }
}

fn call(id: &str) -> Value {
    json!({"type": "assistant", "sessionId": "s", "cwd": "/w", "message": {"content": [
        {"type": "text", "text": "AskUserQuestion it is"},
        {"type": "tool_use", "id": id, "name": "AskUserQuestion", "input": {"questions": []}}]}})
}

fn result(id: &str, text: &str) -> Value {
    json!({"type": "user", "message": {"content": [
        {"type": "tool_result", "tool_use_id": id, "content": text}]}})
}

fn make_pipe(path: &Path) {
    assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
}

fn sample(name: &str) -> Vec<Found> {
    let path = format!("{}/samples/{name}.jsonl", env!("CARGO_MANIFEST_DIR"));
    let mut found = vec![];
    Reading::new(path.into()).catch_up(|what| found.push(what)).unwrap();
    found
}

#[test]
fn what_claude_code_wrote_is_understood() {
    let found = sample("answered");
    let [Found::Asked(_), Found::Settled(call, outcome)] = &found[..] else { panic!("{found:?}") };
    assert_eq!(call.id, "toolu_ask1_0_0_cf69");
    assert_eq!(call.session.as_deref(), Some("c7a9f022-8f49-49a9-a06c-ed2176657136"));
    assert_eq!(call.cwd.as_deref(), Some(Path::new("/home/dev/project")));
    assert_eq!(call.entrypoint.as_deref(), Some("sdk-cli"));
    assert!(call.questions.get().starts_with(r#"[{"question":"Which database should we use?","#));
    assert!(!call.sidechain);
    assert_eq!(outcome.decided_by.as_deref(), Some("user_temporary"));
    assert_eq!(outcome.at.unwrap().to_string(), "2026-11-15T18:20:56.438Z");
    assert!(outcome.at > call.asked_at && call.asked_at.is_some());
    assert_eq!(outcome.result["answers"], json!({"Which database should we use?": "MySQL"}));

    let found = sample("denied");
    let [_, Found::Settled(_, outcome)] = &found[..] else { panic!("{found:?}") };
    assert!(outcome.denied && outcome.failed && !outcome.rejected);
    assert_eq!(outcome.text, "no thanks");
    let found = sample("interrupted");
    let [_, Found::Settled(_, outcome)] = &found[..] else { panic!("{found:?}") };
    assert!(outcome.rejected);
    assert_eq!(sample("killed").len(), 1);
}

#[test]
fn only_what_was_appended_is_found_and_half_a_line_waits() {
    let mut scene = Scene::new();
    assert_eq!(scene.found(), [""; 0]);
    scene.lines(&[call("a"), call("b"), result("c", "of another"), result("b", "yes")]);
    assert_eq!(scene.found(), ["asked a", "asked b", "settled b: yes"]);
    assert_eq!((scene.found(), scene.pending()), (vec![], vec!["a"]));
    let line = result("a", "no").to_string();
    for piece in line.as_bytes().chunks(7) {
        scene.append(piece);
        assert_eq!(scene.found(), [""; 0]);
    }
    scene.append("\n");
    assert_eq!(scene.found(), ["settled a: no"]);
    assert_eq!(scene.pending(), [""; 0]);
}

#[test]
fn a_call_is_asked_once_and_settled_once() {
    let mut scene = Scene::new();
    scene.lines(&[result("a", "before"), call("a"), call("a"), result("a", "1"), result("a", "2")]);
    scene.lines(&[call("a"), result("a", "3")]);
    assert_eq!(scene.found(), ["asked a", "settled a: 1"]);
    let both = json!({"message": {"content": [call("b")["message"]["content"][1],
        result("b", "x")["message"]["content"][0], call("c")["message"]["content"][1]]}});
    scene.lines(&[both]);
    assert_eq!(scene.found(), ["asked b", "settled b: x", "asked c"]);
}

#[test]
fn other_ways_to_write_the_same_are_understood() {
    let mut scene = Scene::new();
    let spaced = r#"{ "message" : { "content" : [ {"type" : "tool_use", "id" : "a\"b", "name" : "AskUserQuestion"} ] } }"#;
    scene.append(format!("\n  {spaced}  \r\n"));
    scene.append(r#"{"message":{"content":[{"tool_use_id" : "a\"b","type":"tool_result","content":[{"text":"x"},{"type":"image"},{"text":"y"}]}]},"isSidechain":true}"#);
    scene.append("\n");
    assert_eq!(scene.found(), ["asked a\"b", "settled a\"b: x\ny"]);
}

#[test]
fn lines_that_make_no_sense_are_passed_over() {
    let mut scene = Scene::new();
    let mut deep = call("deep");
    deep["message"]["content"][1]["input"] = json!({"questions": "QUESTIONS"});
    let nested = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    scene.append(deep.to_string().replace("\"QUESTIONS\"", &nested) + "\n");
    let cut = call("cut").to_string();
    scene.append(format!("{}\n", &cut[..cut.len() - 4]));
    scene.append(
        b"\"tool_use\" \"AskUserQuestion\" \xff\xfe \0\0\0\n\n\0\n{}\n[]\nnull\n\"tool_use\"\n",
    );
    scene.append(b"\"AskUserQuestion\" \"tool_use\"\n");
    for content in [json!("\"AskUserQuestion\""), json!(null), json!([5, null, [], {"type": 5}])] {
        scene.lines(&[
            json!({"message": {"content": content}, "x": "AskUserQuestion", "y": "tool_use"}),
        ]);
    }
    for item in [
        json!({"type": "tool_use", "name": "AskUserQuestion"}),
        json!({"type": "tool_use", "name": "AskUserQuestion", "id": 5}),
        json!({"type": "tool_use", "name": ["AskUserQuestion"], "id": "x"}),
        json!({"type": "server_tool_use", "name": "AskUserQuestion", "id": "x"}),
        json!({"type": "tool_use", "name": "askuserquestion", "id": "x"}),
    ] {
        scene.lines(&[json!({"message": {"content": [item]}})]);
    }
    let mut wrong = call("wrong");
    wrong["cwd"] = json!(5);
    wrong["timestamp"] = json!("yesterday");
    wrong["message"]["content"][1]["input"] = json!(null);
    scene.lines(&[wrong]);
    assert_eq!(scene.found(), ["asked deep", "asked wrong"]);
    assert_eq!(scene.reading.pending()[0].questions.get(), nested, "byte for byte");
    let wrong = &scene.reading.pending()[1];
    assert_eq!((wrong.questions.get(), &wrong.cwd, wrong.asked_at), ("null", &None, None));
    assert_eq!(scene.reading.lines_passed_over(), 3);
}

#[test]
fn a_file_that_was_cut_replaced_or_written_anew_is_read_from_its_beginning() {
    let mut scene = Scene::new();
    let other = scene.directory.path().join("other");
    scene.lines(&[call("a")]);
    scene.append("{\"half");
    assert_eq!(scene.found(), ["asked a"]);
    // Cut.
    fs::write(scene.reading.path(), format!("{}\n", call("b"))).unwrap();
    assert_eq!(
        (scene.found(), scene.pending()),
        (vec!["restarted".into(), "asked b".into()], vec!["b"])
    );
    // Replaced by a longer one that begins alike.
    let path = scene.reading.path().to_owned();
    fs::write(&other, format!("{}\n{}\n", call("b"), call("c"))).unwrap();
    fs::rename(&other, &path).unwrap();
    assert_eq!(scene.found(), ["restarted", "asked b", "asked c"]);
    // Written anew in place, with more than there was.
    fs::write(
        &path,
        format!("{}\n", [call("d"), call("e"), call("f")].map(|c| c.to_string()).join("\n")),
    )
    .unwrap();
    assert_eq!(scene.found(), ["restarted", "asked d", "asked e", "asked f"]);
    // Emptied, then filled again.
    fs::write(&path, "").unwrap();
    assert_eq!((scene.found(), scene.pending()), (vec!["restarted".into()], vec![]));
    scene.lines(&[call("g")]);
    assert_eq!(scene.found(), ["asked g"]);
    // Moved away: what was known stays known until there is another.
    fs::rename(&path, &other).unwrap();
    scene.reading.catch_up(|_| {}).unwrap_err();
    assert_eq!(scene.pending(), ["g"]);
    fs::rename(&other, &path).unwrap();
    scene.lines(&[result("g", "x")]);
    assert_eq!(scene.found(), ["settled g: x"]);
}

#[test]
fn what_is_no_file_is_refused_and_nobody_is_waited_for() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    make_pipe(&at("pipe"));
    std::os::unix::fs::symlink("loop", at("loop")).unwrap();
    fs::create_dir(at("x.jsonl")).unwrap();
    for path in [at("pipe"), at("loop"), at("x.jsonl"), at("missing"), "/dev/zero".into()] {
        let mut reading = Reading::new(path.clone());
        let mut found = 0;
        reading.catch_up(|_| found += 1).unwrap_err();
        assert_eq!(found, 0, "{}", path.display());
    }
}

#[test]
fn the_line_before_an_endless_one_and_the_line_after_it_count() {
    let mut scene = Scene::new();
    scene.lines(&[call("a")]);
    let long = vec![b'x'; 1024 * 1024];
    for _ in 0..40 {
        scene.append(&long);
        assert!(scene.found().len() <= 1);
    }
    scene.append("\n");
    scene.lines(&[result("a", "x")]);
    assert_eq!(scene.found(), ["settled a: x"]);
    assert_eq!(scene.reading.lines_passed_over(), 1);
}

#[test]
fn a_line_full_of_the_words_looked_for_costs_no_more_than_its_length() {
    let mut scene = Scene::new();
    scene.lines(&[call("a")]);
    for word in ["\"tool_use\",", "\"tool_use_id\":\"b\",", "\"tool_use"] {
        scene.append(format!("[{}\n", word.repeat(300_000)));
    }
    scene.lines(&[result("a", "x")]);
    assert_eq!(scene.found(), ["asked a", "settled a: x"]);
}
