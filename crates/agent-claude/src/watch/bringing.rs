//! An answer of the hub, brought to the session's own dialog.

use std::sync::OnceLock;
use std::time::Duration;

use handraise_broker::{AskId, RealWorld, Record, World};
use handraise_question::Ask;
use tokio::time::{sleep, timeout};

use super::attending::{Attending, End, Way};
use super::happening::What;
use super::settling::GONE;
use crate::hook::taken;
use crate::screen::{Pane, Stopped, Typed, Typing};
use crate::transcript::Outcome;

/// What is said of an answer that could not be typed.
const NOT_TYPED: &str = "The answer was not typed: ";

/// So often, with a pause in between, a dialog is looked at that is not understood.
const LOOKS: usize = 8;
const BETWEEN: Duration = Duration::from_millis(200);
/// How long it may take until it is known what came of a call that no longer waits.
const TOLD: Duration = Duration::from_secs(5);

/// What became of an answer.
pub(super) enum Brought {
    /// The call has ended.
    Over,
    /// It has not, and the answer was not typed: ask anew, there.
    Again(Way),
}

impl Attending {
    /// Brings an answer to the session, when its dialog is the one on the screen.
    pub(super) async fn bring(&self, record: &Record) -> Brought {
        let id = record.id;
        let kind = record.resolved().map(|resolved| resolved.kind().to_owned());
        self.tell(What::Answered, Some(id), kind);
        tokio::select! {
            () = self.following.turn_of(&self.call.id) => {}
            end = self.end() => {
                self.over(id, end, None).await;
                return Brought::Over;
            }
        }
        // From the first key on, a stop of the watch waits until the dialog is complete.
        let hand = OnceLock::new();
        let progress = |_| {
            hand.get_or_init(|| self.shared.hands.lend());
        };
        let stopped = match self.type_in(record, &progress).await {
            Ok(typed) => {
                self.tell(What::Typed, Some(id), None);
                let end = self.end().await;
                self.over(id, end, Some(&typed)).await;
                return Brought::Over;
            }
            Err(stopped) => stopped,
        };
        let partly =
            if stopped.partly { " Some keys were pressed: look at the session." } else { "" };
        let reason = format!("{NOT_TYPED}{}.{partly}", stopped.why);
        let waits = || self.following.waits_for(&self.call.id);
        if stopped.unseen || !waits() {
            // What became of the dialog is written down a moment after it is seen.
            match timeout(TOLD, self.end()).await {
                Ok(End::Settled(outcome)) if stopped.partly && is_left(record, &outcome) => {
                    // It was left as meant, but the words that belong to it were not said.
                    self.give_up(id, &reason).await;
                    return Brought::Over;
                }
                Ok(end) => {
                    self.over(id, end, None).await;
                    return Brought::Over;
                }
                Err(_) if waits() => {}
                Err(_) => {
                    // Its transcript no longer says anything of it.
                    self.give_up(id, &reason).await;
                    return Brought::Over;
                }
            }
        }
        let fresh = !stopped.partly && self.is_fresh(record).await;
        self.give_up(id, &reason).await;
        if fresh {
            Brought::Again(Way::anywhere())
        } else {
            Brought::Again(Way::dialog("its dialog is not as it was"))
        }
    }

    /// Tells everybody that an answer did not arrive. It is never typed again by itself.
    async fn give_up(&self, id: AskId, reason: &str) {
        let kept = self.shared.hub.insist(|hub| hub.withdraw(id, Some(reason.to_owned()))).await;
        self.forget();
        let why = kept.err().map_or_else(|| reason.to_owned(), |error| format!("{reason} {error}"));
        self.tell(What::Stopped, Some(id), Some(why));
    }

    async fn type_in(
        &self,
        record: &Record,
        progress: &(dyn Fn(usize) + Sync),
    ) -> Result<Typed, Stopped> {
        let nothing = |why: String| Stopped { why, partly: false, unseen: false };
        let ask = record.matter().ask().map_err(|error| nothing(error.to_string()))?;
        let resolution = record.resolution().map_err(|error| nothing(error.to_string()))?;
        let resolution = resolution.ok_or_else(|| nothing("there is no answer".into()))?;
        let pane = self.pane().await.map_err(nothing)?;
        let waits = || self.following.waits_for(&self.call.id);
        let clock = seconds;
        let typing = Typing { pane: &pane, ask: &ask, waits: &waits, clock: &clock, progress };
        typing.resolve(&resolution).await
    }

    pub(super) async fn is_fresh(&self, record: &Record) -> bool {
        let (Ok(ask), Ok(pane)) = (record.matter().ask(), self.pane().await) else { return false };
        let (waits, clock, progress) = (|| true, seconds, |_| ());
        let typing =
            Typing { pane: &pane, ask: &ask, waits: &waits, clock: &clock, progress: &progress };
        typing.is_fresh().await
    }

    /// Whether its dialog is there for a while and is not understood. Of one that is not there yet, or
    /// behind another, nobody can say.
    pub(super) async fn is_unreadable(&self, ask: &Ask) -> bool {
        let Ok(pane) = self.pane().await else { return false };
        let (waits, clock, progress) = (|| true, seconds, |_| ());
        let typing = Typing { pane: &pane, ask, waits: &waits, clock: &clock, progress: &progress };
        for _ in 0..LOOKS {
            if !self.following.waits_alone(&self.call.id) || !typing.is_unreadable().await {
                return false;
            }
            sleep(BETWEEN).await;
        }
        true
    }

    pub(super) async fn pane(&self) -> Result<Pane, String> {
        let process = &self.following.session.process;
        if !process.lives() {
            return Err(GONE.into());
        }
        if self.following.is_shared() {
            return Err("the session is open in two terminals at once".into());
        }
        let pane = Pane::of(process.pid, &self.shared.settings.sockets).await;
        pane.map_err(|error| error.to_string())
    }
}

/// Whether a dialog was left without an answer, as a person has said elsewhere.
fn is_left(record: &Record, outcome: &Outcome) -> bool {
    let meant = record.resolved().map(|resolved| resolved.kind().to_owned());
    let took = taken::by_outcome(record.matter(), outcome);
    let kind = took.as_ref().and_then(|took| took["kind"].as_str());
    match (meant.as_deref(), kind) {
        (Some("declined" | "no_answer"), Some("declined")) => true,
        (meant, kind) => meant == Some("discuss") && kind == Some("discuss"),
    }
}

fn seconds() -> u64 {
    u64::try_from(RealWorld.now().as_second()).unwrap_or(0)
}
