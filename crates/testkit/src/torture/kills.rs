//! The kills.

use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use handraise_broker::{Power, Seq};
use handraise_question::Surface;
use tokio::runtime::Runtime;

use super::Scene;
use crate::{Chance, HubProcess, PATIENCE};

/// The most of a moment before a kill, in milliseconds. It waits for nothing: it is there so that the
/// kill falls anywhere.
const MOMENT: usize = 40;

/// What must survive every restart.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Lasting {
    url: String,
    tokens: [String; 2],
}

impl Lasting {
    pub(super) fn of(hub: &HubProcess) -> Self {
        let token = |power| hub.home().token(power).map(|token| token.reveal().to_owned());
        let tokens = [Power::Agent, Power::Person].map(|power| token(power).unwrap_or_default());
        Self { url: hub.url().to_owned(), tokens }
    }
}

/// The kills, and what they left.
#[derive(Debug, Default)]
pub(super) struct Kills {
    done: usize,
    pub(super) at_start: usize,
    /// How often it was asked to stop instead.
    pub(super) stops: usize,
    pub(super) longest_start: Duration,
    /// The end of the log after each restart, kept elsewhere.
    pub(super) heads: Vec<String>,
}

impl Kills {
    pub(super) fn carry_out(
        mut self,
        hub: &mut HubProcess,
        scene: &Arc<Scene>,
        runtime: &Runtime,
        lasting: &Lasting,
    ) -> Self {
        let mut chance = scene.chance("kills");
        while self.done < scene.torture.kills {
            let more = 1 + chance.below(scene.torture.asks);
            if !runtime.block_on(progress(scene, more)) {
                scene.problem(format!("nothing happened any more after {} kills", self.done));
                return self;
            }
            moment(&mut chance);
            if chance.one_in(5) {
                // It may also be asked to stop, and then has to end well in the middle of it all.
                self.stop(hub, scene);
                self.start(hub, scene, runtime, lasting);
                continue;
            }
            hub.kill();
            self.done += 1;
            while self.done < scene.torture.kills && chance.one_in(4) {
                hub.launch();
                moment(&mut chance);
                hub.kill();
                self.done += 1;
                self.at_start += 1;
            }
            self.start(hub, scene, runtime, lasting);
        }
        self
    }

    fn stop(&mut self, hub: &mut HubProcess, scene: &Scene) {
        let ended = hub.stop();
        if !ended.status.success() {
            scene.problem(format!("the hub did not stop well: {ended:?}"));
        }
        self.stops += 1;
    }

    fn start(&mut self, hub: &mut HubProcess, scene: &Scene, runtime: &Runtime, lasting: &Lasting) {
        let start = Instant::now();
        hub.restart();
        self.longest_start = self.longest_start.max(start.elapsed());
        *scene.up.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
        let now = Lasting::of(hub);
        if now != *lasting {
            scene.problem(format!("a restart changed {lasting:?} into {now:?}"));
        }
        match runtime.block_on(scene.client(Power::Person, Surface::Api).status()) {
            Ok(status) => self.heads.push(status.head),
            Err(error) => scene.problem(format!("a hub that is up says: {error}")),
        }
    }
}

/// A part of a moment, to fall anywhere.
fn moment(chance: &mut Chance) {
    let part = u64::try_from(chance.below(MOMENT)).unwrap_or(0);
    std::thread::sleep(Duration::from_millis(part));
}

/// Waits until so many more events were seen.
async fn progress(scene: &Scene, more: usize) -> bool {
    let mut events = scene.events.subscribe();
    let goal = *events.borrow() + more as Seq;
    tokio::time::timeout(PATIENCE, events.wait_for(|seq| *seq >= goal)).await.is_ok()
}
