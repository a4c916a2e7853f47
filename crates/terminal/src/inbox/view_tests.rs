use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use handraise_question::{Ask, Limits};
use proptest::prelude::*;
use ratatui::layout::Position;
use serde_json::json;

use super::super::entry::{Entry, EntryId, Kind, Opened, Past, Standing};
use super::super::fixtures::{entry, id};
use super::super::orders::{InboxOrder, Sent, Wanted};
use super::super::overlay::Passage;
use super::super::state::{Inbox, Moment};
use super::draw;
use crate::full::Picture;
use crate::palette::{Depth, Palette, Tone};
use crate::prompt::Input;

const PALETTE: Palette = Palette { depth: Depth::True, tone: Tone::Dark };
const SIZES: [(u16, u16); 3] = [(40, 10), (80, 24), (200, 60)];
const NOW: i64 = 10_000;

struct Scene {
    inbox: Inbox,
    seconds: u64,
    size: (u16, u16),
}

impl Scene {
    fn new(size: (u16, u16)) -> Self {
        let now = Moment { since: Duration::ZERO, clock: NOW };
        Self { inbox: Inbox::new(now), seconds: 0, size }
    }

    fn now(&self) -> Moment {
        Moment { since: Duration::from_secs(self.seconds), clock: NOW }
    }

    fn order(&mut self, order: InboxOrder) {
        let now = self.now();
        self.inbox.take(order, now);
        self.picture();
    }

    fn press(&mut self, keys: &str) {
        for c in keys.chars() {
            let code = match c {
                '⏎' => KeyCode::Enter,
                '␛' => KeyCode::Esc,
                '↓' => KeyCode::Down,
                c => KeyCode::Char(c),
            };
            self.seconds += 1;
            let now = self.now();
            self.inbox.update(Input::Key(KeyEvent::new(code, KeyModifiers::NONE)), now);
            self.picture();
            self.seconds += 1;
            let now = self.now();
            self.inbox.update(Input::Tick, now);
            self.picture();
        }
    }

    /// The screen as text, the cursor marked by `█`.
    fn picture(&mut self) -> String {
        loop {
            let Picture { mut buf, cursor, .. } = draw(&mut self.inbox, PALETTE, self.size);
            let mut opened_one = false;
            while let Some(wanted) = self.inbox.next_wanted() {
                if let Wanted::Open(id) = wanted {
                    let now = self.now();
                    self.inbox.open(id, opened(id), now);
                    opened_one = true;
                }
            }
            if opened_one {
                continue;
            }
            if let Some(at) = cursor {
                buf[at].set_symbol("█");
            }
            let row = |y| {
                let mut line = String::new();
                let mut x = 0;
                while x < self.size.0 {
                    let symbol = buf[Position::new(x, y)].symbol();
                    x += u16::try_from(unicode_width::UnicodeWidthStr::width(symbol).max(1))
                        .unwrap();
                    line.push_str(symbol);
                }
                line.trim_end().to_owned()
            };
            return (0..self.size.1).map(row).collect::<Vec<_>>().join("\n");
        }
    }
}

fn opened(id: EntryId) -> Opened {
    let question = match id.0[0] {
        3 => json!({"question": "May it use Bash?\n\ncommand: rm -r build\ntimeout: 60",
            "header": "Bash", "options": [{"label": "Allow"},
            {"label": "Deny", "description": "Under Other: deny, and say why"}]}),
        _ => json!({"question": "Which library should we use for dates?", "header": "Library",
            "options": [{"label": "jiff (Recommended)", "description": "Correct by default"},
            {"label": "chrono", "description": "Used in the old service"}]}),
    };
    let json = json!({"questions": [question]});
    let ask = Ask::read(json.to_string().as_bytes(), &Limits::WIDE).unwrap().ask;
    let preamble = "I have read the service.\nIt parses dates in four places.\n\nTwo of them \
        disagree about time zones, so before I go on I need to know which library is to stay.";
    let about = vec!["/home/ann/shop on devbox".into()];
    Opened { ask: Ok(ask), guarded: 0, about, preamble: Some(preamble.into()) }
}

fn entries() -> Vec<Entry> {
    let mut entries: Vec<Entry> = (4..=40).map(|n| entry(n, NOW - 60 * i64::from(n))).collect();
    entries.push(Entry {
        headline: "Library: Which library should we use for dates?".into(),
        title: Some("clean up dates".into()),
        ..entry(1, NOW - 100_000)
    });
    entries.push(Entry {
        deadline: Some(NOW + 250),
        project: "日本語のプロジェクト".into(),
        ..entry(2, NOW - 9_000)
    });
    let headline = "May it use Bash: rm -r build\u{1b}[2J".into();
    entries.push(Entry { kind: Kind::Approval, headline, ..entry(3, NOW - 90_000) });
    entries.push(Entry {
        standing: Standing::Alarm(vec![
            "⚠ The agent went on, but nobody gave this answer: it came after 0.2 s".into(),
            String::new(),
            "● Answered in the agent's own dialog:".into(),
            "✔ Deploy: yes".into(),
        ]),
        headline: "Deploy: Shall I deploy now?".into(),
        ..entry(50, NOW - 500)
    });
    entries
}

fn with_asks(size: (u16, u16)) -> Scene {
    let mut scene = Scene::new(size);
    scene.order(InboxOrder::Put { entries: entries(), new: false });
    scene.order(InboxOrder::Away(false));
    scene
}

fn ended(n: u8) -> Entry {
    let lines = ["● Answered by ann in the browser:", "✔ Library: chrono"];
    Entry {
        standing: Standing::Ended(lines.map(str::to_owned).to_vec()),
        ..entries().into_iter().find(|e| e.id == id(n)).unwrap()
    }
}

fn at_three_sizes(name: &str, act: impl Fn(&mut Scene)) {
    for size in SIZES {
        let mut scene = with_asks(size);
        act(&mut scene);
        let (width, height) = size;
        insta::assert_snapshot!(format!("{name}_{width}x{height}"), scene.picture());
    }
}

/// To the ask with the question about dates, from the alarm on top.
const TO_LIBRARY: &str = "↓↓";

#[test]
fn the_list() {
    at_three_sizes("list", |scene| scene.press(TO_LIBRARY));
}

#[test]
fn nothing_waits() {
    for size in SIZES {
        let mut scene = Scene::new(size);
        scene.order(InboxOrder::Away(false));
        insta::assert_snapshot!(format!("empty_{}x{}", size.0, size.1), scene.picture());
    }
}

#[test]
fn an_ask_is_open() {
    at_three_sizes("ask", |scene| scene.press("↓↓⏎"));
}

#[test]
fn something_else_was_typed_elsewhere() {
    at_three_sizes("divided", |scene| {
        scene.press("↓↓⏎3my own words");
        scene.order(InboxOrder::Divided { id: id(1), divided: true });
    });
}

#[test]
fn an_approval_is_open() {
    at_three_sizes("approval", |scene| scene.press("↓↓↓⏎"));
}

#[test]
fn an_alarm_is_open() {
    at_three_sizes("alarm", |scene| scene.press("⏎"));
}

#[test]
fn an_answer_from_elsewhere() {
    at_three_sizes("elsewhere", |scene| {
        scene.press("↓↓⏎3my own words");
        scene.order(InboxOrder::Put { entries: vec![ended(1)], new: false });
    });
}

#[test]
fn an_end_that_does_not_fit() {
    at_three_sizes("long_end", |scene| {
        scene.press("↓↓⏎");
        let lines = (1..=80).map(|n| format!("✔ Line {n} of what was answered elsewhere"));
        let standing = Standing::Ended(lines.collect());
        scene.order(InboxOrder::Put { entries: vec![Entry { standing, ..ended(1) }], new: false });
        scene.press("↓↓");
    });
}

#[test]
fn an_answer_given_here() {
    at_three_sizes("answered", |scene| {
        scene.press("↓↓⏎2");
        scene.order(InboxOrder::Sent { id: id(1), outcome: Sent::Taken });
        scene.order(InboxOrder::Put { entries: vec![ended(1)], new: false });
    });
}

#[test]
fn the_hub_is_away() {
    at_three_sizes("away", |scene| {
        scene.order(InboxOrder::Away(true));
        scene.press("↓↓⏎2");
    });
}

#[test]
fn a_filter() {
    at_three_sizes("filter", |scene| scene.press("/shop-2"));
}

#[test]
fn what_was_decided() {
    let past = |n: u8| Past {
        when: format!("2026-11-{n:02} 09:30"),
        by: "ann".into(),
        project: format!("shop-{n}"),
        headline: "✔ Database: SQLite — Database: Which database should we use?".into(),
        whole: "Which database should we use?\n\n● Answered by ann:\n✔ Database: SQLite".into(),
    };
    let found = || InboxOrder::Found {
        text: "sqlite".into(),
        past: (1..=30).map(past).collect(),
        more: true,
    };
    at_three_sizes("history", |scene| {
        scene.press("hsqlite⏎");
        scene.order(found());
        scene.press("↓↓");
    });
    at_three_sizes("history_whole", |scene| {
        scene.press("hsqlite⏎");
        scene.order(found());
        scene.press("⏎");
    });
}

#[test]
fn the_keys() {
    at_three_sizes("help", |scene| scene.press("?"));
}

#[test]
fn a_link() {
    let show = || {
        let ask = "http://127.0.0.1:4731/#/ask/019a0000-0000-7000-8000-000000000000";
        let login = format!("http://127.0.0.1:4731/#login={}", "a".repeat(43));
        let passages = vec![
            Passage::Address(ask.into()),
            Passage::Words("\nIn one that is not:".into()),
            Passage::Address(login),
            Passage::Words("\nIt works once.".into()),
        ];
        InboxOrder::Show { title: "Open this in a browser that is logged in".into(), passages }
    };
    at_three_sizes("link", |scene| scene.order(show()));
    for (size, rows) in SIZES.into_iter().zip([&[2, 6][..], &[], &[]]) {
        let mut scene = with_asks(size);
        scene.order(show());
        assert_eq!(draw(&mut scene.inbox, PALETTE, size).going_on, rows, "{size:?}");
    }
}

#[test]
fn a_screen_can_be_as_wide_as_terminals_say() {
    with_asks((u16::MAX, 20)).picture();
}

proptest! {
    /// No size is too small, and no key breaks anything.
    #[test]
    fn every_size_can_be_drawn(width in 1_u16..130, height in 1_u16..40,
                               keys in "[↓⏎␛nxdjkoqhw?/\\[\\]1-4]{0,20}") {
        let mut scene = with_asks((width, height));
        scene.press(&keys);
        scene.order(InboxOrder::Put { entries: vec![ended(1)], new: true });
        scene.picture();
    }
}
