//! What Claude Code wants to know: to the hub, and the answer back.

use std::sync::Arc;

use handraise_broker::{
    AskId, Asked as Put, Asker, Hub, HubError, Level, Matter, MessageKind, NewAsk, OnDeadline,
    Policy, Receipt, Record, Resolved, Saying, SessionState, Sessions, State, wait_for_answer,
};
use tokio::time::Instant;

use super::conversation::{Answered, Conversation, FirstWords};
use super::telling::{cut, saying};
use super::{Approvals, words};
use crate::hook::QUESTION;
use crate::stream::elicitation::{Elicited, Problem};
use crate::stream::{self, Asked, CanUseTool, Permission, Request, said, tool_result};

/// The name by which asks of Claude Code are known.
pub(super) const AGENT: &str = "claude-code";

/// An ask that Claude Code waits for.
pub(super) struct OpenAsk {
    pub(super) id: AskId,
    kind: Kind,
    /// When it is put off.
    pub(super) defer_at: Option<Instant>,
    /// Whether Claude Code was told that it is.
    put_off: bool,
    /// Whether a subagent wants it, whose work may outlive the turn.
    of_subagent: bool,
}

impl OpenAsk {
    /// Whether it is the call that was put off.
    pub(super) fn is_put_off(&self, call: &str) -> bool {
        self.put_off && matches!(&self.kind, Kind::Hook(Some(id)) if id == call)
    }
}

enum Kind {
    /// May the tool be called?
    Call(Option<String>),
    /// The same, before that is asked: our hook.
    Hook(Option<String>),
    /// A question in an `assistant` message, by its call; answered by a `tool_result`.
    ToolUse(String),
    /// What an MCP server asks, and how often it was asked.
    Elicited(Box<Elicited>, String, usize),
}

impl<H: Hub + Sessions + 'static> Conversation<H> {
    /// Claude Code wants something. In the middle of a message it waits until that is complete: people
    /// want to read what leads to a question first.
    pub(super) async fn requested(&mut self, request: Request) -> Result<(), HubError> {
        if let Asked::CanUseTool(call) = &request.asked
            && self.settings.approvals == Approvals::All
            && call.tool_name != QUESTION
        {
            self.answer(&said::allow(&request.id, &call.input, None));
            return Ok(());
        }
        if self.writing.is_open {
            self.held.push(request);
            self.held_since.get_or_insert_with(Instant::now);
            return Ok(());
        }
        self.ask(request).await
    }

    /// The message is complete: what came with it is asked, in its order.
    pub(super) async fn ask_what_was_held(&mut self) -> Result<(), HubError> {
        self.held_since = None;
        // They come in any order (measured), and are asked in that of the calls.
        let mut held = std::mem::take(&mut self.held);
        held.sort_by_key(|request| self.calls.iter().position(|call| request.is_about(call)));
        for request in held {
            self.ask(request).await?;
        }
        Ok(())
    }

    async fn ask(&mut self, request: Request) -> Result<(), HubError> {
        let Request { id, asked } = request;
        match asked {
            Asked::CanUseTool(call) => {
                let matter = stream::matter(&call, self.plan(&call));
                if let Some(call) = &call.tool_use_id {
                    self.released.remove(call);
                    // The program waits for this request, and not for the result of its call.
                    self.drop_tool_use(call).await?;
                }
                let kind = Kind::Call(call.tool_use_id.clone());
                let mut key = self.key(call.tool_use_id.as_deref(), &id);
                let uses = self.key_uses.entry(key.clone()).or_default();
                *uses += 1;
                if *uses > 1 {
                    key = format!("{key}#{uses}");
                    // The program has gone on from the call that had this id before.
                    let before =
                        call.tool_use_id.as_ref().and_then(|call| self.unseen.remove(call));
                    if let Some(before) = before {
                        self.hub.receipt(before.record.id, Receipt::seen(None)).await?;
                    }
                }
                let of_subagent = call.agent_id.is_some();
                // What the agent wrote last does not lead to what its subagent asks.
                let preamble = self.preamble.clone().filter(|_| !of_subagent);
                self.put(&id, matter, kind, key, preamble).await?;
                if let Some(open) = self.asks.get_mut(&id) {
                    open.of_subagent = of_subagent;
                }
                Ok(())
            }
            Asked::Hook(call) => {
                let matter = stream::matter(&call, None);
                let key = self.key(call.tool_use_id.as_deref(), &id);
                let kind = Kind::Hook(call.tool_use_id.clone());
                self.put(&id, matter, kind, key, self.preamble.clone()).await
            }
            Asked::Elicitation(asked) => match Elicited::read(&asked) {
                Ok(elicited) => self.elicit(&id, Box::new(elicited), asked.message, 0, &[]).await,
                Err(why) => {
                    self.answer(&said::answer(&id, said::ElicitationReply::Cancel));
                    let server = cut(&asked.server, 100);
                    self.note(&id, &format!("{server} asked something nobody can be asked: {why}"))
                        .await
                }
            },
            Asked::ToolUse(input) => {
                let matter = stream::questions(&input);
                if self.repeats_tool_use(&id, matter.as_ref().ok()).await? {
                    return Ok(());
                }
                // Two runs, and two calls of one run, may use the same id: it names no earlier ask.
                self.tool_uses += 1;
                let key = format!("{}/{}/{id}", self.settings.session, self.tool_uses);
                let kind = Kind::ToolUse(id.clone());
                self.put(&id, matter, kind, cut(&key, 400), self.preamble.clone()).await
            }
            Asked::Other { subtype } => {
                let why = format!("Handraise does not know how to answer {}", cut(&subtype, 100));
                self.answer(&said::error(&id, &why));
                Ok(())
            }
        }
    }

    async fn elicit(
        &mut self,
        request: &str,
        elicited: Box<Elicited>,
        message: String,
        before: usize,
        problems: &[Problem],
    ) -> Result<(), HubError> {
        let matter = elicited.matter(problems);
        let key = format!("{}/{request}/{before}", self.claude.as_deref().unwrap_or("-"));
        let kind = Kind::Elicited(elicited, message.clone(), before);
        self.put(request, matter, kind, key, Some(message)).await
    }

    fn key(&self, call: Option<&str>, request: &str) -> String {
        let session = self.claude.as_deref().unwrap_or("-");
        cut(&format!("{session}/{}", call.unwrap_or(request)), 400)
    }

    /// Puts an ask to the hub. If it cannot be asked, Claude Code is told so: it must not take that for
    /// consent.
    async fn put(
        &mut self,
        request: &str,
        matter: Result<Matter, String>,
        kind: Kind,
        key: String,
        preamble: Option<String>,
    ) -> Result<(), HubError> {
        let is_question = matches!(matter, Ok(Matter::Questions(_)));
        let is_call = matches!(kind, Kind::Call(_) | Kind::Hook(_));
        let new = matter.map(|matter| NewAsk {
            asker: self.asker(preamble),
            key: Some(key),
            matter,
            policy: Policy {
                // Of a call the model is seen to read the result; of a form it is not.
                receipt: if is_call { Level::Seen } else { Level::Handed },
                ..self.settings.policy.clone()
            },
            // Claude Code shows no dialog of its own without a terminal.
            rival_dialog: false,
            deliverer: Some(self.settings.deliverer.clone()),
        });
        let asked = match new {
            Err(why) => Err(why),
            Ok(new) => match self.ask_about_new_call(new).await {
                Ok(asked) if asked.yours => Ok(asked),
                Ok(_) => Err("another process waits for its answer".into()),
                Err(error) => Err(error.to_string()),
            },
        };
        let record = match asked {
            Ok(asked) => asked.record,
            Err(why) => {
                let told = format!("Handraise could not ask the person: {why}");
                self.refuse(request, &kind, &told);
                return self.note(request, &told).await;
            }
        };
        let defers = matches!(kind, Kind::Hook(_)) && is_question;
        let after = self.settings.defer_after.filter(|_| defers);
        let defer_at = after.and_then(|after| Instant::now().checked_add(after));
        self.asks.insert(
            request.to_owned(),
            OpenAsk { id: record.id, kind, defer_at, put_off: false, of_subagent: false },
        );
        self.wait_for(request.to_owned(), record.id);
        self.be(SessionState::Working, None).await?;
        let saying = saying(format!("ask/{}", record.id), MessageKind::Ask, String::new());
        self.say(Saying { ask: Some(record.id), ..saying }).await
    }

    /// Asks about a call. What was decided about one of the same id is taken only if no process was told:
    /// programs may use an id twice. An answer to a question may be told again until the model has read it.
    async fn ask_about_new_call(&mut self, mut new: NewAsk) -> Result<Put, HubError> {
        let key = new.key.clone().unwrap_or_default();
        let mut used = 1_u32;
        loop {
            let asked = self.hub.ask(new.clone()).await?;
            let record = &asked.record;
            let is_told =
                matches!(record.matter(), Matter::Approval(_)) && record.last_receipt().is_some();
            if asked.new
                || !is_told && !matches!(record.state(), State::Delivered | State::Overruled)
            {
                return Ok(asked);
            }
            used += 1;
            new.key = Some(format!("{key}#{used}"));
        }
    }

    fn wait_for(&mut self, request: String, id: AskId) {
        let (hub, deliverer) = (self.hub.clone(), self.settings.deliverer.clone());
        self.waits.spawn(async move {
            let end = wait_for_answer(&*hub, id, Some(deliverer), |_| {}).await;
            (request, end)
        });
    }

    fn asker(&self, preamble: Option<String>) -> Asker {
        Asker {
            agent: self.settings.agent().into(),
            session: self.claude.clone(),
            directory: Some(self.settings.program.directory.display().to_string()),
            host: Some(self.settings.host.clone()),
            branch: None,
            title: self.title.as_deref().map(|title| cut(title, 200)),
            preamble: preamble.map(|text| cut(&text, 50_000)),
        }
    }

    /// An ask has ended.
    pub(super) async fn ended(
        &mut self,
        request: &str,
        end: Result<Arc<Record>, HubError>,
    ) -> Result<(), HubError> {
        if self.deferred.as_deref() == Some(request) {
            // Claude Code asks again by itself when it is back, and then there is an answer.
            self.deferred = None;
            self.asks.remove(request);
            return self.start().await;
        }
        let is_older = |open: &OpenAsk| end.as_ref().is_ok_and(|record| record.id != open.id);
        if self.asks.get(request).is_some_and(is_older) {
            // Another ask has taken its place meanwhile.
            return Ok(());
        }
        let Some(open) = self.asks.remove(request) else { return Ok(()) };
        let record = match end {
            Ok(record) => record,
            Err(error) => {
                let why = format!("Handraise gave the question up: {error}");
                self.refuse(request, &open.kind, &why);
                return self.note(request, &why).await;
            }
        };
        if record.resolved().is_some_and(Resolved::is_withdrawn) {
            // Taken back by somebody else: what Claude Code waits for will not come.
            let why = "The question was withdrawn before anybody answered.";
            match open.kind {
                Kind::Hook(_) => self.answer(&said::hook_answer(request, false)),
                Kind::Call(_) => self.answer(&said::deny(request, why, false)),
                Kind::ToolUse(_) => self.refuse(request, &open.kind, why),
                Kind::Elicited(..) => {
                    self.answer(&said::answer(request, said::ElicitationReply::Cancel));
                }
            }
            return Ok(());
        }
        match open.kind {
            // The same is asked once more by Claude Code itself, and is answered then.
            Kind::Hook(call) => {
                self.answer(&said::hook_answer(request, false));
                self.released.extend(call.map(|call| (call, record.id)));
                Ok(())
            }
            Kind::Call(call) => self.hand_over(request, call, record, open.of_subagent).await,
            Kind::ToolUse(call) => self.hand_over_result(&call, &record).await,
            Kind::Elicited(elicited, message, before) => match elicited.reply(&record) {
                Ok(reply) => {
                    self.answer(&said::answer(request, reply));
                    let text = record.answer_text();
                    self.hub.receipt(record.id, Receipt::handed(Some(text))).await?;
                    self.say_answer(record.id).await
                }
                Err(problems) => {
                    let receipt = Receipt::handed(Some("It did not fit the form.".into()));
                    self.hub.receipt(record.id, receipt).await?;
                    self.say_answer(record.id).await?;
                    self.elicit(request, elicited, message, before + 1, &problems).await
                }
            },
        }
    }

    async fn hand_over(
        &mut self,
        request: &str,
        call: Option<String>,
        record: Arc<Record>,
        of_subagent: bool,
    ) -> Result<(), HubError> {
        let Some(mut permission) = stream::permission(&record) else { return Ok(()) };
        let words = stream::words(&record);
        if let Some(unanswered) = &self.settings.unanswered
            && record.policy().on_deadline == OnDeadline::Interrupt
        {
            // The prime-agent document treats Cancel like a timeout.
            let is_cancelled = matches!(record.matter(), Matter::Questions(_))
                && record.resolved().is_some_and(|resolved| resolved.kind() == "declined");
            if let Permission::Deny { message, interrupt } = &mut permission {
                *interrupt |= is_cancelled;
                if *interrupt {
                    message.clone_from(unanswered);
                }
            }
        }
        let ends_turn = matches!(permission, Permission::Deny { interrupt: true, .. });
        self.answer(&said::answer(request, &permission));
        if ends_turn {
            // Claude Code drops the words of a denial that ends the turn (measured): the model reads
            // them with the next words of a person.
            let text = words.unwrap_or_default();
            self.words_first.push(FirstWords { ask: record.id, text });
        } else {
            let is_approval = matches!(record.matter(), Matter::Approval(_));
            if words.is_some() || is_approval {
                self.hub.receipt(record.id, Receipt::handed(words.clone())).await?;
            }
            if let Some(call) = call {
                let matter = record.matter().clone();
                let record = record.clone();
                self.unseen.insert(call, Answered { matter, words, record, of_subagent });
            }
        }
        self.say_answer(record.id).await
    }

    /// The answer as a `tool_result`.
    async fn hand_over_result(&mut self, call: &str, record: &Record) -> Result<(), HubError> {
        let envelope = match (record.matter().ask(), record.resolution()) {
            (Ok(ask), Ok(Some(resolution))) => tool_result::answer(call, &ask, &resolution),
            (Err(why), _) | (_, Err(why)) => tool_result::refuse(call, why),
            (Ok(_), Ok(None)) => return Ok(()),
        };
        self.answer(&envelope);
        let text = envelope.content().to_owned();
        self.hub.receipt(record.id, Receipt::handed(Some(text))).await?;
        self.say_answer(record.id).await
    }

    /// The program is told that what it waits for will not come.
    fn refuse(&self, request: &str, kind: &Kind, why: &str) {
        match kind {
            Kind::ToolUse(call) => self.answer(&tool_result::refuse(call, why)),
            Kind::Call(_) | Kind::Hook(_) | Kind::Elicited(..) => {
                self.answer(&said::error(request, why));
            }
        }
    }

    /// Whether the call is open already and asks the same. One id names one call, and gets one result: an
    /// open call that asked something else has no use for its answer any more.
    async fn repeats_tool_use(
        &mut self,
        call: &str,
        matter: Option<&Matter>,
    ) -> Result<bool, HubError> {
        let Some(open) = self.asks.get(call) else { return Ok(false) };
        let asked = self.hub.get(open.id).await?;
        if matter.is_some_and(|matter| matter.same(asked.matter())) {
            return Ok(true);
        }
        self.drop_tool_use(call).await?;
        Ok(false)
    }

    /// The agent no longer waits for our result of a call that it asked with.
    pub(super) async fn drop_tool_use(&mut self, call: &str) -> Result<(), HubError> {
        if self.asks.get(call).is_some_and(|open| matches!(open.kind, Kind::ToolUse(_))) {
            self.cancelled(call).await?;
        }
        Ok(())
    }

    /// Names the ask that was answered; the hub writes the words.
    async fn say_answer(&mut self, id: AskId) -> Result<(), HubError> {
        let saying = saying(format!("answer/{id}"), MessageKind::Answer, String::new());
        self.say(Saying { ask: Some(id), ..saying }).await
    }

    /// Claude Code no longer waits for an answer.
    pub(super) async fn cancelled(&mut self, request: &str) -> Result<(), HubError> {
        self.held.retain(|held| held.id != request);
        match self.asks.remove(request) {
            Some(open) => {
                let why = format!("{} no longer waits for it", self.settings.display_name());
                self.withdraw(open.id, &why).await
            }
            None => Ok(()),
        }
    }

    /// The turn is over: nothing the agent itself asked outlives it.
    pub(super) async fn take_back_of_turn(&mut self, why: &str) -> Result<(), HubError> {
        let all = std::mem::take(&mut self.asks).into_iter();
        let (kept, over) = all.partition(|(_, open)| open.of_subagent);
        self.asks = over;
        let all = std::mem::take(&mut self.unseen).into_iter();
        let (unseen, over) = all.partition(|(_, answered)| answered.of_subagent);
        self.unseen = over;
        self.take_back(why).await?;
        (self.asks, self.unseen) = (kept, unseen);
        Ok(())
    }

    /// Takes back everything Claude Code asked. What was answered and never read is so noted, and is the
    /// first thing the model is told when it is back.
    pub(super) async fn take_back(&mut self, why: &str) -> Result<(), HubError> {
        self.held.clear();
        self.held_since = None;
        for (_, open) in std::mem::take(&mut self.asks) {
            self.withdraw(open.id, why).await?;
        }
        for (_, id) in std::mem::take(&mut self.released) {
            self.withdraw(id, why).await?;
        }
        for (_, answered) in std::mem::take(&mut self.unseen) {
            self.withdraw(answered.record.id, why).await?;
        }
        Ok(())
    }

    /// Somebody may have answered meanwhile: then the model has missed it.
    async fn withdraw(&mut self, id: AskId, why: &str) -> Result<(), HubError> {
        match self.hub.withdraw(id, Some(why.into())).await {
            Ok(record) => {
                let text = words::missed(&record.for_waiting_program());
                self.words_first.extend(text.map(|text| FirstWords { ask: id, text }));
                Ok(())
            }
            // It was dropped, or never was: nobody waits for it either.
            Err(HubError::Rejected(_)) => Ok(()),
            Err(other) => Err(other),
        }
    }

    /// Questions that waited long enough are put off: Claude Code goes away until they are answered.
    pub(super) fn defer_what_waited(&mut self) {
        if !self.may_defer() {
            return;
        }
        let now = Instant::now();
        let due =
            self.asks.iter_mut().filter(|(_, open)| open.defer_at.is_some_and(|at| at <= now));
        let due: Vec<_> = due
            .map(|(request, open)| {
                open.defer_at = None;
                open.put_off = true;
                request.clone()
            })
            .collect();
        for request in due {
            self.answer(&said::hook_answer(&request, true));
        }
    }

    /// Of several calls Claude Code puts off only one, and forgets the others (measured): a question is
    /// put off when it is alone.
    pub(super) fn may_defer(&self) -> bool {
        self.asks.len() == 1 && self.held.is_empty() && self.tools.is_empty()
    }

    /// The plan a call presents, where the model wrote it into the call.
    fn plan(&self, call: &CanUseTool) -> Option<&str> {
        let id = call.tool_use_id.as_deref()?;
        self.plans.get(id).map(String::as_str)
    }

    pub(super) fn answer(&self, answer: &impl serde::Serialize) {
        if let Some(child) = &self.child {
            // That it no longer listens is heard in another way.
            let _ = child.send(answer);
        }
    }
}
