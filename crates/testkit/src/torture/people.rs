//! Everybody who has to do with the hub: they come, and they leave when all is answered.

use std::sync::Arc;

use handraise_broker::Power;
use handraise_question::Surface;
use tokio::runtime::Runtime;
use tokio::task::JoinSet;

use super::following::Seen;
use super::{ANSWERERS, DRAFTERS, FOLLOWERS, Scene, answering, asking, drafting, following};
use crate::PATIENCE;

/// Everybody who has to do with the hub.
pub(super) struct People {
    askers: JoinSet<()>,
    others: JoinSet<()>,
    followers: JoinSet<Seen>,
}

impl People {
    pub(super) fn enter(runtime: &Runtime, scene: &Arc<Scene>) -> Self {
        let _inside = runtime.enter();
        let (mut askers, mut others) = (JoinSet::new(), JoinSet::new());
        let mut followers = JoinSet::new();
        for number in 0..FOLLOWERS {
            followers.spawn(following::follow(scene.clone(), number));
        }
        for number in 0..ANSWERERS {
            others.spawn(answering::answer(scene.clone(), number));
        }
        for number in 0..DRAFTERS {
            others.spawn(drafting::draft(scene.clone(), number));
        }
        for number in 0..scene.torture.asks {
            askers.spawn(asking::ask(scene.clone(), number));
        }
        Self { askers, others, followers }
    }

    /// Everybody finishes what they are at; returns what the followers saw.
    pub(super) fn leave(mut self, runtime: &Runtime, scene: &Arc<Scene>) -> Vec<Seen> {
        runtime.block_on(async {
            finish(scene, &mut self.askers, "askers").await;
            scene.over.send_replace(true);
            finish(scene, &mut self.others, "answerers and drafters").await;
            let status = scene.client(Power::Person, Surface::Api).status().await;
            let end = status.ok().and_then(|status| status.head.split(':').next()?.parse().ok());
            if end.is_none() {
                scene.problem("the hub cannot say where its log ends".into());
            }
            scene.end.send_replace(Some(end.unwrap_or(0)));
            let mut seen = finish(scene, &mut self.followers, "followers").await;
            seen.sort_by_key(|seen| seen.number);
            seen
        })
    }
}

/// Waits until all are done; those who get nowhere are a problem.
async fn finish<T: 'static>(scene: &Scene, all: &mut JoinSet<T>, who: &str) -> Vec<T> {
    let mut done = vec![];
    loop {
        match tokio::time::timeout(PATIENCE, all.join_next()).await {
            Ok(None) => return done,
            Ok(Some(Ok(one))) => done.push(one),
            Ok(Some(Err(error))) => scene.problem(format!("one of the {who} failed: {error}")),
            Err(_) => {
                scene.problem(format!("{} of the {who} got nowhere", all.len()));
                all.shutdown().await;
                return done;
            }
        }
    }
}
