//! A run whose questions are answered at a hub.

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use handraise_broker::{
    AskId, Asked, Asker, DelivererId, Hub, HubError, Matter, NewAsk, Policy, Receipt, Record,
    wait_for_answer,
};
use handraise_question::{Ask, Resolution};
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::{Event, History, Run, RunError, RunHandle};

/// How a run's questions get to a hub.
#[derive(Clone)]
pub struct ThroughHub {
    hub: Arc<dyn Hub>,
    asker: Asker,
    session: String,
    policy: Policy,
    deliverer: Option<DelivererId>,
}

/// A run whose questions are answered at a hub. Asked for its events, it does the rest as well.
///
/// An ask is named `session/id` there, so that a run that goes on after it was killed finds what it
/// asked, and the answer somebody may have given meanwhile.
pub struct HubRun {
    run: Run,
    through: ThroughHub,
    waiting: FuturesUnordered<BoxFuture<'static, Ended>>,
    receipts: FuturesUnordered<BoxFuture<'static, ()>>,
    posted: Vec<Posted>,
    failed: Option<RunError>,
    ending: Option<Event>,
}

/// An ask on its way.
struct Posted {
    /// The run's name for it.
    id: String,
    /// The hub's, once somebody ended it.
    resolved: Option<AskId>,
    given_up: CancellationToken,
}

struct Ended {
    id: String,
    /// `None` when it was given up.
    end: Result<Option<(AskId, Resolution)>, HubError>,
}

/// How long a word of courtesy is tried.
const A_MOMENT: Duration = Duration::from_secs(2);
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);
/// As much of what the model said before it asked as goes with the question.
const LONGEST_PREAMBLE: usize = 10_000;

impl ThroughHub {
    /// Asks at `hub` as `asker`. `session` names the conversation: the same one when it is gone on
    /// with, and no other's.
    #[must_use]
    pub fn new(hub: Arc<dyn Hub>, asker: Asker, session: impl Into<String>) -> Self {
        let session = session.into();
        let asker = Asker { session: Some(session.clone()), ..asker };
        Self { hub, asker, session, policy: Policy::default(), deliverer: None }
    }

    /// Sets the rules the asks live under, such as a deadline.
    #[must_use]
    pub fn policy(self, policy: Policy) -> Self {
        Self { policy, ..self }
    }

    /// Names the process that brings answers to the model, where the hub does not know it anyway.
    #[must_use]
    pub fn deliverer(self, deliverer: DelivererId) -> Self {
        Self { deliverer: Some(deliverer), ..self }
    }

    /// Has the questions of `run` answered.
    #[must_use]
    pub fn over(self, run: Run) -> HubRun {
        HubRun {
            run,
            through: self,
            waiting: FuturesUnordered::new(),
            receipts: FuturesUnordered::new(),
            posted: vec![],
            failed: None,
            ending: None,
        }
    }

    /// Asks, waits for the end, and takes the ask back when it is given up.
    async fn attend(
        self,
        id: String,
        ask: Ask,
        preamble: Option<String>,
        given_up: CancellationToken,
    ) -> Ended {
        let end = self.ask_and_wait(&id, &ask, preamble.as_deref(), &given_up).await;
        Ended { id, end }
    }

    async fn ask_and_wait(
        &self,
        id: &str,
        ask: &Ask,
        preamble: Option<&str>,
        given_up: &CancellationToken,
    ) -> Result<Option<(AskId, Resolution)>, HubError> {
        let Some(record) = self.post(id, ask, preamble, given_up).await? else { return Ok(None) };
        let record = tokio::select! {
            biased;
            () = given_up.cancelled() => {
                // Whether the hub heard it or not, nobody waits any more.
                let withdrawn = self.hub.withdraw(record.id, Some("the agent was cancelled".into()));
                let _ = timeout(A_MOMENT, withdrawn).await;
                return Ok(None);
            }
            end = wait_for_answer(&*self.hub, record.id, self.deliverer.clone(), |_| {}) => end?,
        };
        let resolution = record.resolution()?;
        Ok(resolution.map(|resolution| (record.id, resolution)))
    }

    /// Asks, or finds what was asked before; `None` when it was given up.
    async fn post(
        &self,
        id: &str,
        ask: &Ask,
        preamble: Option<&str>,
        given_up: &CancellationToken,
    ) -> Result<Option<Arc<Record>>, HubError> {
        let mut pause = FIRST_PAUSE;
        let mut times = 1;
        loop {
            let key = format!("{}/{id}", self.session);
            let key = if times == 1 { key } else { format!("{key}~{times}") };
            match self.hub.ask(self.new_ask(key, ask, preamble)).await {
                // It was taken back when a run was cancelled that now goes on, or an agent claims to have
                // its answer: it is asked anew.
                Ok(Asked { record, new: false, .. })
                    if record
                        .clone()
                        .for_waiting_program()
                        .resolved()
                        .is_some_and(handraise_broker::Resolved::is_withdrawn) =>
                {
                    times += 1;
                }
                Ok(Asked { record, yours: true, .. }) => return Ok(Some(record)),
                Ok(Asked { yours: false, .. }) => {
                    return Err(handraise_broker::Rejection::AnotherDelivers.into());
                }
                Err(HubError::Unreachable(_) | HubError::Closed | HubError::Store(_)) => {
                    tokio::select! {
                        () = given_up.cancelled() => return Ok(None),
                        () = sleep(pause) => pause = (pause * 2).min(LONGEST_PAUSE),
                    }
                }
                Err(error) => return Err(error),
            }
        }
    }

    fn new_ask(&self, key: String, ask: &Ask, preamble: Option<&str>) -> NewAsk {
        NewAsk {
            asker: Asker { preamble: preamble.map(ending), ..self.asker.clone() },
            key: Some(key),
            matter: Matter::from(ask),
            policy: self.policy.clone(),
            rival_dialog: false,
            deliverer: self.deliverer.clone(),
        }
    }

    async fn hand(self, id: AskId, text: String) {
        // Without it the hub says that it does not know whether the answer arrived, which is true.
        let _ = timeout(A_MOMENT, self.hub.receipt(id, Receipt::handed(Some(text)))).await;
    }
}

/// The end of a text that is too long.
fn ending(text: &str) -> String {
    let skip = text.chars().count().saturating_sub(LONGEST_PREAMBLE);
    text.chars().skip(skip).collect()
}

impl HubRun {
    /// The same as [`Run::next`], and brings questions to the hub and answers back.
    ///
    /// `ask_user` tells that a question is on its way to the hub; it may be answered here as well.
    pub async fn next(&mut self) -> Option<Event> {
        while self.ending.is_none() {
            tokio::select! {
                biased;
                Some(ended) = self.waiting.next() => self.ended(ended),
                Some(()) = self.receipts.next() => {}
                event = self.run.next() => {
                    let event = self.look(event?);
                    if !matches!(event, Event::Done { .. } | Event::Error { .. }) {
                        return Some(event);
                    }
                    self.ending = Some(event);
                }
            }
        }
        for posted in &self.posted {
            posted.given_up.cancel();
        }
        let settled = async {
            while self.waiting.next().await.is_some() || self.receipts.next().await.is_some() {}
        };
        // A hub that hangs is not waited for.
        let _ = timeout(2 * A_MOMENT, settled).await;
        self.ending.take()
    }

    /// Does what an event asks for, and says what is told of it.
    fn look(&mut self, event: Event) -> Event {
        match &event {
            Event::AskUser { id, ask, preamble } => {
                let given_up = CancellationToken::new();
                let attending = self.through.clone().attend(
                    id.clone(),
                    ask.clone(),
                    preamble.clone(),
                    given_up.clone(),
                );
                self.waiting.push(Box::pin(attending));
                self.posted.push(Posted { id: id.clone(), resolved: None, given_up });
            }
            Event::ToolResult { id, result, .. } => {
                for posted in self.posted.extract_if(.., |posted| belongs(&posted.id, id)) {
                    // If it waits still, it was answered elsewhere, or the tool has given it up.
                    posted.given_up.cancel();
                    if let Some(resolved) = posted.resolved {
                        let text = result.text().to_owned();
                        self.receipts.push(Box::pin(self.through.clone().hand(resolved, text)));
                    }
                }
            }
            Event::Error { error: RunError::Cancelled } => {
                if let Some(error) = self.failed.take() {
                    return Event::Error { error };
                }
            }
            Event::Text { .. }
            | Event::ToolStart { .. }
            | Event::Retry { .. }
            | Event::Done { .. }
            | Event::Error { .. } => {}
        }
        event
    }

    fn ended(&mut self, Ended { id, end }: Ended) {
        let answered = match end {
            Ok(None) => return,
            Ok(Some((at_hub, resolution))) => {
                if let Some(posted) = self.posted.iter_mut().find(|posted| posted.id == id) {
                    posted.resolved = Some(at_hub);
                }
                self.run.answer(&id, &resolution).map_err(|error| match error {
                    // It was answered elsewhere, or nobody waits any more.
                    crate::AnswerError::NotAsked => None,
                    crate::AnswerError::Invalid(violations) => Some(violations.to_string()),
                })
            }
            Err(error) => Err(Some(error.to_string())),
        };
        if let Err(Some(why)) = answered {
            self.failed = Some(RunError::Hub(why));
            self.run.cancel();
        }
    }

    /// Something to answer and cancel it with while it is asked for events.
    #[must_use]
    pub fn handle(&self) -> RunHandle {
        self.run.handle()
    }

    /// The same as [`Run::into_history`].
    #[must_use]
    pub fn into_history(self) -> Option<History> {
        self.run.into_history()
    }
}

/// Whether an ask is one of a call's.
fn belongs(ask: &str, call: &str) -> bool {
    ask.strip_prefix(call).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
