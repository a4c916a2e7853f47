//! One process brings an ask's resolution to its agent.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Notify;

use crate::AskId;
use crate::device::hex;

/// A name a process gives itself for as long as it lives.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct DelivererId(String);

impl DelivererId {
    /// The longest name.
    pub const MAX_BYTES: usize = 100;

    /// Takes a name, unless it is empty or too long.
    #[must_use]
    pub fn new(name: &str) -> Option<Self> {
        let fits = !name.is_empty() && name.len() <= Self::MAX_BYTES;
        fits.then(|| Self(name.to_owned()))
    }

    /// A name nobody else has.
    #[must_use]
    pub fn random(random: [u8; 32]) -> Self {
        Self(hex(&random[..16]))
    }

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A process of one agent: two agents' processes are two deliverers, also if they go by one id.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Deliverer {
    /// The name of the agent's token.
    pub(crate) owner: String,
    pub(crate) id: DelivererId,
}

/// Who delivers what, and who is there.
///
/// Kept in memory only: when a hub starts anew, all connections are gone, and the first deliverer to
/// come back owns the ask again.
#[derive(Debug, Clone, Default)]
pub(crate) struct Deliverers {
    book: Arc<Mutex<Book>>,
    left: Arc<Notify>,
}

#[derive(Debug, Default)]
struct Book {
    owners: HashMap<AskId, Deliverer>,
    /// Connections of each deliverer.
    present: HashMap<Deliverer, usize>,
}

/// As long as this lives, the deliverer is there.
#[derive(Debug)]
pub struct Presence {
    deliverers: Deliverers,
    who: Deliverer,
}

impl Deliverers {
    fn book<T>(&self, look: impl FnOnce(&mut Book) -> T) -> T {
        look(&mut self.book.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Notes that a deliverer is connected.
    pub(crate) fn arrive(&self, who: Deliverer) -> Presence {
        self.book(|book| *book.present.entry(who.clone()).or_default() += 1);
        Presence { deliverers: self.clone(), who }
    }

    /// Makes `who` the deliverer of `ask`, unless another one is there.
    pub(crate) fn claim(&self, ask: AskId, who: &Deliverer) -> bool {
        self.book(|book| {
            let taken = book
                .owners
                .get(&ask)
                .is_some_and(|owner| owner != who && book.present.contains_key(owner));
            if !taken {
                book.owners.insert(ask, who.clone());
            }
            !taken
        })
    }

    /// Waits until the last connection of a deliverer has ended, since this was waited for last.
    pub(crate) async fn one_left(&self) {
        self.left.notified().await;
    }

    /// Forgets an ask that is done with.
    pub(crate) fn forget(&self, ask: AskId) {
        self.book(|book| book.owners.remove(&ask));
    }
}

impl Drop for Presence {
    fn drop(&mut self) {
        self.deliverers.book(|book| {
            if let Some(connections) = book.present.get_mut(&self.who) {
                *connections -= 1;
                if *connections == 0 {
                    book.present.remove(&self.who);
                    self.deliverers.left.notify_one();
                }
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::Timestamp;

    #[test]
    fn ownership_moves_only_when_the_owner_is_gone() {
        let deliverers = Deliverers::default();
        let ask = AskId::new(Timestamp::UNIX_EPOCH, [1; 10]);
        let deliverer = |owner: &str, id| {
            let id = DelivererId::new(id).unwrap();
            Deliverer { owner: owner.into(), id }
        };
        let (one, two) = (deliverer("a", "one"), deliverer("a", "two"));
        let here = deliverers.arrive(one.clone());
        let here_again = deliverers.arrive(one.clone());
        assert!(deliverers.claim(ask, &one));
        assert!(!deliverers.claim(ask, &two));
        drop(here);
        assert!(!deliverers.claim(ask, &two), "one of its two connections is still there");
        let _namesake = deliverers.arrive(deliverer("b", "one"));
        drop(here_again);
        assert!(deliverers.claim(ask, &two));
        let _two = deliverers.arrive(two);
        assert!(!deliverers.claim(ask, &one));
    }
}
