//! Which asks are exported.

use handraise_broker::{Order, Query, Record, Sought, State};
use jiff::Timestamp;

use crate::cli::ExportArgs;

/// Which asks are wanted.
pub(super) struct Wanted {
    pub(super) kind: Option<String>,
    agent: Option<String>,
    ended: bool,
    sought: Sought,
    since: Option<Timestamp>,
    until: Option<Timestamp>,
}

impl Wanted {
    pub(super) fn new(args: &ExportArgs, now: Timestamp) -> Self {
        Self {
            kind: args.kind.clone(),
            agent: args.agent.clone(),
            ended: args.ended,
            sought: Sought {
                project: args.project.clone(),
                person: args.person.clone(),
                text: args.text.clone(),
                surface: None,
            },
            since: args.since.map(|when| when.begin(now)),
            until: args.until.map(|when| when.end(now)),
        }
    }

    /// As far as a store can tell.
    pub(super) fn query(&self) -> Query {
        let ended = State::ALL.into_iter().filter(|state| *state != State::Open);
        Query {
            states: if self.ended { ended.collect() } else { vec![] },
            agent: self.agent.clone(),
            kind: self.kind.clone(),
            order: Order::OldestFirst,
            ..Query::default()
        }
    }

    /// Whether an ask is wanted that counts by this moment.
    pub(super) fn has(&self, record: &Record, at: Timestamp) -> bool {
        let kind = record.resolved().map(handraise_broker::Resolved::kind);
        self.since.is_none_or(|since| at >= since)
            && self.until.is_none_or(|until| at < until)
            && self.agent.as_ref().is_none_or(|agent| record.asker().agent == *agent)
            && self.kind.as_deref().is_none_or(|wanted| kind == Some(wanted))
            && self.sought.is_in(record)
    }
}
