//! A person at a page, in a real browser.

#![expect(clippy::missing_panics_doc, reason = "a panic here is a failed test, with its reason")]
#![expect(clippy::expect_used, reason = "a panic here is a failed test, with its reason")]

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use handraise_broker::{AskId, Power};
use serde_json::json;

use crate::HubProcess;

/// A browser at a hub's dashboard, or at any other page. What it is told, `web/e2e/hand.mjs` does; each call
/// returns when it is done, and fails the test if it cannot be. The browser ends with this.
#[derive(Debug)]
pub struct Browser {
    hand: Child,
    to: Option<ChildStdin>,
    from: BufReader<ChildStdout>,
}

impl Browser {
    /// Opens a hub's dashboard with a new login link.
    #[must_use]
    pub fn at(hub: &HubProcess) -> Self {
        let mut browser = Self::launch();
        let link = hub.plain(Power::Person, "POST", "/links", None);
        browser.tell(&["open", link.body["url"].as_str().expect("a link")]);
        browser
    }

    /// Opens a dashboard by a login link.
    #[must_use]
    pub fn by_link(link: &str) -> Self {
        let mut browser = Self::launch();
        browser.tell(&["open", link]);
        browser
    }

    /// Opens any page.
    #[must_use]
    pub fn visit(url: &str) -> Self {
        let mut browser = Self::launch();
        browser.tell(&["visit", url]);
        browser
    }

    fn launch() -> Self {
        let web = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web");
        assert!(
            web.join("node_modules/@playwright/test").exists(),
            "Playwright is not installed below web: `cargo xtask test` does it, or `npm ci` there"
        );
        let mut hand = Command::new("node")
            .arg("e2e/hand.mjs")
            .current_dir(&web)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("Node is installed");
        let to = hand.stdin.take();
        let from = BufReader::new(hand.stdout.take().expect("standard output is a pipe"));
        Self { hand, to, from }
    }

    /// Loads the page anew.
    pub fn reload(&mut self) -> &mut Self {
        self.tell(&["reload"])
    }

    /// Looks at one ask's card; what follows happens there.
    pub fn card(&mut self, ask: AskId) -> &mut Self {
        self.tell(&["card", &ask.to_string()])
    }

    /// Looks at one ask's card and unfolds it, as a link to it does.
    pub fn unfold(&mut self, ask: AskId) -> &mut Self {
        self.tell(&["unfold", &ask.to_string()])
    }

    /// Looks at the whole page again.
    pub fn page(&mut self) -> &mut Self {
        self.tell(&["page"])
    }

    /// Follows a link.
    pub fn follow(&mut self, name: &str) -> &mut Self {
        self.tell(&["follow", name])
    }

    /// Looks at one question, by its words.
    pub fn section(&mut self, question: &str) -> &mut Self {
        self.tell(&["section", question])
    }

    /// Looks at one part of the page, by its CSS selector.
    pub fn part(&mut self, selector: &str) -> &mut Self {
        self.tell(&["part", selector])
    }

    /// Chooses or ticks an option.
    pub fn check(&mut self, label: &str) -> &mut Self {
        self.tell(&["check", label])
    }

    /// Types into a field.
    pub fn fill(&mut self, label: &str, text: &str) -> &mut Self {
        self.tell(&["fill", label, text])
    }

    /// Presses keys, wherever the focus is.
    pub fn type_keys(&mut self, text: &str) -> &mut Self {
        self.tell(&["type", text])
    }

    /// Presses a button.
    pub fn click(&mut self, name: &str) -> &mut Self {
        self.tell(&["click", name])
    }

    /// Waits until it reads this.
    pub fn see(&mut self, text: &str) -> &mut Self {
        self.tell(&["see", text])
    }

    /// Waits until nothing reads this any more.
    pub fn gone(&mut self, text: &str) -> &mut Self {
        self.tell(&["gone", text])
    }

    /// Waits until there is no such button.
    pub fn without(&mut self, name: &str) -> &mut Self {
        self.tell(&["without", name])
    }

    /// Waits until a field holds this.
    pub fn holds(&mut self, label: &str, text: &str) -> &mut Self {
        self.tell(&["holds", label, text])
    }

    /// Waits until a field has the focus.
    pub fn focused(&mut self, label: &str) -> &mut Self {
        self.tell(&["focused", label])
    }

    /// Waits until an option is chosen or ticked.
    pub fn checked(&mut self, label: &str) -> &mut Self {
        self.tell(&["checked", label])
    }

    /// Looks for what keeps people out who see, hear or move otherwise: in light and dark, wide and narrow.
    pub fn accessible(&mut self) -> &mut Self {
        self.tell(&["accessible"])
    }

    /// Waits until a field, an option or a button can be used.
    pub fn enabled(&mut self, name: &str) -> &mut Self {
        self.tell(&["enabled", name])
    }

    /// Waits until a field, an option or a button cannot be used.
    pub fn disabled(&mut self, name: &str) -> &mut Self {
        self.tell(&["disabled", name])
    }

    /// Has answers to requests whose address holds this wait on their way back, from now on.
    pub fn hold(&mut self, part: &str) -> &mut Self {
        self.tell(&["hold", part])
    }

    /// Waits until so many answers are held back, and no more are on their way.
    pub fn held(&mut self, count: usize) -> &mut Self {
        self.tell(&["held", &count.to_string()])
    }

    /// Lets through what is held back, and holds back no more.
    pub fn release(&mut self) -> &mut Self {
        self.tell(&["release"])
    }

    /// Keeps the page from opening connections. Those it has stay.
    pub fn offline(&mut self) -> &mut Self {
        self.tell(&["offline"])
    }

    /// Takes that back.
    pub fn online(&mut self) -> &mut Self {
        self.tell(&["online"])
    }

    fn tell(&mut self, command: &[&str]) -> &mut Self {
        let to = self.to.as_mut().expect("the hand listens");
        writeln!(to, "{}", json!(command)).expect("the hand listens");
        let mut said = String::new();
        self.from.read_line(&mut said).expect("the hand speaks");
        assert_eq!(said.trim(), "done", "{command:?}: {}", said.replace("\\n", "\n"));
        self
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // It ends its browser when nobody speaks to it any more.
        drop(self.to.take());
        let _ = self.hand.wait();
    }
}
