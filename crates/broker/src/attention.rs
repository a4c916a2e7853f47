//! Whether a person is looking at what waits.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use handraise_question::{Violation, Violations, count_characters};
use tokio::sync::watch;

use crate::{AskId, DeviceId};

/// What a surface says of the person in front of it.
///
/// It is not stored and nobody is told: it only keeps those from being disturbed who look already. It
/// ends by itself, so that a surface that is gone, or that a person walked away from, silences nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Look {
    /// The surface's own name for what is looked at: a window, a terminal.
    pub view: String,
    /// The one ask that it shows; every ask that waits, when absent.
    pub ask: Option<AskId>,
    /// For how long this holds; nothing means that nobody looks any more.
    pub seconds: u64,
}

impl Look {
    /// The longest name of a view.
    pub const LONGEST_VIEW: usize = 64;
    /// The longest time for which one look can hold.
    pub const LONGEST_SECONDS: u64 = 300;

    /// Checks what a surface says.
    ///
    /// # Errors
    ///
    /// A view without a name or with too long a one, and a look that never ends.
    pub fn check(self) -> Result<Self, Violations> {
        let mut violations = vec![];
        let characters = count_characters(&self.view);
        if !(1..=Self::LONGEST_VIEW).contains(&characters) {
            let allowed = format!("1–{} characters", Self::LONGEST_VIEW);
            violations.push(Violation::new("view", format!("{characters} characters"), allowed));
        }
        if self.seconds > Self::LONGEST_SECONDS {
            let allowed = format!("{} or fewer", Self::LONGEST_SECONDS);
            violations.push(Violation::new("seconds", self.seconds.to_string(), allowed));
        }
        Violations::none_or(violations, || self)
    }
}

/// More views than one person can have open; whoever says more is not heard.
const MOST_VIEWS: usize = 1000;

#[derive(Debug, Default)]
pub(crate) struct Attention {
    views: Mutex<HashMap<(DeviceId, String), View>>,
    changed: watch::Sender<()>,
}

#[derive(Debug)]
struct View {
    ask: Option<AskId>,
    until: Duration,
}

impl Attention {
    pub(crate) fn note(&self, device: DeviceId, look: Look, now: Duration) {
        let mut views = self.views.lock().unwrap_or_else(PoisonError::into_inner);
        views.retain(|_, view| view.until > now);
        let name = (device, look.view);
        if look.seconds == 0 {
            views.remove(&name);
        } else if views.len() < MOST_VIEWS || views.contains_key(&name) {
            let until = now + Duration::from_secs(look.seconds);
            views.insert(name, View { ask: look.ask, until });
        }
        drop(views);
        self.changed.send_replace(());
    }

    /// Until when somebody looks at this ask, if somebody does now.
    pub(crate) fn until(&self, ask: AskId, now: Duration) -> Option<Duration> {
        let views = self.views.lock().unwrap_or_else(PoisonError::into_inner);
        let shows = views.values().filter(|view| view.ask.is_none_or(|shown| shown == ask));
        shows.map(|view| view.until).filter(|until| *until > now).max()
    }

    /// Hears when a surface says something.
    pub(crate) fn changes(&self) -> watch::Receiver<()> {
        self.changed.subscribe()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::Timestamp;

    const fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    fn look(view: &str, ask: Option<AskId>, seconds: u64) -> Look {
        Look { view: view.into(), ask, seconds }
    }

    fn ask(n: u8) -> AskId {
        AskId::new(Timestamp::UNIX_EPOCH, [n; 10])
    }

    fn device(n: u8) -> DeviceId {
        DeviceId::new(Timestamp::UNIX_EPOCH, [n; 10])
    }

    #[test]
    fn a_look_ends_by_itself_or_when_it_is_said_to() {
        let attention = Attention::default();
        assert_eq!(attention.until(ask(1), seconds(0)), None);
        attention.note(device(1), look("a", None, 30), seconds(0));
        assert_eq!(attention.until(ask(1), seconds(29)), Some(seconds(30)));
        assert_eq!(attention.until(ask(1), seconds(30)), None);
        attention.note(device(1), look("a", None, 30), seconds(40));
        attention.note(device(1), look("a", None, 0), seconds(41));
        assert_eq!(attention.until(ask(1), seconds(41)), None);
    }

    #[test]
    fn one_view_says_nothing_about_another() {
        let attention = Attention::default();
        attention.note(device(1), look("page", Some(ask(1)), 30), seconds(0));
        attention.note(device(2), look("page", None, 10), seconds(0));
        attention.note(device(1), look("other", None, 0), seconds(0));
        assert_eq!(attention.until(ask(1), seconds(1)), Some(seconds(30)));
        assert_eq!(attention.until(ask(2), seconds(1)), Some(seconds(10)));
        assert_eq!(attention.until(ask(2), seconds(20)), None);
    }

    #[test]
    fn nobody_fills_the_memory_with_views() {
        let attention = Attention::default();
        for n in 0..2 * MOST_VIEWS {
            attention.note(device(1), look(&n.to_string(), None, 300), seconds(0));
        }
        assert_eq!(attention.views.lock().unwrap().len(), MOST_VIEWS);
        attention.note(device(1), look("0", None, 300), seconds(200));
        assert_eq!(attention.until(ask(1), seconds(400)), Some(seconds(500)));
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        assert!(look("a", None, 300).check().is_ok());
        assert!(look("", None, 3).check().is_err());
        assert!(look(&"a".repeat(65), None, 3).check().is_err());
        assert!(look("a", None, 301).check().is_err());
    }
}
