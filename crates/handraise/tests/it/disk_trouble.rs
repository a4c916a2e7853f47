//! A disk that is full, and a database that may not be written to: nothing is acknowledged that is
//! not stored, and everybody is told why.

use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use handraise_broker::{BUILT_IN, Power};
use handraise_testkit::{HubProcess, PlainAnswer, Program, SmallDisk};
use serde_json::{Value, json};

use crate::http::Call;
use crate::socket::Socket;
use crate::watched_hub::WatchedHub;

const PROGRAM: &str = env!("CARGO_BIN_EXE_handraise");

/// Asks with a key, and with so many bytes on the way to it.
fn ask(hub: &HubProcess, key: &str, bytes: usize) -> PlainAnswer {
    let body = json!({
        "asker": {"agent": "test", "preamble": "x".repeat(bytes)}, "key": key,
        "questions": [{"question": "Which auth?", "options": [{"label": "JWT"}, {"label": "none"}]}],
    });
    hub.plain(Power::Agent, "POST", "/asks", Some(&body))
}

fn answer(hub: &HubProcess, id: &str, bytes: usize) -> PlainAnswer {
    let body = json!({"answers": [{"words": "x".repeat(bytes)}]});
    hub.plain(Power::Person, "POST", &format!("/asks/{id}/answer"), Some(&body))
}

/// The keys of all asks the hub has.
fn keys(hub: &HubProcess) -> BTreeSet<String> {
    let all = hub.plain(Power::Person, "GET", "/asks?state=all&limit=500", None);
    assert_eq!((all.status, &all.body["next"]), (200, &Value::Null));
    let keys = all.body["asks"].as_array().unwrap().iter();
    keys.map(|ask| ask["key"].as_str().unwrap().to_owned()).collect()
}

fn refused_for_want_of_room(refused: &PlainAnswer) {
    let said = json!({
        "status": 507, "code": "disk_full",
        "title": "nothing was stored, so nothing was changed",
        "detail": "the hub's disk is full; make room",
    });
    assert_eq!((refused.status, &refused.body), (507, &said));
}

/// Sends large asks, notes the keys of those that were stored, and counts the others.
fn ask_until_full(
    hub: &HubProcess,
    name: &str,
    asks: usize,
    acknowledged: &mut BTreeSet<String>,
) -> usize {
    let mut refusals = 0;
    for number in 0..asks {
        let key = format!("{name}/{number}");
        let asked = ask(hub, &key, 9000);
        if asked.status == 201 {
            acknowledged.insert(key);
        } else {
            refused_for_want_of_room(&asked);
            refusals += 1;
        }
    }
    refusals
}

#[test]
fn on_a_full_disk_nothing_is_acknowledged_and_reading_goes_on_until_there_is_room_again() {
    let disk = SmallDisk::new("2m");
    let mut hub = disk.hub(Path::new(PROGRAM));
    hub.launch();
    hub.greeted();
    let mut acknowledged = BTreeSet::new();
    let first = ask(&hub, "first", 10);
    assert_eq!(first.status, 201);
    acknowledged.insert("first".to_owned());
    let id = first.body["id"].as_str().unwrap();

    disk.fill();
    // What fits into the last page is stored, what does not is refused.
    let refusals = ask_until_full(&hub, "full", 20, &mut acknowledged);
    assert!(refusals > 10, "the disk was not full");
    refused_for_want_of_room(&answer(&hub, id, 9000));
    assert_eq!(keys(&hub), acknowledged, "the hub reads, and has what it acknowledged");
    let open = hub.plain(Power::Agent, "GET", &format!("/asks/{id}/resolution?wait=0"), None);
    assert_eq!(open.status, 204, "an answer that was refused was given by nobody");

    disk.make_room();
    for number in 0..5 {
        let key = format!("room/{number}");
        let asked = ask(&hub, &key, 9000);
        assert_eq!(asked.status, 201, "{:?}\n{}", asked.body, hub.said());
        acknowledged.insert(key);
    }
    assert_eq!(answer(&hub, id, 9000).status, 200);

    hub.kill();
    hub.restart();
    assert_eq!(keys(&hub), acknowledged);
    let resolved = hub.plain(Power::Agent, "GET", &format!("/asks/{id}/resolution"), None);
    assert_eq!(resolved.body["answers"][0]["words"].as_str().map(str::len), Some(9000));
}

#[test]
fn files_that_may_not_grow_any_more_are_a_full_disk() {
    let prepared = HubProcess::prepare(Path::new(PROGRAM));
    let home = prepared.home().directory().to_owned();
    // In blocks of 512 bytes.
    let limited = ["sh", "-c", "ulimit -f 2048 && exec \"$@\"", "sh"];
    let mut hub = prepared.within(&limited, &home, &home);
    hub.restart();
    let mut acknowledged = BTreeSet::new();
    let refusals = ask_until_full(&hub, "large", 200, &mut acknowledged);
    assert!(refusals > 10 && acknowledged.len() > 10, "{refusals} of 200 were refused");
    assert_eq!(keys(&hub), acknowledged, "the hub reads, and has what it acknowledged");
    assert_eq!(hub.stop().status.code(), Some(0));

    let mut hub = hub.within(&[], &home, &home);
    hub.restart();
    assert_eq!(keys(&hub), acknowledged);
    assert_eq!(ask(&hub, "room", 9000).status, 201);
}

#[test]
fn a_hub_whose_home_is_gone_says_so_to_monitors_and_pages() {
    let hub = WatchedHub::configured("[limits]\npatience_seconds = 1\n");
    let open_page = || {
        let mut page = Socket::open(&hub, None, &[]).unwrap();
        page.send(json!({"token": hub.person}).to_string().into());
        page
    };
    let health = || hub.call(&Call::get("/healthz"));
    assert_eq!(health().json()["status"], "ok");
    let page = open_page().live();

    let elsewhere = hub.place().join("elsewhere");
    std::fs::rename(hub.home(), &elsewhere).unwrap();
    let unwell = health();
    assert_eq!(unwell.problem(), (503, "unavailable".into()));
    let why = unwell.json()["detail"].as_str().unwrap().to_owned();
    assert!(why.contains("its file was moved or removed"), "{why}");
    assert_eq!(page.closed().1, 1011, "what was live is not any more");
    assert_eq!(open_page().closed(), (vec![], 1011));

    std::fs::rename(&elsewhere, hub.home()).unwrap();
    assert_eq!(health().status, 200);
    let mut page = open_page().live();
    assert_eq!(page.frame()["type"], "live", "a page hears that it still is");
    drop(page);
    hub.end();
}

#[test]
fn a_first_start_that_runs_out_of_room_says_so_and_the_next_one_works() {
    let disk = SmallDisk::new("2m");
    let mut failures = 0;
    // From no room at all to enough for everything.
    for pages in (0..40).step_by(2).chain([25]) {
        disk.fill_but(pages);
        let mut hub = disk.hub(Path::new(PROGRAM));
        hub.launch();
        match hub.up() {
            Ok(_) => hub.kill(),
            Err(ended) => {
                failures += 1;
                let said = &ended.stderr;
                let file = format!("{}/", disk.inside("home").display());
                let why = ["the disk is full", "No space left on device"];
                assert_eq!(ended.status.code(), Some(1), "{said}");
                assert!(said.contains(&file), "no file is named: {said}");
                assert!(why.iter().any(|why| said.contains(why)), "{pages} pages: {said}");
                assert!(said.ends_with("hint: make room on that disk\n"), "{pages} pages: {said}");
            }
        }
        disk.make_room();
        hub.restart();
        assert_eq!(ask(&hub, "at last", 10).status, 201);
        let devices = hub.plain(Power::Person, "GET", "/devices", None);
        let devices = devices.body["devices"].as_array().unwrap().len();
        assert_eq!(
            devices,
            BUILT_IN.len() + 2,
            "with {pages} pages a token file was left that the hub does not know"
        );
        hub.kill();
        std::fs::remove_dir_all(disk.outside("home")).unwrap();
    }
    assert!(failures > 10, "there was room enough");
}

#[test]
fn a_hub_on_a_full_disk_does_not_start_and_says_why() {
    let disk = SmallDisk::new("2m");
    let mut hub = disk.hub(Path::new(PROGRAM));
    hub.launch();
    hub.greeted();
    assert_eq!(ask(&hub, "first", 10).status, 201);
    hub.stop();

    disk.fill();
    hub.launch();
    let said = hub.up().unwrap_err().stderr;
    let file = disk.inside("home").join("handraise.db");
    let why = format!("error: cannot use {}: the disk is full\n", file.display());
    assert_eq!(said, why + "hint: make room on that disk\n");

    disk.make_room();
    hub.restart();
    assert_eq!(keys(&hub), BTreeSet::from(["first".to_owned()]));
}

#[test]
fn a_hub_does_not_start_where_it_may_not_write_and_says_why() {
    let disk = SmallDisk::new("2m");
    let mut hub = disk.hub(Path::new(PROGRAM));
    hub.launch();
    hub.greeted();
    assert_eq!(ask(&hub, "first", 10).status, 201);
    hub.stop();
    let file = |name| disk.inside("home").join(name).display().to_string();

    disk.shell("mount -o remount,bind,ro \"$0\"");
    hub.launch();
    let said = hub.up().unwrap_err().stderr;
    let why = "Read-only file system (os error 30)";
    let why = format!("error: cannot write {}: {why}\n", file("hub.lock"));
    assert_eq!(said, why + "hint: make it writable, or name another home with --data DIR\n");
    disk.shell("mount -o remount,bind,rw \"$0\"");

    // The directory can be written to, the database cannot.
    disk.shell("cd \"$0\"/home && mount --bind handraise.db handraise.db");
    disk.shell("cd \"$0\"/home && mount -o remount,bind,ro handraise.db");
    hub.launch();
    let said = hub.up().unwrap_err().stderr;
    let why = "the database cannot be written to";
    let why = format!("error: cannot use {}: {why}\n", file("handraise.db"));
    assert_eq!(said, why + "hint: make the file and its directory writable\n");
    disk.shell("umount \"$0\"/home/handraise.db");

    hub.restart();
    assert_eq!(keys(&hub), BTreeSet::from(["first".to_owned()]));
    assert_eq!(ask(&hub, "second", 10).status, 201);
}

#[test]
fn a_database_made_read_only_under_a_hub_takes_nothing_and_is_written_to_when_it_may_be() {
    let disk = SmallDisk::new("2m");
    let mut hub = disk.hub(Path::new(PROGRAM));
    hub.launch();
    hub.greeted();
    let first = ask(&hub, "first", 10);
    assert_eq!(first.status, 201);
    let id = first.body["id"].as_str().unwrap();

    // Files that are open for writing keep a disk from being made read-only, so the same disk is put
    // over itself, read-only: the hub meets it as soon as it has to open its database again, and the
    // failure that makes it do so is a full disk.
    disk.fill();
    disk.shell("mount --bind \"$0\" \"$0\" && mount -o remount,bind,ro \"$0\"");
    refused_for_want_of_room(&ask(&hub, "full", 9000));
    let said = json!({
        "status": 503, "code": "read_only",
        "title": "nothing was stored, so nothing was changed",
        "detail": "the hub's database cannot be written to",
    });
    let refused = ask(&hub, "read-only", 10);
    assert_eq!((refused.status, &refused.body), (503, &said));
    let refused = answer(&hub, id, 10);
    assert_eq!((refused.status, &refused.body), (503, &said));
    assert_eq!(keys(&hub), BTreeSet::from(["first".to_owned()]), "the hub goes on reading");

    // Whoever has opened the database meanwhile, to read, goes on with it.
    disk.shell("umount --lazy \"$0\"");
    disk.make_room();
    assert_eq!(ask(&hub, "second", 10).status, 201, "{}", hub.said());
    assert_eq!(answer(&hub, id, 10).status, 200);
    hub.kill();
    hub.restart();
    assert_eq!(keys(&hub), BTreeSet::from(["first".to_owned(), "second".to_owned()]));
}

#[test]
fn a_journal_that_was_moved_away_under_a_hub_takes_nothing_until_it_is_back() {
    let mut hub = HubProcess::start(Path::new(PROGRAM));
    assert_eq!(ask(&hub, "first", 10).status, 201);
    let mut journal = hub.home().database().into_os_string();
    journal.push("-wal");
    let elsewhere = hub.directory().join("elsewhere");

    std::fs::rename(&journal, &elsewhere).unwrap();
    assert_eq!(ask(&hub, "moved", 10).status, 503);
    hub.wait_said("its journal was moved or removed");

    std::fs::rename(&elsewhere, &journal).unwrap();
    assert_eq!(ask(&hub, "second", 10).status, 201);
    hub.kill();
    hub.restart();
    assert_eq!(keys(&hub), BTreeSet::from(["first".to_owned(), "second".to_owned()]));
}

#[test]
fn a_database_that_could_not_be_written_to_can_be_used_as_soon_as_it_can_be() {
    let prepared = HubProcess::prepare(Path::new(PROGRAM));
    let home = prepared.home().directory().to_owned();
    // In there nobody may do what the permissions of a file do not let them.
    let mut hub = prepared.within(&["unshare", "--user"], &home, &home);
    hub.restart();
    assert_eq!(ask(&hub, "first", 10).status, 201);
    hub.stop();
    let file = hub.home().database();
    let permit = |mode| {
        let permissions = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(&file, permissions).unwrap();
    };
    permit(0o400);
    let mut again = || {
        hub.launch();
        hub.up()
    };
    let refused = again().unwrap_err();
    assert_eq!(refused.status.code(), Some(1), "{}", refused.stderr);
    assert!(refused.stderr.contains("make the file and its directory writable"), "{refused:?}");

    permit(0o600);
    again().unwrap();
    assert_eq!(keys(&hub), BTreeSet::from(["first".to_owned()]));
}

#[test]
fn a_database_has_one_hub() {
    let hub = HubProcess::start(Path::new(PROGRAM));
    let link = hub.directory().join("link.db");
    std::os::unix::fs::symlink(hub.home().database(), &link).unwrap();
    for file in [hub.home().database(), link] {
        let url = format!("sqlite:{}", file.display());
        let other = hub.directory().join("other");
        let mut command = Program::command(PROGRAM, hub.directory());
        command.args(["serve", "--listen", "127.0.0.1:0", "--database", &url, "--data"]).arg(other);
        let refused = Program::run(&mut command);
        assert_eq!(refused.status.code(), Some(2), "{}", refused.stderr);
        assert!(refused.stderr.contains("another hub uses"), "{}", refused.stderr);
    }
    assert_eq!(ask(&hub, "first", 10).status, 201);
}

#[test]
fn a_database_that_was_moved_away_under_a_hub_takes_nothing_until_it_is_back() {
    let mut hub = HubProcess::start(Path::new(PROGRAM));
    assert_eq!(ask(&hub, "first", 10).status, 201);
    let (file, elsewhere) = (hub.home().database(), hub.directory().join("elsewhere.db"));

    std::fs::rename(&file, &elsewhere).unwrap();
    let refused = ask(&hub, "moved", 10);
    assert_eq!((refused.status, &refused.body["code"]), (503, &json!("unavailable")));
    std::fs::write(&file, "another").unwrap();
    assert_eq!(ask(&hub, "replaced", 10).status, 503);
    hub.wait_said("its file was moved or removed");

    std::fs::rename(&elsewhere, &file).unwrap();
    assert_eq!(ask(&hub, "second", 10).status, 201);
    hub.kill();
    hub.restart();
    assert_eq!(keys(&hub), BTreeSet::from(["first".to_owned(), "second".to_owned()]));
}
