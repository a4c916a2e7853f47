//! Calling somebody who does not look.

use handraise_broker::Record;
use handraise_client::Home;
use handraise_notify::terminal::{Style, tap};
use handraise_notify::{Text, Words};

use crate::config::{Config, Ring};
use crate::environment;

/// How this terminal calls for attention.
pub(super) struct Ringing {
    /// Not at all, when absent.
    style: Option<Style>,
    text: Text,
}

impl Ringing {
    /// As the configuration says; one that makes no sense is for `handraise serve` to complain about.
    pub(super) fn of(home: &Home) -> Self {
        let notify = Config::read(home).unwrap_or_default().notify;
        let sequence = notify.terminal.unwrap_or(Ring::Bell).sequence();
        let through_tmux = environment::is_set("TMUX");
        let style = sequence.map(|sequence| Style { sequence, through_tmux });
        Self { style, text: notify.text }
    }

    /// The bytes that say that an ask has come.
    pub(super) fn ring(&self, record: &Record) -> Vec<u8> {
        let Some(style) = self.style else { return vec![] };
        let Words { title, body } = Words::of_new(record, self.text);
        tap(style, &title, &body)
    }
}
