//! Searching what was decided.

use std::sync::Arc;

use handraise_broker::{Hub, Matter, Order, Query, Record, Sought, State};
use handraise_client::RemoteHub;
use handraise_question::Question;
use handraise_terminal::Past;

use super::board::Board;
use super::entry::{alarm, ending, headline};
use crate::answer::{attribute, ended};
use crate::looking::{project, when};

/// More than this nobody looks through.
const MOST: usize = 200;

pub(super) async fn search(hub: RemoteHub, board: Arc<Board>, text: String) {
    let states = State::ALL.into_iter().filter(|state| *state != State::Open).collect();
    let sought = Sought {
        project: board.project.clone(),
        text: Some(text.clone()).filter(|text| !text.is_empty()),
        ..Sought::default()
    };
    let order = Order::LastEndedFirst;
    let limit = u32::try_from(MOST + 1).unwrap_or(u32::MAX);
    let query = Query { states, sought, order, limit, ..Query::default() };
    match hub.list(query).await {
        Ok(found) => {
            let past = found.iter().take(MOST).map(|record| past(record)).collect();
            board.remote.found(text, past, found.len() > MOST);
        }
        Err(error) => board.remote.not_found(text, format!("Not searched: {error}")),
    }
}

fn past(record: &Record) -> Past {
    let resolved = record.resolved();
    let by = resolved.and_then(|resolved| resolved.responder.as_ref()?.person.clone());
    Past {
        when: resolved.map(|resolved| minute(&when(resolved.at))).unwrap_or_default(),
        by: by.unwrap_or_else(|| "–".into()),
        project: project(record),
        headline: format!("{} — {}", attribute(record, ended(record).join("  ")), headline(record)),
        whole: whole(record),
    }
}

/// A moment without its seconds.
fn minute(when: &str) -> String {
    when.rsplit_once(':').map_or(when, |(minute, _)| minute).to_owned()
}

/// All of it: who asked, what, and what came of it.
fn whole(record: &Record) -> String {
    let asker = record.asker();
    let about = [Some(asker.agent.clone()), asker.directory.clone(), asker.title.clone()];
    let about = about.into_iter().flatten().collect::<Vec<_>>().join(" · ");
    let end = alarm(record).or_else(|| ending(record)).unwrap_or_default().join("\n");
    let mut parts = vec![about, asked(record), end];
    parts.extend(
        asker.preamble.clone().map(|text| format!("Before that, the agent wrote:\n{text}")),
    );
    parts.join("\n\n")
}

fn asked(record: &Record) -> String {
    let ask = match record.matter() {
        Matter::Questions(_) => record.matter().ask(),
        // Its end says what was allowed or denied, in whole.
        Matter::Approval(_) => return headline(record),
    };
    let Ok(ask) = ask else { return headline(record) };
    let question = |question: &Question| {
        let options = question.options().iter();
        let options = options.map(|option| format!("  ○ {}", option.label()));
        std::iter::once(question.text().to_owned()).chain(options).collect::<Vec<_>>().join("\n")
    };
    ask.questions().iter().map(question).collect::<Vec<_>>().join("\n\n")
}
