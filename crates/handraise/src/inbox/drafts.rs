//! What is typed here, kept at the hub as well: so that other surfaces have it, and deadlines wait.
//!
//! The same person may type on the page, too. What was typed there is taken up each time the ask is shown,
//! unless something else was typed here meanwhile; then each keeps its own, and nothing is written over.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use handraise_broker::{AskId, Draft, Hub, HubError, Matter, Record, Rejection};
use handraise_client::RemoteHub;
use handraise_question::AnswerForm;
use handraise_terminal::{Elsewhere, Unsent};
use tokio::runtime::Handle;
use tokio::sync::watch;

use super::board::Board;
use super::entry::id_of;
use crate::typed::says_the_same;

/// Typing that goes on is told this often.
const APART: Duration = Duration::from_millis(300);

/// One keeper for each ask that was opened.
pub(super) struct Drafts {
    keepers: HashMap<AskId, watch::Sender<Here>>,
}

/// What a keeper is told.
#[derive(Clone, Default)]
struct Here {
    /// What stands here, if anything was done.
    unsent: Option<Unsent>,
    /// Which version of the hub's was taken up last, and what stood here then.
    taken_up: Option<(u64, Unsent)>,
    /// How often the ask was shown again.
    shown: u64,
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
        let (told, changes) = watch::channel(Here::default());
        self.keepers.insert(record.id, told);
        let keeper = Keeper {
            hub: hub.clone(),
            board: board.clone(),
            id: record.id,
            is_approval: matches!(record.matter(), Matter::Approval(_)),
            seen: Draft::default(),
            stood: None,
            offered: None,
            divided: false,
        };
        runtime.spawn(keeper.keep(changes));
    }

    /// It is shown again.
    pub(super) fn again(&self, id: AskId) {
        self.tell(id, |here| here.shown += 1);
    }

    pub(super) fn taken_up(&self, id: AskId, version: u64, unsent: Unsent) {
        self.tell(id, |here| {
            here.unsent = Some(unsent.clone());
            here.taken_up = Some((version, unsent));
        });
    }

    pub(super) fn typed(&self, id: AskId, unsent: Unsent) {
        self.tell(id, |here| here.unsent = Some(unsent));
    }

    /// An answer is given: nothing more is typed.
    pub(super) fn close(&mut self, id: AskId) {
        self.keepers.remove(&id);
    }

    fn tell(&self, id: AskId, change: impl FnOnce(&mut Here)) {
        if let Some(keeper) = self.keepers.get(&id) {
            keeper.send_modify(change);
        }
    }
}

struct Keeper {
    hub: RemoteHub,
    board: Arc<Board>,
    id: AskId,
    is_approval: bool,
    /// The hub's draft as it was last seen here, or written from here.
    seen: Draft,
    /// What stood here then; nothing, when absent.
    stood: Option<Unsent>,
    /// A newer one that was brought to the inbox. It is seen when the inbox has taken it up.
    offered: Option<Draft>,
    /// Whether the inbox says that something else was typed elsewhere.
    divided: bool,
}

impl Keeper {
    async fn keep(mut self, mut changes: watch::Receiver<Here>) {
        let mut shown = 0;
        self.look(&Here::default()).await;
        while changes.changed().await.is_ok() {
            let here = changes.borrow_and_update().clone();
            self.is_taken_up(&here);
            if here.shown != shown {
                shown = here.shown;
                self.look(&here).await;
            }
            if self.is_as_it_stood(&here) {
                continue;
            }
            tokio::time::sleep(APART).await;
            let here = changes.borrow_and_update().clone();
            self.is_taken_up(&here);
            while self.write(&here).await == Written::Again {}
        }
    }

    fn is_taken_up(&mut self, here: &Here) {
        let Some((version, stood)) = &here.taken_up else { return };
        if let Some(draft) = self.offered.take_if(|draft| draft.version == *version) {
            self.seen = draft;
            self.stood = Some(stood.clone());
        }
    }

    /// Whether nothing was typed here since the hub's draft was seen.
    fn is_as_it_stood(&self, here: &Here) -> bool {
        here.unsent.is_none() || here.unsent == self.stood
    }

    /// Looks at what the hub has now. One that is away has nothing.
    async fn look(&mut self, here: &Here) {
        match self.hub.draft(self.id).await {
            Ok(Some(draft)) => {
                self.newer(draft, here);
            }
            Ok(None) => self.are_divided(false),
            Err(_) => {}
        }
    }

    fn are_divided(&mut self, divided: bool) {
        if std::mem::replace(&mut self.divided, divided) != divided {
            self.board.remote.divided(id_of(self.id), divided);
        }
    }

    async fn write(&mut self, here: &Here) -> Written {
        let Some(unsent) = here.unsent.as_ref().filter(|_| !self.is_as_it_stood(here)) else {
            return Written::Done;
        };
        let draft = self.draft(unsent);
        match self.hub.keep_draft(self.id, draft.clone()).await {
            Ok(()) => {
                self.seen = draft;
                self.stood.clone_from(&here.unsent);
                self.are_divided(false);
            }
            Err(HubError::Rejected(Rejection::OlderDraft(newer))) => {
                return self.newer(*newer, here);
            }
            // A hub that is away keeps no drafts; the inbox does.
            Err(_) => {}
        }
        Written::Done
    }

    /// The hub has this. It may only be written over if it was seen here.
    fn newer(&mut self, newer: Draft, here: &Here) -> Written {
        if says_the_same(&newer, &self.seen) {
            self.seen = newer;
            return Written::Again;
        }
        let mine = here.unsent.as_ref().map(|unsent| self.draft(unsent));
        let same = mine.is_some_and(|mine| says_the_same(&newer, &mine));
        self.are_divided(!same && !self.is_as_it_stood(here));
        if same {
            self.seen = newer;
            self.stood.clone_from(&here.unsent);
        } else if self.is_as_it_stood(here) {
            let elsewhere = self.read(newer.clone());
            let (id, version) = (id_of(self.id), newer.version);
            self.offered = Some(newer);
            self.board.remote.take_up(id, version, elsewhere, self.stood.clone());
        }
        Written::Done
    }

    /// An approval is put as a question here; elsewhere it has a word to go with it, which decides nothing.
    fn read(&self, draft: Draft) -> Elsewhere {
        if self.is_approval {
            let form = AnswerForm { words: draft.message, ..AnswerForm::default() };
            return Elsewhere { answers: vec![form], message: None, undecided: true };
        }
        Elsewhere { answers: draft.answers, message: draft.message, undecided: false }
    }

    /// What is to be kept: what stands here, and whatever of the last one cannot be seen here.
    fn draft(&self, unsent: &Unsent) -> Draft {
        let Draft { version, answers: known, input, .. } = self.seen.clone();
        let beside = unsent.discuss.clone().or_else(|| unsent.reason.clone());
        let version = version + 1;
        if self.is_approval {
            let words = unsent.answers.first().and_then(|form| form.words.clone());
            return Draft { version, answers: known, message: words.or(beside), input };
        }
        let more = known.into_iter().skip(unsent.answers.len());
        let answers = unsent.answers.iter().cloned().chain(more).collect();
        Draft { version, answers, message: beside, input }
    }
}

#[derive(PartialEq, Eq)]
enum Written {
    Done,
    /// There is no reason any more not to.
    Again,
}
