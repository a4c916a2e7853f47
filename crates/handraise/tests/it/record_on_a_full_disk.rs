//! `backup`, `export` and `restore` where there is no room: each says what it could not write, and
//! nothing that was there is lost.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use handraise_broker::{Asker, Hub, NewAsk};
use handraise_testkit::{HubProcess, Program, SmallDisk, answers, new_ask};
use serde_json::json;

use crate::past::{Past, run};
use crate::shell::Shell;

const PROGRAM: &str = env!("CARGO_BIN_EXE_handraise");

/// A megabyte of asks, and a decision.
fn fill(database: &Path) {
    run(async {
        let past = Past::of(database).await;
        for number in 0..30 {
            let preamble = Some("thought ".repeat(6000));
            let directory = Some("/home/ann/shop".into());
            let asker = Asker { agent: "test".into(), preamble, directory, ..Asker::default() };
            let new = NewAsk { asker, ..new_ask(Some(&number.to_string())) };
            let id = past.agent().ask(new).await.unwrap().record.id;
            let words = answers(json!([{"words": "word ".repeat(1000)}]));
            past.ann().reply(id, words, None).await.unwrap();
        }
        past.end().await;
    });
}

fn files(directory: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap());
    entries
        .map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap()))
        .collect()
}

#[test]
fn a_backup_that_does_not_fit_says_how_much_it_needs() {
    let hub = HubProcess::prepare(Path::new(PROGRAM));
    fill(&hub.home().database());
    let shell = Shell::at(&hub.home().directory().display().to_string());
    let disk = SmallDisk::new("4m");
    fs::write(disk.outside("b.db"), "an older one").unwrap();
    disk.fill_but(100);
    let before = files(&disk.outside(""));
    let to = disk.inside("b.db");
    let backup = format!("{} {PROGRAM} backup --force {}", disk.enter(), to.display());
    let said = shell.run(&backup);
    assert_eq!(said.code, 1, "{}", said.stderr);
    let first =
        format!("error: cannot write {}: the disk is full\n  it needs about ", to.display());
    assert!(said.stderr.starts_with(&first), "{}", said.stderr);
    assert!(said.stderr.contains(" MB, and 410 kB are left\n"), "{}", said.stderr);
    let hint = "hint: make room on that disk, or name a file on another; nothing was changed\n";
    assert!(said.stderr.ends_with(hint), "{}", said.stderr);
    assert_eq!(files(&disk.outside("")), before);
    disk.make_room();
    assert_eq!(shell.run(&backup).code, 0);
}

#[test]
fn an_export_that_does_not_fit_leaves_what_was_there() {
    let hub = HubProcess::prepare(Path::new(PROGRAM));
    fill(&hub.home().database());
    let disk = SmallDisk::new("4m");
    let (asks, log) = (disk.outside("asks.jsonl"), disk.outside("shop.md"));
    fs::write(&asks, "an older one").unwrap();
    disk.fill_but(10);
    let before = files(&disk.outside(""));
    for (format, to) in [("jsonl", &asks), ("decisions", &log)] {
        let mut export = hub.command();
        // By its name for everybody: a link would lead out of there.
        export.args(["export", "--force", "--format", format, "-o"]).arg(to);
        let ended = Program::run(&mut export);
        let (code, said) = (ended.status.code(), ended.stderr);
        assert_eq!(code, Some(1), "{said}");
        let first = format!("error: cannot write {}: No space left on device", to.display());
        assert!(said.starts_with(&first), "{said}");
        let hint = "hint: make room on that disk, or name another place with -o PATH; what is \
                    there stays as it was\n";
        assert!(said.ends_with(hint), "{said}");
        assert_eq!(files(&disk.outside("")), before, "{format}");
    }
}

#[test]
fn a_restore_that_does_not_fit_changes_nothing() {
    let disk = SmallDisk::new("4m");
    let home = disk.inside("home");
    let shell = Shell::at(&home.display().to_string());
    let backup = shell.directory().join("b.db");
    fill(&backup);
    fs::create_dir(disk.outside("home")).unwrap();
    let restore = format!("{} {PROGRAM} restore {}", disk.enter(), backup.display());
    let said = shell.run(&restore);
    assert_eq!(said.code, 0, "{}", said.stderr);
    disk.fill_but(100);
    let before = files(&disk.outside("home"));
    let said = shell.run(&restore);
    assert_eq!(said.code, 1, "{}", said.stderr);
    let first = format!("error: cannot write {}/handraise.db-restoring: ", home.display());
    assert!(said.stderr.starts_with(&(first + "the disk is full\n")), "{}", said.stderr);
    assert!(said.stderr.contains("\n  it needs about "), "{}", said.stderr);
    let hint = "hint: make room on that disk; nothing was changed\n";
    assert!(said.stderr.ends_with(hint), "{}", said.stderr);
    assert_eq!(files(&disk.outside("home")), before);
    disk.make_room();
    assert_eq!(shell.run(&restore).code, 0);
}
