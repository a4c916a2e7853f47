//! Followers: every event once, in order, through all restarts.

use std::sync::Arc;

use handraise_broker::{AskId, Hub, HubError, News, Power, Seq};
use handraise_client::RemoteHub;
use handraise_question::Surface;

use super::Scene;

/// What a follower saw, from the first event on.
#[derive(Debug, Default)]
pub(super) struct Seen {
    pub(super) number: usize,
    pub(super) events: Vec<(String, Option<AskId>)>,
}

impl Seen {
    fn last(&self) -> Seq {
        self.events.len() as Seq
    }
}

pub(super) async fn follow(scene: Arc<Scene>, number: usize) -> Seen {
    let hub = scene.client(Power::Person, Surface::Api);
    let mut seen = Seen { number, events: vec![] };
    if let Err(error) = watch(&scene, &hub, &mut seen).await {
        scene.problem(format!("follower {number}, after event {}: {error}", seen.last()));
    }
    seen
}

async fn watch(scene: &Scene, hub: &RemoteHub, seen: &mut Seen) -> Result<(), HubError> {
    let mut chance = scene.chance(&format!("follower {}", seen.number));
    // The first leaves reconnecting to the client; the others also leave by themselves and come back.
    let leaves = seen.number > 0;
    let mut end = scene.end.subscribe();
    let mut feed = hub.follow(Some(0)).await?;
    loop {
        if end.borrow_and_update().is_some_and(|end| seen.last() >= end) {
            return Ok(());
        }
        let news = tokio::select! {
            news = feed.next() => news?,
            _ = end.changed() => continue,
        };
        let again = match news {
            News::Event(told) => {
                if told.seq != seen.last() + 1 {
                    let number = seen.number;
                    let (last, seq) = (seen.last(), told.seq);
                    scene.problem(format!("follower {number} saw {seq} after {last}"));
                    return Ok(());
                }
                seen.events.push((told.name.clone(), told.ask.as_ref().map(|ask| ask.id)));
                scene.events.send_if_modified(|furthest| {
                    let further = told.seq > *furthest;
                    *furthest = told.seq.max(*furthest);
                    further
                });
                leaves && chance.one_in(50)
            }
            News::Live(seq) => {
                if seq != seen.last() {
                    let (number, last) = (seen.number, seen.last());
                    scene
                        .problem(format!("follower {number} is told {seq} is the end, not {last}"));
                }
                false
            }
            // It was too slow for what is told live; the log has it all.
            News::Reset(_) => true,
            News::Typing { .. } | News::Speaking { .. } => false,
        };
        if again {
            feed = hub.follow(Some(seen.last())).await?;
        }
    }
}
