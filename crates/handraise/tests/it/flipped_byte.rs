//! The log tells when it is not what was written: `handraise audit verify` names the event.

use std::path::{Path, PathBuf};

use handraise_broker::{BUILT_IN, Power};
use handraise_testkit::{Ended, HubProcess, Program};
use serde_json::json;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, Row, SqliteConnection};

/// Before it come the person, the token that all agents shared, and the agents.
const FIRST_ASK: i64 = 3 + BUILT_IN.len().cast_signed() as i64;
/// Two asks, each asked, answered and delivered.
const LAST: i64 = FIRST_ASK + 5;

/// A log that is sound, in a file that no hub has open.
struct Log {
    hub: HubProcess,
    bytes: Vec<u8>,
    events: Vec<Event>,
    /// Its end, as somebody kept it elsewhere.
    head: String,
}

/// An event as the file has it.
#[derive(PartialEq)]
struct Event {
    seq: i64,
    /// Its columns one after the other, as SQLite writes them into a row.
    row: Vec<u8>,
}

impl Log {
    fn new() -> Self {
        let mut hub = HubProcess::start(Path::new(env!("CARGO_BIN_EXE_handraise")));
        for (key, preamble) in [("short", "I thought."), ("long", &"I thought. ".repeat(2000))] {
            let body = json!({
                "asker": {"agent": "test", "preamble": preamble}, "key": key,
                "questions": [{"question": "Which auth?", "options": [{"label": "JWT"}]}],
            });
            let asked = hub.plain(Power::Agent, "POST", "/asks", Some(&body)).body;
            let post = |power, verb: &str, body| {
                let path = format!("/asks/{}/{verb}", asked["id"].as_str().unwrap());
                assert_eq!(hub.plain(power, "POST", &path, Some(&body)).status, 200);
            };
            post(Power::Person, "answer", json!({"answers": [{"selected": ["JWT"]}]}));
            post(Power::Agent, "receipt", json!({"level": "handed", "text": "JWT"}));
        }
        let status = hub.plain(Power::Person, "GET", "/status", None).body;
        let head = status["head"].as_str().unwrap().to_owned();
        assert!(hub.stop().status.success());
        let bytes = std::fs::read(hub.home().database()).unwrap();
        let events = run(events(&hub.home().database()));
        Self { hub, bytes, events, head }
    }

    /// A copy of the file, to be harmed.
    fn copy(&self, bytes: &[u8]) -> PathBuf {
        let file = self.hub.directory().join("copy.db");
        std::fs::write(&file, bytes).unwrap();
        file
    }

    fn audit(&self, file: &Path, args: &[&str]) -> Ended {
        let mut command = self.hub.command();
        Program::run(command.args(["audit", "verify", "--file"]).arg(file).args(args))
    }

    /// What is said of a copy that was changed by SQL.
    fn audit_after(&self, sql: &str, args: &[&str]) -> Ended {
        let file = self.copy(&self.bytes);
        run(async {
            let mut database = open(&file).await;
            sqlx::raw_sql(AssertSqlSafe(sql.to_owned())).execute(&mut database).await.unwrap();
            database.close().await.unwrap();
        });
        self.audit(&file, args)
    }

    /// Where in the file a row is, for those that are in one piece.
    fn place(&self, event: &Event) -> Option<usize> {
        self.bytes.windows(event.row.len()).position(|bytes| bytes == event.row)
    }

    fn audit_with_flipped(&self, place: usize, bit: usize) -> Ended {
        let mut bytes = self.bytes.clone();
        bytes[place] ^= 1 << bit;
        self.audit(&self.copy(&bytes), &[])
    }
}

fn run<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
}

async fn open(file: &Path) -> SqliteConnection {
    SqliteConnectOptions::new().filename(file).connect().await.unwrap()
}

async fn events(file: &Path) -> Vec<Event> {
    let mut database = open(file).await;
    let all = "SELECT seq, at, cast(name AS BLOB) || coalesce(ask, x'') || cast(body AS BLOB) \
               || digest || hash AS rest FROM event ORDER BY seq";
    let rows = sqlx::query(all).fetch_all(&mut database).await.unwrap();
    let event = |row: &sqlx::sqlite::SqliteRow| {
        let rest: Vec<u8> = row.get("rest");
        let mut bytes = row.get::<i64, _>("at").to_be_bytes().to_vec();
        bytes.extend(rest);
        Event { seq: row.get("seq"), row: bytes }
    };
    let events = rows.iter().map(event).collect();
    database.close().await.unwrap();
    events
}

fn finds(ended: &Ended, seq: i64, what: &str) {
    let said = &ended.stderr;
    assert_eq!(ended.status.code(), Some(1), "{what}: {said}{}", ended.stdout);
    assert!(said.contains(&format!("event {seq} ")), "{what}, event {seq}: {said}");
}

#[test]
fn a_log_that_is_as_it_was_written_is_found_sound() {
    let log = Log::new();
    let said = format!("✔ {LAST} events add up\n  head {}\n", log.head);
    for head in [vec![], vec!["--head", &log.head]] {
        let ended = log.audit(&log.hub.home().database(), &head);
        assert_eq!((ended.status.code(), &ended.stdout), (Some(0), &said), "{}", ended.stderr);
    }
}

#[test]
fn one_flipped_bit_in_a_row_of_the_log_is_found() {
    let log = Log::new();
    let mut flipped = 0;
    for event in &log.events {
        let Some(place) = log.place(event) else { continue };
        // A step that shares no factor with the length of anything meets every column.
        for offset in (0..event.row.len()).step_by(13) {
            let ended = log.audit_with_flipped(place + offset, offset % 8);
            finds(&ended, event.seq, &format!("byte {offset} of {}", event.row.len()));
            flipped += 1;
        }
    }
    assert!(flipped > 100, "hardly any row was found in the file: {flipped}");
}

#[test]
fn one_flipped_bit_in_a_long_row_is_found() {
    let log = Log::new();
    let event = log.events.iter().find(|event| log.place(event).is_none()).unwrap();
    let words = b"I thought. I thought.";
    let places = log.bytes.windows(words.len()).enumerate();
    let mut places = places.filter(|(_, bytes)| bytes == words).map(|(place, _)| place).skip(10);
    for place in [places.next().unwrap(), places.last().unwrap()] {
        finds(&log.audit_with_flipped(place, 0), event.seq, "in the middle of it");
    }
}

#[test]
fn damage_to_the_shape_of_the_file_is_found_and_an_event_is_named() {
    let log = Log::new();
    let first = log.events.iter().find_map(|event| log.place(event)).unwrap();
    let mut found = 0;
    // What SQLite puts before the row: how long it is, its number, the kinds of its columns.
    for (place, bit) in (first - 11..first).flat_map(|place| (0..8).map(move |bit| (place, bit))) {
        let ended = log.audit_with_flipped(place, bit);
        let said = &ended.stderr;
        if ended.status.success() {
            // Bytes called text are the same bytes, and the kind of its own number is read by nobody.
            let read = run(events(&log.hub.directory().join("copy.db")));
            assert!(read == log.events, "bit {bit} of {place} changed an event");
        } else {
            assert_eq!(ended.status.code(), Some(1), "bit {bit} of {place}: {said}");
            assert!(said.contains(": event "), "bit {bit} of {place}: {said}");
            found += 1;
        }
    }
    assert!(found > 80, "only {found} of 88 were found");
}

#[test]
fn a_change_to_any_column_is_found() {
    let log = Log::new();
    let changes = [
        "at = at + 1",
        "at = 9223372036854775807",
        "name = 'ask.extended'",
        "name = cast(x'ff00' AS TEXT)",
        "ask = NULL",
        "ask = x'00112233445566778899aabbccddeeff'",
        "ask = x'00'",
        "body = replace(body, 'JWT', 'none')",
        "body = body || ' '",
        "body = cast(x'ff' AS TEXT)",
        "body = NULL",
        "digest = zeroblob(32)",
        "digest = zeroblob(31)",
        "hash = zeroblob(32)",
        "hash = x''",
    ];
    // The one that was asked, and the last one.
    for seq in [FIRST_ASK, LAST] {
        for change in changes {
            let ended =
                log.audit_after(&format!("UPDATE event SET {change} WHERE seq = {seq}"), &[]);
            finds(&ended, seq, change);
        }
    }
}

#[test]
fn events_that_were_removed_moved_or_slipped_in_are_found() {
    let log = Log::new();
    for seq in 1..LAST {
        let removed = log.audit_after(&format!("DELETE FROM event WHERE seq = {seq}"), &[]);
        finds(&removed, seq, "removed");
        assert!(removed.stderr.contains(&format!("event {seq} is missing")), "{}", removed.stderr);
    }
    let moved = "UPDATE event SET seq = 100 WHERE seq = 4; UPDATE event SET seq = 4 WHERE seq = 5; \
                 UPDATE event SET seq = 5 WHERE seq = 100";
    finds(&log.audit_after(moved, &[]), 4, "moved");
    let next = LAST + 1;
    let slipped = format!(
        "INSERT INTO event SELECT {next}, at, name, ask, body, digest, hash FROM event \
         WHERE seq = {LAST}"
    );
    finds(&log.audit_after(&slipped, &[]), next, "slipped in");
}

#[test]
fn a_log_whose_end_was_cut_off_is_found_with_a_head_that_was_kept() {
    let log = Log::new();
    for end in [0, 1, LAST - 1] {
        let cut = format!("DELETE FROM event WHERE seq > {end}");
        let ended = log.audit_after(&cut, &["--head", &log.head]);
        finds(&ended, LAST, "cut off");
        let said = format!("the log ends at event {end}, but event {LAST} was there");
        assert!(ended.stderr.contains(&said), "{}", ended.stderr);
    }
    let before = LAST - 1;
    let other = format!("{before}:{}", log.head.split_once(':').unwrap().1);
    finds(&log.audit(&log.hub.home().database(), &["--head", &other]), before, "rewritten");
}
