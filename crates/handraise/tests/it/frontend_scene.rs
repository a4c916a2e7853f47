//! The reference front ends, in a real browser, at a hub.

use std::path::Path;

use handraise_broker::Power;
use handraise_testkit::{Browser, HubProcess, StaticPages, pause};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::claude_scene::chosen;
use crate::run_scene::RunScene;

/// The pages, on a server of their own.
pub(crate) struct Pages(StaticPages);

impl Pages {
    pub(crate) fn serve() -> Self {
        let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/frontends");
        Self(StaticPages::of(&examples))
    }

    /// What a hub is told to let them in.
    pub(crate) fn config(&self) -> String {
        format!("allow_origins = ['{}']\n", self.0.origin())
    }

    /// prime-agent's page, at a session.
    pub(crate) fn prime_agent(&self, hub: &HubProcess, session: &str) -> Browser {
        let socket = socket(hub, &format!("prime-agent/{session}"));
        self.open("prime-agent", &format!("ws={}", escaped(&socket)))
    }

    /// Gobby's page, at all conversations.
    pub(crate) fn gobby(&self, hub: &HubProcess) -> Browser {
        self.open("gobby", &format!("ws={}", escaped(&socket(hub, "gobby"))))
    }

    /// Panopticon's page, at an agent.
    pub(crate) fn panopticon(&self, hub: &HubProcess, agent: &str) -> Browser {
        let server = escaped(hub.url());
        let fragment = format!("server={server}&agent={agent}&token={}", token(hub));
        self.open("panopticon", &fragment)
    }

    /// A page with this fragment.
    pub(crate) fn open(&self, page: &str, fragment: &str) -> Browser {
        Browser::visit(&format!("{}/{page}/#{fragment}", self.0.origin()))
    }
}

/// A session of the real Claude Code that is run under a hub, and the pages.
pub(crate) struct FrontEnds {
    pub(crate) run: RunScene,
    pages: Pages,
}

impl FrontEnds {
    /// Runs Claude Code with these options of `handraise run`.
    pub(crate) fn new(options: &[&str]) -> Self {
        let pages = Pages::serve();
        Self { run: RunScene::with_config(&pages.config(), options), pages }
    }

    /// prime-agent's page, at the session.
    pub(crate) fn prime_agent(&self) -> Browser {
        self.pages.prime_agent(&self.run.scene.hub, &self.run.session().id.to_string())
    }

    /// Where prime-agent's page connects to.
    pub(crate) fn prime_agent_socket(&self) -> String {
        socket(&self.run.scene.hub, &format!("prime-agent/{}", self.run.session().id))
    }

    /// Gobby's page, at all conversations.
    pub(crate) fn gobby(&self) -> Browser {
        self.pages.gobby(&self.run.scene.hub)
    }

    /// Panopticon's page, at the session.
    pub(crate) fn panopticon(&self) -> Browser {
        self.pages.panopticon(&self.run.scene.hub, &self.run.session().id.to_string())
    }

    /// A page with this fragment.
    pub(crate) fn open(&self, page: &str, fragment: &str) -> Browser {
        self.pages.open(page, fragment)
    }

    /// Has the hub stand still while something is done: what it is told meanwhile it hears afterwards.
    pub(crate) fn while_the_hub_stands_still(&self, deed: impl FnOnce()) {
        pause(self.run.scene.hub.pid());
        deed();
        signal(&self.run.scene.hub, Signal::CONT);
    }
}

/// Sends a hub a signal.
pub(crate) fn signal(hub: &HubProcess, signal: Signal) {
    kill_process(Pid::from_raw(hub.pid().cast_signed()).unwrap(), signal).unwrap();
}

fn socket(hub: &HubProcess, address: &str) -> String {
    let url = hub.url().replacen("http", "ws", 1);
    format!("{url}/dialects/{address}?token={}", token(hub))
}

fn token(hub: &HubProcess) -> String {
    hub.home().token(Power::Person).unwrap().reveal().to_owned()
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
