//! Entries for tests.

use super::entry::{Entry, EntryId, Kind, Standing};

pub(crate) fn id(n: u8) -> EntryId {
    EntryId([n; 16])
}

pub(crate) fn entry(n: u8, asked: i64) -> Entry {
    Entry {
        id: id(n),
        kind: Kind::Question,
        agent: "claude-code".into(),
        project: format!("shop-{n}"),
        title: None,
        headline: format!("Question {n}?"),
        asked,
        deadline: None,
        standing: Standing::Waits,
    }
}
