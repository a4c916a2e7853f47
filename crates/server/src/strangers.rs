//! Connections nobody can say anything about yet.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::oneshot;

/// Connections over which no good token came yet, oldest first.
///
/// When there are too many, the oldest has to go: whoever opens thousands and says nothing pushes out
/// their own, and somebody with a token always gets in.
#[derive(Debug, Clone, Default)]
pub(crate) struct Strangers(Arc<Mutex<Queue>>);

type Queue = VecDeque<(u64, oneshot::Sender<()>)>;

/// A place among the strangers.
#[derive(Debug)]
pub(crate) struct Stranger {
    strangers: Strangers,
    number: u64,
}

impl Strangers {
    fn queue<T>(&self, look: impl FnOnce(&mut Queue) -> T) -> T {
        look(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Lets one more in. The receiver hears when it has to go.
    pub(crate) fn join(&self, number: u64, most: usize) -> (Stranger, oneshot::Receiver<()>) {
        let (go, has_to_go) = oneshot::channel();
        self.queue(|queue| {
            while queue.len() >= most {
                if let Some((_, oldest)) = queue.pop_front() {
                    // It may just be leaving by itself.
                    let _ = oldest.send(());
                }
            }
            queue.push_back((number, go));
        });
        (Stranger { strangers: self.clone(), number }, has_to_go)
    }
}

impl Drop for Stranger {
    fn drop(&mut self) {
        self.strangers.queue(|queue| {
            if let Ok(place) = queue.binary_search_by_key(&self.number, |(number, _)| *number) {
                queue.remove(place);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_has_to_go_and_those_who_left_do_not_count() {
        let strangers = Strangers::default();
        let (_one, mut one_goes) = strangers.join(1, 2);
        let (two, _) = strangers.join(2, 2);
        drop(two);
        let (_three, mut three_goes) = strangers.join(3, 2);
        assert!(one_goes.try_recv().is_err(), "two places, two strangers");
        let _four = strangers.join(4, 2);
        assert!(one_goes.try_recv().is_ok());
        assert!(three_goes.try_recv().is_err());
    }
}
