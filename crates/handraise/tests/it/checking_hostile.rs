//! Transcripts that were written to break whoever reads them.

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::check_corpus::{Corpus, QUESTION, Session};

/// Runs it to its end: what it printed, and the most memory it had, in megabytes.
fn measured(command: &mut Command) -> (Value, u64) {
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    let ended = loop {
        let status = fs::read_to_string(&status).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
        peak = kilobytes.unwrap_or(0).max(peak);
        if let Some(ended) = child.try_wait().unwrap() {
            break ended;
        }
        thread::sleep(Duration::from_millis(2));
    };
    assert!(ended.success(), "{ended}");
    let mut said = String::new();
    child.stdout.take().unwrap().read_to_string(&mut said).unwrap();
    (serde_json::from_str(&said).unwrap(), peak / 1024)
}

fn make_pipe(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// A session that asked and was answered, around whatever `write` does to its file.
fn around(write: impl FnOnce(&mut File)) -> (Value, u64) {
    let corpus = Corpus::new();
    let mut session = corpus.session("/w/shop", "one");
    session.honest(5.0);
    write(&mut session.file);
    session.honest(5.0);
    measured(&mut corpus.command(&["--json"]))
}

/// What is before and after it counts, and it takes no memory.
fn costs_only_itself(lines: u64, write: impl FnOnce(&mut File)) {
    let (found, megabytes) = around(write);
    assert_eq!(found["total"]["fromOptions"], 2, "{found}");
    assert_eq!(found["total"]["suspicious"], 0, "{found}");
    assert_eq!(found["skipped"]["lines"], lines, "{found}");
    assert!(megabytes < 80, "{megabytes} MB");
}

/// The beginning of a line that looks like a call.
const CALL: &[u8] =
    br#"{"message":{"content":[{"type":"tool_use","id":"toolu_x","name":"AskUserQuestion","#;

#[test]
fn a_line_of_a_gigabyte_costs_only_itself() {
    costs_only_itself(1, |file| {
        file.write_all(CALL).unwrap();
        // A hole in the file: it reads as zeros, and takes no room on the disk.
        file.seek(SeekFrom::Current(1 << 30)).unwrap();
        file.write_all(b"\n").unwrap();
    });
}

#[test]
fn a_last_line_of_a_gigabyte_that_never_ends_is_waited_for_without_memory() {
    let corpus = Corpus::new();
    let mut session = corpus.session("/w/shop", "one");
    session.honest(5.0);
    session.file.write_all(CALL).unwrap();
    let end = session.file.stream_position().unwrap();
    session.file.set_len(end + (1 << 30)).unwrap();
    let (found, megabytes) = measured(&mut corpus.command(&["--json"]));
    assert_eq!(found["total"]["asked"], 1, "{found}");
    assert!(megabytes < 64, "{megabytes} MB");
}

#[test]
fn lines_as_long_as_are_read_take_no_more_when_there_are_many() {
    let filling = vec![b'0'; 15 * 1024 * 1024];
    costs_only_itself(0, |file| {
        for field in [r#""input":{"x":"#, r#""input":{"questions":["#] {
            for _ in 0..2 {
                let call = String::from_utf8_lossy(CALL);
                let call = call
                    .replace("toolu_x", "toolu_none")
                    .replace("AskUserQuestion\",", "Bash\",\"n\":\"AskUserQuestion\",");
                file.write_all(call.as_bytes()).unwrap();
                file.write_all(field.as_bytes()).unwrap();
                file.write_all(b"\"").unwrap();
                file.write_all(&filling).unwrap();
                let end: &[u8] = if field.ends_with('[') { b"\"]}}]}}\n" } else { b"\"}}]}}\n" };
                file.write_all(end).unwrap();
            }
        }
    });
}

#[test]
fn a_long_list_of_nothing_takes_no_memory() {
    costs_only_itself(0, |file| {
        let item = b"[],".repeat(1_200_000);
        for (begin, end) in [
            (r#"{"t":"tool_use","x":"AskUserQuestion","x":["#, "0]}\n"),
            (r#"{"t":"tool_use","x":"AskUserQuestion","message":{"content":["#, "0]}}\n"),
            (r#"{"t":"tool_use","x":["AskUserQuestion"],"toolUseResult":["#, "0]}\n"),
        ] {
            file.write_all(begin.as_bytes()).unwrap();
            file.write_all(&item).unwrap();
            file.write_all(end.as_bytes()).unwrap();
        }
    });
}

#[test]
fn what_is_no_text_and_what_is_too_deep_costs_only_itself() {
    // Six lines that name the tool and make no sense.
    costs_only_itself(6, |file| {
        for junk in [&b"\xff\xfe\xc0\x80"[..], b"\0\0\0", b"\x1b[2J", b"\\u0000", b"]]]]]"] {
            file.write_all(CALL).unwrap();
            file.write_all(junk).unwrap();
            file.write_all(b"\n\n\0\n").unwrap();
        }
        let open = "[".repeat(10_000);
        file.write_all(
            format!("{{\"t\":\"tool_use\",\"x\":\"AskUserQuestion\",\"y\":{open}\n").as_bytes(),
        )
        .unwrap();
        let close = "]".repeat(10_000);
        let deep =
            format!("{{\"t\":\"tool_use\",\"x\":\"AskUserQuestion\",\"y\":{open}{close}}}\n");
        file.write_all(deep.as_bytes()).unwrap();
    });
}

#[test]
fn twenty_thousand_questions_nobody_answers_take_little_memory() {
    let corpus = Corpus::new();
    let mut session = corpus.session("/w/shop", "one");
    for _ in 0..20_000 {
        session.ask(&[QUESTION]);
    }
    session.honest(5.0);
    let (found, megabytes) = measured(&mut corpus.command(&["--json"]));
    assert_eq!(found["total"]["fromOptions"], 1, "{found}");
    assert!(megabytes < 64, "{megabytes} MB");
}

#[test]
fn what_is_no_file_is_passed_over_and_nobody_is_waited_for() {
    let corpus = Corpus::new();
    let session = &mut corpus.session("/w/shop", "one");
    session.honest(5.0);
    let beside = |name: &str| session.path.with_file_name(name);
    fs::create_dir(beside("directory.jsonl")).unwrap();
    symlink("loop.jsonl", beside("loop.jsonl")).unwrap();
    symlink("..", beside("up")).unwrap();
    symlink("/dev/zero", beside("zero.jsonl")).unwrap();
    make_pipe(&beside("pipe.jsonl"));
    make_pipe(&beside("sessions-index.json"));
    let projects = corpus.config().join("projects");
    symlink(&projects, projects.join("-loop")).unwrap();
    symlink("-self", projects.join("-self")).unwrap();
    fs::write(projects.join("-file"), "").unwrap();
    let found = corpus.json(&[]);
    assert_eq!(found["total"]["asked"], 1, "{found}");
    assert_eq!(found["total"]["transcripts"], 1, "{found}");
    for name in ["loop.jsonl", "pipe.jsonl", "zero.jsonl"] {
        let output = corpus.check(&[&beside(name).display().to_string()]);
        assert_eq!(output.status.code(), Some(2), "{name}");
    }
}

#[test]
fn what_may_not_be_read_is_told_and_the_rest_counts() {
    let corpus = Corpus::new();
    let shown = |path: &Path| fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    let hidden =
        |path: &Path| fs::set_permissions(path, fs::Permissions::from_mode(0o000)).unwrap();
    shown(corpus.home());
    corpus.session("/w/shop", "one").honest(5.0);
    let denied = corpus.session("/w/shop", "denied");
    let directory = corpus.session("/w/other", "two").path.parent().unwrap().to_owned();
    hidden(&denied.path);
    hidden(&directory);
    // Nobody else may run what is built in somebody's home, so it is run from where they may.
    let program = corpus.home().join("handraise");
    fs::copy(env!("CARGO_BIN_EXE_handraise"), &program).unwrap();
    let mut command = corpus.command_of(&program, &["--json"]);
    if rustix::process::getuid().is_root() {
        // Root may read everything.
        command.uid(65_534).gid(65_534);
    }
    let output = command.output();
    shown(&directory);
    let output = output.unwrap();
    assert!(output.status.success());
    let said = String::from_utf8(output.stderr).unwrap();
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (found["total"]["asked"].clone(), found["skipped"]["files"].clone()),
        (1.into(), 2.into()),
        "{said}"
    );
    assert!(said.contains("denied.jsonl: ") && said.contains("-w-other: "), "{said}");
}

/// A session that is written to while it is read.
#[test]
fn a_session_that_goes_on_meanwhile_is_read_up_to_where_it_is() {
    let corpus = Corpus::new();
    let mut session: Session = corpus.session("/w/shop", "one");
    session.honest(5.0);
    let mut child = corpus.command(&["--json"]).stdout(Stdio::piped()).spawn().unwrap();
    while child.try_wait().unwrap().is_none() {
        session.honest(5.0);
    }
    let output = child.wait_with_output().unwrap();
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(found["total"]["fromOptions"].as_u64() >= Some(1), "{found}");
    assert_eq!(found["skipped"]["lines"], 0, "{found}");
}
