//! Typing into a dialog, one key at a time.

use std::time::{Duration, Instant};

use handraise_question::{Ask, Resolution};
use serde_json::Value;
use tokio::time::sleep;

use super::alike::alike;
use super::composer;
use super::dialog::{Dialog, Focus};
use super::expected::{Difference, Expected};
use super::intent::{Entry, Intent, Untypable};
use super::pane::{Pane, View};

/// A dialog that is to be answered.
pub struct Typing<'a> {
    /// Where it is.
    pub pane: &'a Pane,
    /// What it asks.
    pub ask: &'a Ask,
    /// Whether its call still waits for a result, by what the session wrote down.
    pub waits: &'a (dyn Fn() -> bool + Sync),
    /// The seconds of the clock.
    pub clock: &'a (dyn Fn() -> u64 + Sync),
    /// Told before each key: how many were pressed.
    pub progress: &'a (dyn Fn(usize) + Sync),
}

/// What was typed, to be compared with what Claude Code took.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Typed(Intent);

/// Why typing stopped before everything was typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stopped {
    /// For a person, to follow "The answer was not typed:".
    pub why: String,
    /// Whether keys were pressed: then the dialog may be half filled in.
    pub partly: bool,
    /// Whether the dialog is not to be seen: the session may have more to say of it.
    pub unseen: bool,
}

/// Claude Code drops keys that come within some 150 ms after a dialog appeared (measured); nothing on
/// the screen tells when it begins to listen.
const GUARD: Duration = Duration::from_millis(600);
/// Between two keys, so that each is seen to have done what it does.
const BETWEEN: Duration = Duration::from_millis(250);
/// How long a key may take to show.
const SHOWN: Duration = Duration::from_secs(3);
/// How long is waited for a dialog that can be typed into: it may be on its way, somebody may scroll.
const READY: Duration = Duration::from_secs(30);
const LOOK: Duration = Duration::from_millis(25);
/// Somebody who pressed a key so lately, in seconds, is at work in that terminal.
const AT_WORK: u64 = 2;

impl Typed {
    /// What is typed for a resolution.
    ///
    /// # Errors
    ///
    /// When the dialog has no keys for it.
    pub fn of(ask: &Ask, resolution: &Resolution) -> Result<Self, Untypable> {
        Intent::of(ask, resolution).map(Self)
    }

    /// Whether that is what Claude Code took, by the result it wrote down.
    #[must_use]
    pub fn was_taken(&self, ask: &Ask, result: &Value) -> bool {
        self.0.was_taken(ask, result)
    }
}

impl Typing<'_> {
    /// Types what a person has resolved, and waits until the dialog is gone.
    ///
    /// # Errors
    ///
    /// When the dialog is not the one, not as it should be, or not there any more. No key is pressed
    /// then, or no further one.
    pub async fn resolve(&self, resolution: &Resolution) -> Result<Typed, Stopped> {
        let untypable =
            |error: Untypable| Stopped { why: error.to_string(), partly: false, unseen: false };
        let intent = Intent::of(self.ask, resolution).map_err(untypable)?;
        let mut hand = Hand { typing: self, expected: Expected::fresh(self.ask), pressed: 0 };
        hand.find().await?;
        hand.leave_words().await?;
        match &intent {
            Intent::Answer(entries) => hand.answer(entries).await?,
            Intent::Decline(words) => {
                hand.press_last("Escape").await?;
                if let Some(words) = words {
                    hand.say(words).await?;
                }
            }
            Intent::Discuss(words) => {
                hand.talk().await?;
                hand.say(words).await?;
            }
        }
        Ok(Typed(intent))
    }

    /// Whether a dialog with questions is on the screen that cannot be read as the one it should be.
    pub async fn is_unreadable(&self) -> bool {
        let Ok(view) = self.pane.view().await else { return false };
        let is_dialog = view.lines.iter().any(|line| line.contains("Enter to select"));
        let mut expected = Expected::fresh(self.ask);
        let dialog = Dialog::read(&view.lines);
        expected.take_focus(dialog.as_ref());
        is_dialog && expected.check(self.ask, dialog.as_ref()) == Err(Difference::Other)
    }

    /// Whether the dialog is on the screen, and nobody has touched it.
    pub async fn is_fresh(&self) -> bool {
        let Ok(view) = self.pane.view().await else { return false };
        let mut expected = Expected::fresh(self.ask);
        let dialog = Dialog::read(&view.lines);
        expected.take_focus(dialog.as_ref());
        expected.check(self.ask, dialog.as_ref()).is_ok()
    }
}

/// What is pressed, and what the dialog must look like.
struct Hand<'a> {
    typing: &'a Typing<'a>,
    expected: Expected,
    pressed: usize,
}

impl Hand<'_> {
    fn stopped<T>(&self, why: impl Into<String>) -> Result<T, Stopped> {
        Err(Stopped { why: why.into(), partly: self.pressed > 0, unseen: false })
    }

    /// The same where the dialog is not to be seen.
    fn lost<T>(&self, why: impl Into<String>) -> Result<T, Stopped> {
        self.stopped(why).map_err(|stopped| Stopped { unseen: true, ..stopped })
    }

    /// Waits for the dialog, until it has been there for a while and nobody is at work.
    async fn find(&mut self) -> Result<(), Stopped> {
        let start = Instant::now();
        let (mut seen, mut since) = (None, start);
        loop {
            if !(self.typing.waits)() {
                return self.stopped("the session no longer waits for it");
            }
            let view = self.view().await?;
            let trouble = self.trouble(&view);
            let dialog = Dialog::read(&view.lines);
            if dialog != seen {
                (seen, since) = (dialog.clone(), Instant::now());
            }
            self.expected.take_focus(dialog.as_ref());
            let looks = self.expected.check(self.typing.ask, dialog.as_ref());
            match (trouble, looks) {
                (None, Ok(())) if since.elapsed() >= GUARD => return Ok(()),
                (_, Err(Difference::State)) if since.elapsed() >= GUARD => {
                    return self
                        .stopped("somebody has begun to answer in the session's own dialog");
                }
                (trouble, looks) if start.elapsed() >= READY => {
                    let unseen =
                        "its dialog is not on the screen, or not one that can be read".to_owned();
                    return self.stopped(match (trouble, looks) {
                        (_, Err(_)) => unseen,
                        (trouble, Ok(())) => trouble.unwrap_or(unseen),
                    });
                }
                _ => sleep(LOOK).await,
            }
        }
    }

    /// Takes the cursor off the row for words, where digits would be words.
    async fn leave_words(&mut self) -> Result<(), Stopped> {
        if !self.expected.writes {
            return Ok(());
        }
        self.press("Up", |expected| {
            expected.focus = Focus::Row(expected.ticks.len() - 1);
            expected.writes = false;
        })
        .await
    }

    async fn answer(&mut self, entries: &[Entry]) -> Result<(), Stopped> {
        let ask = self.typing.ask;
        // A single question is sent with its answer, unless several can be chosen.
        let alone = matches!(entries, [entry] if !matches!(entry, Entry::Several { .. }));
        for (question, entry) in ask.questions().iter().zip(entries) {
            let said = entry.said(question);
            match entry {
                Entry::Choose(place) => {
                    self.onward(&digit(place + 1), said, alone).await?;
                }
                Entry::Words(words) => {
                    let row = question.options().len() + 1;
                    self.press(&digit(row), |expected| {
                        expected.focus = Focus::Row(row);
                        expected.writes = true;
                    })
                    .await?;
                    self.write(words, |expected| expected.text.clone_from(words)).await?;
                    self.onward("Enter", said, alone).await?;
                }
                Entry::Several { chosen, words } => {
                    self.several(question.options().len(), chosen, words.as_deref(), said).await?;
                }
                Entry::Beside { chosen, notes } => {
                    self.beside(question.options().len(), *chosen, notes.as_deref(), said, alone)
                        .await?;
                }
            }
        }
        if !alone {
            self.press_last("Enter").await?;
        }
        Ok(())
    }

    async fn several(
        &mut self,
        options: usize,
        chosen: &[usize],
        words: Option<&str>,
        said: Option<String>,
    ) -> Result<(), Stopped> {
        for place in chosen {
            self.press(&digit(place + 1), |expected| expected.ticks[*place] = true).await?;
        }
        let Some(words) = words else { return self.onward("Tab", said, false).await };
        // A digit would only tick the row for words: the cursor has to go there.
        while self.expected.focus != Focus::Row(options + 1) {
            self.press("Down", |expected| {
                let Focus::Row(row) = expected.focus else { return };
                expected.focus = Focus::Row(row + 1);
                expected.writes = row == options;
            })
            .await?;
        }
        self.write(words, |expected| {
            words.clone_into(&mut expected.text);
            expected.ticks[options] = true;
        })
        .await?;
        self.press("Down", |expected| expected.focus = Focus::Onward).await?;
        self.onward("Enter", said, false).await
    }

    async fn beside(
        &mut self,
        options: usize,
        chosen: Option<usize>,
        notes: Option<&str>,
        said: Option<String>,
        alone: bool,
    ) -> Result<(), Stopped> {
        if let Some(place) = chosen {
            // The row the cursor is on counts as chosen only once the cursor has come to it: with a note
            // nothing would be chosen otherwise (measured).
            if self.expected.focus == Focus::Row(place + 1) && notes.is_some() {
                let away = if place == 0 { 2.min(options) } else { 1 };
                self.press(&digit(away), |expected| expected.focus = Focus::Row(away)).await?;
            }
            self.press(&digit(place + 1), |expected| expected.focus = Focus::Row(place + 1))
                .await?;
        }
        if let Some(notes) = notes {
            self.press("n", |expected| expected.writes = true).await?;
            self.write(notes, |expected| notes.clone_into(&mut expected.notes)).await?;
        }
        self.onward("Enter", said, alone).await
    }

    /// Chooses to talk, on the first page.
    async fn talk(&mut self) -> Result<(), Stopped> {
        let ask = self.typing.ask;
        let Some(question) = ask.questions().first() else { return Ok(()) };
        let options = question.options().len();
        if !super::intent::has_previews(question) {
            return self.press_last(&digit(options + 2)).await;
        }
        // Beside previews it has no digit.
        while self.expected.focus != Focus::Chat {
            self.press("Down", |expected| {
                let Focus::Row(row) = expected.focus else { return };
                expected.focus = if row == options { Focus::Chat } else { Focus::Row(row + 1) };
            })
            .await?;
        }
        self.press_last("Enter").await
    }

    /// Presses the key that answers a question: the next page comes, or the dialog is gone.
    async fn onward(
        &mut self,
        key: &str,
        said: Option<String>,
        alone: bool,
    ) -> Result<(), Stopped> {
        if alone {
            return self.press_last(key).await;
        }
        let ask = self.typing.ask;
        self.press(key, |expected| expected.answer(ask, said)).await
    }

    /// Presses a key and waits until the dialog shows what it does.
    async fn press(
        &mut self,
        key: &str,
        change: impl FnOnce(&mut Expected),
    ) -> Result<(), Stopped> {
        self.act(Act::Key(key)).await?;
        change(&mut self.expected);
        self.shown().await
    }

    /// Writes text and waits until it stands there.
    async fn write(
        &mut self,
        text: &str,
        change: impl FnOnce(&mut Expected),
    ) -> Result<(), Stopped> {
        self.act(Act::Text(text)).await?;
        change(&mut self.expected);
        self.shown().await
    }

    /// Presses the last key: the dialog goes.
    async fn press_last(&mut self, key: &str) -> Result<(), Stopped> {
        self.act(Act::Key(key)).await?;
        let start = Instant::now();
        while (self.typing.waits)() {
            if start.elapsed() >= SHOWN {
                let dialog = Dialog::read(&self.view().await?.lines);
                if self.expected.check(self.typing.ask, dialog.as_ref()).is_ok() {
                    return self.stopped("the dialog did not take the last key");
                }
            }
            if start.elapsed() >= READY {
                return self.stopped("the session did not write down what it took");
            }
            sleep(LOOK).await;
        }
        Ok(())
    }

    async fn shown(&mut self) -> Result<(), Stopped> {
        let start = Instant::now();
        loop {
            let view = self.view().await?;
            let dialog = Dialog::read(&view.lines);
            let looks = self.expected.check(self.typing.ask, dialog.as_ref());
            if looks.is_ok() {
                sleep(BETWEEN).await;
                return Ok(());
            }
            if start.elapsed() >= SHOWN {
                return self.differs(looks.err());
            }
            sleep(LOOK).await;
        }
    }

    /// Does one thing in the dialog, if it is still as it must be.
    async fn act(&mut self, act: Act<'_>) -> Result<(), Stopped> {
        (self.typing.progress)(self.pressed);
        let start = Instant::now();
        loop {
            if !(self.typing.waits)() {
                return self.stopped("the session no longer waits for it");
            }
            let view = self.view().await?;
            if let Some(trouble) = self.trouble(&view) {
                return self.stopped(trouble);
            }
            let dialog = Dialog::read(&view.lines);
            if let Err(difference) = self.expected.check(self.typing.ask, dialog.as_ref()) {
                return self.differs(Some(difference));
            }
            if self.send(&view, act).await? {
                self.pressed += 1;
                return Ok(());
            }
            // Something moved this very moment; nothing was pressed.
            if start.elapsed() >= SHOWN {
                return self.stopped("the dialog does not hold still");
            }
            sleep(LOOK).await;
        }
    }

    async fn send(&self, view: &View, act: Act<'_>) -> Result<bool, Stopped> {
        let sent = match act {
            Act::Key(key) => self.typing.pane.press(view, key).await,
            Act::Text(text) => self.typing.pane.paste(view, text).await,
        };
        sent.or_else(|why| self.stopped(why))
    }

    /// Says words where a person types, once the dialog is gone.
    async fn say(&mut self, words: &str) -> Result<(), Stopped> {
        let lost = |stopped: Stopped| Stopped {
            why: format!("the dialog was left, but the words could not be said: {}", stopped.why),
            ..stopped
        };
        self.compose(words).await.map_err(lost)
    }

    async fn compose(&mut self, words: &str) -> Result<(), Stopped> {
        let view = self.composed("the place for words is not empty", str::is_empty).await?;
        if !self.send(&view, Act::Text(words)).await? {
            return self.stopped("somebody is at work there");
        }
        self.pressed += 1;
        let stands = |text: &str| alike(text, words, true) || composer::holds_a_paste(text);
        let view = self.composed("they do not stand there", stands).await?;
        if !self.send(&view, Act::Key("Enter")).await? {
            return self.stopped("somebody is at work there");
        }
        self.pressed += 1;
        self.composed("they were not taken", str::is_empty).await.map(|_| ())
    }

    /// Waits until what stands in the place for words is as described.
    async fn composed(
        &self,
        otherwise: &str,
        holds: impl Fn(&str) -> bool,
    ) -> Result<View, Stopped> {
        let start = Instant::now();
        loop {
            let view = self.view().await?;
            if let Some(trouble) = self.trouble(&view) {
                return self.stopped(trouble);
            }
            let text = composer::read(&view.lines);
            if text.is_some_and(|text| holds(&text)) {
                sleep(BETWEEN).await;
                return Ok(view);
            }
            if start.elapsed() >= SHOWN {
                return self.stopped(otherwise);
            }
            sleep(LOOK).await;
        }
    }

    /// Why nothing may be pressed, whatever the screen shows.
    fn trouble(&self, view: &View) -> Option<String> {
        if view.in_mode {
            return Some("somebody scrolls in its pane (tmux copy mode)".into());
        }
        if view.is_bound {
            return Some("its pane is synchronised with others, or takes no keys".into());
        }
        let now = (self.typing.clock)();
        let lately = |touched: u64| touched + AT_WORK >= now;
        view.touched.is_some_and(lately).then(|| "somebody is at work in that terminal".into())
    }

    fn differs<T>(&self, difference: Option<Difference>) -> Result<T, Stopped> {
        match difference {
            Some(Difference::State) => {
                self.stopped("somebody else is answering in the session's own dialog")
            }
            Some(Difference::Other) | None => self.lost("its dialog is not on the screen any more"),
        }
    }

    async fn view(&self) -> Result<View, Stopped> {
        match self.typing.pane.view().await {
            Ok(view) => Ok(view),
            Err(why) => self.lost(why),
        }
    }
}

/// One thing to do.
#[derive(Debug, Clone, Copy)]
enum Act<'a> {
    Key(&'a str),
    Text(&'a str),
}

fn digit(number: usize) -> String {
    number.to_string()
}
