//! Front ends of other systems at a hub, as plain WebSocket clients, and the agents they are for.

use std::net::SocketAddr;

use handraise_broker::Power;
use handraise_testkit::{HubProcess, plain_request};
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;

use crate::socket::Socket;
use crate::watched_hub::WatchedHub;

/// The question of prime-agent's document.
pub(crate) const FORMAT: &str = "How should I format the output?";
/// A question with several answers.
pub(crate) const FEATURES: &str = "Which features do you want?";

/// A hub, as its front ends and agents find it.
#[derive(Clone)]
pub(crate) struct Door {
    pub(crate) address: SocketAddr,
    pub(crate) person: String,
    pub(crate) agent: String,
}

impl From<&WatchedHub> for Door {
    fn from(hub: &WatchedHub) -> Self {
        Self { address: hub.address, person: hub.person.clone(), agent: hub.agent.clone() }
    }
}

impl From<&HubProcess> for Door {
    fn from(hub: &HubProcess) -> Self {
        let token = |power| hub.home().token(power).unwrap().reveal().to_owned();
        let address = hub.url().trim_start_matches("http://").parse().unwrap();
        Self { address, person: token(Power::Person), agent: token(Power::Agent) }
    }
}

impl Door {
    /// A front end of `dialect`, or of `dialect/session`, that has come in.
    pub(crate) fn front_end(&self, path: &str) -> FrontEnd {
        let path = format!("/dialects/{path}?token={}", self.person);
        FrontEnd(Socket::dial(self.address, &path, &[]).unwrap())
    }

    /// A front end of prime-agent's; what it hears first is how its session stands.
    pub(crate) fn prime_agent(&self, session: &str) -> (FrontEnd, Value) {
        let mut front_end = self.front_end(&format!("prime-agent/{session}"));
        let status = front_end.hears();
        assert_eq!(status["type"], "session_status", "{status}");
        (front_end, status)
    }

    /// A front end of Gobby's, after it was let in: the hub answers what it says.
    pub(crate) fn gobby(&self, conversation: &str) -> FrontEnd {
        let slash = if conversation.is_empty() { "" } else { "/" };
        let mut front_end = self.front_end(&format!("gobby{slash}{conversation}"));
        front_end.knock();
        front_end
    }

    fn call(&self, token: &str, path: &str, body: Option<&Value>) -> Value {
        let url = format!("http://{}", self.address);
        let method = if body.is_some() { "POST" } else { "GET" };
        let answer = plain_request(&url, token, method, path, body).unwrap();
        assert!((200..300).contains(&answer.status), "{path}: {answer:?}");
        answer.body
    }

    pub(crate) fn as_agent(&self, path: &str, body: &Value) -> Value {
        self.call(&self.agent, path, Some(body))
    }

    pub(crate) fn as_person(&self, path: &str, body: &Value) -> Value {
        self.call(&self.person, path, Some(body))
    }

    /// An agent asks; the ask's id.
    pub(crate) fn asks(&self, ask: &Value) -> String {
        self.as_agent("/asks", ask)["id"].as_str().unwrap().to_owned()
    }

    /// The session `s-1` asks the question of prime-agent's document.
    pub(crate) fn asks_for_a_format(&self) -> String {
        self.asks(&of_session("s-1", "toolu_1", json!([format_question()])))
    }

    /// The ask as it stands. An agent may look as well, and takes nothing from how often a person may.
    pub(crate) fn look(&self, id: &str) -> Value {
        self.call(&self.agent, &format!("/asks/{id}"), None)
    }

    /// The first answer an ask ended with: its labels and its words.
    pub(crate) fn answer_to(&self, id: &str) -> Value {
        let answer = self.look(id)["resolution"]["answers"][0].take();
        if answer["words"].is_null() { answer["selected"].clone() } else { answer["words"].clone() }
    }

    pub(crate) fn is_open(&self, id: &str) -> bool {
        self.look(id)["state"] == "open"
    }

    /// A person answers elsewhere.
    pub(crate) fn answers(&self, id: &str, answers: &Value) {
        self.as_person(&format!("/asks/{id}/answer"), &json!({"answers": answers}));
    }

    /// Somebody runs an agent under the hub, whose own name for the session is this; the hub's.
    pub(crate) fn opens_session(&self, own: &str) -> String {
        let session = json!({"agent": "claude-code", "directory": "/home/ann/api"});
        let id = self.as_agent("/sessions", &session)["id"].as_str().unwrap().to_owned();
        self.progresses(&id, &json!({"agentSession": own}));
        id
    }

    pub(crate) fn progresses(&self, session: &str, progress: &Value) {
        self.as_agent(&format!("/sessions/{session}/progress"), progress);
    }
}

/// A front end of another system.
pub(crate) struct FrontEnd(pub(crate) Socket);

impl FrontEnd {
    /// The next thing it hears.
    pub(crate) fn hears(&mut self) -> Value {
        self.0.frame()
    }

    /// The next thing it hears, which is of this type.
    pub(crate) fn hears_a(&mut self, kind: &str) -> Value {
        let heard = self.hears();
        assert_eq!(heard["type"], kind, "{heard}");
        heard
    }

    pub(crate) fn says(&mut self, message: &Value) {
        self.says_text(&message.to_string());
    }

    pub(crate) fn says_text(&mut self, message: &str) {
        self.0.send(Message::text(message));
    }

    /// Nothing was said to what it said before: what it hears next is about this.
    pub(crate) fn knock(&mut self) {
        self.says(&json!({"type": "knock"}));
        let heard = self.hears_a("error");
        let code = if heard["code"].is_null() { &heard["error"] } else { &heard["code"] };
        assert_eq!(code, "malformed", "{heard}");
    }

    /// A prime-agent question that is shown, and its status.
    pub(crate) fn is_asked(&mut self, id: &str) -> Value {
        let asked = self.hears_a("ask_user_question");
        assert_eq!(asked["question_id"], id, "{asked}");
        asked
    }

    /// How a prime-agent session stands: the question that waits.
    pub(crate) fn waits_for(&mut self, id: Option<&str>) -> Value {
        let status = self.hears_a("session_status");
        assert_eq!(status["waiting_for_user"], id.is_some(), "{status}");
        assert_eq!(status["pending_question_id"], json!(id), "{status}");
        status
    }

    /// What Gobby's front ends hear of a call.
    pub(crate) fn sees_call(&mut self, call: &str, status: &str) -> Value {
        let heard = self.hears_a("tool_status");
        assert_eq!((&heard["tool_call_id"], &heard["status"]), (&json!(call), &json!(status)));
        heard
    }

    /// An error in prime-agent's form.
    pub(crate) fn hears_error(&mut self, error: &str) -> Value {
        let heard = self.hears_a("error");
        assert_eq!(heard["error"], error, "{heard}");
        heard
    }

    /// An error in Gobby's form.
    pub(crate) fn hears_code(&mut self, code: &str) -> Value {
        let heard = self.hears_a("error");
        assert_eq!(heard["code"], code, "{heard}");
        heard
    }

    pub(crate) fn leaves(self) {
        self.0.leave();
    }
}

pub(crate) fn format_question() -> Value {
    json!({"question": FORMAT, "header": "Format", "options": [
        {"label": "Summary", "description": "Brief overview"},
        {"label": "Detailed", "description": "Full explanation"}], "multiSelect": false})
}

pub(crate) fn features_question() -> Value {
    json!({"question": FEATURES, "header": "Features", "options": [
        {"label": "Auth"}, {"label": "Billing, taxes"}, {"label": "Search"}], "multiSelect": true})
}

/// What the session `session` asks with its call `call`.
pub(crate) fn of_session(session: &str, call: &str, questions: Value) -> Value {
    let mut ask = json!({"asker": {"agent": "claude-code", "session": session},
                         "key": format!("{session}/{call}")});
    ask["questions"] = questions;
    ask
}

/// The same, under these rules.
pub(crate) fn ruled(mut ask: Value, policy: Value) -> Value {
    ask["policy"] = policy;
    ask
}

/// Gobby's rule for when its page goes.
pub(crate) fn gone_is_declined() -> Value {
    json!({"onDisconnect": "decline"})
}

/// What prime-agent's front ends send.
pub(crate) fn prime_agent_says(id: &str, answers: Value) -> Value {
    let mut message =
        json!({"type": "ask_user_response", "data": {"question_id": id, "cancelled": false}});
    message["data"]["answers"] = answers;
    message
}

pub(crate) fn prime_agent_cancels(id: &str) -> Value {
    json!({"type": "ask_user_response", "data": {"question_id": id, "answers": {}, "cancelled": true}})
}

/// What Gobby's front ends send.
pub(crate) fn gobby_says(conversation: &str, call: &str, answers: Value) -> Value {
    let mut message = json!({"type": "ask_user_response", "conversation_id": conversation,
                             "tool_call_id": call});
    message["answers"] = answers;
    message
}
