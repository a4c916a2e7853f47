//! What became of a call, for the hub and for whoever looks on.

use std::sync::Arc;

use handraise_broker::{
    AnswerIn, AskId, Doubt, DoubtKind, HubError, Order, Query, Receipt, Record, Rejection, State,
};
use handraise_question::Surface;
use serde_json::Value;

use super::asking::key;
use super::attending::Attending;
use super::happening::What;
use super::notes::{self, Note};
use super::{Happening, Shared};
use crate::hook::{cut, matter, own_first, taken};
use crate::screen::Typed;
use crate::transcript::{self, Call, Outcome, Transcript};

/// Why an ask is taken back whose process has ended.
pub(super) const GONE: &str = "Claude Code is gone";
/// Why an answer does not count as brought, where nobody can say what was taken instead.
const WENT_ON: &str = "Claude Code went on without it";

impl Attending {
    /// Tells the hub what came of an ask of ours. `typed` is what was typed for it.
    pub(super) async fn settle(&self, id: AskId, outcome: &Outcome, typed: Option<&Typed>) {
        let told = self.shared.settle(id, Some(&self.call), outcome, typed).await;
        self.forget();
        match told {
            Ok((record, None)) => {
                let what = if record.state() == State::Delivered && typed.is_some() {
                    What::Delivered
                } else {
                    What::Settled
                };
                let overruled = record.state() == State::Overruled;
                let why = overruled.then(|| "it took another answer than the hub's".to_owned());
                self.tell(what, Some(id), why);
            }
            Ok((_, Some(doubt))) => self.tell(What::Alarm, Some(id), Some(doubt.why)),
            Err(error) => self.tell(What::NotAsked, Some(id), Some(error.to_string())),
        }
    }

    /// Looks at what came of a call that somebody else looks after, or that was over before anybody could
    /// be asked. The hub hears of it only if no person can have answered.
    pub(super) async fn judge(&self, outcome: &Outcome) {
        // Most are beyond doubt, whoever brought them.
        if doubt(&self.call, outcome, false, false).is_none() {
            return;
        }
        let record = match self.record().await {
            Ok(record) => record,
            Err(error) => return self.tell(What::NotAsked, None, Some(error.to_string())),
        };
        let sent = record.as_deref().is_some_and(|record| is_sent(record, outcome, None));
        let heard = record.as_deref().is_some_and(is_answered_elsewhere);
        let Some(doubt) = doubt(&self.call, outcome, sent, heard) else { return };
        let mut id = match record {
            Some(record) => Some(record.id),
            // Who runs it asks under a name of its own choosing: perhaps only the name is unknown, and a
            // person was quick.
            None if self.following.session.has_owner && is_about_time(doubt.kind) => return,
            None => self.ask_afterwards().await,
        };
        if let Some(of) = id {
            let told = self.shared.doubted(of, outcome, doubt.clone()).await;
            // Another agent's token asked it, and only that one may speak of it: the alarm gets an ask of
            // its own.
            if told == Err(Rejection::NotYours.into()) {
                id = self.ask_afterwards().await;
                if let Some(own) = id {
                    let _ = self.shared.doubted(own, outcome, doubt.clone()).await;
                }
            }
        }
        self.tell(What::Alarm, id, Some(doubt.why));
    }

    /// The ask of this call, whoever asked it.
    async fn record(&self) -> Result<Option<Arc<Record>>, HubError> {
        let session = &self.following.session;
        let own = Query { session: Some(session.id.clone()), limit: 500, ..Query::default() };
        let wanted = key(&session.id, &self.call.id, 0);
        let found = self.find(own, |key, _| key == wanted).await?;
        if found.is_some() {
            return Ok(found);
        }
        if !session.has_owner {
            // A hook that was not told the call asks under another name.
            let own = Query { session: Some(session.id.clone()), limit: 500, ..Query::default() };
            let own = Query { order: Order::LastEndedFirst, ..own };
            return self.find(own, |_, asked| asked == self.call.questions.get()).await;
        }
        // A program asks under a name of its own, to which it adds the call.
        let last = Query { order: Order::LastEndedFirst, limit: 500, ..Query::default() };
        let ending = format!("/{}", self.call.id);
        let questions = self.call.questions.get();
        self.find(last, |key, asked| key.ends_with(&ending) && asked == questions).await
    }

    /// The ask whose name and questions are as described.
    async fn find(
        &self,
        query: Query,
        wanted: impl Fn(&str, &str) -> bool,
    ) -> Result<Option<Arc<Record>>, HubError> {
        let mut found = self.shared.hub.insist(|hub| hub.list(query.clone())).await?;
        found.retain(|record| {
            let key = record.opened.key.as_deref().unwrap_or_default();
            wanted(key, record.matter().as_sent().get())
        });
        Ok(own_first(found))
    }

    /// Asks about a call that is over already, so that there is something to say of it.
    async fn ask_afterwards(&self) -> Option<AskId> {
        let (questions, metadata) = (self.call.questions.clone(), self.call.metadata.clone());
        let matter = matter::of_questions(questions, metadata).ok()?;
        let new = self.shared.new_ask(&self.following, &self.call, matter, 0, AnswerIn::Dialog);
        let asked = self.shared.hub.insist(|hub| hub.ask(new.clone())).await.ok()?;
        Some(asked.record.id)
    }
}

impl Shared {
    /// The ask of a call that a hub may have heard of before it, or the watch, went away.
    pub(super) async fn find_unsettled(&self, session: &str, call: &str) -> Option<Arc<Record>> {
        let states = vec![State::Open, State::Resolved];
        let query = Query { states, limit: 500, ..Query::default() };
        let query = Query { session: Some(session.to_owned()), ..query };
        let mut found = self.hub.insist(|hub| hub.list(query.clone())).await.ok()?;
        let first = key(session, call, 0);
        found.retain(|record| {
            let rest = record.opened.key.as_deref().and_then(|key| key.strip_prefix(&first));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        });
        own_first(found)
    }

    /// The ask a note is about, if the hub has heard of it.
    pub(super) async fn ask_of(&self, note: &Note) -> Option<AskId> {
        match note.ask {
            Some(ask) => Some(ask),
            None => self.find_unsettled(&note.session, &note.call).await.map(|record| record.id),
        }
    }

    /// Tells the hub what came of an ask; the ask as it stands then, and whether a person is doubted.
    async fn settle(
        &self,
        id: AskId,
        call: Option<&Call>,
        outcome: &Outcome,
        typed: Option<&Typed>,
    ) -> Result<(Arc<Record>, Option<Doubt>), HubError> {
        let record = self.hub.insist(|hub| hub.get(id)).await?;
        let took = took(&record, outcome, typed);
        let sent = is_sent(&record, outcome, typed);
        let heard = is_answered_elsewhere(&record);
        let doubt = call.and_then(|call| doubt(call, outcome, sent, heard));
        if took.is_none() && doubt.is_none() && !record.is_open() {
            let reason = Some(WENT_ON.to_owned());
            let record = self.hub.insist(|hub| hub.withdraw(id, reason.clone())).await?;
            return Ok((record, doubt));
        }
        let text = Some(cut(&outcome.text, taken::LONGEST));
        let receipt = Receipt { took, doubt: doubt.clone(), ..Receipt::seen(text) };
        self.hub.insist(|hub| Box::pin(taken::tell(hub, id, receipt.clone()))).await?;
        Ok((self.hub.insist(|hub| hub.get(id)).await?, doubt))
    }

    async fn doubted(&self, id: AskId, outcome: &Outcome, doubt: Doubt) -> Result<(), HubError> {
        let record = self.hub.insist(|hub| hub.get(id)).await?;
        let text = Some(cut(&outcome.text, taken::LONGEST));
        let took = taken::by_outcome(record.matter(), outcome);
        let receipt = Receipt { took, doubt: Some(doubt), ..Receipt::seen(text) };
        self.hub.insist(|hub| Box::pin(taken::tell(hub, id, receipt.clone()))).await
    }

    /// Settles what an earlier watch has asked, if it is over by now. What still waits is found again.
    pub(super) async fn settle_the_past(&self) {
        for (path, note) in self.notes.all() {
            let outcome = Transcript::new(&note.transcript).outcome(&note.call);
            if outcome.is_none() && note.process.lives() {
                continue;
            }
            if let Some(ask) = self.ask_of(&note).await {
                let done = if let Some(outcome) = outcome {
                    self.settle(ask, None, &outcome, None).await.map(|_| What::Settled)
                } else {
                    let reason = Some(GONE.to_owned());
                    let told = self.hub.insist(|hub| hub.withdraw(ask, reason.clone())).await;
                    told.map(|_| What::Withdrawn)
                };
                if let Ok(what) = done {
                    (self.tell)(past(&note, ask, what));
                }
            }
            notes::remove(&path);
        }
    }
}

fn past(note: &Note, ask: AskId, what: What) -> Happening {
    Happening {
        what,
        session: Some(note.session.clone()),
        pid: Some(note.process.pid),
        ask: Some(ask),
        why: Some("while nobody watched".into()),
        ..Happening::default()
    }
}

/// What Claude Code took, as the hub is told: the hub's own resolution, if it was typed and is what was
/// written down. What a dialog has no place for was typed as words, and stands for what was meant.
fn took(record: &Record, outcome: &Outcome, typed: Option<&Typed>) -> Option<Value> {
    let by_outcome = taken::by_outcome(record.matter(), outcome);
    let Some(resolved) = record.resolved() else { return by_outcome };
    let kind = by_outcome.as_ref().and_then(|took| took["kind"].as_str()).unwrap_or_default();
    let as_meant = match resolved.kind() {
        // Why it was left, and what to talk about, was said afterwards, by whoever left it.
        "declined" | "no_answer" => typed.is_some() && kind == "declined",
        "discuss" => typed.is_some() && kind == "discuss",
        // An earlier watch may have typed it.
        _ => was_typed(record, outcome).unwrap_or_default(),
    };
    if as_meant { Some(resolved.resolution.clone()) } else { by_outcome }
}

/// Whether the session took what is typed for an answer.
fn was_typed(record: &Record, outcome: &Outcome) -> Option<bool> {
    let (ask, resolution) = (record.matter().ask().ok()?, record.resolution().ok()??);
    let typed = Typed::of(&ask, &resolution).ok()?;
    Some(typed.was_taken(&ask, &outcome.result))
}

/// Whether what was taken is what a person has answered elsewhere.
fn is_sent(record: &Record, outcome: &Outcome, typed: Option<&Typed>) -> bool {
    let meant = record.resolved().map(|resolved| &resolved.resolution);
    is_answered_elsewhere(record) && took(record, outcome, typed).as_ref() == meant
}

/// Whether a person has answered at a surface of the hub.
fn is_answered_elsewhere(record: &Record) -> bool {
    let responder = record.resolved().and_then(|resolved| resolved.responder.as_ref());
    responder.is_some_and(|responder| responder.surface != Surface::Dialog)
}

/// Whether a doubt would not be one if a person had answered elsewhere.
fn is_about_time(kind: DoubtKind) -> bool {
    match kind {
        DoubtKind::TooFast | DoubtKind::FromNowhere => true,
        DoubtKind::Empty | DoubtKind::TimedOut => false,
    }
}

/// Why no person can have answered, if that is so. `sent` is whether it is what a person has answered at
/// the hub, `heard` whether a person has answered there at all.
fn doubt(call: &Call, outcome: &Outcome, sent: bool, heard: bool) -> Option<Doubt> {
    if let Some(Doubt { kind, why }) = transcript::doubt(call, outcome, sent) {
        return Some(Doubt { kind, why: cut(&why, Doubt::LONGEST) });
    }
    // Here it is known what was sent: a hook that answers in its own time is no person either.
    let answered = !outcome.denied && !outcome.failed;
    let by_hook = outcome.decided_by.as_deref() == Some("hook");
    let why = "A hook answered it, and it was not Handraise's.".to_owned();
    (answered && by_hook && !heard).then_some(Doubt { kind: DoubtKind::FromNowhere, why })
}
