//! One call: checked, begun, done, and its result kept. It may ask meanwhile.

use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use handraise_question::wording::api;
use handraise_question::{Resolution, Violation};
use tokio::sync::{mpsc, oneshot};

use crate::engine::Engine;
use crate::history::{Asked, Entry, interrupted};
use crate::schema;
use crate::tool::{AskError, AskRequest, Tool, ToolContext, ToolResult};
use crate::{Call, Event, RunError};

type Reply = oneshot::Sender<Result<Resolution, AskError>>;

/// An ask that has ended: its name, how, and the tool that waits.
type Ended = Option<(String, Resolution, Reply)>;

impl Engine {
    /// Makes a call that has no result yet.
    pub(crate) async fn call(
        &mut self,
        call: Call,
        cut_short: bool,
        started: bool,
    ) -> Result<(), RunError> {
        let Call { id, name, input } = call.clone();
        self.tell(Event::ToolStart { id, name, input });
        let tool = match self.check(&call, cut_short) {
            Ok(tool) => tool,
            Err(words) => return self.refuse(&call, words).await,
        };
        let result = if started && !tool.repeatable() {
            interrupted()
        } else {
            if !started {
                self.history.append(Entry::Started { call: call.id.clone() }).await?;
            }
            self.execute(tool.as_ref(), &call).await?
        };
        self.finish(&call, result, false).await
    }

    /// The tool, or what the model has to know to get the call right.
    fn check(&self, call: &Call, cut_short: bool) -> Result<std::sync::Arc<dyn Tool>, String> {
        if cut_short {
            return Err(
                "the call was cut off at the limit of your message's length. Make it again, \
                        shorter"
                    .to_owned(),
            );
        }
        let tool = self.agent.find(&call.name).ok_or_else(|| {
            let names: Vec<_> = self.agent.tools.iter().map(|tool| tool.name()).collect();
            let allowed = format!("one of the tools that exist ({})", names.join(", "));
            Violation::new("name", "no such tool", allowed).to_string()
        })?;
        if !call.input.is_object() {
            let found = if call.input.is_string() { "not JSON" } else { schema::kind(&call.input) };
            return Err(Violation::new("input", found, "a JSON object").to_string());
        }
        tool.check(&call.input).map_err(|violations| violations.to_string())?;
        Ok(tool)
    }

    async fn refuse(&mut self, call: &Call, words: String) -> Result<(), RunError> {
        let words = format!("Nothing was done: the call is not valid.\n{words}");
        self.finish(call, ToolResult::failed(words), true).await?;
        let invalid = self.history.invalid_calls();
        if invalid >= self.agent.limits.invalid_calls {
            return Err(RunError::InvalidCalls(invalid));
        }
        Ok(())
    }

    async fn finish(
        &mut self,
        call: &Call,
        result: ToolResult,
        invalid: bool,
    ) -> Result<(), RunError> {
        self.history.finish(call.id.clone(), result.clone(), invalid).await?;
        self.tell(Event::ToolResult { id: call.id.clone(), name: call.name.clone(), result });
        Ok(())
    }

    async fn execute(&mut self, tool: &dyn Tool, call: &Call) -> Result<ToolResult, RunError> {
        let (asking, mut wishes) = mpsc::channel(1);
        let cancelled = self.cancelled.child_token();
        let cwd = self.agent.cwd.clone();
        let context = ToolContext { cwd, cancelled: cancelled.clone(), asking };
        let mut work = tool.execute(call.input.clone(), &context);
        let mut waiting = FuturesUnordered::new();
        let mut made = 0;
        let result = loop {
            tokio::select! {
                biased;
                () = cancelled.cancelled() => break Err(RunError::Cancelled),
                result = &mut work => break Ok(result),
                Some(ended) = waiting.next() => self.resolved(ended).await?,
                Some(wish) = wishes.recv() => {
                    made = self.ask(call, made, wish, &mut waiting).await?;
                }
            }
        };
        // A tool that asked and did not wait for the end has given it up.
        self.open.close();
        result
    }

    /// Asks what a tool wishes to ask; `made` asks of this call were made before.
    async fn ask(
        &mut self,
        call: &Call,
        made: usize,
        AskRequest { ask, reply }: AskRequest,
        waiting: &mut FuturesUnordered<BoxFuture<'static, Ended>>,
    ) -> Result<usize, RunError> {
        let (id, asked) = self.history.name_ask(&call.id, made, &ask);
        match asked {
            Asked::Resolved(resolution) => {
                if let Ok(resolution) = api::read(&ask, &resolution) {
                    // The tool may have given up waiting.
                    let _ = reply.send(Ok(resolution));
                    return Ok(made + 1);
                }
            }
            Asked::Open => {}
            Asked::Never => {
                if self.history.asks() >= self.agent.limits.asks {
                    self.used_up(call, reply).await?;
                    return Ok(made);
                }
                let (id, call) = (id.clone(), call.id.clone());
                let questions = ask.as_sent().get().to_owned();
                self.history.append(Entry::Asked { id, call, questions }).await?;
            }
        }
        let answer = self.open.open(id.clone(), ask.clone());
        let named = id.clone();
        let ended = async move { answer.await.ok().map(|resolution| (named, resolution, reply)) };
        waiting.push(Box::pin(ended) as BoxFuture<'static, Ended>);
        self.tell(Event::AskUser { id, ask, preamble: self.history.preamble() });
        Ok(made + 1)
    }

    async fn used_up(&mut self, call: &Call, reply: Reply) -> Result<(), RunError> {
        let most = self.agent.limits.asks;
        if self.history.told_used_up() {
            return Err(RunError::AsksUsedUp(most));
        }
        self.history.append(Entry::UsedUp { call: call.id.clone() }).await?;
        // The tool may have given up waiting.
        let _ = reply.send(Err(AskError::UsedUp(most)));
        Ok(())
    }

    async fn resolved(&mut self, ended: Ended) -> Result<(), RunError> {
        let Some((id, resolution, reply)) = ended else { return Ok(()) };
        let kept = api::bare(&resolution);
        self.history.append(Entry::Resolved { id, resolution: kept }).await?;
        // The tool may have given up waiting.
        let _ = reply.send(Ok(resolution));
        Ok(())
    }
}
