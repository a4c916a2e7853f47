//! `handraise list`, `history`, `status`: what waits and what was decided.

mod history;
mod status;
mod times;

use std::sync::Arc;

use handraise_broker::{AnswerIn, CLI, Hub, Query, Record, State, project_name};
use handraise_client::{Home, RemoteHub};
use handraise_question::{Approval, Question};
use handraise_wire::v1::{AskResponse, AsksResponse};
use jiff::Timestamp;

use crate::approval::tool_name;
use crate::cli::JsonArgs;
use crate::failure::{Exit, Failure};
use crate::home::{failure, hub_of_agent};
use crate::table::{self, Table};
use crate::{environment, output, runtime};

pub(crate) use history::history;
pub(crate) use status::status;

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
    let mut table =
        Table::new(&["ID", "AGENT", "PROJECT", "WAITING", "QUESTION"]).limit_agent_columns();
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
    output::show_raw(&table.text(table::width()))?;
    Ok(Exit::Answered)
}

fn reader(home: &Home) -> Result<(RemoteHub, tokio::runtime::Runtime), Failure> {
    let runtime = runtime::single().map_err(|error| Failure::new(Exit::Internal, error))?;
    Ok((hub_of_agent(home, CLI)?, runtime))
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
    output::print(&text.map_err(|error| Failure::new(Exit::Internal, error))?)?;
    Ok(Exit::Answered)
}

/// Enough of an id to tell those apart that a person has before them; any ending is understood.
pub(crate) fn short(id: impl std::fmt::Display) -> String {
    let id = id.to_string();
    id[id.len() - 8..].to_owned()
}

pub(crate) fn project(record: &Record) -> String {
    let directory = record.asker().directory.as_deref().unwrap_or_default();
    let project = project_name(directory).unwrap_or("–");
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

fn question(record: &Record) -> String {
    let Ok(ask) = record.matter().ask() else {
        let approval = Approval::read(record.matter().as_sent());
        let tool = approval.map_or_else(|_| "a tool".to_owned(), |it| tool_name(&it));
        return format!("May it use {tool}?");
    };
    let first = ask.questions().first().map_or("", Question::text);
    match ask.questions().len() {
        0 | 1 => first.to_owned(),
        several => format!("{first} (+{})", several - 1),
    }
}

/// A moment as the person's clock shows it.
pub(crate) fn when(at: Timestamp) -> String {
    at.to_zoned(environment::zone()).strftime("%Y-%m-%d %H:%M:%S").to_string()
}
