//! Telling the hub what Claude Code says and does.

use std::time::Duration;

use handraise_broker::{
    DelivererId, Hub, HubError, MessageKind, MessageState, Progress, Rejection, Saying,
    SessionState, Sessions, Streamed, ToolCall,
};
use tokio::time::Instant;

use super::conversation::Conversation;

/// How long pieces of what is being written are gathered.
const GATHER: Duration = Duration::from_millis(50);
/// No message is longer; what Claude Code says beyond it is cut, and marked so.
/// Written as JSON it may become six times as long, and a hub takes no more than a megabyte at once.
const LONGEST_TEXT: usize = 160 * 1024;
/// Of a tool's input and result people want to see the beginning.
const LONGEST_DETAIL: usize = 16 * 1024;

/// What the model is writing just now.
#[derive(Debug)]
pub(super) struct Writing {
    /// Tells the messages of this run from those of another of the same session.
    run: String,
    /// Which message it is.
    message: u64,
    /// Whether it is complete.
    pub(super) is_open: bool,
    /// How many of its blocks were written to the end, and how many were told as a whole.
    streamed: u64,
    told: u64,
    /// What was written of the present block, and how much of it was told.
    text: String,
    sent: usize,
    due: Option<Instant>,
    /// It is too long to be followed: it is told as a whole.
    is_full: bool,
}

impl Writing {
    pub(super) fn new(deliverer: &DelivererId) -> Self {
        let run = deliverer.as_str().chars().take(8).collect();
        let (message, streamed, told, sent) = (0, 0, 0, 0);
        let text = String::new();
        Self { run, message, is_open: false, streamed, told, text, sent, due: None, is_full: false }
    }

    pub(super) fn due(&self) -> Option<Instant> {
        self.due
    }

    /// A new message begins.
    pub(super) fn begin(&mut self) {
        self.message += 1;
        self.is_open = true;
        (self.streamed, self.told) = (0, 0);
        self.forget();
    }

    /// More text.
    pub(super) fn add(&mut self, text: &str) {
        self.is_full |= self.text.len() + text.len() > LONGEST_TEXT;
        if !self.is_full {
            self.text.push_str(text);
            self.due.get_or_insert_with(|| Instant::now() + GATHER);
        }
    }

    /// A block is complete.
    pub(super) fn end_block(&mut self) {
        self.streamed += 1;
        self.forget();
    }

    fn forget(&mut self) {
        self.text.clear();
        (self.sent, self.due, self.is_full) = (0, None, false);
    }

    /// The name of a block that is told as a whole.
    fn next_key(&mut self) -> String {
        self.told += 1;
        self.key(self.told - 1)
    }

    fn key(&self, block: u64) -> String {
        format!("{}/{}/{block}", self.run, self.message)
    }

    /// What was written since it was last told.
    fn take(&mut self) -> Option<Streamed> {
        self.due = None;
        let text = self.text.get(self.sent..).filter(|text| !text.is_empty())?.to_owned();
        let offset = self.sent as u64;
        self.sent = self.text.len();
        Some(Streamed { key: self.key(self.streamed), offset, text })
    }
}

impl<H: Hub + Sessions + 'static> Conversation<H> {
    /// Tells what was written since it was last told.
    pub(super) async fn flush(&mut self) -> Result<(), HubError> {
        if self.writing.due.is_some_and(|due| due <= Instant::now())
            && let Some(streamed) = self.writing.take()
        {
            self.hub.stream(self.settings.session, streamed).await?;
        }
        Ok(())
    }

    /// A block that is no text takes up a name, too.
    pub(super) fn pass_over_block(&mut self) {
        self.writing.next_key();
    }

    pub(super) async fn say_text(&mut self, text: &str) -> Result<(), HubError> {
        let key = self.writing.next_key();
        self.preamble = Some(text.to_owned());
        self.say(saying(key, MessageKind::Assistant, cut(text, LONGEST_TEXT))).await
    }

    pub(super) async fn note(&mut self, key: &str, text: &str) -> Result<(), HubError> {
        let run = &self.writing.run;
        let key = format!("{run}/note/{key}");
        self.say(saying(key, MessageKind::Note, text.to_owned())).await
    }

    /// A tool begins its work.
    pub(super) async fn use_tool(
        &mut self,
        id: &str,
        name: &str,
        input: &str,
    ) -> Result<(), HubError> {
        let call =
            ToolCall { name: cut(name, 200), input: cut(input, LONGEST_DETAIL), result: None };
        self.tools.insert(id.to_owned(), call.clone());
        self.tell_tool(id, call, MessageState::Running).await
    }

    /// A tool has done its work, or has not.
    pub(super) async fn end_tool(
        &mut self,
        id: &str,
        result: &str,
        failed: bool,
    ) -> Result<(), HubError> {
        let Some(call) = self.tools.remove(id) else { return Ok(()) };
        let call = ToolCall { result: Some(cut(result, LONGEST_DETAIL)), ..call };
        self.tell_tool(id, call, if failed { MessageState::Failed } else { MessageState::Done })
            .await
    }

    /// Whatever was at work is so no more.
    pub(super) async fn end_tools(&mut self, why: &str) -> Result<(), HubError> {
        let calls: Vec<_> = self.tools.keys().cloned().collect();
        for call in calls {
            self.end_tool(&call, why, true).await?;
        }
        Ok(())
    }

    async fn tell_tool(
        &mut self,
        id: &str,
        call: ToolCall,
        state: MessageState,
    ) -> Result<(), HubError> {
        let key = format!("tool/{}", cut(id, 150));
        let saying = saying(key, MessageKind::Tool, String::new());
        self.say(Saying { state: Some(state), tool: Some(call), ..saying }).await
    }

    pub(super) async fn say(&mut self, saying: Saying) -> Result<(), HubError> {
        self.tell(Progress { messages: vec![saying], ..Progress::default() }).await
    }

    pub(super) async fn be(
        &mut self,
        state: SessionState,
        trouble: Option<String>,
    ) -> Result<(), HubError> {
        if self.state == state && trouble.is_none() {
            return Ok(());
        }
        self.state = state;
        self.tell(Progress { state: Some(state), trouble, ..Progress::default() }).await
    }

    pub(super) async fn tell(&mut self, progress: Progress) -> Result<(), HubError> {
        match self.hub.progress(self.settings.session, progress).await {
            // What the hub does not take is not shown; the session goes on.
            Ok(_) | Err(HubError::Rejected(Rejection::Invalid(_))) => Ok(()),
            Err(other) => Err(other),
        }
    }
}

pub(super) fn saying(key: String, kind: MessageKind, text: String) -> Saying {
    Saying { key, kind, text, state: None, tool: None, ask: None }
}

/// The beginning of a text, with a sign that there was more.
pub(super) fn cut(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let end = (0..=most).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
    format!("{}…", &text[..end])
}
