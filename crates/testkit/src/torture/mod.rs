//! A hub that is killed again and again while many ask, answer, type and follow.
//!
//! The real binary is ended with SIGKILL at random moments, also while it starts up, and started
//! again on the same home. All the while as many asks are in flight as there are askers. In the end
//! everybody compares notes: what was acknowledged to an answerer is what the asker got, once; every
//! follower saw every event once and in order; the log adds up.
//!
//! The seed decides when the hub is killed and what is asked and answered. How the threads of two
//! processes take turns it cannot decide, so the same seed makes the same plan, not the same run.

mod answering;
mod asking;
mod drafting;
mod following;
mod kills;
mod ledger;
mod matter;
mod people;
mod report;
mod verdict;

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use handraise_broker::{Power, Seq};
use handraise_client::{Home, RemoteHub};
use handraise_question::Surface;
use tokio::runtime::Runtime;
use tokio::sync::watch;

use crate::{Chance, HubProcess, PATIENCE};
use kills::{Kills, Lasting};
use ledger::Ledger;
use people::People;

pub use report::Report;

/// How much torture.
#[derive(Debug, Clone, Copy)]
pub struct Torture {
    /// Asks in flight at all times.
    pub asks: usize,
    /// How often the hub is killed.
    pub kills: usize,
    /// Where chance begins.
    pub seed: u64,
}

const ANSWERERS: usize = 4;
const DRAFTERS: usize = 2;
const FOLLOWERS: usize = 3;

impl Torture {
    /// Tortures a hub of the built `program`.
    ///
    /// # Panics
    ///
    /// When a hub does not come up at all.
    #[must_use]
    pub fn run(self, program: &Path) -> Report {
        #[expect(clippy::expect_used, reason = "without a runtime there is nothing to test")]
        let runtime = Runtime::new().expect("a runtime");
        let mut hub = HubProcess::start(program);
        let scene = Arc::new(Scene::new(hub.home().clone(), self));
        let people = People::enter(&runtime, &scene);
        let lasting = Lasting::of(&hub);
        let kills = Kills::default().carry_out(&mut hub, &scene, &runtime, &lasting);
        scene.last_round.send_replace(true);
        let seen = people.leave(&runtime, &scene);
        let mut report = Report {
            torture: self,
            asks: 0,
            resolutions: 0,
            races: 0,
            drafts: 0,
            events: 0,
            followers: FOLLOWERS,
            breaks: 0,
            kills_at_start: kills.at_start,
            stops: kills.stops,
            longest_wait: Duration::ZERO,
            longest_start: kills.longest_start,
            problems: vec![],
        };
        verdict::reach(&mut report, &mut hub, &scene, &runtime, &seen, &kills.heads);
        report
    }
}

/// What everybody in it shares.
struct Scene {
    home: Home,
    torture: Torture,
    ledger: Mutex<Ledger>,
    /// The furthest that any follower has come.
    events: watch::Sender<Seq>,
    /// No new asks from now on.
    last_round: watch::Sender<bool>,
    /// Everything is answered.
    over: watch::Sender<bool>,
    /// Where the log ends, once that is known.
    end: watch::Sender<Option<Seq>>,
    /// When the hub was last seen to be up.
    up: Mutex<Instant>,
}

impl Scene {
    fn new(home: Home, torture: Torture) -> Self {
        Self {
            home,
            torture,
            ledger: Mutex::default(),
            events: watch::Sender::new(0),
            last_round: watch::Sender::new(false),
            over: watch::Sender::new(false),
            end: watch::Sender::new(None),
            up: Mutex::new(Instant::now()),
        }
    }

    /// A client of somebody's own.
    fn client(&self, power: Power, surface: Surface) -> RemoteHub {
        RemoteHub::new(self.home.clone(), power, surface).patient(PATIENCE)
    }

    fn ledger<T>(&self, note: impl FnOnce(&mut Ledger) -> T) -> T {
        note(&mut self.ledger.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn problem(&self, problem: String) {
        self.ledger(|ledger| ledger.problem(problem));
    }

    fn up_since(&self) -> Instant {
        *self.up.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_over(&self) -> bool {
        *self.over.borrow()
    }

    /// What is chosen about one thing, by whomever.
    fn chance(&self, thing: &str) -> Chance {
        Chance::about(self.torture.seed, thing)
    }
}

/// Waits until a flag is raised.
async fn raised(flag: &watch::Sender<bool>) {
    // The scene holds the sender, and whoever waits holds the scene.
    let _ = flag.subscribe().wait_for(|raised| *raised).await;
}
