//! What is typed here, kept at the hub as well: so that other surfaces have it, and deadlines wait.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use handraise_broker::{AskId, Draft, Hub, HubError, Matter, Record, Rejection};
use handraise_client::RemoteHub;
use handraise_question::AnswerForm;
use handraise_terminal::Unsent;
use tokio::runtime::Handle;
use tokio::sync::watch;

use super::board::Board;
use super::entry::id_of;

/// Typing that goes on is told this often.
const APART: Duration = Duration::from_millis(300);

/// One keeper for each ask that was opened.
pub(super) struct Drafts {
    keepers: HashMap<AskId, watch::Sender<Unsent>>,
}

impl Drafts {
    pub(super) fn new() -> Self {
        Self { keepers: HashMap::new() }
    }

    /// An ask is opened: what the same person typed elsewhere is taken up.
    pub(super) fn open(
        &mut self,
        record: &Record,
        hub: &RemoteHub,
        board: &Arc<Board>,
        runtime: &Handle,
    ) {
        if !record.is_open() {
            return;
        }
        let (typed, changes) = watch::channel(Unsent::default());
        self.keepers.insert(record.id, typed);
        let is_approval = matches!(record.matter(), Matter::Approval(_));
        let keeper = Keeper { hub: hub.clone(), id: record.id, is_approval, version: 0 };
        runtime.spawn(keeper.keep(board.clone(), changes));
    }

    pub(super) fn typed(&self, id: AskId, unsent: Unsent) {
        if let Some(keeper) = self.keepers.get(&id) {
            keeper.send_replace(unsent);
        }
    }

    /// An answer is given: nothing more is typed.
    pub(super) fn close(&mut self, id: AskId) {
        self.keepers.remove(&id);
    }
}

struct Keeper {
    hub: RemoteHub,
    id: AskId,
    is_approval: bool,
    version: u64,
}

impl Keeper {
    async fn keep(mut self, board: Arc<Board>, mut changes: watch::Receiver<Unsent>) {
        // A hub that is away has none; then whatever is typed here is the first.
        if let Ok(Some(draft)) = self.hub.draft(self.id).await {
            self.version = draft.version;
            let (answers, message) = self.read(draft);
            board.remote.take_up(id_of(self.id), answers, message);
        }
        while changes.changed().await.is_ok() {
            tokio::time::sleep(APART).await;
            let draft = self.draft(&changes.borrow_and_update().clone());
            self.version += 1;
            let kept = self.hub.keep_draft(self.id, Draft { version: self.version, ..draft }).await;
            // A hub that is away keeps no drafts; the inbox does.
            if let Err(HubError::Rejected(Rejection::OlderDraft(newer))) = kept {
                self.version = newer.version;
                changes.mark_changed();
            }
        }
    }

    /// An approval is put as a question here; elsewhere it has a word to go with it, and no answers.
    fn read(&self, draft: Draft) -> (Vec<AnswerForm>, Option<String>) {
        if self.is_approval {
            let words = draft.message;
            return (vec![AnswerForm { words, ..AnswerForm::default() }], None);
        }
        (draft.answers, draft.message)
    }

    fn draft(&self, unsent: &Unsent) -> Draft {
        let beside = unsent.discuss.clone().or_else(|| unsent.reason.clone());
        if self.is_approval {
            let words = unsent.answers.first().and_then(|form| form.words.clone());
            return Draft { message: words.or(beside), ..Draft::default() };
        }
        Draft { answers: unsent.answers.clone(), message: beside, ..Draft::default() }
    }
}
