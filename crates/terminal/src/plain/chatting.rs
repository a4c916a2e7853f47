//! A chat as lines: printed as they come, sent as they are typed.

use std::fs::File;
use std::io::{self, Write};
use std::sync::mpsc::RecvTimeoutError;
use std::time::Instant;

use signal_hook::consts::signal::{SIGCONT, SIGINT, SIGTSTP};
use signal_hook::low_level::emulate_default_handler;

use super::dialogue::Heard;
use super::{Lines, TOGETHER, line_of};
use crate::chat::{
    ChatLine, ChatOrder, Conversation, Effect, Read, Said, Status, first_line, read,
};
use crate::clean::visible;
use crate::signals::{self, Diverted, can_stop};
use crate::wakes::{Wake, Wakes};

/// A chat that is open.
pub(crate) struct PlainChat<'a> {
    out: &'a File,
    lines: &'a Lines,
    wakes: &'a mut Wakes,
    conversation: &'a mut Conversation,
    /// What was typed and goes on in the next line.
    begun: String,
    _signals: Diverted,
}

impl Lines {
    /// Opens a chat.
    pub(crate) fn chat<'a>(
        &'a self,
        tty: &'a File,
        wakes: &'a mut Wakes,
        conversation: &'a mut Conversation,
    ) -> io::Result<PlainChat<'a>> {
        signals::listen()?;
        let signals = signals::divert(wakes.sender());
        self.read();
        let begun = conversation.take_typed();
        Ok(PlainChat { out: tty, lines: self, wakes, conversation, begun, _signals: signals })
    }
}

impl PlainChat<'_> {
    pub(crate) fn next(&mut self) -> io::Result<Said> {
        loop {
            match self.wakes.next(None) {
                Ok(Wake::Line(line)) => {
                    if let Some(said) = self.heard(line.bytes)? {
                        return Ok(said);
                    }
                }
                Ok(Wake::Chat(ChatOrder::Close)) => return Ok(Said::Closed),
                Ok(Wake::Chat(order)) => self.show(order)?,
                Ok(Wake::Signal(signal @ (SIGTSTP | SIGCONT))) => {
                    if signal == SIGTSTP && can_stop() {
                        emulate_default_handler(SIGTSTP)?;
                    }
                }
                Ok(Wake::Signal(SIGINT)) => match self.conversation.ctrl_c(Instant::now()) {
                    Some(Effect::Leave) => return Ok(Said::Leave),
                    Some(_) => return Ok(Said::Interrupt),
                    None => writeln!(self.out, "\nCtrl-C again leaves.")?,
                },
                Ok(Wake::Signal(signal)) => return Ok(Said::Signalled(signal)),
                Ok(Wake::InputLost(error)) => return Err(error),
                // A plain desk reads no keys, and an ask is none of a chat's business.
                Ok(Wake::Arrival(_) | Wake::Order(..) | Wake::Inbox(_))
                | Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(Said::Leave),
            }
        }
    }

    /// What a line means, together with those that were pasted along with it.
    fn heard(&mut self, bytes: Vec<u8>) -> io::Result<Option<Said>> {
        let mut text = std::mem::take(&mut self.begun);
        let mut next = Some(bytes);
        while let Some(bytes) = next {
            match line_of(bytes) {
                Ok(line) => text += &line,
                Err(Heard::Unusable(why)) => {
                    writeln!(self.out, "{why}")?;
                    self.begun = text;
                    return Ok(None);
                }
                Err(_) => return Ok(Some(Said::Leave)),
            }
            next = self.wakes.next_line(TOGETHER).map(|line| line.bytes);
            if next.is_some() {
                text.push('\n');
            }
        }
        Ok(match read(&text) {
            Read::Nothing => None,
            Read::Leave => Some(Said::Leave),
            Read::Words(words) => Some(Said::Words(words)),
            Read::GoesOn(text) => {
                self.begun = text;
                write!(self.out, "… ")?;
                None
            }
        })
    }

    fn show(&mut self, order: ChatOrder) -> io::Result<()> {
        match &order {
            ChatOrder::Print(lines) => lines.iter().try_for_each(|line| self.print(line))?,
            ChatOrder::Waiting(texts) => {
                for text in self.conversation.not_yet_waiting(texts) {
                    writeln!(self.out, "(queued: {})", visible(text).replace('\n', " "))?;
                }
            }
            ChatOrder::Status(status) if *status != self.conversation.status() => {
                writeln!(self.out, "({})", words_of(*status))?;
            }
            // What is unfinished is said when it is finished.
            ChatOrder::Growing(_) | ChatOrder::Status(_) | ChatOrder::Close => {}
        }
        self.conversation.show(order);
        Ok(())
    }

    fn print(&mut self, line: &ChatLine) -> io::Result<()> {
        let set_in = format!("\n{}", " ".repeat(line.lead.chars().count()));
        let text = if line.brief { first_line(&line.text) } else { &line.text };
        let text = visible(text).replace('\n', &set_in);
        writeln!(self.out, "{}{text}", visible(&line.lead))
    }
}

fn words_of(status: Status) -> &'static str {
    match status {
        Status::Starting => "starting",
        Status::Working => "working; Ctrl-C interrupts",
        Status::Asking => "waiting for an answer; what you say is queued",
        Status::SetAside => "a question waits; /question shows it again",
        Status::Idle => "idle; type a line to say it, Ctrl-D leaves",
        Status::Stopped => "stopped; what you say starts it again",
        Status::Away => "the hub is away; what you say is sent when it is back",
    }
}

impl Drop for PlainChat<'_> {
    fn drop(&mut self) {
        self.conversation.keep_typed(&self.begun);
        self.lines.rest();
    }
}
