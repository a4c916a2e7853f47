//! The person's side: chat and questions, one after the other, at one desk.

use std::sync::Arc;
use std::time::Duration;

use handraise_broker::{AnswerIn, Matter, Record, SessionId, Sessions};
use handraise_client::{Home, RemoteHub};
use handraise_question::{Approval, Ask, Question, Violations};
use handraise_terminal::{Desk, Outcome, Said};
use tokio::runtime::Handle;
use tokio::time::timeout;

use super::Departure;
use super::asks::left;
use super::board::Board;
use crate::approval;
use crate::ask::{Replying, reply_of, terminal_failure};
use crate::failure::{self, Failure};
use crate::home::failure as hub_failure;

/// How long an interrupt is tried, which would stop something else later, and how long somebody who
/// leaves is kept for the sake of their last words.
const A_MOMENT: Duration = Duration::from_secs(2);

pub(super) struct Attending<'a> {
    pub(super) home: &'a Home,
    pub(super) hub: RemoteHub,
    pub(super) session: SessionId,
    pub(super) runtime: &'a Handle,
    pub(super) board: Arc<Board>,
}

impl Attending<'_> {
    pub(super) fn run(&self, mut desk: Desk) -> Result<Departure, Failure> {
        loop {
            let turn = match self.board.next_ask() {
                Some(record) => self.put(&mut desk, &record),
                None => self.chat(&mut desk),
            };
            if let Some(departure) = turn.transpose() {
                self.part(&mut desk, &departure);
                return departure;
            }
        }
    }

    /// Sees to it that no word is lost that was typed.
    fn part(&self, desk: &mut Desk, departure: &Result<Departure, Failure>) {
        let why = match departure {
            Ok(Departure::Left) => {
                let all = async { timeout(A_MOMENT, self.board.all_sent()).await };
                // What is not sent by then is told below.
                let _ = self.runtime.block_on(all);
                "the hub is away"
            }
            Ok(Departure::Ended { .. }) => "the session has ended",
            Ok(Departure::Signalled(_)) => "it was stopped",
            Err(_) => "it cannot go on",
        };
        for words in self.board.unsent() {
            failure::say(&format!("Not sent, {why}: {words}"));
        }
        let typed = desk.take_typed();
        if !typed.trim().is_empty() {
            failure::say(&format!("You had typed: {typed}"));
        }
    }

    /// Talks until a question comes up, or it is over.
    fn chat(&self, desk: &mut Desk) -> Result<Option<Departure>, Failure> {
        let mut chat = desk.chat().map_err(terminal_failure)?;
        loop {
            match chat.next().map_err(terminal_failure)? {
                Said::Words(words) if words.trim() == "/question" && self.board.bring_back() => {}
                Said::Words(words) => self.board.say(words),
                Said::Interrupt => self.interrupt(),
                Said::Leave => return Ok(Some(Departure::Left)),
                Said::Signalled(signal) => return Ok(Some(Departure::Signalled(signal))),
                Said::Closed => return self.board.end().transpose().map_err(hub_failure),
            }
        }
    }

    fn interrupt(&self) {
        let (hub, session) = (self.hub.clone().patient(A_MOMENT), self.session);
        let board = self.board.clone();
        self.runtime.spawn(async move {
            if let Err(error) = hub.interrupt(session, None).await {
                board.trouble(&format!("Not interrupted: {error}"));
            }
        });
    }

    /// Puts a question to the person, against whoever answers elsewhere.
    fn put(&self, desk: &mut Desk, record: &Arc<Record>) -> Result<Option<Departure>, Failure> {
        let ask = match question(record) {
            Ok(ask) => ask,
            Err(problem) => {
                self.board.trouble(&format!("A question cannot be read: {problem}"));
                return Ok(None);
            }
        };
        if record.policy().answer_in == AnswerIn::Dialog {
            let first = ask.questions().first().map_or("", Question::text);
            self.board.trouble(&format!("Answer this in the agent's own terminal: {first}"));
            self.board.prompt_over(None);
            return Ok(None);
        }
        let replying = Replying::new(self.home, self.runtime.clone(), record.id);
        let is_approval = matches!(record.matter(), Matter::Approval(_));
        let guarded = if is_approval { approval::guarded(&ask) } else { 0 };
        let mut asking = desk.ask(ask, left(record)).guard(guarded);
        self.board.put(record.id, asking.remote());
        if !is_approval {
            let drafts = replying.keep_drafts();
            asking = asking.on_draft(move |unsent| {
                // Nobody keeps drafts once the ask has ended.
                let _ = drafts.send(unsent.answers.clone());
            });
        }
        let outcome = asking.outcome().map_err(terminal_failure)?;
        let aside = (outcome == Outcome::Interrupted).then(|| record.clone());
        self.board.prompt_over(aside);
        let reply = match outcome {
            Outcome::Resolved(resolution) if is_approval => approval::reply(resolution),
            Outcome::Resolved(resolution) => reply_of(resolution),
            Outcome::Closed(_) | Outcome::Interrupted => None,
            Outcome::Signalled(signal) => return Ok(Some(Departure::Signalled(signal))),
        };
        match reply.map(|reply| replying.send(reply)) {
            Some(Ok(record)) => {
                self.board.asked(&record);
                self.board.decided(&record);
            }
            Some(Err(failure)) => {
                self.board.trouble(&format!("Your answer was not taken: {failure}"));
                self.board.prompt_over(Some(record.clone()));
            }
            None => {}
        }
        Ok(None)
    }
}

fn question(record: &Record) -> Result<Ask, Violations> {
    match record.matter() {
        Matter::Questions(_) => record.matter().ask(),
        Matter::Approval(raw) => approval::question(&Approval::read(raw)?),
    }
}
