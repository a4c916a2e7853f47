//! The loop: what comes next is read from the history, kept, done, and told.

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::asking::OpenAsks;
use crate::history::{Entry, GO_ON, Step};
use crate::{Agent, Call, Event, History, ModelError, Request, RunError, Said, Turn};

pub(crate) struct Engine {
    pub(crate) agent: Agent,
    pub(crate) history: History,
    pub(crate) tell: mpsc::UnboundedSender<Event>,
    pub(crate) open: OpenAsks,
    pub(crate) cancelled: CancellationToken,
}

impl Engine {
    pub(crate) async fn run(mut self) -> History {
        let end = self.work().await;
        self.open.close();
        self.tell(match end {
            Ok(text) => Event::Done { text },
            Err(error) => Event::Error { error },
        });
        self.history
    }

    async fn work(&mut self) -> Result<String, RunError> {
        loop {
            if self.cancelled.is_cancelled() {
                return Err(RunError::Cancelled);
            }
            match self.history.step() {
                Step::NoPrompt => return Err(RunError::NoPrompt),
                Step::AskModel => self.turn().await?,
                Step::Call { call, cut_short, started } => {
                    self.call(call, cut_short, started).await?;
                }
                Step::GoOn => self.go_on().await?,
                Step::Refused => return Err(RunError::Refused),
                Step::Done(text) => return Ok(text),
            }
        }
    }

    /// Has the model say its next turn, and keeps it.
    async fn turn(&mut self) -> Result<(), RunError> {
        let most = self.agent.limits.turns;
        if self.history.turns() >= most {
            return Err(RunError::Turns(most));
        }
        let turn = self.say().await?;
        let turn = self.with_own_names(turn);
        Ok(self.history.append(Entry::Turn(turn)).await?)
    }

    async fn say(&self) -> Result<Turn, RunError> {
        let tools = self.agent.specs();
        let messages = self.history.messages();
        let request = Request { system: &self.agent.system, tools: &tools, messages };
        let said = Said(self.tell.clone());
        let mut waits = self.agent.backoff.begin();
        loop {
            let attempt = tokio::select! {
                biased;
                () = self.cancelled.cancelled() => return Err(RunError::Cancelled),
                attempt = self.agent.model.turn(&request, &said) => attempt,
            };
            let (reason, after) = match attempt {
                Ok(turn) => return Ok(turn),
                Err(ModelError::Final { reason }) => return Err(RunError::Model(reason)),
                Err(ModelError::Passing { reason, after }) => (reason, after),
            };
            let Some(after) = waits.next(after) else {
                return Err(RunError::Model(format!("given up after several attempts: {reason}")));
            };
            self.tell(Event::Retry { after, reason });
            tokio::select! {
                biased;
                () = self.cancelled.cancelled() => return Err(RunError::Cancelled),
                () = tokio::time::sleep(after) => {}
            }
        }
    }

    /// Gives calls another name where the model's would not do: answers are kept by it, so no two
    /// may have the same, and some servers number the calls of each turn anew.
    fn with_own_names(&self, mut turn: Turn) -> Turn {
        let number = self.history.all_turns() + 1;
        let mut taken: Vec<String> = vec![];
        for (i, Call { id, .. }) in turn.calls.iter_mut().enumerate() {
            let good = |id: &str| well_formed(id) && !taken.iter().any(|other| other == id);
            let free = |id: &str| good(id) && !self.history.knows_call(id);
            if !free(id) {
                let own = format!("call_{number}_{}", i + 1);
                let mut others = (2_u32..).map(|n| format!("{own}_{n}"));
                let own = if free(&own) { Some(own) } else { others.find(|id| free(id)) };
                *id = own.unwrap_or_default();
            }
            taken.push(id.clone());
        }
        turn
    }

    /// Has the model go on where its words were cut off.
    async fn go_on(&mut self) -> Result<(), RunError> {
        let times = self.history.cut_offs();
        if times > self.agent.limits.continuations {
            return Err(RunError::CutOff(times));
        }
        Ok(self.history.append(Entry::Note { text: GO_ON.to_owned() }).await?)
    }

    pub(crate) fn tell(&self, event: Event) {
        // Nobody listens any more: the run was dropped, and is about to end.
        let _ = self.tell.send(event);
    }
}

fn well_formed(id: &str) -> bool {
    let letter = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    (1..=100).contains(&id.len()) && id.chars().all(letter)
}
