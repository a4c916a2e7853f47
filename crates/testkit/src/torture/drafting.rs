//! People who type and do not send: their drafts must be there, too.

use std::sync::Arc;

use handraise_broker::{Draft, Hub, HubError, Power, Query, State};
use handraise_client::RemoteHub;
use handraise_question::Surface;

use super::{DRAFTERS, Scene, matter, raised};

const PAGE: u32 = 100;

pub(super) async fn draft(scene: Arc<Scene>, number: usize) {
    let hub = scene.client(Power::Person, Surface::Web);
    if let Err(error) = type_on(&scene, &hub, number).await {
        scene.problem(format!("drafter {number}: {error}"));
    }
}

async fn type_on(scene: &Scene, hub: &RemoteHub, me: usize) -> Result<(), HubError> {
    let mut events = scene.events.subscribe();
    let mut chance = scene.chance(&format!("drafter {me}"));
    while !scene.is_over() {
        events.mark_unchanged();
        let query = Query { states: vec![State::Open], limit: PAGE, ..Query::default() };
        // Drafts are one person's: of two who type at the same ask, one would be behind.
        let mine = |key: &str| scene.chance(&format!("{key}, drafted")).below(DRAFTERS) == me;
        let mut open = hub.list(query).await?;
        open.retain(|record| mine(record.opened.key.as_deref().unwrap_or_default()));
        if !open.is_empty() {
            let id = open[chance.below(open.len())].id;
            let before = scene.ledger(|ledger| ledger.drafts.get(&id).cloned());
            let kept = hub.draft(id).await?;
            if kept != before {
                scene.problem(format!("a draft of {id} was {before:?} and is {kept:?}"));
            }
            let version = before.map_or(1, |draft| draft.version + 1);
            let draft = Draft { version, answers: matter::forms(&mut chance), ..Draft::default() };
            hub.keep_draft(id, draft.clone()).await?;
            scene.ledger(|ledger| {
                ledger.drafts.insert(id, draft);
                ledger.drafts_kept += 1;
            });
        }
        tokio::select! {
            _ = events.changed() => {}
            () = raised(&scene.over) => {}
        }
    }
    Ok(())
}
