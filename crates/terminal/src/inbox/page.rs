//! One ask that was opened.

use std::time::Duration;

use handraise_question::Resolution;
use handraise_question::wording::confirmation;

use super::entry::Opened;
use crate::prompt::{Elsewhere, Prompt, Unsent};

/// What is kept of an ask for as long as it is of interest, whichever ask is on the screen.
#[derive(Debug)]
pub(super) struct Page {
    pub(super) about: Vec<String>,
    pub(super) preamble: Option<String>,
    /// The question, with all that was ticked and typed; or why it cannot be answered here.
    pub(super) prompt: Result<Prompt, String>,
    /// What was told of that.
    told: Unsent,
    /// Something else was typed elsewhere, and is kept there.
    pub(super) divided: bool,
    /// What was answered here and is on its way.
    pub(super) sending: Option<Vec<String>>,
    /// It was answered here, and that counts.
    pub(super) answered_here: bool,
}

impl Page {
    pub(super) fn new(opened: Opened, wait: Option<Duration>) -> Self {
        let mut prompt = opened.ask.map(|ask| Prompt::among_others(ask).guard(opened.guarded));
        if let Ok(prompt) = &mut prompt {
            prompt.wait_until(wait);
        }
        Self {
            about: opened.about,
            preamble: opened.preamble.filter(|text| !text.trim().is_empty()),
            told: prompt.as_ref().map(Prompt::unsent).unwrap_or_default(),
            prompt,
            divided: false,
            sending: None,
            answered_here: false,
        }
    }

    /// The prompt, while it takes keys.
    pub(super) fn answering(&mut self) -> Option<&mut Prompt> {
        if self.sending.is_some() { None } else { self.prompt.as_mut().ok() }
    }

    /// Whether keys type, or did when it ended.
    pub(super) fn is_writing(&self) -> bool {
        self.prompt.as_ref().is_ok_and(Prompt::is_writing)
    }

    /// The texts that were typed and nobody was sent.
    pub(super) fn typed(&self) -> Vec<String> {
        let Ok(prompt) = &self.prompt else { return vec![] };
        if self.answered_here {
            return vec![];
        }
        prompt.unsent().texts().map(str::to_owned).collect()
    }

    /// What is ticked and typed now, if it is no longer what was told.
    pub(super) fn news(&mut self) -> Option<Unsent> {
        let now = self.prompt.as_ref().ok()?.unsent();
        if now == self.told {
            return None;
        }
        self.told = now.clone();
        Some(now)
    }

    /// Takes up what was typed elsewhere, if it may. Returns what stands here then; that is no news.
    pub(super) fn take_up(
        &mut self,
        elsewhere: &Elsewhere,
        over: Option<&Unsent>,
    ) -> Option<Unsent> {
        let prompt = self.answering()?;
        if !prompt.take_up(elsewhere, over) {
            return None;
        }
        let here = prompt.unsent();
        self.told = here.clone();
        Some(here)
    }

    pub(super) fn send(&mut self, resolution: &Resolution) {
        let lines =
            self.prompt.as_ref().map(|prompt| confirmation::lines(prompt.ask(), resolution));
        self.sending = Some(lines.unwrap_or_default());
    }
}
