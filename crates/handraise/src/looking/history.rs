//! `handraise history`: what was decided.

use handraise_broker::{Order, Query, Record, Resolved, Sought, State};
use handraise_client::Home;

use super::{all, print_asks, project, times, when};
use crate::answer::{attribute, decided_call, doubted, ended, taken};
use crate::cli::HistoryArgs;
use crate::failure::{Exit, Failure};
use crate::output;
use crate::table::{self, Table};

pub(crate) fn history(home: &Home, args: &HistoryArgs) -> Result<Exit, Failure> {
    if args.times {
        return times::show(home, args.days, args.json);
    }
    let ended_states = State::ALL.into_iter().filter(|state| *state != State::Open).collect();
    let query = Query {
        states: ended_states,
        agent: args.agent.clone(),
        kind: args.kind.clone(),
        sought: Sought {
            project: args.project.clone(),
            person: args.person.clone(),
            text: args.text.clone(),
            surface: None,
        },
        doubted: args.doubted,
        order: Order::LastEndedFirst,
        ..Query::default()
    };
    let asks = all(home, &query, Some(args.limit))?;
    if args.json {
        return print_asks(&asks);
    }
    if asks.is_empty() {
        let filtered = args.doubted
            || args.agent.is_some()
            || args.kind.is_some()
            || !query.sought.is_nothing();
        output::print(if filtered { "Nothing like that." } else { "Nothing was decided yet." })?;
        return Ok(Exit::Answered);
    }
    // What the hub says stands before what agents say.
    let heads = ["WHEN", "TOOK", "BY", "STATE", "AGENT", "PROJECT", "WHAT"];
    let mut table = Table::new(&heads).limit_agent_columns();
    for record in &asks {
        let Some(resolved) = record.resolved() else { continue };
        table.row(vec![
            when(resolved.at),
            table::duration(resolved.at.duration_since(record.asked_at)),
            by(record, resolved),
            record.state().name().to_owned(),
            record.asker().agent.clone(),
            project(record),
            outcome(record),
        ]);
    }
    output::show_raw(&table.text(table::width()))?;
    Ok(Exit::Answered)
}

/// Who ended it: a person, or the agent, where only it says so.
fn by(record: &Record, resolved: &Resolved) -> String {
    let person = resolved.responder.as_ref().and_then(|responder| responder.person.clone());
    match person {
        Some(person) => person,
        None if resolved.is_claimed_by_agent() && !record.is_invented() => "the agent".into(),
        None => "–".into(),
    }
}

/// How it ended, and if the agent went on with something else, with what.
fn outcome(record: &Record) -> String {
    let ended = ended(record).into_iter().chain(decided_call(record));
    let ended = attribute(record, ended.collect::<Vec<_>>().join("  "));
    let outcome = match record.state() {
        State::Overruled => format!("{ended}, but the agent took: {}", taken(record).join("  ")),
        State::Open | State::Resolved | State::Delivered | State::Undelivered => ended,
    };
    // First, because the end of a line may be cut off.
    match doubted(record) {
        Some(doubted) => format!("{doubted} {outcome}"),
        None => outcome,
    }
}
