//! Which session is meant.

use std::sync::Arc;

use handraise_broker::{
    HubError, MOST_LISTED, Rejection, Session, SessionId, SessionQuery, Sessions,
};
use handraise_client::RemoteHub;

use crate::failure::{Exit, Failure};
use crate::home::failure;

/// Less of an id is more likely a slip.
const SHORTEST_END: usize = 4;

/// The live session with this id, or whose id ends like this; the only one when nothing is said.
pub(super) async fn session(hub: &RemoteHub, id: Option<&str>) -> Result<Arc<Session>, Failure> {
    if let Some(id) = id.and_then(|id| id.parse::<SessionId>().ok()) {
        let session = hub.session(id).await.map_err(failure)?;
        if session.is_over() {
            return Err(failure(HubError::Rejected(Rejection::SessionEnded)));
        }
        return Ok(session);
    }
    let end = id.unwrap_or_default();
    if id.is_some() && end.len() < SHORTEST_END {
        let error = anyhow::anyhow!("`{end}` is too little of an id");
        return Err(Failure::new(Exit::BadInput, error).hint("without an id, all are listed"));
    }
    let query = SessionQuery { live: true, after: None, limit: MOST_LISTED };
    let mut live = hub.sessions(query).await.map_err(failure)?;
    live.retain(|session| session.id.to_string().ends_with(end));
    if live.len() == 1 {
        return Ok(live.remove(0));
    }
    let error = match (live.is_empty(), id) {
        (true, None) => anyhow::anyhow!("no session is live"),
        (true, Some(end)) => anyhow::anyhow!("no live session has an id that ends in {end}"),
        (false, _) => anyhow::anyhow!("{} sessions are live", live.len()),
    };
    let failure = Failure::new(Exit::BadInput, error);
    let failure = if live.is_empty() { failure } else { failure.hint("name one by its id") };
    Err(live.iter().fold(failure, |failure, session| failure.detail(line(session))))
}

fn line(session: &Session) -> String {
    let id = session.id.to_string();
    let title = session.title.as_deref().unwrap_or_default();
    let line = format!(
        "{}  {}  {}  {}  {title}",
        &id[id.len() - 8..],
        session.agent,
        session.state.name(),
        session.directory
    );
    line.trim_end().to_owned()
}
