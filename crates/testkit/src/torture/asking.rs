//! Askers: each has one ask in flight, and asks the next when it has its answer.

use std::sync::Arc;
use std::time::Duration;

use handraise_broker::{Away, Hub, HubError, Level, Power, Receipt, State, until_resolved};
use handraise_client::RemoteHub;
use handraise_question::Surface;

use super::{Scene, matter};

pub(super) async fn ask(scene: Arc<Scene>, number: usize) {
    let hub = scene.client(Power::Agent, Surface::Api);
    for turn in 0_u32.. {
        if *scene.last_round.borrow() {
            return;
        }
        if let Err(error) = one(&scene, &hub, number, turn).await {
            return scene.problem(format!("asker {number}, turn {turn}: {error}"));
        }
    }
}

async fn one(scene: &Scene, hub: &RemoteHub, number: usize, turn: u32) -> Result<(), HubError> {
    let key = format!("torture/{number}/{turn}");
    let new = matter::ask(&key, &number.to_string(), scene.chance(&key));
    let as_sent = new.matter.clone();
    let asked = hub.ask(new).await?;
    let id = asked.record.id;
    scene.ledger(|ledger| ledger.story(id).key.clone_from(&key));
    if asked.record.opened.key.as_ref() != Some(&key) || *asked.record.matter() != as_sent {
        scene.problem(format!("{key} came back as another ask: {:?}", asked.record));
    }
    if !asked.yours {
        scene.problem(format!("{key} is said to be delivered by another"));
    }
    // Without patience of its own, as the command waits: whoever waits is told that the hub is away.
    let waiting = hub.clone().patient(Duration::ZERO);
    let notice = |away| {
        if away == Away::Gone {
            scene.ledger(|ledger| ledger.breaks += 1);
        }
    };
    let record = until_resolved(&waiting, id, None, notice).await?;
    let Some(resolved) = record.resolved() else {
        scene.problem(format!("{key} is over, but not how"));
        return Ok(());
    };
    let up = scene.up_since();
    scene.ledger(|ledger| ledger.got(id, resolved.resolution.clone(), up));
    let text = resolved.resolution.to_string();
    for level in [Level::Handed, Level::Seen] {
        let record = hub
            .receipt(id, Receipt { level, text: Some(text.clone()), took: None, doubt: None })
            .await?;
        if record.state() != State::Delivered {
            scene.problem(format!("{key} is {} after a receipt", record.state().name()));
        }
    }
    Ok(())
}
