//! The demo's agent: a script that asks over HTTP like any other, and takes what it gets.

use std::sync::Arc;

use handraise_broker::{
    AskId, Asker, Hub, HubError, Level, Matter, NewAsk, Policy, Receipt, Record, wait_for_answer,
};
use handraise_client::RemoteHub;
use handraise_question::Ask;
use handraise_question::wording::flat;

use crate::environment;

/// What the agent has when its question is answered.
pub(super) struct Got {
    /// What it reads.
    pub(super) text: String,
    /// The ask as the hub has it.
    pub(super) record: Arc<Record>,
}

/// Asks at the hub.
pub(super) async fn ask(
    hub: &RemoteHub,
    ask: &Ask,
    number: usize,
    preamble: &str,
) -> Result<AskId, HubError> {
    let new = NewAsk {
        asker: Asker {
            agent: "demo".into(),
            session: Some("demo".into()),
            directory: environment::directory(),
            host: Some(environment::host()),
            branch: None,
            title: Some("a new project".into()),
            preamble: Some(preamble.to_owned()),
        },
        key: Some(format!("demo/{number}")),
        matter: Matter::from(ask),
        policy: Policy::default(),
        rival_dialog: false,
        deliverer: None,
    };
    Ok(hub.ask(new).await?.record.id)
}

/// Waits for the answer and says that it arrived.
pub(super) async fn take(hub: RemoteHub, ask: Ask, id: AskId) -> Result<Got, HubError> {
    let record = wait_for_answer(&hub, id, None, |_| {}).await?;
    let text = match record.resolution()? {
        Some(resolution) => flat::text(&ask, &resolution),
        None => String::new(),
    };
    for level in [Level::Handed, Level::Seen] {
        hub.receipt(id, Receipt { level, text: Some(text.clone()), took: None, doubt: None })
            .await?;
    }
    Ok(Got { text, record: hub.get(id).await? })
}
