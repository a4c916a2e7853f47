//! The person's side: what they want is done, or begun.

use std::sync::Arc;
use std::time::Duration;

use handraise_client::RemoteHub;
use handraise_question::wording::confirmation;
use handraise_question::{Ask, Resolution};
use handraise_terminal::{Desk, Entry, EntryId, InboxScreen, Sent, Wanted};
use tokio::runtime::Handle;
use tokio::time::timeout;

use super::board::Board;
use super::drafts::Drafts;
use super::entry::{ask_of, opened};
use super::presence::Presence;
use super::ring::Ringing;
use super::{browser, history, replying};
use crate::ask::terminal_failure;
use crate::environment;
use crate::failure::{self, Failure};
use crate::home::failure as hub_failure;

/// How long somebody who leaves is kept for the sake of their last answer.
const A_MOMENT: Duration = Duration::from_secs(2);

/// How somebody left.
pub(super) enum Departure {
    Left,
    /// This signal asked the process to end.
    Signalled(i32),
}

pub(super) struct Attending<'a> {
    hub: RemoteHub,
    runtime: &'a Handle,
    board: Arc<Board>,
    drafts: Drafts,
    presence: Presence,
    ringing: Ringing,
    /// How many answers were given here.
    given: u64,
}

impl<'a> Attending<'a> {
    pub(super) fn new(
        hub: RemoteHub,
        runtime: &'a Handle,
        board: Arc<Board>,
        ringing: Ringing,
    ) -> Self {
        let presence = Presence::new(hub.clone(), runtime);
        Self { hub, runtime, board, drafts: Drafts::new(), presence, ringing, given: 0 }
    }

    pub(super) fn run(mut self, desk: &mut Desk) -> Result<Departure, Failure> {
        let mut screen = desk.inbox(environment::seconds).map_err(terminal_failure)?;
        let departure = self.attend(&mut screen);
        let unsent = screen.unsent();
        // The terminal is given back before anything is said.
        drop(screen);
        self.part(&unsent);
        departure
    }

    fn attend(&mut self, screen: &mut InboxScreen<'_>) -> Result<Departure, Failure> {
        loop {
            match screen.next().map_err(terminal_failure)? {
                Wanted::Open(id) => self.open(screen, id),
                Wanted::Resolve(id, resolution) => self.resolve(id, resolution),
                Wanted::Again(id) => self.drafts.again(ask_of(id)),
                Wanted::TakenUp(id, version, here) => {
                    self.drafts.taken_up(ask_of(id), version, here);
                }
                Wanted::Draft(id, unsent) => self.drafts.typed(ask_of(id), unsent),
                Wanted::Search(text) => {
                    let searching = history::search(self.hub.clone(), self.board.clone(), text);
                    self.runtime.spawn(searching);
                }
                Wanted::Browser(at) => {
                    let (hub, board) = (self.hub.clone(), self.board.clone());
                    self.runtime.spawn(browser::open(hub, board, at.map(ask_of)));
                }
                Wanted::Looking(looks) => self.presence.note(looks),
                Wanted::Pause => self.runtime.block_on(self.presence.end()),
                Wanted::Ring(id) => self.ring(screen, id)?,
                Wanted::Leave => return Ok(Departure::Left),
                Wanted::Signalled(signal) => return Ok(Departure::Signalled(signal)),
                Wanted::Closed => {
                    if let Some(error) = self.board.failure() {
                        return Err(hub_failure(error));
                    }
                }
            }
        }
    }

    fn open(&mut self, screen: &mut InboxScreen<'_>, id: EntryId) {
        // One that has ended meanwhile shows its end, and nothing else.
        if let Some(record) = self.board.record(ask_of(id)) {
            screen.open(id, opened(&record));
            self.drafts.open(&record, &self.hub, &self.board, self.runtime);
        }
    }

    fn ring(&self, screen: &mut InboxScreen<'_>, id: EntryId) -> Result<(), Failure> {
        let Some(record) = self.board.record(ask_of(id)) else { return Ok(()) };
        screen.write(&self.ringing.ring(&record)).map_err(terminal_failure)
    }

    fn resolve(&mut self, id: EntryId, resolution: Resolution) {
        let id = ask_of(id);
        let Some(record) = self.board.record(id) else {
            return self.board.sent(id, Sent::Late);
        };
        let ask = opened(&record).ask.ok();
        let words = ask.map(|ask: Ask| confirmation::lines(&ask, &resolution).join("; "));
        let Some(reply) = replying::reply(record.matter(), resolution) else { return };
        self.drafts.close(id);
        self.given += 1;
        let key = format!("{}-{}", self.hub.deliverer().as_str(), self.given);
        self.board.sending(id, words.unwrap_or_default());
        let sending = replying::send(self.hub.clone(), self.board.clone(), id, reply, key);
        self.runtime.spawn(sending);
    }

    /// Sees to it that no word is lost that was typed. They are told before anything is waited for: whoever
    /// is in a hurry ends the process meanwhile.
    fn part(mut self, unsent: &[(Entry, Vec<String>)]) {
        let untaken = unsent.iter().filter(|(entry, _)| !self.board.is_taken(ask_of(entry.id)));
        let (sending, lost): (Vec<_>, Vec<_>) =
            untaken.partition(|(entry, _)| self.board.is_pending(ask_of(entry.id)));
        lost.into_iter().for_each(say_typed);
        for words in self.board.pending() {
            failure::say(&format!("Being sent: {words}"));
        }
        self.runtime.block_on(async {
            // What is not sent by then is told below.
            let _ = timeout(A_MOMENT, self.board.all_sent()).await;
            self.presence.end().await;
        });
        for words in self.board.pending() {
            failure::say(&format!("Not sent, the hub is away: {words}"));
        }
        let lost = sending.into_iter().filter(|(entry, _)| !self.board.is_taken(ask_of(entry.id)));
        lost.for_each(say_typed);
    }
}

fn say_typed((entry, texts): &(Entry, Vec<String>)) {
    failure::say(&format!("You had typed, for {} ({}):", entry.project, entry.headline));
    for text in texts {
        failure::say(text);
    }
}
