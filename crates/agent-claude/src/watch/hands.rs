//! How many answers are being typed.

use tokio::sync::watch;

/// The count of them.
#[derive(Debug)]
pub(super) struct Hands(watch::Sender<usize>);

/// One that is at work, as long as this lives.
pub(super) struct Hand<'a>(&'a Hands);

impl Hands {
    pub(super) fn new() -> Self {
        Self(watch::Sender::new(0))
    }

    /// Somebody begins.
    pub(super) fn lend(&self) -> Hand<'_> {
        self.0.send_modify(|count| *count += 1);
        Hand(self)
    }

    /// Waits until nobody is at work.
    pub(super) async fn at_rest(&self) {
        // It cannot be closed while this is there.
        let _ = self.0.subscribe().wait_for(|count| *count == 0).await;
    }
}

impl Drop for Hand<'_> {
    fn drop(&mut self) {
        self.0.0.send_modify(|count| *count -= 1);
    }
}
