//! What a person has typed, kept at the hub, where the same person may type on another surface as well:
//! neither writes over what the other has and this one has not seen.

use handraise_broker::{AskId, Draft, Hub, HubError, Rejection};
use handraise_question::AnswerForm;

/// Whether two drafts are one, whichever came first.
pub(crate) fn says_the_same(one: &Draft, other: &Draft) -> bool {
    Draft { version: 0, ..one.clone() } == Draft { version: 0, ..other.clone() }
}

/// What is typed at a prompt. It cannot take up what was typed elsewhere: once there is such a thing, each
/// surface keeps its own.
pub(crate) struct Typed<H> {
    hub: H,
    id: AskId,
    /// The hub's draft as it was last written from here; what was there before was not seen.
    seen: Draft,
}

impl<H: Hub> Typed<H> {
    pub(crate) fn new(hub: H, id: AskId) -> Self {
        Self { hub, id, seen: Draft::default() }
    }

    /// Brings what stands here to the hub, unless the hub has something that was not seen here.
    pub(crate) async fn keep(&mut self, answers: &[AnswerForm]) {
        while let Some(newer) = self.write(answers).await {
            if !is_nothing(&newer) && !says_the_same(&newer, &self.seen) {
                return;
            }
            self.seen = newer;
        }
    }

    /// Writes it in the place of what was seen; returns what the hub has instead.
    async fn write(&mut self, answers: &[AnswerForm]) -> Option<Draft> {
        let (version, answers) = (self.seen.version + 1, answers.to_vec());
        let draft = Draft { version, answers, ..self.seen.clone() };
        match self.hub.keep_draft(self.id, draft.clone()).await {
            Ok(()) => self.seen = draft,
            Err(HubError::Rejected(Rejection::OlderDraft(newer))) => {
                if !says_the_same(&newer, &draft) {
                    return Some(*newer);
                }
                self.seen = *newer;
            }
            // A hub that is away keeps no drafts; the prompt does.
            Err(_) => {}
        }
        None
    }
}

/// Whether everything was taken away again.
fn is_nothing(draft: &Draft) -> bool {
    let Draft { version: _, answers, message, input } = draft;
    message.is_none()
        && input.is_none()
        && answers.iter().all(|form| *form == AnswerForm::default())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use handraise_broker::{Broker, Caller, Device, DeviceId, Power, RealWorld, Seat, Settings};
    use handraise_question::Surface;
    use handraise_store_sqlite::SqliteStore;
    use handraise_testkit::{FakeWorld, new_ask};
    use tempfile::TempDir;

    use super::*;

    fn words(text: &str) -> Vec<AnswerForm> {
        vec![AnswerForm { words: Some(text.into()), ..AnswerForm::default() }]
    }

    /// A prompt, and the same person's page.
    struct Scene {
        prompt: Typed<Seat>,
        page: Seat,
        id: AskId,
        _broker: Broker,
        _directory: TempDir,
    }

    impl Scene {
        async fn new() -> Self {
            let directory = tempfile::tempdir().unwrap();
            let store = SqliteStore::open(&directory.path().join("test.db")).unwrap();
            let start = Broker::start(Arc::new(store), Arc::new(RealWorld), Settings::default());
            let (broker, _writer) = start.await.unwrap();
            let seat = |power| {
                let device = Device {
                    id: DeviceId::new(FakeWorld::START, [7; 10]),
                    name: "laptop".into(),
                    power,
                    person: Some("ann".into()),
                    added_at: FakeWorld::START,
                };
                broker.seat(Caller { device, surface: Surface::Web })
            };
            let id = seat(Power::Agent).ask(new_ask(None)).await.unwrap().record.id;
            let prompt = Typed::new(seat(Power::Person), id);
            let page = seat(Power::Person);
            Self { prompt, page, id, _broker: broker, _directory: directory }
        }

        async fn page_has(&self) -> Draft {
            self.page.draft(self.id).await.unwrap().unwrap_or_default()
        }

        async fn type_on_page(&self, answers: Vec<AnswerForm>, message: Option<&str>) {
            let version = self.page_has().await.version + 1;
            let message = message.map(str::to_owned);
            let draft = Draft { version, answers, message, input: None };
            self.page.keep_draft(self.id, draft).await.unwrap();
        }
    }

    #[tokio::test]
    async fn what_was_typed_on_the_page_meanwhile_is_not_written_over() {
        let mut scene = Scene::new().await;
        scene.prompt.keep(&words("here")).await;
        assert_eq!(scene.page_has().await.answers, words("here"));
        scene.type_on_page(words("there"), Some("not yet")).await;
        for more in ["here a", "here ag", "here again"] {
            scene.prompt.keep(&words(more)).await;
            assert_eq!(scene.page_has().await.answers, words("there"));
        }
        // Once nothing of it is left there, what stands here is kept again.
        scene.type_on_page(vec![AnswerForm::default()], None).await;
        scene.prompt.keep(&words("here at last")).await;
        assert_eq!(scene.page_has().await.answers, words("here at last"));
    }

    #[tokio::test]
    async fn what_was_there_before_the_prompt_is_not_written_over() {
        let mut scene = Scene::new().await;
        scene.type_on_page(words("there"), None).await;
        for more in ["h", "he"] {
            scene.prompt.keep(&words(more)).await;
            assert_eq!(scene.page_has().await.answers, words("there"));
        }
        // The same words are one draft, and the prompt goes on from there.
        scene.prompt.keep(&words("there")).await;
        scene.prompt.keep(&words("there and here")).await;
        assert_eq!(scene.page_has().await.answers, words("there and here"));
    }

    #[tokio::test]
    async fn a_version_that_says_the_same_holds_nobody_up() {
        let mut scene = Scene::new().await;
        scene.prompt.keep(&words("here")).await;
        scene.type_on_page(words("here"), None).await;
        scene.prompt.keep(&words("here and more")).await;
        assert_eq!(scene.page_has().await.answers, words("here and more"));
    }
}
