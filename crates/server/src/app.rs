//! What every handler can reach.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use handraise_broker::Broker;
use handraise_wire::v1::WatchJson;
use jiff::Timestamp;
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::dialects::Crowd;
use crate::gate::Gate;
use crate::links;
use crate::links::Invitation;
use crate::one_time::OneTime;
use crate::rates::Rates;
use crate::refusals::Refusals;
use crate::room::Room;
use crate::starter::Starter;
use crate::told::Told;
use crate::workspaces::Workspaces;

/// How much the server takes at once.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// The largest request body in bytes.
    pub body_bytes: usize,
    /// Requests a second for each token, after a burst of twice as many.
    pub requests_per_second: u32,
    /// Requests a second without a good token, for each address.
    pub strangers_per_second: u32,
    /// Connections at once.
    pub connections: usize,
    /// Connections at once over which no good token came yet.
    pub strangers: usize,
    /// How long a connection may say nothing, or take over one request.
    pub patience: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body_bytes: handraise_question::Limits::MAX_BYTES + 256 * 1024,
            requests_per_second: 2000,
            strangers_per_second: 20,
            connections: 8192,
            strangers: 2048,
            patience: Duration::from_secs(20),
        }
    }
}

/// What a server is told when it starts.
#[derive(Debug, Clone)]
pub struct Config {
    /// Where it is reached, e.g. `http://127.0.0.1:4731`.
    pub url: String,
    /// Names beside the loopback ones under which it may be reached.
    pub allow_hosts: Vec<String>,
    /// Origins beside its own from which pages may call it.
    pub allow_origins: Vec<String>,
    /// The person it belongs to.
    pub person: String,
    /// How much it takes at once.
    pub limits: Limits,
    /// Who starts agents for people.
    pub starter: Arc<dyn Starter>,
    /// Who knows where the agents of other systems work.
    pub workspaces: Arc<dyn Workspaces>,
    /// How the hub's own watch of sessions is.
    pub watch: tokio::sync::watch::Receiver<WatchJson>,
}

/// What every handler can reach.
#[derive(Clone)]
pub struct App(Arc<Inner>);

/// What is behind an [`App`].
pub struct Inner {
    pub(crate) broker: Broker,
    pub(crate) config: Config,
    /// Front ends of other systems.
    pub(crate) crowd: Crowd,
    pub(crate) gate: Gate,
    /// Login links, with the device that let each be made.
    pub(crate) links: OneTime<Invitation>,
    /// Held while a device gets its name: of two at once, the second sees the first.
    pub(crate) naming: Mutex<()>,
    /// Since when it listens, by the clock that cannot be set.
    pub(crate) listens_since: Duration,
    /// Previews that wait for the frame that shows them.
    pub(crate) previews: OneTime<String>,
    pub(crate) rates: Rates,
    pub(crate) refusals: Refusals,
    pub(crate) room: Room,
    pub(crate) since: Timestamp,
    /// Which asks each page of another system was told of.
    pub(crate) told: Told,
    /// Cancelled when the server is to stop.
    pub(crate) stopping: CancellationToken,
    /// What is still under way, to be waited for.
    pub(crate) tasks: TaskTracker,
}

impl std::ops::Deref for App {
    type Target = Inner;

    fn deref(&self) -> &Inner {
        &self.0
    }
}

impl App {
    /// Puts a broker behind a door.
    #[must_use]
    pub fn new(broker: Broker, config: Config, stopping: CancellationToken) -> Self {
        let tasks = TaskTracker::new();
        Self(Arc::new(Inner {
            gate: Gate::new(&config),
            links: OneTime::living(links::LIFE, 50),
            naming: Mutex::default(),
            listens_since: broker.world().elapsed(),
            previews: OneTime::living(Duration::from_mins(1), 500),
            rates: Rates::new(&config.limits),
            refusals: Refusals::new(broker.clone(), tasks.clone(), stopping.clone()),
            room: Room::default(),
            since: broker.world().now(),
            told: Told::new(broker.world().elapsed(), broker.has_asks()),
            broker,
            config,
            crowd: Crowd::default(),
            stopping,
            tasks,
        }))
    }
}

/// Where a request came from; every request has one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Peer(pub(crate) IpAddr);
