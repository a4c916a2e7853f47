//! What is known of one session while it runs.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use handraise_broker::{
    AskId, Feed, Hub, HubError, Matter, Message, MessageKind, MessageState, News, Progress, Record,
    Session, SessionState, Sessions, ToolCall,
};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until, timeout};

use super::asking::OpenAsk;
use super::telling::Writing;
use super::{End, Settings};
use crate::stream::{Child, Heard, said};

/// How long Claude Code may take to end by itself, and again when it was asked to.
pub(super) const GRACE: Duration = Duration::from_secs(5);
/// How long the hub may take to hear that it is over.
const LAST_WORDS: Duration = Duration::from_secs(3);
const PAGE: u32 = 500;
/// How long a request may wait for the end of the message it came with.
const LONGEST_HELD: Duration = Duration::from_secs(10);

/// One session while it runs.
pub(super) struct Conversation<H> {
    pub(super) hub: Arc<H>,
    pub(super) settings: Settings,
    pub(super) feed: Box<dyn Feed>,
    pub(super) child: Option<Child>,
    /// Claude Code's own name for the session, once it has told it.
    pub(super) claude: Option<String>,
    pub(super) state: SessionState,
    pub(super) title: Option<String>,
    /// What the model is writing just now.
    pub(super) writing: Writing,
    /// What it wrote last: the words before a question.
    pub(super) preamble: Option<String>,
    /// Requests that wait until the message they came with is complete.
    pub(super) held: Vec<crate::stream::Request>,
    /// Asks that Claude Code waits for, by its request.
    pub(super) asks: HashMap<String, OpenAsk>,
    /// Whoever waits for their ends.
    pub(super) waits: JoinSet<(String, Result<Arc<Record>, HubError>)>,
    /// Asks that were answered while our hook held the call, until Claude Code asks about it, by the call.
    pub(super) released: HashMap<String, AskId>,
    /// Asks that were answered, until the model was seen to read it, by the call.
    pub(super) unseen: HashMap<String, Answered>,
    /// The ask for whose answer Claude Code was sent away, under the request it had.
    pub(super) deferred: Option<String>,
    /// The calls of the message that is being written, in their order.
    pub(super) calls: Vec<String>,
    /// Calls under way, by their id.
    pub(super) tools: HashMap<String, ToolCall>,
    /// People's words that Claude Code has not taken up yet.
    pub(super) queue: VecDeque<Queued>,
    /// All words that ever were in the queue, by their key: the same may be heard of more than once.
    known: HashSet<String>,
    /// What the model must read before anything else a person says.
    pub(super) words_first: Vec<FirstWords>,
    /// How often people wanted it to stop, as far as it was told.
    pub(super) interrupts: u64,
    /// A person no longer wants the question answered that was put off.
    dropped: bool,
    /// Since when requests are held.
    pub(super) held_since: Option<Instant>,
    /// A person wants the session to end.
    pub(super) ending: bool,
    /// Plans the model has written into its calls, by the call.
    pub(super) plans: HashMap<String, String>,
    /// Claude Code makes a call again that was put off, and takes nothing else before.
    pub(super) resuming: bool,
    pub(super) requests: u64,
    /// How many questions came as calls of the tool.
    pub(super) tool_uses: u64,
    /// How often this process of the agent has used each key: an id names no earlier call.
    pub(super) key_uses: HashMap<String, u32>,
    pub(super) turns: u64,
    pub(super) deaths: u64,
    /// How many lines of the program could be read.
    pub(super) lines_read: u64,
    /// Why the program never got to say anything.
    pub(super) failed: Option<String>,
    pub(super) unreadable: u64,
}

/// What the model is told before a person's next words, because it could not be told in time.
#[derive(Debug)]
pub(super) struct FirstWords {
    /// The ask they are about.
    pub(super) ask: AskId,
    pub(super) text: String,
}

/// Words on their way to Claude Code.
#[derive(Debug)]
pub(super) struct Queued {
    pub(super) key: String,
    pub(super) text: String,
    /// By this it is known when Claude Code repeats it; once it was sent.
    pub(super) uuid: Option<String>,
    /// What was put before it.
    pub(super) first: Vec<FirstWords>,
    /// Whether Claude Code was started for it once. It is not started again for the same words: they may
    /// be what it dies of.
    pub(super) tried: bool,
}

/// An ask that was answered.
#[derive(Debug)]
pub(super) struct Answered {
    pub(super) matter: Matter,
    /// The words of a denial, as the model is to read them.
    pub(super) words: Option<String>,
    pub(super) record: Arc<Record>,
    /// Whether a subagent reads it, whose work may outlive the turn.
    pub(super) of_subagent: bool,
}

impl<H: Hub + Sessions + 'static> Conversation<H> {
    pub(super) async fn begin(hub: Arc<H>, settings: Settings) -> Result<Self, HubError> {
        // The ear is opened before the look, so that nothing falls in between.
        let feed = hub.follow(None).await?;
        let session = hub.session(settings.session).await?;
        let mut conversation = Self {
            writing: Writing::new(&settings.deliverer),
            feed,
            child: None,
            claude: session.agent_session.clone(),
            state: session.state,
            title: session.title.clone(),
            preamble: None,
            held: vec![],
            asks: HashMap::new(),
            waits: JoinSet::new(),
            unseen: HashMap::new(),
            released: HashMap::new(),
            deferred: None,
            calls: vec![],
            tools: HashMap::new(),
            queue: VecDeque::new(),
            known: HashSet::new(),
            dropped: false,
            held_since: None,
            words_first: vec![],
            interrupts: session.interrupts,
            ending: session.ending,
            plans: HashMap::new(),
            resuming: false,
            requests: 0,
            tool_uses: 0,
            key_uses: HashMap::new(),
            turns: 0,
            deaths: 0,
            lines_read: 0,
            failed: None,
            unreadable: 0,
            hub,
            settings,
        };
        conversation.catch_up().await?;
        match session.state {
            // Claude Code makes the call again by itself that was put off.
            SessionState::Deferred => conversation.start().await?,
            SessionState::Starting | SessionState::Working => {
                conversation.be(SessionState::Idle, None).await?;
                if conversation.settings.starts_at_once {
                    conversation.launch().await?;
                }
            }
            SessionState::Idle | SessionState::Stopped | SessionState::Ended => {}
        }
        Ok(conversation)
    }

    /// Listens until it is over.
    pub(super) async fn go_on(&mut self) -> Result<(), HubError> {
        loop {
            if std::mem::take(&mut self.dropped) {
                self.drop_deferred().await?;
            }
            self.deliver().await?;
            if self.ending || self.failed.is_some() {
                return Ok(());
            }
            let alarm = self.next_alarm();
            tokio::select! {
                heard = next(&mut self.child) => self.hear(heard).await?,
                news = self.feed.next() => self.learn(news?).await?,
                Some(end) = self.waits.join_next() => {
                    // Whoever waits does not panic, and is only stopped together with all of this.
                    if let Ok((request, end)) = end {
                        self.ended(&request, end).await?;
                    }
                }
                () = sleep_until(alarm.unwrap_or_else(Instant::now)), if alarm.is_some() => {
                    self.flush().await?;
                    self.defer_what_waited();
                    if self.held_until().is_some_and(|end| end <= Instant::now()) {
                        self.ask_what_was_held().await?;
                    }
                }
            }
        }
    }

    fn next_alarm(&self) -> Option<Instant> {
        let alone = self.asks.values().filter(|_| self.may_defer());
        let deferring = alone.filter_map(|open| open.defer_at);
        deferring.chain(self.writing.due()).chain(self.held_until()).min()
    }

    /// Until when requests are held, at the longest: a message that broke off is never complete.
    fn held_until(&self) -> Option<Instant> {
        self.held_since.map(|since| since + LONGEST_HELD)
    }

    /// Takes note of what people want.
    async fn learn(&mut self, news: News) -> Result<(), HubError> {
        match news {
            News::Event(told) => {
                if let Some(changed) = &told.session
                    && changed.session.id == self.settings.session
                {
                    self.heed(&changed.session, &changed.messages);
                }
            }
            News::Reset(_) => self.catch_up().await?,
            News::Live(_) | News::Typing { .. } | News::Speaking { .. } => {}
        }
        Ok(())
    }

    /// Looks at everything that was said, for words that still wait.
    async fn catch_up(&mut self) -> Result<(), HubError> {
        let session = self.hub.session(self.settings.session).await?;
        let mut after = 0;
        loop {
            let page = self.hub.messages(session.id, after, PAGE).await?;
            let Some(last) = page.last() else { break };
            after = last.number;
            self.heed(&session, &page);
        }
        self.heed(&session, &[]);
        Ok(())
    }

    fn heed(&mut self, session: &Session, messages: &[Message]) {
        for message in messages {
            // Words have somebody who said them.
            let waits = message.kind == MessageKind::User
                && message.responder.is_some()
                && message.state == Some(MessageState::Queued)
                && self.known.insert(message.key.clone());
            if waits {
                let (key, text) = (message.key.clone(), message.text.clone());
                self.queue.push_back(Queued { key, text, uuid: None, first: vec![], tried: false });
            }
        }
        if session.interrupts > self.interrupts {
            self.interrupts = session.interrupts;
            self.interrupt();
        }
        self.ending |= session.ending;
    }

    /// Claude Code is to stop what it does. It then takes back what it waits for.
    fn interrupt(&mut self) {
        self.dropped |= self.deferred.is_some();
        if self.state == SessionState::Working
            && let Some(child) = &self.child
        {
            self.requests += 1;
            // That it no longer listens is heard in another way.
            let _ = child.send(&said::interrupt(&format!("interrupt-{}", self.requests)));
        }
    }

    /// The question that was put off is taken back. Claude Code hears so when it is back.
    async fn drop_deferred(&mut self) -> Result<(), HubError> {
        if self.deferred.take().is_none() {
            return Ok(());
        }
        self.take_back("interrupted by the person").await?;
        self.turns += 1;
        self.note(&format!("turn/{}", self.turns), "Interrupted.").await?;
        self.be(SessionState::Stopped, None).await
    }

    /// Ends Claude Code, and takes back what it asked; what it put off is not taken back.
    pub(super) async fn finish(mut self) -> End {
        let waits = self.deferred.is_some() && !self.ending;
        let over = async {
            if let Some(deferred) = self.deferred.take()
                && waits
            {
                self.asks.remove(&deferred);
            }
            self.take_back("the session has ended").await?;
            self.end_tools("The session has ended.").await?;
            if waits {
                return Ok(());
            }
            let (state, trouble) = (Some(SessionState::Ended), self.failed.clone());
            let progress = Progress { state, trouble, ..Progress::default() };
            self.hub.progress(self.settings.session, progress).await.map(drop)
        };
        let told = timeout(LAST_WORDS, over).await;
        if let Some(child) = self.child.take() {
            child.end(GRACE).await;
        }
        // A hub that does not hear it finds out that this process is gone.
        drop(told);
        match self.failed {
            Some(why) => End::Failed(why),
            None if waits => End::Deferred,
            None => End::Ended,
        }
    }
}

async fn next(child: &mut Option<Child>) -> Heard {
    match child {
        Some(child) => child.next().await,
        None => std::future::pending().await,
    }
}
