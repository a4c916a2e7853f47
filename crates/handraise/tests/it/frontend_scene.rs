//! The reference front ends, in a real browser, at a hub under which the real Claude Code runs.

use std::path::Path;

use handraise_broker::Power;
use handraise_testkit::{Browser, StaticPages};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::claude_scene::chosen;
use crate::run_scene::RunScene;

/// A session that is run, and a server for the pages, whose origin the hub lets in.
pub(crate) struct FrontEnds {
    pub(crate) run: RunScene,
    pages: StaticPages,
}

impl FrontEnds {
    /// Runs Claude Code with these options of `handraise run`.
    pub(crate) fn new(options: &[&str]) -> Self {
        let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/frontends");
        let pages = StaticPages::of(&examples);
        let config = format!("allow_origins = ['{}']\n", pages.origin());
        Self { run: RunScene::with_config(&config, options), pages }
    }

    /// prime-agent's page, at the session.
    pub(crate) fn prime_agent(&self) -> Browser {
        self.open("prime-agent", &format!("ws={}", escaped(&self.prime_agent_socket())))
    }

    /// Where prime-agent's page connects to.
    pub(crate) fn prime_agent_socket(&self) -> String {
        self.socket(&format!("prime-agent/{}", self.run.session().id))
    }

    /// Gobby's page, at all conversations.
    pub(crate) fn gobby(&self) -> Browser {
        self.open("gobby", &format!("ws={}", escaped(&self.socket("gobby"))))
    }

    /// Panopticon's page, at the session.
    pub(crate) fn panopticon(&self) -> Browser {
        let server = escaped(self.run.scene.hub.url());
        let agent = self.run.session().id;
        let token = self.token();
        self.open("panopticon", &format!("server={server}&agent={agent}&token={token}"))
    }

    /// Has the hub stand still while something is done: what it is told meanwhile it hears afterwards.
    pub(crate) fn while_the_hub_stands_still(&self, deed: impl FnOnce()) {
        let hub = Pid::from_raw(self.run.scene.hub.pid().cast_signed()).unwrap();
        kill_process(hub, Signal::STOP).unwrap();
        deed();
        kill_process(hub, Signal::CONT).unwrap();
    }

    fn socket(&self, address: &str) -> String {
        let hub = self.run.scene.hub.url().replacen("http", "ws", 1);
        format!("{hub}/dialects/{address}?token={}", self.token())
    }

    /// A page with this fragment.
    pub(crate) fn open(&self, page: &str, fragment: &str) -> Browser {
        Browser::visit(&format!("{}/{page}/#{fragment}", self.pages.origin()))
    }

    fn token(&self) -> String {
        self.run.scene.hub.home().token(Power::Person).unwrap().reveal().to_owned()
    }
}

/// An address as a value within a fragment.
fn escaped(address: &str) -> String {
    let encoded = address.replace('%', "%25").replace(':', "%3A").replace('/', "%2F");
    encoded.replace('?', "%3F").replace('=', "%3D").replace('&', "%26")
}

/// A question that would like to be more than text.
pub(crate) fn hostile() -> Value {
    json!({
        "question": "<img src=x onerror=alert(1)> Really \u{1b}[31mred\u{202e}?",
        "header": "<b>Head</b>",
        "multiSelect": false,
        "options": [
            {"label": "<script>alert(2)</script>", "description": "<i>about</i> \u{9b}2J"},
            {"label": "No\u{7}", "description": "plain"},
        ],
    })
}

/// What the model reads when this option of it was chosen: the question is back byte for byte.
pub(crate) fn hostile_chosen(label: &str) -> String {
    chosen(&[(&hostile(), label)]).replace("\\u001b", "\u{1b}")
}
