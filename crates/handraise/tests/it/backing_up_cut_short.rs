//! A backup that is ended half way: nothing of it stays for long, and nothing of anybody else's goes.

use std::fs;
use std::path::{Path, PathBuf};

use handraise_broker::{Asker, Hub, NewAsk};
use handraise_testkit::{HubProcess, Program, new_ask};
use rustix::process::{Pid, Signal, kill_process, test_kill_process};

use crate::past::{Past, run};
use crate::shell::Shell;

/// A database that takes a while to be copied and read.
fn large() -> HubProcess {
    let hub = HubProcess::prepare(Path::new(env!("CARGO_BIN_EXE_handraise")));
    run(async {
        let past = Past::of(&hub.home().database()).await;
        let agent = past.agent();
        let asks = (0..600).map(|number| {
            let preamble = Some(format!("{number} ").repeat(9000));
            let asker = Asker { agent: "test".into(), preamble, ..Asker::default() };
            agent.ask(NewAsk { asker, ..new_ask(Some(&number.to_string())) })
        });
        for ask in asks {
            ask.await.unwrap();
        }
        drop(agent);
        past.end().await;
    });
    hub
}

/// What backups have on their way.
fn drafts(shell: &Shell) -> Vec<PathBuf> {
    let entries = fs::read_dir(shell.directory()).unwrap().map(|entry| entry.unwrap().path());
    let is_draft = |path: &PathBuf| {
        path.file_name().unwrap().to_string_lossy().starts_with(".handraise-backup-")
    };
    let mut drafts: Vec<_> = entries.filter(is_draft).collect();
    drafts.sort();
    drafts
}

/// Begins a backup, and has it stand still in the middle; the file that it writes to is returned, too.
fn held(shell: &Shell, to: &str) -> (Pid, PathBuf) {
    loop {
        let before = drafts(shell);
        let pid_file = shell.directory().join(format!("{to}.pid"));
        let _ = fs::remove_file(&pid_file);
        shell.begin(&format!(
            "handraise backup --force {to} > out 2> err & echo $! > new; mv new {to}.pid; wait; \
             echo $? > {to}.code; clear"
        ));
        let pid = loop {
            let pid = fs::read_to_string(&pid_file).ok().and_then(|pid| pid.trim().parse().ok());
            if let Some(pid) = pid.and_then(Pid::from_raw) {
                break pid;
            }
        };
        let draft = loop {
            let is_new = |path: &PathBuf| {
                !before.contains(path) && path.extension().is_some_and(|end| end == "db")
            };
            match drafts(shell).into_iter().find(is_new) {
                Some(draft) => break Some(draft),
                None if test_kill_process(pid).is_err() => break None,
                None => std::thread::yield_now(),
            }
        };
        let _ = kill_process(pid, Signal::STOP);
        // It may have been faster.
        if let Some(draft) = draft.filter(|draft| draft.exists()) {
            return (pid, draft);
        }
        let _ = kill_process(pid, Signal::CONT);
    }
}

fn end(pid: Pid, signal: Signal) {
    kill_process(pid, signal).unwrap();
    let _ = kill_process(pid, Signal::CONT);
    while test_kill_process(pid).is_ok() {
        std::thread::yield_now();
    }
}

#[test]
fn what_a_killed_backup_left_goes_with_the_next_one_and_nothing_else_does() {
    let hub = large();
    let shell = Shell::at(&hub.home().directory().display().to_string());
    let in_shell = |name: &str| shell.directory().join(name);
    // Of others, however much it looks like ours.
    let theirs = [
        (".handraise-backup-notes.db", "mine"),
        (".handraise-backup-0123456789.lock", "mine, too"),
        (".handraise-backup-0123456789.db", "and this"),
        (".handraise-backup-abcdefghij.db", "has no lock beside it"),
    ];
    for (name, text) in theirs {
        fs::write(in_shell(name), text).unwrap();
    }
    let (killed, left) = held(&shell, "a.db");
    end(killed, Signal::KILL);
    assert!(left.exists(), "there is something to clean up");
    // One that is at work is left alone, however long it takes.
    let (at_work, its) = held(&shell, "b.db");
    assert!(!left.exists(), "it is cleaned up when the next one begins");
    let other = Shell::at(&hub.home().directory().display().to_string());
    let to = in_shell("c.db");
    let said = other.run(&format!("handraise backup {}", to.display()));
    assert_eq!(said.code, 0, "{}", said.stderr);
    assert!(its.exists());
    end(at_work, Signal::CONT);
    for (name, text) in theirs {
        assert_eq!(fs::read_to_string(in_shell(name)).unwrap(), text, "{name}");
    }
    assert_eq!(drafts(&shell).len(), theirs.len(), "{:?}", drafts(&shell));
    assert!(!in_shell("a.db").exists());
    for whole in ["b.db", "c.db"] {
        let mut audit = hub.command();
        let ended = Program::run(audit.args(["audit", "verify", "--file"]).arg(in_shell(whole)));
        assert!(ended.status.success(), "{whole}: {}", ended.stderr);
    }
}

#[test]
fn a_backup_that_is_asked_to_end_leaves_nothing_behind() {
    let hub = large();
    let shell = Shell::at(&hub.home().directory().display().to_string());
    fs::write(shell.directory().join("b.db"), "an older one").unwrap();
    for signal in [Signal::INT, Signal::TERM] {
        let (pid, _) = held(&shell, "b.db");
        end(pid, signal);
        assert_eq!(drafts(&shell), [""; 0].map(PathBuf::from), "{signal:?}");
        let old = fs::read_to_string(shell.directory().join("b.db")).unwrap();
        assert_eq!(old, "an older one");
    }
}
