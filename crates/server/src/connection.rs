//! What is known of one connection.

use std::sync::{Arc, Mutex, PoisonError};

use handraise_broker::{Broker, DelivererId, Presence};
use tokio::sync::OwnedSemaphorePermit;
use tokio_util::sync::CancellationToken;

use crate::strangers::Stranger;

/// What is known of one connection. Whoever works on what came over it keeps one of these, a
/// WebSocket for as long as it is open.
#[derive(Debug, Clone)]
pub(crate) struct Connection {
    known: Arc<Mutex<Known>>,
    has_to_go: CancellationToken,
}

#[derive(Debug)]
struct Known {
    /// The deliverers that speak over it; they are there as long as it is.
    presences: Vec<(String, DelivererId, Presence)>,
    /// Its place among the strangers, until a good token comes over it.
    stranger: Option<Stranger>,
    /// Its place among all connections.
    _place: OwnedSemaphorePermit,
}

impl Connection {
    /// Everybody is a stranger at first.
    pub(crate) fn new(
        place: OwnedSemaphorePermit,
        (stranger, has_to_go): (Stranger, CancellationToken),
    ) -> Self {
        let known = Known { presences: vec![], stranger: Some(stranger), _place: place };
        Self { known: Arc::new(Mutex::new(known)), has_to_go }
    }

    fn known<T>(&self, look: impl FnOnce(&mut Known) -> T) -> T {
        look(&mut self.known.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Notes that a good token came over it.
    pub(crate) fn is_known(&self) {
        self.known(|known| known.stranger = None);
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
