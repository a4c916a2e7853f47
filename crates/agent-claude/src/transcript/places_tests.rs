//! Places as Claude Code makes them.

use std::fs;
use std::time::{Duration, SystemTime};

use serde_json::json;

use super::*;

struct Home {
    home: tempfile::TempDir,
    places: Places,
}

impl Home {
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        let places = Places::new(home.path().to_owned());
        Self { home, places }
    }

    /// A transcript of a session that works in `cwd`, in this project's directory.
    fn session(&self, directory: &str, session: &str, cwd: &str) -> PathBuf {
        let path = self.places.projects().join(directory).join(format!("{session}.jsonl"));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let lines = [json!({"type": "queue-operation"}), json!({"type": "user", "cwd": cwd})];
        let later = json!({"type": "user", "cwd": format!("{cwd}/below")});
        fs::write(&path, format!("{}\nnonsense\n{}\n{later}\n", lines[0], lines[1])).unwrap();
        path
    }
}

fn aged(path: &Path, seconds: u64) {
    let file = fs::File::options().write(true).open(path).unwrap();
    file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)).unwrap();
}

fn make_pipe(path: &Path) {
    assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
}

fn sessions(files: &[SessionFile]) -> Vec<&str> {
    files.iter().map(|file| file.session.as_str()).collect()
}

#[test]
fn a_path_is_mangled_as_measured() {
    let mangled = |path: &str| mangled(Path::new(path));
    assert_eq!(mangled("/home/dev/my_app.v2"), "-home-dev-my-app-v2");
    assert_eq!(mangled("/é-ü"), "----");
    assert_eq!(mangled("/日本"), "---");
    assert_eq!(mangled("/😀"), "---");
    assert_eq!(mangled("/Ab c@9"), "-Ab-c-9");
}

#[test]
fn directories_that_share_a_place_are_told_apart_by_what_sessions_say() {
    let home = Home::new();
    home.session("-w-a-b", "one", "/w/a.b");
    home.session("-w-a-b", "two", "/w/a b");
    fs::write(home.places.projects().join("-w-a-b/empty.jsonl"), "").unwrap();
    assert_eq!(sessions(&home.places.transcripts_of(Path::new("/w/a.b"))), ["one"]);
    assert_eq!(sessions(&home.places.transcripts_of(Path::new("/w/a b"))), ["two"]);
    assert_eq!(sessions(&home.places.transcripts_of(Path::new("/w/a_b"))), [""; 0]);
    assert_eq!(
        home.places.directory_of(Path::new("/w/a_b")),
        home.home.path().join("projects/-w-a-b")
    );
}

#[test]
fn a_very_long_directory_is_found_by_its_beginning() {
    let home = Home::new();
    let (this, other) =
        (format!("/{}/this", "x".repeat(300)), format!("/{}/other", "x".repeat(300)));
    let cut = format!("-{}", "x".repeat(199));
    home.session(&format!("{cut}-abc123"), "other", &other);
    home.session(&format!("{cut}-xyz789"), "this", &this);
    let places = &home.places;
    assert_eq!(sessions(&places.transcripts_of(Path::new(&this))), ["this"]);
    let expected = places.projects().join(format!("{cut}-xyz789"));
    assert_eq!(places.directory_of(Path::new(&this)), expected);
    assert!(places.transcript("this", Some(Path::new(&this))).is_some());
}

#[test]
fn the_newest_is_first_and_the_list_may_know_better() {
    let home = Home::new();
    for (age, session) in [(100, "old"), (300, "new"), (200, "middle")] {
        aged(&home.session("-w", session, "/w"), age);
    }
    let directory = home.places.directory_of(Path::new("/w"));
    assert_eq!(sessions(&Places::transcripts_in(&directory)), ["new", "middle", "old"]);
    let entry = |session: &str, path: &str, modified: &str| json!({"sessionId": session, "fullPath": path, "modified": modified});
    let list = json!({"version": 1, "entries": [
        entry("old", "/moved/-w/old.jsonl", "1970-01-01T00:10:00.000Z"),
        entry("gone", "/moved/-w/gone.jsonl", "2030-01-01T00:00:00.000Z"),
        entry("passwd", "/etc/passwd", "2030-01-01T00:00:00.000Z"),
        entry("middle", "x/middle.jsonl", "nonsense"),
        5, {"sessionId": "../x", "modified": "1970-01-01T00:10:00.000Z"}, {"sessionId": ".."}]});
    fs::write(directory.join("sessions-index.json"), list.to_string()).unwrap();
    assert_eq!(sessions(&Places::transcripts_in(&directory)), ["old", "new", "middle"]);
    for nonsense in ["", "[]", "{\"entries\":5}", "\u{0}", "{\"entries\":[{]"] {
        fs::write(directory.join("sessions-index.json"), nonsense).unwrap();
        assert_eq!(sessions(&Places::transcripts_in(&directory)), ["new", "middle", "old"]);
    }
}

#[test]
fn what_is_no_file_is_no_transcript() {
    let home = Home::new();
    home.session("-w", "one", "/w");
    let directory = home.places.directory_of(Path::new("/w"));
    fs::create_dir(directory.join("directory.jsonl")).unwrap();
    std::os::unix::fs::symlink("loop.jsonl", directory.join("loop.jsonl")).unwrap();
    std::os::unix::fs::symlink("/dev/zero", directory.join("zero.jsonl")).unwrap();
    let pipe = directory.join("pipe.jsonl");
    make_pipe(&pipe);
    assert_eq!(sessions(&Places::transcripts_in(&directory)), ["one"]);
    assert_eq!(sessions(&home.places.transcripts_of(Path::new("/w"))), ["one"]);
}

#[test]
fn a_session_is_found_wherever_it_is_and_nothing_else_is() {
    let home = Home::new();
    let path = home.session("-w", "one", "/w");
    let places = &home.places;
    assert_eq!(places.transcript("one", Some(Path::new("/w"))), Some(path.clone()));
    assert_eq!(places.transcript("one", Some(Path::new("/elsewhere"))), Some(path.clone()));
    assert_eq!(places.transcript("one", None), Some(path));
    for name in ["two", "../-w/one", "", ".", "a/b", "/w/one"] {
        assert_eq!(places.transcript(name, Some(Path::new("/w"))), None, "{name}");
    }
    assert_eq!(Places::new("/no/such/place".into()).directories(), [""; 0].map(PathBuf::from));
}

#[test]
fn sessions_that_run_say_what_they_do() {
    let home = Home::new();
    let directory = home.places.sessions();
    fs::create_dir_all(&directory).unwrap();
    let waiting = json!({"pid": 12, "sessionId": "one", "cwd": "/w", "version": "2.1.325",
        "kind": "interactive", "entrypoint": "cli", "status": "waiting",
        "waitingFor": "input needed", "name": "w-1", "nameSource": "derived"});
    fs::write(directory.join("12.json"), waiting.to_string()).unwrap();
    let named = json!({"sessionId": "two", "name": "auth", "nameSource": "user", "status": 5});
    fs::write(directory.join("7.json"), named.to_string()).unwrap();
    for (name, content) in [
        ("8.json", "{\"cwd\":1}"),
        ("9.json", "{"),
        ("x.json", "{}"),
        ("007.json", "{}"),
        ("12.key", ""),
    ] {
        fs::write(directory.join(name), content).unwrap();
    }
    let running = home.places.running();
    assert_eq!(running.iter().map(|running| running.pid).collect::<Vec<_>>(), [7, 12]);
    assert_eq!((running[0].name.as_deref(), &running[0].status), (Some("auth"), &None));
    assert_eq!(running[1].waiting_for.as_deref(), Some("input needed"));
    assert_eq!(
        (running[1].name.as_deref(), running[1].cwd.as_deref()),
        (None, Some(Path::new("/w")))
    );
}
