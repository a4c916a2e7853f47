use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use handraise_question::{AnswerForm, Ask, Limits, Resolution};
use serde_json::json;

use super::super::entry::Standing;
use super::super::fixtures::{entry, id};
use super::super::history::Finding;
use super::*;
use crate::palette::{Depth, Palette, Tone};
use crate::prompt::{Elsewhere, Input};

const PALETTE: Palette = Palette { depth: Depth::None, tone: Tone::Dark };

/// An inbox whose caller opens what is wanted at once, and somebody who presses a key each second.
struct Scene {
    inbox: Inbox,
    seconds: u64,
    wanted: Vec<Wanted>,
}

impl Scene {
    fn with(entries: Vec<Entry>) -> Self {
        let mut scene = Self { inbox: Inbox::new(Moment::default()), seconds: 100, wanted: vec![] };
        scene.put(entries, false);
        scene.order(InboxOrder::Away(false));
        scene
    }

    fn now(&self) -> Moment {
        let clock = self.seconds.cast_signed();
        Moment { since: Duration::from_secs(self.seconds), clock }
    }

    fn put(&mut self, entries: Vec<Entry>, new: bool) {
        self.order(InboxOrder::Put { entries, new });
    }

    fn order(&mut self, order: InboxOrder) {
        let now = self.now();
        self.inbox.take(order, now);
        self.settle();
    }

    fn settle(&mut self) {
        super::super::draw(&mut self.inbox, PALETTE, (80, 24));
        while let Some(wanted) = self.inbox.next_wanted() {
            if let Wanted::Open(id) = wanted {
                let now = self.now();
                self.inbox.open(id, opened(), now);
            } else {
                self.wanted.push(wanted);
            }
        }
        super::super::draw(&mut self.inbox, PALETTE, (80, 24));
    }

    fn press(&mut self, keys: &str) {
        for c in keys.chars() {
            self.seconds += 1;
            let code = match c {
                '⏎' => KeyCode::Enter,
                '␛' => KeyCode::Esc,
                '↓' => KeyCode::Down,
                c => KeyCode::Char(c),
            };
            let now = self.now();
            self.inbox.update(Input::Key(KeyEvent::new(code, KeyModifiers::NONE)), now);
            self.settle();
            self.seconds += 1;
            let now = self.now();
            self.inbox.update(Input::Tick, now);
            self.settle();
        }
    }

    /// Presses a key so many milliseconds after the last thing that happened.
    fn after(&mut self, milliseconds: u64, code: KeyCode) {
        let since = self.inbox.now.since + Duration::from_millis(milliseconds);
        let now = Moment { since, clock: self.now().clock };
        self.inbox.update(Input::Key(KeyEvent::new(code, KeyModifiers::NONE)), now);
        self.settle();
    }

    /// What was decided since this was asked last: which ask, and its first label.
    fn decided(&mut self) -> Vec<(EntryId, String)> {
        let label = |answers: handraise_question::Answers| {
            answers.forms().first().map(|form| form.selected.join(",")).unwrap_or_default()
        };
        let decided = self.wanted.drain(..).filter_map(|wanted| {
            let Wanted::Resolve(id, resolution) = wanted else { return None };
            let Resolution::Answered(answers) = resolution else { return Some((id, "?".into())) };
            Some((id, label(answers)))
        });
        decided.collect()
    }

    fn is_open(&self) -> Option<EntryId> {
        self.inbox.scene().map(|scene| scene.ask)
    }
}

fn opened() -> Opened {
    let json = json!({"questions": [{"question": "Which auth?", "header": "Auth", "options":
        [{"label": "JWT"}, {"label": "Cookies"}]}]});
    let ask = Ask::read(json.to_string().as_bytes(), &Limits::WIDE).unwrap().ask;
    Opened { ask: Ok(ask), guarded: 0, about: vec![], preamble: None }
}

fn ended(n: u8, asked: i64) -> Entry {
    let standing = Standing::Ended(vec!["● Answered by ann in the browser:".into()]);
    Entry { standing, ..entry(n, asked) }
}

#[test]
fn an_answer_is_given_once_and_the_next_ask_is_opened_by_a_key() {
    let mut scene = Scene::with(vec![entry(1, 10), entry(2, 20)]);
    scene.press("⏎2");
    assert_eq!(scene.decided(), [(id(1), "Cookies".to_owned())]);
    scene.press("2⏎⏎1");
    assert_eq!(scene.decided(), [], "it is on its way");
    scene.order(InboxOrder::Sent { id: id(1), outcome: Sent::Taken });
    scene.put(vec![ended(1, 10)], false);
    scene.press("2⏎1 ");
    assert_eq!(scene.decided(), [], "it has ended, and nothing else was opened");
    scene.press("n");
    assert_eq!(scene.is_open(), Some(id(2)));
    scene.press("1");
    assert_eq!(scene.decided(), [(id(2), "JWT".to_owned())]);
}

#[test]
fn an_enter_right_behind_the_one_that_opens_answers_nothing() {
    let mut scene = Scene::with(vec![entry(1, 10)]);
    let enter = || Input::Key(KeyEvent::new(KeyCode::Enter, KeyModifiers::NONE));
    for milliseconds in [0, 150, 300] {
        let since = Duration::from_secs(200) + Duration::from_millis(milliseconds);
        scene.inbox.update(enter(), Moment { since, clock: 200 });
        scene.settle();
    }
    scene.seconds = 300;
    scene.press("");
    assert_eq!(scene.is_open(), Some(id(1)));
    assert_eq!(scene.decided(), []);
    scene.press("⏎");
    assert_eq!(scene.decided().len(), 1, "a while later it is meant");
}

#[test]
fn what_ends_elsewhere_stays_until_it_is_left_and_takes_no_keys() {
    let mut scene = Scene::with(vec![entry(1, 10), entry(2, 20)]);
    scene.press("⏎");
    scene.put(vec![ended(1, 10)], false);
    scene.press("1⏎2");
    assert_eq!(scene.decided(), []);
    assert_eq!(scene.inbox.asks.list.selected(), Some(id(1)));
    scene.press("␛↓");
    assert_eq!(scene.inbox.asks.list.selected(), Some(id(2)));
    assert!(scene.inbox.asks.get(id(1)).is_none(), "left, it is gone");
}

#[test]
fn keys_meant_for_an_ask_that_ends_reach_no_other() {
    let down = [KeyCode::Down, KeyCode::Down, KeyCode::Enter];
    let letters = [KeyCode::Char('n'), KeyCode::Char('1'), KeyCode::Tab, KeyCode::Char(']')];
    for keys in [&down[..], &letters[..]] {
        let mut scene = Scene::with(vec![entry(1, 10), entry(2, 20)]);
        scene.press("⏎");
        scene.put(vec![ended(1, 10)], false);
        for code in keys {
            scene.after(300, *code);
        }
        assert_eq!(scene.inbox.asks.list.selected(), Some(id(1)));
        assert_eq!(scene.decided(), []);
        assert!(scene.inbox.end_notice().is_some());
        let rested = scene.inbox.next_tick();
        scene.inbox.update(Input::Tick, Moment { since: rested, clock: 0 });
        assert_eq!(scene.inbox.end_notice(), None);
        scene.after(700, KeyCode::Down);
        scene.after(700, KeyCode::Char('j'));
        scene.after(700, KeyCode::Tab);
        assert_eq!(scene.inbox.asks.list.selected(), Some(id(1)), "these never lead to another");
        scene.after(700, KeyCode::Char('n'));
        assert_eq!(scene.is_open(), Some(id(2)));
    }
}

#[test]
fn letters_of_a_text_whose_ask_ends_are_letters_until_esc() {
    let mut scene = Scene::with(vec![entry(1, 10), entry(2, 20)]);
    scene.press("⏎3ab");
    scene.put(vec![ended(1, 10)], false);
    scene.press("n[]x1⏎j");
    assert_eq!(scene.inbox.asks.list.selected(), Some(id(1)), "however slowly somebody types");
    scene.after(700, KeyCode::Esc);
    scene.after(300, KeyCode::Char('n'));
    assert_eq!(scene.inbox.asks.list.selected(), Some(id(1)), "the note behind the text");
    scene.after(700, KeyCode::Char('n'));
    assert_eq!(scene.is_open(), Some(id(2)));
    assert_eq!(scene.inbox.unsent()[0].1, ["ab"]);
    assert_eq!(scene.decided(), []);
}

#[test]
fn an_end_that_does_not_fit_scrolls_and_leads_nowhere_else() {
    let lines = (1..=60).map(|n| format!("line {n}")).collect();
    let long = Entry { standing: Standing::Ended(lines), ..entry(1, 10) };
    let mut scene = Scene::with(vec![entry(1, 10), entry(2, 20)]);
    scene.press("⏎");
    scene.put(vec![long], false);
    let beyond = |scene: &Scene| scene.inbox.asks.selected().unwrap().end.beyond();
    let (_, below) = beyond(&scene);
    assert!(below > 20, "{below}");
    scene.after(300, KeyCode::Down);
    assert_eq!(beyond(&scene), (0, below), "that was meant for the question");
    scene.after(700, KeyCode::Down);
    assert_eq!(beyond(&scene), (1, below - 1));
    for code in [KeyCode::PageDown, KeyCode::Char(' '), KeyCode::Char('j'), KeyCode::End] {
        scene.after(100, code);
    }
    assert_eq!(beyond(&scene), (below, 0));
    scene.after(100, KeyCode::Up);
    assert_eq!(beyond(&scene), (below - 1, 1));
    scene.after(100, KeyCode::Home);
    assert_eq!(beyond(&scene), (0, below));
    assert_eq!(scene.inbox.asks.list.selected(), Some(id(1)));
    assert_eq!(scene.decided(), []);
}

#[test]
fn dismissing_waits_for_a_rest_as_well_and_esc_does_not() {
    let mut scene = Scene::with(vec![entry(1, 10), entry(2, 20)]);
    scene.press("⏎");
    scene.put(vec![ended(1, 10)], false);
    scene.after(300, KeyCode::Char('x'));
    assert!(scene.inbox.asks.get(id(1)).is_some());
    scene.after(300, KeyCode::Esc);
    assert!(matches!(scene.inbox.view, View::List));
}

#[test]
fn an_answer_given_here_keeps_nobody_waiting() {
    let mut scene = Scene::with(vec![entry(1, 10), entry(2, 20)]);
    scene.press("⏎1");
    scene.put(vec![ended(1, 10)], false);
    scene.order(InboxOrder::Sent { id: id(1), outcome: Sent::Taken });
    scene.after(1, KeyCode::Char('n'));
    assert_eq!(scene.is_open(), Some(id(2)));
}

#[test]
fn words_survive_other_asks_and_an_answer_from_elsewhere() {
    let mut scene = Scene::with(vec![entry(1, 10), entry(2, 20)]);
    scene.press("⏎3my own␛␛↓⏎");
    assert_eq!(scene.is_open(), Some(id(2)));
    scene.put(vec![ended(1, 10)], false);
    let unsent = scene.inbox.unsent();
    assert_eq!(unsent.len(), 1);
    assert_eq!(unsent[0].1, ["my own"]);
    scene.press("[");
    assert_eq!(scene.inbox.asks.list.selected(), Some(id(1)), "it can still be looked at");
    scene.press("x");
    assert_eq!(scene.inbox.unsent()[0].1, ["my own"], "dismissed, and still told on leaving");
    assert_eq!(scene.inbox.asks.list.selected(), Some(id(2)));
}

#[test]
fn a_refused_answer_can_be_given_again_and_a_late_one_keeps_its_words() {
    let mut scene = Scene::with(vec![entry(1, 10)]);
    scene.press("⏎3ab⏎");
    assert_eq!(scene.decided().len(), 1);
    scene.order(InboxOrder::Sent { id: id(1), outcome: Sent::Refused("no room".into()) });
    scene.press("1");
    assert_eq!(scene.decided(), [(id(1), "JWT".to_owned())]);
    scene.order(InboxOrder::Sent { id: id(1), outcome: Sent::Late });
    assert!(scene.inbox.notice.as_deref().is_some_and(|notice| notice.contains("Too late")));
    scene.put(vec![ended(1, 10)], false);
    assert_eq!(scene.inbox.unsent()[0].1, ["ab"]);
}

#[test]
fn what_was_typed_elsewhere_is_taken_up_unless_something_was_done_here() {
    let form = AnswerForm { words: Some("from the page".into()), ..AnswerForm::default() };
    let elsewhere = Elsewhere { answers: vec![form], ..Elsewhere::default() };
    let take_up = || {
        let elsewhere = elsewhere.clone();
        InboxOrder::TakeUp { id: id(1), version: 3, elsewhere, over: None }
    };
    let mut scene = Scene::with(vec![entry(1, 10)]);
    scene.press("⏎");
    scene.order(take_up());
    assert_eq!(scene.inbox.unsent()[0].1, ["from the page"]);
    assert!(!scene.wanted.iter().any(|wanted| matches!(wanted, Wanted::Draft(..))), "no news");
    let mut scene = Scene::with(vec![entry(1, 10)]);
    scene.press("⏎3here");
    scene.order(take_up());
    assert_eq!(scene.inbox.unsent()[0].1, ["here"]);
    assert!(scene.wanted.iter().any(|wanted| matches!(wanted, Wanted::Draft(..))));
}

#[test]
fn what_was_typed_elsewhere_since_is_taken_up_over_what_stands_here_and_over_nothing_else() {
    let words = |words: &str| {
        let form = AnswerForm { words: Some(words.into()), ..AnswerForm::default() };
        Elsewhere { answers: vec![form], ..Elsewhere::default() }
    };
    let mut scene = Scene::with(vec![entry(1, 10)]);
    scene.press("⏎");
    let first = InboxOrder::TakeUp { id: id(1), version: 3, elsewhere: words("one"), over: None };
    scene.order(first);
    let taken = scene.wanted.iter().find_map(|wanted| {
        if let Wanted::TakenUp(_, 3, here) = wanted { Some(here.clone()) } else { None }
    });
    let over = taken.unwrap();
    let newer = |version, text: &str| {
        let over = Some(over.clone());
        InboxOrder::TakeUp { id: id(1), version, elsewhere: words(text), over }
    };
    scene.order(newer(4, "two"));
    assert_eq!(scene.inbox.unsent()[0].1, ["two"]);
    scene.order(newer(5, "three"));
    assert_eq!(scene.inbox.unsent()[0].1, ["two"], "it is another by now");
}

#[test]
fn that_something_else_was_typed_elsewhere_is_said_as_long_as_it_is_so() {
    let mut scene = Scene::with(vec![entry(1, 10), entry(2, 20)]);
    let says = |scene: &mut Scene| {
        let buf = super::super::draw(&mut scene.inbox, PALETTE, (80, 24)).buf;
        let text: String = buf.content.iter().map(ratatui::buffer::Cell::symbol).collect();
        text.contains("Both are kept")
    };
    scene.press("⏎3here");
    assert!(!says(&mut scene));
    scene.order(InboxOrder::Divided { id: id(1), divided: true });
    assert!(says(&mut scene));
    scene.press(" too␛");
    assert!(says(&mut scene), "no key takes it away");
    assert_eq!(scene.inbox.unsent()[0].1, ["here too"], "and none is lost to it");
    scene.press("]");
    assert!(!says(&mut scene), "it is about the other one");
    scene.press("[");
    assert!(says(&mut scene), "and still so");
    scene.order(InboxOrder::Divided { id: id(1), divided: false });
    assert!(!says(&mut scene));
    scene.order(InboxOrder::Divided { id: id(1), divided: true });
    scene.put(vec![ended(1, 10)], false);
    assert!(!says(&mut scene), "it has ended");
}

#[test]
fn a_text_that_decides_nothing_elsewhere_decides_nothing_here() {
    let form = AnswerForm { words: Some("mind the cache".into()), ..AnswerForm::default() };
    let elsewhere = Elsewhere { answers: vec![form], undecided: true, ..Elsewhere::default() };
    let mut scene = Scene::with(vec![entry(1, 10)]);
    scene.press("⏎");
    scene.order(InboxOrder::TakeUp { id: id(1), version: 1, elsewhere, over: None });
    assert_eq!(scene.inbox.unsent()[0].1, ["mind the cache"]);
    let page = scene.inbox.asks.selected().unwrap().page.as_ref().unwrap();
    let (_, draft) = page.prompt.as_ref().unwrap().question(0).unwrap();
    assert!(!draft.has_choice());
    scene.press("3⏎");
    assert_eq!(scene.decided().len(), 1, "until it is chosen");
}

#[test]
fn an_ask_that_is_shown_again_is_told() {
    let mut scene = Scene::with(vec![entry(1, 10), entry(2, 20)]);
    let again = |scene: &mut Scene| {
        let again = scene.wanted.drain(..).filter(|wanted| *wanted == Wanted::Again(id(1)));
        again.count()
    };
    scene.press("⏎");
    assert_eq!(again(&mut scene), 0, "it was opened just now");
    scene.press("␛⏎");
    assert_eq!(again(&mut scene), 1);
    scene.press("][");
    assert_eq!(again(&mut scene), 1);
}

#[test]
fn what_has_ended_waits_again_only_when_the_hub_begins_anew() {
    let mut scene = Scene::with(vec![entry(1, 10), entry(2, 20)]);
    scene.press("⏎");
    scene.put(vec![ended(1, 10)], false);
    scene.put(vec![entry(1, 10)], false);
    assert_eq!(scene.is_open(), None, "old news");
    scene.order(InboxOrder::Doubt);
    scene.put(vec![entry(1, 10)], false);
    assert_eq!(scene.is_open(), Some(id(1)));
}

#[test]
fn a_search_that_fails_ends_and_says_so() {
    let mut scene = Scene::with(vec![]);
    scene.press("h");
    scene.order(InboxOrder::NotFound { text: String::new(), why: "the hub is away".into() });
    let View::History(history) = &scene.inbox.view else { unreachable!() };
    assert_eq!(history.finding, Finding::Failed);
    assert_eq!(scene.inbox.notice.as_deref(), Some("the hub is away"));
}

#[test]
fn a_filter_shows_fewer_and_what_is_new_is_filtered_as_well() {
    let mut scene = Scene::with((1..=9).map(|n| entry(n, n.into())).collect());
    scene.press("/SHOP-3⏎");
    assert_eq!((scene.inbox.asks.list.len(), scene.inbox.asks.list.selected()), (1, Some(id(3))));
    scene.put(vec![entry(30, 5), entry(40, 6)], true);
    assert_eq!(scene.inbox.asks.list.len(), 2);
    scene.press("␛");
    assert_eq!((scene.inbox.asks.list.len(), scene.inbox.asks.list.selected()), (11, Some(id(3))));
}

#[test]
fn somebody_is_called_only_when_nobody_looks() {
    let mut scene = Scene::with(vec![entry(1, 10)]);
    let rings = |scene: &mut Scene| {
        let rung = scene.wanted.drain(..).filter(|wanted| matches!(wanted, Wanted::Ring(_)));
        rung.count()
    };
    assert_eq!(rings(&mut scene), 0, "what was there before is not new");
    scene.put(vec![entry(2, 20), entry(3, 20)], true);
    assert_eq!(rings(&mut scene), 1, "nobody has pressed a key, and one call is enough");
    scene.press("↓");
    scene.put(vec![entry(4, 20)], true);
    assert_eq!(rings(&mut scene), 0, "somebody is there");
    scene.inbox.focus(false);
    scene.put(vec![entry(5, 20)], true);
    assert_eq!(rings(&mut scene), 1, "and looks elsewhere");
    scene.inbox.focus(true);
    scene.seconds += 61;
    scene.put(vec![entry(6, 20)], true);
    assert_eq!(rings(&mut scene), 1, "or has gone away");
}

#[test]
fn silence_is_for_the_hub_to_tell_and_costs_no_time() {
    let mut scene = Scene::with(vec![Entry { deadline: Some(103), ..entry(1, 10) }]);
    scene.press("⏎↓↓");
    assert_eq!(scene.decided(), []);
    assert!(scene.inbox.next_tick() > scene.now().since, "it does not spin");
    scene.put(vec![Entry { deadline: Some(500), ..entry(1, 10) }], false);
    scene.press("1");
    assert_eq!(scene.decided().len(), 1);
}

#[test]
fn an_alarm_stands_on_top_until_it_is_dismissed() {
    let alarm = Entry { standing: Standing::Alarm(vec!["⚠ taken".into()]), ..entry(9, 90) };
    let mut scene = Scene::with(vec![entry(1, 10)]);
    scene.put(vec![alarm.clone()], false);
    assert_eq!(scene.inbox.asks.list.selected(), Some(id(1)), "and does not take the focus");
    scene.press("kx");
    scene.put(vec![alarm], false);
    assert_eq!(scene.inbox.asks.list.len(), 1);
}
