//! The server: its tools, and its life from the first line to the last.

use std::sync::Arc;
use std::time::Duration;

use handraise_broker::{
    Asker, DelivererId, Hub, HubError, Matter, NewAsk, Policy, Record, Resolved,
};
use rmcp::model::CallToolResult;
use rmcp::service::{RequestContext, ServerInitializeError};
use rmcp::transport::{StdioReader, StdioWriter, stdio_pipes};
use rmcp::{RoleServer, ServiceExt};
use serde_json::value::RawValue;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;

use crate::asker::Caller;
use crate::asks::{Asks, Waiter};
use crate::calls::Calls;
use crate::lines::Lines;
use crate::patience::Patience;
use crate::request::{self, AskUser};
use crate::waiting::{Call, Waited};
use crate::{results, tools};

/// How long what is being written at the end may take.
const LAST_WORDS: Duration = Duration::from_millis(400);
/// How long telling the hub may take then.
const A_MOMENT: Duration = Duration::from_millis(1600);

/// How long a hub that went away in the middle of a question is waited for: at least, however short a
/// call waits, and at most.
const A_RESTART: (Duration, Duration) = (Duration::from_secs(10), Duration::from_secs(30));

/// How a server works.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The name under which this process delivers; also the beginning of its keys.
    pub deliverer: DelivererId,
    /// Where it was started.
    pub directory: Option<String>,
    /// On which machine.
    pub host: Option<String>,
    /// How long a call waits, where somebody knows better than we do.
    pub patience: Option<Duration>,
    /// The command that starts a hub, for whoever is told that there is none.
    pub serve: String,
    /// The version of the program.
    pub version: String,
}

/// The two tools, for one client. Clones are the same server.
#[derive(Clone)]
pub struct Server {
    settings: Arc<Settings>,
    asks: Arc<Asks>,
    calls: Arc<Calls>,
    patience: Arc<Patience>,
    /// Cancelled when the client is gone.
    gone: CancellationToken,
}

/// Standard input and output.
#[must_use]
pub fn stdio() -> (StdioReader, StdioWriter) {
    stdio_pipes()
}

/// Serves a client until it closes its end, or until `stop`. Whatever is open then is withdrawn.
pub async fn serve(
    hub: Arc<dyn Hub>,
    settings: Settings,
    input: impl AsyncRead + Send + Unpin + 'static,
    output: impl AsyncWrite + Send + Unpin + 'static,
    stop: impl Future<Output = ()>,
) {
    let server = Server::new(hub, settings);
    let (gone, asks) = (server.gone.clone(), server.asks.clone());
    let lines = Lines::new(input, output, server.calls.clone(), gone.clone());
    let mut serving = std::pin::pin!(serve_lines(server, lines));
    let reason = tokio::select! {
        () = &mut serving => "the agent's client closed the connection",
        () = gone.cancelled() => {
            // What was asked for before is still answered.
            let _ = timeout(LAST_WORDS, serving).await;
            "the agent's client closed the connection"
        }
        () = stop => "the MCP server was ended",
    };
    gone.cancel();
    // A hub that is away cannot be told.
    let _ = timeout(A_MOMENT, asks.close(reason)).await;
}

async fn serve_lines<W: AsyncWrite + Send + Unpin + 'static>(server: Server, lines: Lines<W>) {
    loop {
        match server.clone().serve(lines.clone()).await {
            Ok(running) => {
                // However it ended, there is nobody left to serve.
                let _ = running.waiting().await;
                return;
            }
            Err(ServerInitializeError::ConnectionClosed(_)) => return,
            // Something else came before the beginning, and was refused or passed over.
            Err(_) => {}
        }
    }
}

impl Server {
    /// A server that asks at this hub.
    #[must_use]
    pub fn new(hub: Arc<dyn Hub>, settings: Settings) -> Self {
        let asks = Arc::new(Asks::new(hub, settings.deliverer.clone()));
        Self {
            calls: Arc::new(Calls::new(asks.clone())),
            patience: Arc::new(Patience::new(settings.patience)),
            asks,
            gone: CancellationToken::new(),
            settings: Arc::new(settings),
        }
    }

    pub(crate) fn version(&self) -> &str {
        &self.settings.version
    }

    /// Calls a tool, if there is one of this name.
    pub(crate) async fn call(
        &self,
        tool: &str,
        arguments: &RawValue,
        context: RequestContext<RoleServer>,
    ) -> Option<CallToolResult> {
        let began = Instant::now();
        let caller = Caller::of(&context);
        let progress = context.meta.get_progress_token().is_some();
        let ask_name = tools::ask_name(&caller.agent);
        let patience = self.patience.of(&caller.agent, progress);
        let call = Call { context, ask_name, began, patience, gone: self.gone.clone() };
        match tool {
            tools::ASK_USER | tools::ASK_PERSON => {
                Some(self.ask_user(arguments, caller, &call).await)
            }
            tools::WAIT_ANSWER => Some(self.wait_answer(arguments, &caller, &call).await),
            _ => None,
        }
    }

    async fn ask_user(&self, arguments: &RawValue, caller: Caller, call: &Call) -> CallToolResult {
        let ask = match AskUser::read(arguments) {
            Ok(ask) => ask,
            Err(violations) => return results::misfit(&violations),
        };
        let new = self.new_ask(ask, caller);
        // On its own: a call that is taken back meanwhile leaves an ask that must be taken back, too.
        let until = call.began + call.patience.clamp(A_RESTART.0, A_RESTART.1);
        let mut putting = tokio::spawn(self.asks.clone().put(new, until));
        let put = tokio::select! {
            put = &mut putting => put.unwrap_or(Err(HubError::Closed)),
            () = call.context.ct.cancelled() => {
                let (server, reason) = (self.clone(), self.took_back(call));
                tokio::spawn(async move {
                    if let Ok(Ok(waiter)) = putting.await {
                        server.abandon(waiter, reason);
                    }
                });
                return results::cancelled();
            }
        };
        match put {
            Ok(waiter) => self.wait(waiter, call).await,
            Err(error) => results::not_asked(&error, &self.settings.serve),
        }
    }

    async fn wait_answer(
        &self,
        arguments: &RawValue,
        caller: &Caller,
        call: &Call,
    ) -> CallToolResult {
        let id = match request::ticket(arguments, call.ask_name) {
            Ok(id) => id,
            Err(violations) => return results::no_ticket(&violations),
        };
        if let Some(waiter) = self.asks.join(id) {
            return self.wait(waiter, call).await;
        }
        let record = match self.asks.look_up(id).await {
            Ok(record) => record,
            Err(error) => return self.no_answer_to_get(&error, call),
        };
        let ours = record.asker().agent == caller.agent;
        if !ours || !matches!(record.matter(), Matter::Questions(_)) {
            return results::no_such_ticket(call.ask_name);
        }
        if record.is_open() {
            return self.wait(self.asks.take_up(&record), call).await;
        }
        self.carry(&record, call)
    }

    async fn wait(&self, mut waiter: Waiter, call: &Call) -> CallToolResult {
        let id = waiter.id;
        match call.wait(&mut waiter).await {
            Waited::Ended(Ok(record)) => {
                drop(waiter);
                self.carry(&record, call)
            }
            Waited::Ended(Err(error)) => {
                self.asks.forget(id);
                self.no_answer_to_get(&error, call)
            }
            Waited::NotYet => results::pending(id, call.began.elapsed()),
            Waited::Cancelled => {
                let reason = self.took_back(call);
                self.abandon(waiter, reason);
                results::cancelled()
            }
            Waited::Gone => results::ending(),
        }
    }

    fn no_answer_to_get(&self, error: &HubError, call: &Call) -> CallToolResult {
        results::no_answer_to_get(error, &self.settings.serve, call.ask_name)
    }

    /// The result that carries an end; once it is written, the hub is told.
    fn carry(&self, record: &Record, call: &Call) -> CallToolResult {
        let (result, text) = results::resolved(record);
        if record.resolved().is_some_and(Resolved::is_withdrawn) {
            self.asks.forget(record.id);
        } else {
            self.calls.carries(&call.context.id, record.id, text);
        }
        result
    }

    /// Notes that a call was taken back, and says so in words.
    fn took_back(&self, call: &Call) -> String {
        let after = call.began.elapsed();
        let reason = self.calls.why_taken_back(&call.context.id);
        self.patience.cancelled(after, reason.as_deref());
        format!("the agent's client took the call back after {} s", after.as_secs())
    }

    fn abandon(&self, waiter: Waiter, reason: String) {
        let id = waiter.id;
        drop(waiter);
        self.asks.abandon(id, reason);
    }

    fn new_ask(&self, ask: AskUser, caller: Caller) -> NewAsk {
        let process = self.settings.deliverer.as_str();
        NewAsk {
            asker: Asker {
                agent: caller.agent,
                session: Some(caller.session.unwrap_or_else(|| process.to_owned())),
                directory: self.settings.directory.clone(),
                host: self.settings.host.clone(),
                branch: None,
                title: ask.title,
                preamble: ask.why,
            },
            key: None,
            matter: ask.matter,
            policy: Policy::default(),
            rival_dialog: false,
            deliverer: None,
        }
    }
}

#[cfg(test)]
#[path = "serving_tests.rs"]
mod tests;
