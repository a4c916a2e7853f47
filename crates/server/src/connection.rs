//! What is known of one connection.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use handraise_broker::{Broker, DelivererId, Device, DeviceId, Power, Presence};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::problem::Failure;
use crate::strangers::Stranger;

/// The code of the problem when there is no room.
pub(crate) const TOO_MANY_CONNECTIONS: &str = "too_many_connections";

/// What is known of one connection. Whoever works on what came over it keeps one of these, a
/// WebSocket for as long as it is open.
#[derive(Debug, Clone)]
pub(crate) struct Connection {
    known: Arc<Mutex<Known>>,
    has_to_go: CancellationToken,
    /// Told when a large answer begins.
    begins: Arc<Notify>,
    /// How many connections agents may still have.
    agents: Arc<Semaphore>,
}

#[derive(Debug)]
struct Known {
    /// The deliverers that speak over it; they are there as long as it is.
    presences: Vec<(String, DelivererId, Presence)>,
    /// Its place among the strangers, until a good token comes over it.
    stranger: Option<Stranger>,
    /// Its place among those of agents, while the token that came last is an agent's.
    agent: Option<OwnedSemaphorePermit>,
    /// Whose token came with the last request.
    device: Option<DeviceId>,
    /// When the other side last took a piece of the large answer that is under way.
    sent: Option<Instant>,
    /// Its place among all connections.
    _place: OwnedSemaphorePermit,
}

impl Connection {
    /// Everybody is a stranger at first.
    pub(crate) fn new(
        place: OwnedSemaphorePermit,
        (stranger, has_to_go): (Stranger, CancellationToken),
        agents: Arc<Semaphore>,
    ) -> Self {
        let stranger = Some(stranger);
        let known = Known {
            presences: vec![],
            stranger,
            agent: None,
            device: None,
            sent: None,
            _place: place,
        };
        Self { known: Arc::new(Mutex::new(known)), has_to_go, begins: Arc::default(), agents }
    }

    fn known<T>(&self, look: impl FnOnce(&mut Known) -> T) -> T {
        look(&mut self.known.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Notes that a request begins, which has shown no token yet.
    pub(crate) fn begin_request(&self) {
        self.known(|known| known.device = None);
    }

    /// Notes that the good token of this device came over it.
    ///
    /// # Errors
    ///
    /// When agents have all the connections they may have.
    pub(crate) fn admit(&self, device: &Device) -> Result<(), Failure> {
        self.known(|known| {
            known.agent = match (device.power, known.agent.take()) {
                (Power::Person, _) => None,
                (Power::Agent, Some(place)) => Some(place),
                (Power::Agent, None) => {
                    Some(self.agents.clone().try_acquire_owned().map_err(|_| {
                        Failure::new(503, TOO_MANY_CONNECTIONS, "agents have too many connections")
                    })?)
                }
            };
            known.stranger = None;
            known.device = Some(device.id);
            Ok(())
        })
    }

    /// The power of the token that came with this request; none before one did.
    pub(crate) fn power(&self) -> Option<Power> {
        self.known(|known| {
            let power = if known.agent.is_some() { Power::Agent } else { Power::Person };
            known.device.map(|_| power)
        })
    }

    /// Notes that a large answer is under way and a piece of it was taken, or that it is over.
    pub(crate) fn sends(&self, more: bool) {
        self.known(|known| known.sent = more.then(Instant::now));
        if more {
            self.begins.notify_one();
        }
    }

    /// Waits until the other side takes nothing of a large answer for so long, or its token is revoked.
    pub(crate) async fn has_to_stop(&self, broker: &Broker, patience: Duration) {
        loop {
            let (sent, device) = self.known(|known| (known.sent, known.device));
            let Some(sent) = sent else {
                self.begins.notified().await;
                continue;
            };
            let revoked = async {
                match device {
                    Some(device) => broker.until_revoked(device).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = revoked => if self.known(|known| known.sent.is_some()) { return },
                () = tokio::time::sleep_until(sent + patience) => {
                    if self.known(|known| known.sent) == Some(sent) {
                        return;
                    }
                }
            }
        }
    }

    /// Waits until it has to make room for others. Whoever is known never has to.
    pub(crate) async fn has_to_go(&self) {
        self.has_to_go.cancelled().await;
        if self.known(|known| known.stranger.is_none()) {
            std::future::pending::<()>().await;
        }
    }

    /// Notes that a deliverer of this owner speaks over it.
    pub(crate) fn host(&self, broker: &Broker, owner: &str, id: &DelivererId) {
        const MOST: usize = 1000;
        self.known(|known| {
            let news = !known.presences.iter().any(|(of, known, _)| of == owner && known == id);
            if news && known.presences.len() < MOST {
                let presence = broker.arrive(owner, id.clone());
                known.presences.push((owner.to_owned(), id.clone(), presence));
            }
        });
    }
}
