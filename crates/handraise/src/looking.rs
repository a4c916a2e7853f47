//! `handraise list`, `history`, `status`: what waits and what was decided.

use std::sync::Arc;

use handraise_broker::{AnswerIn, Hub, Order, Power, Query, Record, Sought, State};
use handraise_client::{Home, RemoteHub};
use handraise_question::{Question, Surface};
use handraise_wire::v1::{AskResponse, AsksResponse};
use jiff::{SignedDuration, Timestamp};

use crate::answer::{doubted, ended, taken};
use crate::cli::{HistoryArgs, JsonArgs};
use crate::failure::{Exit, Failure};
use crate::home::{failure, hub};
use crate::table::{self, Table};
use crate::{environment, output, runtime};

const PAGE: u32 = 500;

pub(crate) fn list(home: &Home, args: JsonArgs) -> Result<Exit, Failure> {
    let query = Query { states: vec![State::Open], ..Query::default() };
    let asks = all(home, &query, None)?;
    if args.json {
        return print_asks(&asks);
    }
    if asks.is_empty() {
        output::print("Nothing waits.")?;
        return Ok(Exit::Answered);
    }
    let now = environment::time();
    let mut table = Table::new(&["ID", "AGENT", "PROJECT", "WAITING", "QUESTION"]);
    for record in &asks {
        let waiting = table::duration(now.duration_since(record.asked_at));
        table.row(vec![
            short(record.id),
            record.asker().agent.clone(),
            project(record),
            waiting,
            waits_with(record),
        ]);
    }
    output::show(&table.text(table::width()))?;
    Ok(Exit::Answered)
}

pub(crate) fn history(home: &Home, args: &HistoryArgs) -> Result<Exit, Failure> {
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
    let mut table = Table::new(&["WHEN", "AGENT", "PROJECT", "BY", "STATE", "WHAT"]);
    for record in &asks {
        let Some(resolved) = record.resolved() else { continue };
        let by = resolved.responder.as_ref().and_then(|responder| responder.person.clone());
        table.row(vec![
            when(resolved.at),
            record.asker().agent.clone(),
            project(record),
            by.unwrap_or_else(|| "–".into()),
            record.state().name().to_owned(),
            outcome(record),
        ]);
    }
    output::show(&table.text(table::width()))?;
    Ok(Exit::Answered)
}

pub(crate) fn status(home: &Home, args: JsonArgs) -> Result<Exit, Failure> {
    let (hub, runtime) = reader(home)?;
    let status = runtime.block_on(hub.status()).map_err(failure)?;
    if args.json {
        output::print_json(&status)?;
        return Ok(Exit::Answered);
    }
    let address = home.hub().map(|hub| hub.url).unwrap_or_default();
    let waited = SignedDuration::try_from_secs_f64(status.waiting_seconds).unwrap_or_default();
    let waiting = match status.open {
        0 => "nothing".to_owned(),
        1 => format!("1 ask, for {}", table::duration(waited)),
        open => format!("{open} asks, for {} in all", table::duration(waited)),
    };
    output::print(&format!(
        "Handraise {} is up since {}.\n\n  address  {address}\n  home     {}\n  waiting  {waiting}\n  \
         log      {}",
        status.version,
        when(status.since),
        home.directory().display(),
        status.head,
    ))?;
    match alarms(&hub, &runtime)? {
        0 => {}
        alarms => output::print(&format!(
            "  alarms   {alarms} in the last day: answers nobody gave (handraise history --doubted)"
        ))?,
    }
    Ok(Exit::Answered)
}

/// How many agents went on with an answer that nobody gave, in the last day.
fn alarms(hub: &RemoteHub, runtime: &tokio::runtime::Runtime) -> Result<usize, Failure> {
    let order = Order::LastEndedFirst;
    let query = Query { doubted: true, order, limit: PAGE, ..Query::default() };
    let doubted = runtime.block_on(hub.list(query)).map_err(failure)?;
    let a_day = SignedDuration::from_hours(24);
    let yesterday = environment::time().saturating_sub(a_day).unwrap_or(Timestamp::MIN);
    let ended = doubted.iter().filter_map(|record| record.resolved());
    Ok(ended.filter(|resolved| resolved.at > yesterday).count())
}

fn reader(home: &Home) -> Result<(RemoteHub, tokio::runtime::Runtime), Failure> {
    let runtime = runtime::single().map_err(|error| Failure::new(Exit::Internal, error))?;
    Ok((hub(home, Power::Agent, Surface::Api)?, runtime))
}

/// Every ask that matches, page by page, at most `most`.
fn all(home: &Home, query: &Query, most: Option<u32>) -> Result<Vec<Arc<Record>>, Failure> {
    let found = |asks: &[Arc<Record>]| u32::try_from(asks.len()).unwrap_or(u32::MAX);
    let (hub, runtime) = reader(home)?;
    let mut asks = vec![];
    let mut after = None;
    loop {
        let limit = most.map_or(PAGE, |most| PAGE.min(most.saturating_sub(found(&asks))));
        let page = Query { after, limit, ..query.clone() };
        let page = runtime.block_on(hub.list(page)).map_err(failure)?;
        let full = found(&page) == limit;
        after = page.last().map(|record| record.id);
        asks.extend(page);
        if !full || most == Some(found(&asks)) {
            return Ok(asks);
        }
    }
}

fn print_asks(asks: &[Arc<Record>]) -> Result<Exit, Failure> {
    let asks = asks.iter().map(|record| AskResponse::from(&**record)).collect();
    let text = serde_json::to_string(&AsksResponse { asks, next: None });
    output::show_raw(&text.map_err(|error| Failure::new(Exit::Internal, error))?)?;
    Ok(Exit::Answered)
}

/// Enough of an id to tell those apart that a person has before them; any ending is understood.
pub(crate) fn short(id: impl std::fmt::Display) -> String {
    let id = id.to_string();
    id[id.len() - 8..].to_owned()
}

pub(crate) fn project(record: &Record) -> String {
    let directory = record.asker().directory.as_deref().unwrap_or_default();
    let project = directory.rsplit('/').find(|part| !part.is_empty()).unwrap_or("–");
    match &record.asker().branch {
        Some(branch) => table::short(&format!("{project} ({branch})")),
        None => project.to_owned(),
    }
}

/// What it asks, and whether that can be answered from here.
fn waits_with(record: &Record) -> String {
    match record.policy().answer_in {
        AnswerIn::Anywhere => question(record),
        AnswerIn::Dialog => format!("(answer in its own terminal) {}", question(record)),
    }
}

/// How it ended, and if the agent went on with something else, with what.
fn outcome(record: &Record) -> String {
    let ended = ended(record).join("  ");
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

fn question(record: &Record) -> String {
    let Ok(ask) = record.matter().ask() else {
        let approval: serde_json::Value =
            serde_json::from_str(record.matter().as_sent().get()).unwrap_or_default();
        return format!("May it use {}?", approval["tool"].as_str().unwrap_or("a tool"));
    };
    let first = ask.questions().first().map_or("", Question::text);
    match ask.questions().len() {
        0 | 1 => first.to_owned(),
        several => format!("{first} (+{})", several - 1),
    }
}

/// A moment as the person's clock shows it.
pub(crate) fn when(at: Timestamp) -> String {
    at.to_zoned(jiff::tz::TimeZone::system()).strftime("%Y-%m-%d %H:%M:%S").to_string()
}
