//! Bringing people's words to Claude Code, which is started for them if need be.

use handraise_broker::{Hub, HubError, Progress, SessionId, SessionState, Sessions};
use sha2::{Digest, Sha256};
use uuid::Builder;

use super::conversation::Conversation;
use super::flags;
use super::telling::cut;
use crate::hook::QUESTION;
use crate::stream::{Child, said};

/// How long a hook of ours may hold a question, in seconds: more than anybody waits, and below what
/// Claude Code's timers can count.
const HOLD: u64 = 2_073_600;
const LONGEST_TITLE: usize = 80;

impl<H: Hub + Sessions + 'static> Conversation<H> {
    /// Brings over what waits, unless Claude Code waits for an answer itself: that comes first.
    pub(super) async fn deliver(&mut self) -> Result<(), HubError> {
        let answer_first = !self.asks.is_empty() || !self.held.is_empty();
        if answer_first || self.deferred.is_some() || self.resuming {
            return Ok(());
        }
        if self.child.is_none() {
            if self.queue.iter().all(|queued| queued.tried) {
                return Ok(());
            }
            self.start().await?;
        }
        let Some(child) = &self.child else { return Ok(()) };
        let mut sent = None;
        for queued in self.queue.iter_mut().filter(|queued| queued.uuid.is_none()) {
            queued.tried = true;
            let uuid = uuid(self.settings.session, &queued.key);
            let first = self.words_first.iter().map(|first| first.text.as_str());
            let text: Vec<_> = first.chain([queued.text.as_str()]).collect();
            if child.send(&said::user(&text.join("\n\n"), Some(&uuid))).is_err() {
                // It waits for the next one; that this one is gone is heard.
                break;
            }
            queued.first = std::mem::take(&mut self.words_first);
            queued.uuid = Some(uuid);
            sent = Some(queued.text.clone());
        }
        let Some(text) = sent else { return Ok(()) };
        if self.settings.takes_tool_results() {
            // Nothing promises that it repeats what it has read.
            let sent: Vec<_> = self.queue.iter().filter_map(|queued| queued.uuid.clone()).collect();
            for uuid in sent {
                self.taken_up(&uuid).await?;
            }
        }
        if self.title.is_none() {
            let line = text.trim().lines().next().unwrap_or_default();
            self.title = Some(cut(line, LONGEST_TITLE));
            let title = self.title.clone();
            self.tell(Progress { title, ..Progress::default() }).await?;
        }
        self.be(SessionState::Working, None).await
    }

    /// Starts Claude Code: anew, or where it left off.
    pub(super) async fn start(&mut self) -> Result<(), HubError> {
        for queued in &mut self.queue {
            queued.tried = true;
        }
        self.resuming = self.state == SessionState::Deferred;
        if self.launch().await? {
            self.be(SessionState::Working, None).await?;
        }
        Ok(())
    }

    /// Starts the process; whether it was started.
    pub(super) async fn launch(&mut self) -> Result<bool, HubError> {
        self.key_uses.clear();
        let mut program = self.settings.program.clone();
        if !self.settings.takes_tool_results() {
            program.arguments = flags::all(&program.arguments, self.claude.as_deref());
        }
        match Child::start(program).await {
            Ok(child) => {
                // That it does not listen is heard in another way.
                let _ = if self.settings.takes_tool_results() {
                    Ok(())
                } else if self.settings.defer_after.is_some() {
                    child.send(&said::initialize_with_hook("initialize", QUESTION, HOLD))
                } else {
                    child.send(&said::initialize("initialize"))
                };
                self.child = Some(child);
                Ok(true)
            }
            Err(error) => {
                self.resuming = false;
                let cause = std::error::Error::source(&error).map(|cause| format!(": {cause}"));
                let trouble = format!("{error}{}", cause.unwrap_or_default());
                let trouble =
                    format!("{} was not started: {trouble}", self.settings.display_name());
                self.stop(trouble, "Your next message tries again.").await?;
                Ok(false)
            }
        }
    }

    /// The program is not there. `retry` says what the person can do, unless the run ends with it.
    pub(super) async fn stop(&mut self, trouble: String, retry: &str) -> Result<(), HubError> {
        self.be(SessionState::Stopped, Some(trouble.clone())).await?;
        self.deaths += 1;
        let key = format!("ended/{}", self.deaths);
        if self.settings.starts_at_once && self.lines_read == 0 {
            self.failed = Some(trouble.clone());
            return self.note(&key, &format!("{trouble}.")).await;
        }
        self.note(&key, &format!("{trouble}. {retry}")).await
    }
}

/// Words are known by the same name whenever they are sent: those that Claude Code has read before, it
/// does not read again (measured).
fn uuid(session: SessionId, key: &str) -> String {
    let hash = Sha256::new().chain_update(session.as_bytes()).chain_update(key).finalize();
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hash[..16]);
    Builder::from_random_bytes(bytes).into_uuid().to_string()
}
