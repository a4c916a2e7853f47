//! Answerers: some follow the events, one looks at the list. Some asks are raced for.

use std::collections::HashSet;
use std::sync::Arc;

use handraise_broker::{
    AskId, Hub, HubError, News, Power, Query, Record, Rejection, Reply, Seq, State,
};
use handraise_client::RemoteHub;
use handraise_question::Surface;
use serde_json::Value;
use tokio::task::JoinSet;

use super::ledger::{Attempt, Heard};
use super::{ANSWERERS, Scene, matter, raised};
use crate::Chance;

const PAGE: u32 = 500;

pub(super) async fn answer(scene: Arc<Scene>, number: usize) {
    let hub = scene.client(Power::Person, Surface::Api);
    let done = if number == 0 {
        by_list(&scene, &hub, number).await
    } else {
        by_events(&scene, &hub, number).await
    };
    if let Err(error) = done {
        scene.problem(format!("answerer {number}: {error}"));
    }
}

async fn by_events(scene: &Arc<Scene>, hub: &RemoteHub, me: usize) -> Result<(), HubError> {
    let mut cursor: Seq = 0;
    let mut feed = hub.follow(Some(cursor)).await?;
    loop {
        let news = tokio::select! {
            news = feed.next() => news?,
            () = raised(&scene.over) => return Ok(()),
        };
        match news {
            News::Event(told) => {
                cursor = told.seq;
                if let Some(record) = told.ask.as_ref().filter(|_| told.name == "ask.opened")
                    && is_mine(scene, record, me)
                {
                    reply(scene, record).await;
                }
            }
            // It was too slow for what is told live; the log has it all.
            News::Reset(_) => feed = hub.follow(Some(cursor)).await?,
            News::Live(_) | News::Typing { .. } | News::Speaking { .. } => {}
        }
    }
}

async fn by_list(scene: &Arc<Scene>, hub: &RemoteHub, me: usize) -> Result<(), HubError> {
    let mut events = scene.events.subscribe();
    let mut answered: HashSet<AskId> = HashSet::new();
    while !scene.is_over() {
        // What happens from here on wakes it up again.
        events.mark_unchanged();
        let query = Query { states: vec![State::Open], limit: PAGE, ..Query::default() };
        for record in hub.list(query).await? {
            if is_mine(scene, &record, me) && answered.insert(record.id) {
                reply(scene, &record).await;
            }
        }
        tokio::select! {
            _ = events.changed() => {}
            () = raised(&scene.over) => {}
        }
    }
    Ok(())
}

fn is_mine(scene: &Scene, record: &Record, me: usize) -> bool {
    let key = record.opened.key.as_deref().unwrap_or_default();
    scene.chance(key).below(ANSWERERS) == me
}

/// Says something to an ask; now and then several at once do.
async fn reply(scene: &Arc<Scene>, record: &Record) {
    let id = record.id;
    let mut chance = scene.chance(&format!("{:?}, answered", record.opened.key));
    let rivals = if chance.one_in(4) { 2 + chance.below(2) } else { 1 };
    let mut all = JoinSet::new();
    for rival in 0..rivals {
        let (said, meant) = matter::reply(&mut chance);
        let surface = [Surface::Api, Surface::Terminal, Surface::Web][rival % 3].clone();
        let hub = scene.client(Power::Person, surface);
        let key = format!("{id}/{rival}");
        let scene = scene.clone();
        all.spawn(async move {
            let outcome = hub.reply(id, said, Some(key.clone())).await;
            note(&scene, id, meant, outcome).map(|stands| (hub, key, stands))
        });
    }
    while let Some(done) = all.join_next().await {
        match done {
            Ok(Some((hub, key, stands))) if chance.one_in(8) => {
                again(scene, &hub, id, &key, &stands, &mut chance).await;
            }
            Ok(_) => {}
            Err(error) => scene.problem(format!("a rival failed: {error}")),
        }
    }
}

/// Notes what the hub said; returns what stands if it stands by this reply.
fn note(
    scene: &Scene,
    id: AskId,
    meant: Value,
    outcome: Result<Arc<Record>, HubError>,
) -> Option<Value> {
    let resolution = |record: &Record| record.resolved().map(|end| end.resolution.clone());
    let heard = match outcome {
        Ok(record) => resolution(&record).map(Heard::Stands),
        Err(HubError::Rejected(Rejection::AlreadyResolved(record))) => {
            resolution(&record).map(Heard::TooLate)
        }
        Err(error) => {
            scene.problem(format!("a reply to {id}: {error}"));
            return None;
        }
    };
    let Some(heard) = heard else {
        scene.problem(format!("a reply to {id}: taken, but the ask is still open"));
        return None;
    };
    let stands = if let Heard::Stands(value) = &heard { Some(value.clone()) } else { None };
    scene.ledger(|ledger| ledger.heard(id, Attempt { meant, heard }));
    stands
}

/// Sends a reply that stands once more: the same again is taken as the same, another is refused.
async fn again(
    scene: &Scene,
    hub: &RemoteHub,
    id: AskId,
    key: &str,
    stands: &Value,
    chance: &mut Chance,
) {
    let Some(said) = read_back(stands) else { return };
    match hub.reply(id, said, Some(key.to_owned())).await {
        Ok(record) if record.resolved().map(|end| &end.resolution) == Some(stands) => {}
        other => scene.problem(format!("the same reply to {id} once more: {other:?}")),
    }
    let (other, meant) = matter::reply(chance);
    if meant != *stands {
        match hub.reply(id, other, Some(key.to_owned())).await {
            Err(HubError::Rejected(Rejection::KeyReused)) => {}
            other => scene.problem(format!("another reply to {id} with the same key: {other:?}")),
        }
    }
}

fn read_back(stands: &Value) -> Option<Reply> {
    let text = |field: &str| stands[field].as_str().map(str::to_owned);
    match stands["kind"].as_str()? {
        "declined" => Some(Reply::Decline(text("reason"))),
        "discuss" => text("words").map(Reply::Discuss),
        _ => serde_json::from_value(stands["answers"].clone()).ok().map(Reply::Answer),
    }
}
