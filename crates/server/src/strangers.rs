//! Connections nobody can say anything about yet.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

/// Connections over which no good token came yet, oldest first.
///
/// When there are too many, the oldest has to go: whoever opens thousands pushes out their own, and
/// somebody with a token always gets in. It makes no difference what strangers do meanwhile: say
/// nothing, send a body drop by drop, or open a WebSocket and show no token.
#[derive(Debug, Clone, Default)]
pub(crate) struct Strangers(Arc<Mutex<Queue>>);

#[derive(Debug, Default)]
struct Queue {
    /// Numbers go up, so that the queue is sorted by them.
    last: u64,
    waiting: VecDeque<Waiting>,
}

#[derive(Debug)]
struct Waiting {
    number: u64,
    since: Instant,
    has_to_go: CancellationToken,
}

/// A place among the strangers.
#[derive(Debug)]
pub(crate) struct Stranger {
    strangers: Strangers,
    number: u64,
}

/// A thousand clients may well connect in the same moment, and speak in the next.
const A_MOMENT: Duration = Duration::from_secs(1);

impl Strangers {
    fn queue<T>(&self, look: impl FnOnce(&mut Queue) -> T) -> T {
        look(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Lets one more in. The token is cancelled when it has to go.
    pub(crate) fn join(&self, most: usize, now: Instant) -> (Stranger, CancellationToken) {
        let has_to_go = CancellationToken::new();
        let number = self.queue(|queue| {
            let old = |waiting: &Waiting| now.duration_since(waiting.since) >= A_MOMENT;
            while queue.waiting.len() >= most && queue.waiting.front().is_some_and(old) {
                queue.send_away();
            }
            queue.last += 1;
            let (number, has_to_go) = (queue.last, has_to_go.clone());
            queue.waiting.push_back(Waiting { number, since: now, has_to_go });
            number
        });
        (Stranger { strangers: self.clone(), number }, has_to_go)
    }

    /// Sends the oldest away, however short it has been there.
    pub(crate) fn make_room(&self) {
        self.queue(Queue::send_away);
    }
}

impl Queue {
    fn send_away(&mut self) {
        if let Some(oldest) = self.waiting.pop_front() {
            oldest.has_to_go.cancel();
        }
    }
}

impl Drop for Stranger {
    fn drop(&mut self) {
        self.strangers.queue(|queue| {
            let waiting = &mut queue.waiting;
            if let Ok(place) = waiting.binary_search_by_key(&self.number, |one| one.number) {
                waiting.remove(place);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_has_to_go_once_it_had_its_moment_and_those_who_left_do_not_count() {
        let strangers = Strangers::default();
        let start = Instant::now();
        let later = start + A_MOMENT;
        let (_one, one_goes) = strangers.join(2, start);
        let (two, _) = strangers.join(2, start);
        drop(two);
        let (_three, three_goes) = strangers.join(2, start);
        let _four = strangers.join(2, start);
        assert!(!one_goes.is_cancelled(), "it has not had its moment");
        let _five = strangers.join(3, later);
        assert!(one_goes.is_cancelled());
        assert!(!three_goes.is_cancelled());
        strangers.make_room();
        assert!(three_goes.is_cancelled());
    }
}
