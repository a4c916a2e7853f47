//! A morning's work: thirty asks of ten agents are worked through in the inbox, while new ones come,
//! others are answered on the page, and the hub is killed.

use std::collections::BTreeMap;

use handraise_broker::AskId;
use handraise_testkit::Browser;
use serde_json::json;

use crate::inbox_scene::{Scene, selected, way};

const ASKS: usize = 30;
const AGENTS: usize = 10;

/// What was asked, and what is to come of it.
struct Morning {
    scene: Scene,
    asked: BTreeMap<String, AskId>,
    /// Where each was answered, and what.
    given: BTreeMap<String, (&'static str, &'static str)>,
}

impl Morning {
    fn ask(&mut self) {
        let n = self.asked.len();
        let name = format!("Q{n:02}");
        let ask = self.scene.asks(&format!("agent-{}", n % AGENTS), way(&name));
        self.asked.insert(name, ask.id);
    }

    /// The name of the ask that is open on the screen, once it takes keys.
    fn open(&self) -> String {
        let screen = self.scene.tmux.wait_until("an open ask", |screen| {
            screen.contains("╭─ Q") && screen.contains("esc back")
        });
        let (_, rest) = screen.split_once("╭─ ").unwrap();
        rest[..3].to_owned()
    }

    /// Answers the ask that is open, here.
    fn answer_here(&mut self, name: &str) {
        let (key, label) =
            if self.given.len().is_multiple_of(2) { ("1", "Left") } else { ("2", "Right") };
        self.scene.tmux.press(&[key]);
        self.given.insert(name.to_owned(), ("terminal", label));
    }

    fn answered(&self, name: &str) {
        let (_, label) = self.given[name];
        self.scene.tmux.wait_for(&format!("in a terminal:\n✔ {name}: {label}"));
    }

    fn answer_on_page(&mut self, page: &mut Browser, name: &str) {
        page.unfold(self.asked[name]).check("Right").click("Submit");
        self.given.insert(name.to_owned(), ("web", "Right"));
    }

    /// One that waits and is not `name`.
    fn another(&self, name: &str) -> String {
        let waits = |other: &&String| *other != name && !self.given.contains_key(*other);
        self.asked.keys().rev().find(waits).unwrap().clone()
    }

    fn left(&self) -> usize {
        self.asked.len() - self.given.len()
    }

    /// Waits until the screen says how many wait.
    fn count(&self) {
        let wait = match self.left() {
            1 => "1 waits".to_owned(),
            left => format!(" {left} wait"),
        };
        self.scene.tmux.wait_for(&wait);
    }
}

#[test]
fn nothing_is_lost_and_the_focus_never_jumps() {
    let scene = Scene::new((80, 24));
    let mut morning = Morning { scene, asked: BTreeMap::new(), given: BTreeMap::new() };
    for _ in 0..ASKS {
        morning.ask();
    }
    let mut page = morning.scene.hub.browser();
    morning.scene.inbox();
    morning.count();

    // In the list: others come and go, the selected one stays, on its row.
    morning.scene.tmux.press(&["Down", "Down", "Down", "Down"]);
    let screen = morning.scene.tmux.wait_until("the fifth", |screen| {
        selected(screen).is_some_and(|(_, line)| line.contains("Q04"))
    });
    let before = selected(&screen).unwrap();
    morning.ask();
    morning.count();
    morning.answer_on_page(&mut page, "Q29");
    morning.answer_on_page(&mut page, "Q07");
    morning.count();
    let screen = morning.scene.tmux.screen();
    assert_eq!(selected(&screen), Some(before.clone()), "{screen}");
    assert!(!screen.contains("Q07"), "{screen}");
    // It is answered elsewhere itself, and still stays.
    morning.answer_on_page(&mut page, "Q04");
    morning.count();
    let screen = morning.scene.tmux.screen();
    let after = selected(&screen).unwrap();
    assert_eq!((after.0, after.1.contains("Q04")), (before.0, true), "{screen}");
    morning.scene.tmux.press(&["Enter"]);
    morning.scene.tmux.wait_for("● Answered by ann in the browser:\n✔ Q04: Right");
    morning.scene.tmux.press(&["1", "Enter", "n"]);

    let mut turn = 0;
    while morning.left() > 0 {
        turn += 1;
        let name = morning.open();
        assert!(!morning.given.contains_key(&name), "{name} was answered already");
        if turn % 4 == 0 && turn < 30 {
            morning.ask();
            morning.count();
        }
        if turn % 5 == 0 && morning.left() > 1 {
            let other = morning.another(&name);
            morning.answer_on_page(&mut page, &other);
            morning.count();
        }
        assert_eq!(morning.open(), name, "nothing but a key opens another");
        if turn % 9 == 0 {
            // Somebody else is faster; keys that were meant for it go nowhere.
            morning.answer_on_page(&mut page, &name);
            morning.scene.tmux.wait_for(&format!("in the browser:\n✔ {name}: Right"));
            morning.scene.tmux.press(&["1", "Enter", "Escape"]);
            morning.scene.tmux.wait_for("enter open");
            morning.scene.tmux.press(&["Enter"]);
            morning.scene.tmux.wait_for("n next that waits");
        } else if turn == 6 || turn == 13 {
            morning.scene.hub.kill();
            morning.scene.tmux.wait_for("the hub is away");
            morning.answer_here(&name);
            morning.scene.tmux.wait_for("Your answer is kept here");
            morning.scene.hub.restart();
            morning.answered(&name);
        } else {
            morning.answer_here(&name);
            morning.answered(&name);
        }
        morning.scene.tmux.press(&["n"]);
    }
    morning.scene.tmux.wait_for("Nothing waits.");
    morning.scene.leave();

    for (name, id) in &morning.asked {
        let record = morning.scene.get(*id);
        let resolved = record.resolved().unwrap();
        let (surface, label) = morning.given[name];
        assert_eq!(resolved.resolution["answers"][0]["selected"], json!([label]), "{name}");
        let responder = resolved.responder.as_ref().unwrap();
        assert_eq!(json!(responder.surface), surface, "{name}");
    }
}
