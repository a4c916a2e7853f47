//! What Claude Code says and does, and its end.

use handraise_broker::{
    Hub, HubError, MessageKind, MessageState, Progress, Receipt, Saying, SessionState, Sessions,
};
use serde_json::Value;

use super::conversation::{Conversation, FirstWords};
use super::telling::{cut, saying};
use crate::hook::{PLAN, QUESTION};
use crate::stream::{
    self, Asked, Assistant, Block, ExitReport, Heard, Message, Partial, Piece, Request, Stage,
    TurnEnd, User,
};

/// How much of a trouble is told.
const LONGEST_TROUBLE: usize = 2000;
/// What Claude Code says when it is to resume what it does not know.
const UNKNOWN: &str = "No conversation found";

impl<H: Hub + Sessions + 'static> Conversation<H> {
    pub(super) async fn hear(&mut self, heard: Heard) -> Result<(), HubError> {
        match heard {
            Heard::Line(message) => {
                self.lines_read += 1;
                self.hear_line(message).await
            }
            Heard::Unreadable { why } => self.cannot_read(&why).await,
            Heard::Ended(report) => self.lose_claude(&report).await,
        }
    }

    async fn hear_line(&mut self, message: Message) -> Result<(), HubError> {
        match message {
            Message::Init(init) => {
                self.resuming = false;
                let known = self.claude.as_ref() == Some(&init.session_id);
                if !known || self.state != SessionState::Working {
                    self.claude = Some(init.session_id.clone());
                    self.state = SessionState::Working;
                    let progress = Progress {
                        state: Some(SessionState::Working),
                        agent_session: Some(init.session_id),
                        ..Progress::default()
                    };
                    self.tell(progress).await?;
                }
                Ok(())
            }
            Message::Partial(partial) => self.hear_piece(partial).await,
            Message::Assistant(said) => self.hear_words(said).await,
            Message::User(user) => self.hear_results(user).await,
            Message::TurnEnd(end) => self.end_turn(*end).await,
            Message::Request(request) => self.requested(request).await,
            Message::Cancelled { request_id } => self.cancelled(&request_id).await,
            // Commands that Claude Code obeys by itself are never repeated, only done with.
            Message::Progress { uuid, stage: Stage::Completed | Stage::Cancelled } => {
                self.taken_up(&uuid).await
            }
            // It repeats our own answers, too.
            Message::Response(_) | Message::Progress { .. } | Message::Other { .. } => Ok(()),
        }
    }

    async fn hear_piece(&mut self, partial: Partial) -> Result<(), HubError> {
        if partial.parent_tool_use_id.is_some() {
            // A subagent talks to its agent, not to the person.
            return Ok(());
        }
        match partial.piece {
            Piece::Start { .. } => {
                self.writing.begin();
                self.calls.clear();
            }
            Piece::Text(text) => {
                self.writing.add(&text);
                self.flush().await?;
            }
            Piece::BlockEnd => self.writing.end_block(),
            Piece::End => {
                self.writing.is_open = false;
                self.ask_what_was_held().await?;
            }
            Piece::Other => {}
        }
        Ok(())
    }

    async fn hear_words(&mut self, said: Assistant) -> Result<(), HubError> {
        if said.parent_tool_use_id.is_some() {
            return Ok(());
        }
        for block in said.blocks {
            match block {
                Block::Text(text) => self.say_text(&text).await?,
                Block::ToolUse { id, name, input } => {
                    self.pass_over_block();
                    self.calls.push(id.clone());
                    if name == PLAN
                        && let Ok(Value::Object(input)) = serde_json::from_str(input.get())
                        && let Some(plan) = input.get("plan").and_then(Value::as_str)
                    {
                        self.plans.insert(id.clone(), plan.to_owned());
                    }
                    // A question is shown as such.
                    if name != QUESTION {
                        self.use_tool(&id, &name, input.get()).await?;
                    } else if self.settings.takes_tool_results() {
                        self.requested(Request { id, asked: Asked::ToolUse(input) }).await?;
                    }
                }
                Block::Other => self.pass_over_block(),
            }
        }
        Ok(())
    }

    async fn hear_results(&mut self, user: User) -> Result<(), HubError> {
        let of_subagent = user.parent_tool_use_id.is_some();
        if user.is_replay
            && let Some(uuid) = &user.uuid
        {
            return self.taken_up(uuid).await;
        }
        for result in &user.results {
            let id = &result.tool_use_id;
            self.plans.remove(id);
            self.drop_tool_use(id).await?;
            if let Some(answered) = self.unseen.remove(id) {
                let words = answered.words.as_deref();
                if let Some(receipt) = stream::receipt(&answered.matter, id, words, &user) {
                    let record = self.hub.receipt(answered.record.id, receipt).await?;
                    if let Some(remark) = stream::remark(&record) {
                        self.answer(&stream::said::user(&remark, None));
                    }
                }
            }
            if !of_subagent {
                self.end_tool(id, &result.text, result.is_error).await?;
            }
        }
        Ok(())
    }

    /// Claude Code has taken up what a person said.
    pub(super) async fn taken_up(&mut self, uuid: &str) -> Result<(), HubError> {
        let place = self.queue.iter().position(|queued| queued.uuid.as_deref() == Some(uuid));
        let Some(queued) = place.and_then(|place| self.queue.remove(place)) else { return Ok(()) };
        let delivered = saying(queued.key, MessageKind::User, String::new());
        let state = Some(MessageState::Delivered);
        self.say(Saying { state, ..delivered }).await?;
        for FirstWords { ask, text } in queued.first {
            match self.hub.receipt(ask, Receipt::seen(Some(text))).await {
                Ok(_) | Err(HubError::Rejected(_)) => {}
                Err(other) => return Err(other),
            }
        }
        Ok(())
    }

    async fn end_turn(&mut self, end: TurnEnd) -> Result<(), HubError> {
        self.writing.is_open = false;
        if let Some(put_off) = &end.deferred_tool_use {
            return self.go_away(&put_off.id).await;
        }
        let aborted = end.terminal_reason.as_deref().is_some_and(|why| why.starts_with("aborted"));
        self.turns += 1;
        let key = format!("turn/{}", self.turns);
        if aborted {
            self.note(&key, "Interrupted.").await?;
        } else if end.is_error {
            let why = if end.errors.is_empty() {
                end.result.unwrap_or(end.subtype)
            } else {
                end.errors.join("\n")
            };
            self.note(&key, &format!("The turn failed: {}", cut(&why, LONGEST_TROUBLE))).await?;
        }
        self.preamble = None;
        self.take_back_of_turn("the turn it was asked in is over").await?;
        self.be(SessionState::Idle, None).await
    }

    /// Its question was put off: Claude Code goes away until it is answered.
    async fn go_away(&mut self, call: &str) -> Result<(), HubError> {
        let waiting = self.asks.iter().find(|(_, open)| open.is_put_off(call));
        self.deferred = waiting.map(|(request, _)| request.clone());
        if let Some(child) = self.child.take() {
            child.end(super::conversation::GRACE).await;
        }
        let key = format!("deferred/{}", cut(call, 100));
        self.note(&key, "Claude Code waits elsewhere: it comes back with your answer.").await?;
        self.be(SessionState::Deferred, None).await?;
        if self.deferred.is_none() {
            // It was answered in the meantime.
            self.start().await?;
        }
        Ok(())
    }

    /// Lines that cannot be read are counted in one note, told less and less often.
    async fn cannot_read(&mut self, why: &str) -> Result<(), HubError> {
        self.unreadable += 1;
        if !self.unreadable.is_power_of_two() {
            return Ok(());
        }
        let many = match self.unreadable {
            1 => "a line".to_owned(),
            many => format!("{many} lines"),
        };
        let (name, why) = (self.settings.display_name(), cut(why, LONGEST_TROUBLE));
        let text = format!("{name} wrote {many} that cannot be read; the last was {why}.");
        self.note("unreadable", &text).await
    }

    /// Claude Code is gone, and nobody sent it away.
    async fn lose_claude(&mut self, report: &ExitReport) -> Result<(), HubError> {
        self.child = None;
        self.writing.is_open = false;
        let name = self.settings.display_name().to_owned();
        self.take_back(&format!("{name} has ended")).await?;
        self.end_tools(&format!("{name} has ended.")).await?;
        for queued in &mut self.queue {
            // Sent, perhaps, but not taken up.
            queued.uuid = None;
            self.words_first.append(&mut queued.first);
        }
        self.resuming = false;
        let how = match (report.code, report.signal) {
            (_, Some(signal)) => format!("{name} was ended by signal {signal}"),
            (Some(code), None) => format!("{name} ended with code {code}"),
            (None, None) => format!("{name} ended"),
        };
        let said = report.stderr.trim();
        let lines: Vec<_> = said.lines().rev().take(5).collect();
        let last = lines.into_iter().rev().collect::<Vec<_>>().join("\n");
        let trouble = if last.is_empty() { how } else { format!("{how}: {last}") };
        let trouble = cut(&trouble, LONGEST_TROUBLE);
        if self.claude.is_some() && said.contains(UNKNOWN) {
            self.be(SessionState::Stopped, Some(trouble)).await?;
            self.deaths += 1;
            let key = format!("ended/{}", self.deaths);
            // It was killed before it had written anything down. Resumed, it would end like this again.
            self.claude = None;
            for queued in &mut self.queue {
                queued.tried = false;
            }
            let text = "Claude Code has not kept this conversation: it begins anew.";
            return self.note(&key, text).await;
        }
        self.stop(trouble, "Your next message starts it again.").await
    }
}
