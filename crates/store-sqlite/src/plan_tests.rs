//! Every page is sought by its key: nothing that is read again and again walks through a whole table,
//! or sorts it.

use rusqlite::Connection;

use crate::{migrate, read, sessions};

fn plan(connection: &Connection, sql: &str) -> Vec<String> {
    let mut explain = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
    // Whatever is bound: SQLite plans before it looks at that.
    let steps = explain.raw_query().mapped(|row| row.get("detail"));
    steps.collect::<Result<_, _>>().unwrap()
}

#[test]
fn pages_are_sought_by_their_key_and_not_sorted() {
    let mut connection = Connection::open_in_memory().unwrap();
    migrate::migrate(&mut connection).unwrap();
    for (sql, expected) in [
        (read::OLDEST_FIRST, "SEARCH ask USING PRIMARY KEY (id>?)"),
        (read::ONE_STATE, "SEARCH ask USING INDEX ask_by_state (state=? AND id>?)"),
        (
            read::LAST_ENDED_FIRST,
            "SEARCH ask USING INDEX ask_by_end (ended_at>? AND (ended_at,id)<(?,?))",
        ),
        (
            read::DOUBTED_LAST_ENDED_FIRST,
            "SEARCH ask USING INDEX ask_doubted ((ended_at,id)<(?,?))",
        ),
        (sessions::ANY, "SEARCH session USING PRIMARY KEY (id<?)"),
        (sessions::LIVE, "SEARCH session USING INDEX session_live (id<?)"),
    ] {
        let steps = plan(&connection, sql);
        assert_eq!(steps[0], expected, "{steps:#?}");
        assert!(!steps.iter().any(|step| step.contains("TEMP B-TREE")), "{steps:#?}");
    }
}
