//! `handraise restore` where a service manager runs the hub: it says what to type there.

use std::path::Path;

use handraise_testkit::Program;

use crate::hub_at_work::HubAtWork;
use crate::service_scene::Account;
use crate::shell::Shell;

/// A line of shell in the account, where `handraise` is found.
fn shell(account: &Account, line: &str) -> (Option<i32>, String) {
    let line = format!("PATH=\"$0:$PATH\"; {line}");
    let mut shell = account.systemd.command("sh");
    let ended = Program::run(shell.args(["-c", &line]).arg(account.program.parent().unwrap()));
    (ended.status.code(), ended.stdout + &ended.stderr)
}

#[test]
fn what_a_restore_says_can_be_typed_and_brings_the_hub_back() {
    let ann = Account::new();
    ann.done(&["service", "install"]);
    let (hook, id) = ann.ask();
    ann.answer(&id, "JWT");
    assert_eq!(hook.wait_exit().status.code(), Some(0));
    let backup = ann.systemd.home().join("my backup.db");
    let backup = backup.to_str().unwrap();
    ann.done(&["backup", backup]);
    let (hook, later) = ann.ask();
    ann.answer(&later, "JWT");
    assert_eq!(hook.wait_exit().status.code(), Some(0));
    let (old, refused) = (ann.hub_pid(), ann.run(&["restore", backup]));
    assert_eq!(refused.status.code(), Some(2));
    let said = &refused.stderr;
    assert!(said.contains("a hub is already running"), "{said}");
    let (_, commands) = said.split_once("hint: it runs as a service").unwrap();
    let commands: Vec<_> = commands.lines().skip(1).map(str::trim).collect();
    assert_eq!(commands[0], "systemctl --user stop handraise", "{said}");
    assert!(commands[1].starts_with("handraise restore --data "), "{said}");
    assert_eq!(commands[2], "systemctl --user start handraise", "{said}");
    assert_eq!(commands.len(), 3, "{said}");

    let (code, said) = shell(&ann, &commands.join(" && "));
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("Start the hub with: systemctl --user start handraise"), "{said}");
    crate::service_scene::wait("new hub", || (ann.hub_pid() != old).then_some(()));
    let found = |id: &str| {
        let path = format!("/asks/{id}");
        ann.plain(handraise_broker::Power::Agent, "GET", &path, None).status
    };
    assert_eq!((found(&id), found(&later)), (200, 404));
    assert_eq!(ann.status()["pid"], ann.hub_pid());
}

#[test]
fn a_hub_that_runs_by_itself_is_to_be_stopped_as_such() {
    let hub = HubAtWork::start();
    let shell = Shell::at(&hub.data());
    assert_eq!(shell.run("handraise backup b.db").code, 0);
    let refused = shell.run("handraise restore b.db");
    assert_eq!(refused.code, 2);
    let pid = hub.process().home().hub().unwrap().pid;
    let hint = format!("Ctrl-C where it runs, or kill {pid}\n");
    assert!(refused.stderr.ends_with(&hint), "{}", refused.stderr);
    assert!(Path::new(&hub.data()).join("handraise.db").exists());
}
