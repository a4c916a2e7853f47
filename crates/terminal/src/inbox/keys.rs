//! What each key does in the inbox.

#![expect(clippy::wildcard_enum_match_arm, reason = "a key that is not named means nothing here")]

use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use handraise_question::Resolution;

use super::entry::EntryId;
use super::help;
use super::history::{History, Turn};
use super::orders::Wanted;
use super::overlay::Overlay;
use super::state::{Inbox, Moment, Need, View};
use crate::field::Field;
use crate::prompt::{Effect, Input};

/// An Enter this soon after the one that opened an ask is the same press, or an impatient one.
const AGAIN: Duration = Duration::from_millis(400);

impl Inbox {
    pub(crate) fn update(&mut self, input: Input, now: Moment) -> Option<Need> {
        self.now = now;
        match input {
            Input::Tick => self.tick(),
            Input::Key(key) if key.kind == KeyEventKind::Release => None,
            Input::Key(key) => {
                self.seen();
                self.key(key)
            }
            Input::Paste(text) => {
                self.seen();
                self.paste(text)
            }
        }
    }

    /// A key is a sign that somebody is there.
    fn seen(&mut self) {
        self.last_key = Some(self.now.since);
        self.notice = None;
        self.wanted.push_back(Wanted::Looking(true));
    }

    fn tick(&mut self) -> Option<Need> {
        let since = self.now.since;
        if matches!(self.view, View::Ask) {
            return self.at_prompt(Input::Tick);
        }
        // Beside the list, only its clock goes on.
        if let Some(held) = self.asks.selected_mut()
            && let Some(prompt) = held.page.as_mut().and_then(|page| page.answering())
            && let Some(Effect::Resolve(_)) = prompt.update(Input::Tick, since)
        {
            prompt.wait_until(None);
        }
        None
    }

    fn key(&mut self, key: KeyEvent) -> Option<Need> {
        if key.modifiers == KeyModifiers::CONTROL {
            match key.code {
                KeyCode::Char('c') => {
                    self.wanted.push_back(Wanted::Leave);
                    return None;
                }
                KeyCode::Char('z') => return Some(Need::Suspend),
                KeyCode::Char('l') => return Some(Need::Redraw),
                _ => {}
            }
        }
        if let Some(overlay) = &mut self.overlay {
            if overlay.closes(key) {
                self.overlay = None;
            }
            return None;
        }
        match &mut self.view {
            View::List => self.list_key(key),
            View::Filter(_) => self.filter_key(key),
            View::History(history) => {
                let turn = history.key(key);
                self.history_turn(turn);
            }
            View::Ask => return self.ask_key(key),
        }
        None
    }

    fn paste(&mut self, text: String) -> Option<Need> {
        let field = match &mut self.view {
            _ if self.overlay.is_some() => return None,
            View::Ask => {
                self.typed_at_ended();
                return self.at_prompt(Input::Paste(text));
            }
            View::Filter(field) => field,
            View::History(history) if history.typing => &mut history.field,
            // As keys it would do anything; as text it has no place here.
            View::List | View::History(_) => return None,
        };
        // One line is looked for. A text that does not fit is not typed.
        let _ = field.paste(&text.replace(['\r', '\n'], " "));
        if let View::Filter(field) = &self.view {
            let text = field.text();
            self.asks.filter_by(&text);
        }
        None
    }

    fn list_key(&mut self, key: KeyEvent) {
        let page = self.asks.list.height().saturating_sub(1).max(1).cast_signed();
        if !(key.modifiers - KeyModifiers::SHIFT).is_empty() {
            return;
        }
        match key.code {
            KeyCode::Up | KeyCode::Char('k') => self.go(-1),
            KeyCode::Down | KeyCode::Char('j') => self.go(1),
            KeyCode::PageUp => self.go(-page),
            KeyCode::PageDown => self.go(page),
            KeyCode::Home => self.go(isize::MIN / 2),
            KeyCode::End => self.go(isize::MAX / 2),
            KeyCode::Enter | KeyCode::Right | KeyCode::Tab if self.asks.selected().is_some() => {
                self.view = View::Ask;
                let enter = key.code == KeyCode::Enter;
                self.opened_by_enter = enter.then_some(self.now.since);
            }
            KeyCode::Char('/') => {
                self.view = View::Filter(Box::new(Field::new(&self.asks.filter().join(" "))));
            }
            KeyCode::Char('h') => {
                self.view = View::History(Box::new(History::new()));
                self.wanted.push_back(Wanted::Search(String::new()));
            }
            KeyCode::Esc if !self.asks.filter().is_empty() => self.asks.filter_by(""),
            KeyCode::Char('x') | KeyCode::Delete => self.dismiss_selected(),
            KeyCode::Char('o') => self.browse(None),
            KeyCode::Char('?') => self.help(),
            KeyCode::Char('q') => self.wanted.push_back(Wanted::Leave),
            _ => {}
        }
    }

    fn filter_key(&mut self, key: KeyEvent) {
        let View::Filter(field) = &mut self.view else { return };
        match key.code {
            KeyCode::Enter | KeyCode::Down => self.view = View::List,
            KeyCode::Esc => {
                self.view = View::List;
                self.asks.filter_by("");
            }
            _ => {
                field.key(key);
                let text = field.text();
                self.asks.filter_by(&text);
            }
        }
    }

    fn history_turn(&mut self, turn: Turn) {
        match turn {
            Turn::Stay => {}
            Turn::Search(text) => self.wanted.push_back(Wanted::Search(text)),
            Turn::Show(past) => self.overlay = Some(Overlay::new(past.when, past.whole)),
            Turn::Browser => self.browse(None),
            Turn::Help => self.help(),
            Turn::Leave => self.view = View::List,
        }
    }

    fn ask_key(&mut self, key: KeyEvent) -> Option<Need> {
        if self.is_meant_for_ended(key) {
            return None;
        }
        let enter = key.code == KeyCode::Enter;
        let opened = self.opened_by_enter.take();
        if let Some(opened) = opened.filter(|opened| enter && self.now.since < *opened + AGAIN) {
            self.opened_by_enter = Some(opened);
            self.notice = Some("That Enter came right behind the one that opened this.".into());
            return None;
        }
        if self.scene().is_none() {
            self.ended_key(key);
            return None;
        }
        let before = self.scene();
        let chose = before.is_some_and(|scene| scene.choosing);
        let need = self.at_prompt(Input::Key(key));
        // A key that means nothing to the prompt may mean something to the inbox.
        if chose && self.scene() == before && key.modifiers.is_empty() {
            match key.code {
                KeyCode::Char(']') => self.go(1),
                KeyCode::Char('[') => self.go(-1),
                KeyCode::Char('w') => self.show_words(),
                KeyCode::Char('o') => self.browse(self.asks.list.selected()),
                _ => {}
            }
        }
        need
    }

    /// Keys at an ask that takes no answer, or not here, or not any more. Whatever answers or moves within a
    /// question, or types, must not lead to another one.
    fn ended_key(&mut self, key: KeyEvent) {
        if !key.modifiers.is_empty() {
            return;
        }
        match key.code {
            KeyCode::Char('n') => self.go_on(),
            KeyCode::Char(']') => self.go(1),
            KeyCode::Char('[') => self.go(-1),
            KeyCode::Esc => self.view = View::List,
            KeyCode::Char('x') | KeyCode::Delete => self.dismiss_selected(),
            KeyCode::Char('w') => self.show_words(),
            KeyCode::Char('o') => self.browse(self.asks.list.selected()),
            KeyCode::Char('?') => self.help(),
            KeyCode::Enter => self.notice = Some("n goes on to the next that waits.".into()),
            code => {
                if let Some(held) = self.asks.selected_mut() {
                    held.end.key(code);
                }
            }
        }
    }

    fn at_prompt(&mut self, input: Input) -> Option<Need> {
        let since = self.now.since;
        let held = self.asks.selected_mut().filter(|held| held.entry.waits())?;
        let id = held.entry.id;
        let page = held.page.as_mut()?;
        let effect = page.answering()?.update(input, since);
        let need = match effect {
            None => None,
            // That nobody answered is for the hub to say: its clock counts.
            Some(Effect::Resolve(Resolution::NoAnswer { .. })) => {
                page.answering()?.wait_until(None);
                None
            }
            Some(Effect::Resolve(resolution)) => {
                page.send(&resolution);
                self.wanted.push_back(Wanted::Resolve(id, resolution));
                return None;
            }
            Some(Effect::Back) => {
                self.view = View::List;
                None
            }
            Some(Effect::Interrupt) => {
                self.wanted.push_back(Wanted::Leave);
                None
            }
            Some(Effect::Suspend) => Some(Need::Suspend),
            Some(Effect::Redraw) => Some(Need::Redraw),
        };
        self.tell_draft();
        need
    }

    fn go(&mut self, by: isize) {
        let before = self.asks.list.selected();
        self.asks.list.go(by);
        self.asks.left(before);
    }

    /// On to the nearest that waits; back to the list when nothing does.
    fn go_on(&mut self) {
        let waits = |id| self.asks.get(id).is_some_and(|held| held.entry.waits());
        let Some(by) = self.asks.list.nearest(waits) else {
            self.notice = Some("Nothing else waits.".into());
            self.view = View::List;
            if let Some(id) = self.asks.list.selected() {
                self.asks.forget(id);
            }
            return;
        };
        self.go(by);
    }

    fn dismiss_selected(&mut self) {
        let Some(id) = self.asks.list.selected() else { return };
        if self.asks.selected().is_some_and(|held| held.entry.waits()) {
            self.notice = Some("This one still waits. To decline it, open it and press x.".into());
            return;
        }
        self.asks.dismiss(id);
        self.view = View::List;
    }

    fn show_words(&mut self) {
        let preamble = self.asks.selected().and_then(|held| held.page.as_ref()?.preamble.clone());
        match preamble {
            Some(text) => self.overlay = Some(Overlay::new("What the agent wrote before", text)),
            None => self.notice = Some("The agent wrote nothing before it asked.".into()),
        }
    }

    fn browse(&mut self, at: Option<EntryId>) {
        self.wanted.push_back(Wanted::Browser(at));
    }

    fn help(&mut self) {
        self.overlay = Some(Overlay::of("Keys".into(), help::passages()));
    }
}
