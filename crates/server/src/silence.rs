//! Connections that have not said anything yet.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

/// Connections over which no request came yet, oldest first.
///
/// When there are too many, the oldest has to go: whoever opens thousands and says nothing pushes out
/// their own, and somebody who has something to say always gets in.
#[derive(Debug, Clone, Default)]
pub(crate) struct Silence(Arc<Mutex<VecDeque<Waiting>>>);

#[derive(Debug)]
struct Waiting {
    number: u64,
    since: Instant,
    go: oneshot::Sender<()>,
}

/// A place among the silent.
#[derive(Debug)]
pub(crate) struct Silent {
    silence: Silence,
    number: u64,
}

/// A thousand clients may well connect in the same moment, and speak in the next.
const A_MOMENT: Duration = Duration::from_secs(1);

impl Silence {
    fn queue<T>(&self, look: impl FnOnce(&mut VecDeque<Waiting>) -> T) -> T {
        look(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Lets one more in; numbers go up. The receiver hears when it has to go.
    pub(crate) fn join(
        &self,
        number: u64,
        most: usize,
        now: Instant,
    ) -> (Silent, oneshot::Receiver<()>) {
        let (go, has_to_go) = oneshot::channel();
        self.queue(|queue| {
            let old = |waiting: &Waiting| now.duration_since(waiting.since) >= A_MOMENT;
            while queue.len() >= most && queue.front().is_some_and(old) {
                send_away(queue);
            }
            queue.push_back(Waiting { number, since: now, go });
        });
        (Silent { silence: self.clone(), number }, has_to_go)
    }

    /// Sends the oldest away, however short it has been there.
    pub(crate) fn make_room(&self) {
        self.queue(send_away);
    }
}

fn send_away(queue: &mut VecDeque<Waiting>) {
    if let Some(oldest) = queue.pop_front() {
        // It may just be leaving by itself.
        let _ = oldest.go.send(());
    }
}

impl Drop for Silent {
    fn drop(&mut self) {
        self.silence.queue(|queue| {
            if let Ok(place) = queue.binary_search_by_key(&self.number, |waiting| waiting.number) {
                queue.remove(place);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_has_to_go_once_it_had_its_moment_and_those_who_left_do_not_count() {
        let silence = Silence::default();
        let start = Instant::now();
        let later = start + A_MOMENT;
        let (_one, mut one_goes) = silence.join(1, 2, start);
        let (two, _) = silence.join(2, 2, start);
        drop(two);
        let (_three, mut three_goes) = silence.join(3, 2, start);
        let _four = silence.join(4, 2, start);
        assert!(one_goes.try_recv().is_err(), "it has not had its moment");
        let _five = silence.join(5, 3, later);
        assert!(one_goes.try_recv().is_ok());
        assert!(three_goes.try_recv().is_err());
        silence.make_room();
        assert!(three_goes.try_recv().is_ok());
    }
}
