//! What can wake a prompt: input, signals and orders from elsewhere, in the order they came.

#![expect(clippy::wildcard_enum_match_arm, reason = "what is not looked for keeps its turn")]

use std::collections::VecDeque;
use std::io;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use signal_hook::consts::signal::{SIGCONT, SIGTSTP};

use crate::burst::Arrival;
use crate::chat::ChatOrder;
use crate::inbox::InboxOrder;
use crate::remote::Order;

/// One reason to wake up.
pub(crate) enum Wake {
    /// A key, at a desk that draws.
    Arrival(Arrival),
    /// A line, at a plain desk.
    Line(Line),
    InputLost(io::Error),
    Signal(i32),
    /// Somebody elsewhere has a say in the ask of this number.
    Order(u64, Order),
    /// Something is to be shown in the chat.
    Chat(ChatOrder),
    /// Something is to be shown in the inbox.
    Inbox(InboxOrder),
}

/// A line as the terminal handed it over, with its end, and when it began. Without its end, the
/// input was closed.
pub(crate) struct Line {
    pub(crate) bytes: Vec<u8>,
    pub(crate) at: Instant,
}

/// A queue of wakes that can be looked into ahead of time without losing one. It outlives the
/// prompts, one after the other.
pub(crate) struct Wakes {
    sender: Sender<Wake>,
    receiver: Receiver<Wake>,
    /// Looked at early; their turn is next.
    pending: VecDeque<Wake>,
    /// What is open. Orders for any other ask come too late.
    open: Open,
    /// What is to be shown in the chat when it is back.
    for_chat: VecDeque<ChatOrder>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Open {
    Ask(u64),
    Chat,
    Inbox,
}

impl Wakes {
    pub(crate) fn new() -> Self {
        let (sender, receiver) = mpsc::channel();
        Self {
            sender,
            receiver,
            pending: VecDeque::new(),
            open: Open::Ask(0),
            for_chat: VecDeque::new(),
        }
    }

    /// Where wakes are sent to.
    pub(crate) fn sender(&self) -> Sender<Wake> {
        self.sender.clone()
    }

    /// Forgets what was meant for the asks before `ask`, but no signal that asked the process to
    /// end.
    pub(crate) fn begin(&mut self, ask: u64) {
        self.open(Open::Ask(ask));
    }

    /// Forgets what was meant for asks, and shows what was meant for the chat.
    pub(crate) fn begin_chat(&mut self) {
        self.open(Open::Chat);
        for order in self.for_chat.drain(..).rev() {
            self.pending.push_front(Wake::Chat(order));
        }
    }

    /// Forgets what was meant for anything else than the inbox.
    pub(crate) fn begin_inbox(&mut self) {
        self.open(Open::Inbox);
    }

    fn open(&mut self, open: Open) {
        self.open = open;
        self.pending.extend(self.receiver.try_iter());
        for wake in std::mem::take(&mut self.pending) {
            let keep = match wake {
                Wake::Signal(signal) => !matches!(signal, SIGCONT | SIGTSTP),
                Wake::Order(number, _) => open == Open::Ask(number),
                Wake::Inbox(_) => open == Open::Inbox,
                Wake::Chat(order) => {
                    self.keep_for_chat(order);
                    continue;
                }
                Wake::Arrival(_) | Wake::Line(_) | Wake::InputLost(_) => false,
            };
            if keep {
                self.pending.push_back(wake);
            }
        }
    }

    /// Keeps an order until the chat is back. Of how things stand, only the last word counts.
    fn keep_for_chat(&mut self, order: ChatOrder) {
        if let ChatOrder::Status(_) = order {
            self.for_chat.retain(|earlier| !matches!(earlier, ChatOrder::Status(_)));
        }
        self.for_chat.push_back(order);
    }

    /// The order to close that came before its ask began, if there was one.
    pub(crate) fn closed_already(&mut self) -> Option<Vec<String>> {
        self.pending.iter_mut().find_map(|wake| match wake {
            Wake::Order(_, Order::Close(lines)) => Some(std::mem::take(lines)),
            _ => None,
        })
    }

    /// Waits for the next wake, for ever without a `wait`. Orders for another ask are none, and
    /// those for a chat wait until it is back.
    pub(crate) fn next(&mut self, wait: Option<Duration>) -> Result<Wake, RecvTimeoutError> {
        let start = Instant::now();
        loop {
            let wake = match (self.pending.pop_front(), wait) {
                (Some(wake), _) => wake,
                (None, Some(wait)) => {
                    self.receiver.recv_timeout(wait.saturating_sub(start.elapsed()))?
                }
                (None, None) => self.receiver.recv()?,
            };
            match wake {
                Wake::Order(number, _) if self.open != Open::Ask(number) => {}
                Wake::Chat(order) if self.open != Open::Chat => self.keep_for_chat(order),
                wake => return Ok(wake),
            }
        }
    }

    /// The next event, if one comes within `patience`. Anything else keeps its turn.
    #[expect(clippy::result_large_err, reason = "what is not wanted keeps its place")]
    pub(crate) fn next_arrival(&mut self, patience: Duration) -> Option<Arrival> {
        self.next_of(patience, |wake| match wake {
            Wake::Arrival(arrival) => Ok(arrival),
            other => Err(other),
        })
    }

    /// The next line, if one comes within `patience`. Anything else keeps its turn.
    #[expect(clippy::result_large_err, reason = "what is not wanted keeps its place")]
    pub(crate) fn next_line(&mut self, patience: Duration) -> Option<Line> {
        self.next_of(patience, |wake| match wake {
            Wake::Line(line) => Ok(line),
            other => Err(other),
        })
    }

    /// The next wake, if it comes within `patience` and is one of those. What is to be shown in a chat
    /// comes all the time, between the keys of a paste as well, and does not count.
    fn next_of<T>(
        &mut self,
        patience: Duration,
        one_of_those: impl Fn(Wake) -> Result<T, Wake>,
    ) -> Option<T> {
        let start = Instant::now();
        let mut passed = vec![];
        let found = loop {
            match self.next(Some(patience.saturating_sub(start.elapsed()))).map(&one_of_those) {
                Ok(Ok(found)) => break Some(found),
                Ok(Err(wake)) => {
                    let goes_on = matches!(wake, Wake::Chat(_) | Wake::Inbox(_));
                    passed.push(wake);
                    if !goes_on {
                        break None;
                    }
                }
                Err(_) => break None,
            }
        };
        for wake in passed.into_iter().rev() {
            self.put_back(wake);
        }
        found
    }

    /// Gives a wake its turn back.
    pub(crate) fn put_back(&mut self, wake: Wake) {
        self.pending.push_front(wake);
    }

    /// The signal to end that came together with the one to go on, if there was one. Those that
    /// stop and go on have done their work.
    pub(crate) fn end_after_stop(&mut self) -> Option<i32> {
        let mut end = None;
        let start = Instant::now();
        while start.elapsed() < Duration::from_millis(500)
            && let Ok(wake) = self.receiver.recv_timeout(Duration::from_millis(50))
        {
            match wake {
                Wake::Signal(SIGCONT | SIGTSTP) => {}
                Wake::Signal(signal) => end = Some(signal),
                other => self.pending.push_back(other),
            }
        }
        end
    }
}

#[cfg(test)]
mod tests {
    use signal_hook::consts::signal::SIGTERM;

    use super::*;
    use crate::chat::Status;

    const SOON: Option<Duration> = Some(Duration::ZERO);

    #[test]
    fn an_order_reaches_its_own_ask_and_no_other() {
        let mut wakes = Wakes::new();
        let sender = wakes.sender();
        let close = |ask| sender.send(Wake::Order(ask, Order::Close(vec![]))).unwrap();
        close(1);
        wakes.begin(2);
        assert_eq!(wakes.closed_already(), None);
        close(1);
        close(2);
        assert!(matches!(wakes.next(SOON), Ok(Wake::Order(2, _))));
        assert!(wakes.next(SOON).is_err());
        close(3);
        close(2);
        wakes.begin(3);
        assert_eq!(wakes.closed_already(), Some(vec![]), "it came early, and waits");
    }

    #[test]
    fn what_is_meant_for_the_chat_waits_until_it_is_back() {
        let mut wakes = Wakes::new();
        let sender = wakes.sender();
        let order = |order| sender.send(Wake::Chat(order)).unwrap();
        order(ChatOrder::Status(Status::Working));
        wakes.begin(1);
        order(ChatOrder::Growing(None));
        order(ChatOrder::Status(Status::Idle));
        assert!(wakes.next(SOON).is_err());
        wakes.begin_chat();
        assert!(matches!(wakes.next(SOON), Ok(Wake::Chat(ChatOrder::Growing(None)))));
        assert!(matches!(wakes.next(SOON), Ok(Wake::Chat(ChatOrder::Status(Status::Idle)))));
        order(ChatOrder::Close);
        assert!(matches!(wakes.next(SOON), Ok(Wake::Chat(ChatOrder::Close))));
        assert!(wakes.next(SOON).is_err());
    }

    #[test]
    fn what_is_shown_in_a_chat_does_not_part_the_keys_of_a_paste() {
        let mut wakes = Wakes::new();
        wakes.begin_chat();
        let sender = wakes.sender();
        let key = || {
            Wake::Arrival(Arrival {
                event: crossterm::event::Event::FocusGained,
                at: Instant::now(),
                more: false,
            })
        };
        let signal = Wake::Signal(SIGTERM);
        for wake in [
            Wake::Chat(ChatOrder::Close),
            key(),
            Wake::Chat(ChatOrder::Growing(None)),
            signal,
            key(),
        ] {
            sender.send(wake).unwrap();
        }
        assert!(wakes.next_arrival(Duration::ZERO).is_some());
        assert!(wakes.next_arrival(Duration::ZERO).is_none(), "a signal goes first");
        assert!(matches!(wakes.next(SOON), Ok(Wake::Chat(ChatOrder::Close))));
        assert!(matches!(wakes.next(SOON), Ok(Wake::Chat(ChatOrder::Growing(None)))));
        assert!(matches!(wakes.next(SOON), Ok(Wake::Signal(SIGTERM))));
        assert!(matches!(wakes.next(SOON), Ok(Wake::Arrival(_))));
    }

    #[test]
    fn a_signal_to_end_waits_for_the_next_ask_and_one_to_go_on_does_not() {
        let mut wakes = Wakes::new();
        for signal in [SIGCONT, SIGTERM, SIGTSTP] {
            wakes.sender().send(Wake::Signal(signal)).unwrap();
        }
        wakes.begin(1);
        assert!(matches!(wakes.next(SOON), Ok(Wake::Signal(SIGTERM))));
        assert!(wakes.next(SOON).is_err());
    }
}
