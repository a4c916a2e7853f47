//! One ask on every surface at once: front ends of three dialects, whoever follows events, the prompt in a
//! terminal, and the dashboard in a real browser. The first answer counts, and each of the others hears of
//! it in its own form.

use std::path::Path;
use std::sync::Barrier;
use std::thread;

use handraise_testkit::{Browser, HubProcess, Tmux, database_question};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::dialect_scene::{Door, FrontEnd, gobby_says, of_session, prime_agent_says};
use crate::http::{Answer, Call, Line};
use crate::socket::Socket;

const DATABASE: &str = "Which database should we use?";
const OWN: &str = "5e55-10n";
const CALL: &str = "toolu_1";

#[derive(Clone, Copy, PartialEq)]
enum Surface {
    PrimeAgent,
    Gobby,
    Panopticon,
    Web,
    Terminal,
}

impl Surface {
    fn name(self) -> &'static str {
        match self {
            Self::PrimeAgent => "dialect:prime-agent",
            Self::Gobby => "dialect:gobby",
            Self::Panopticon => "dialect:panopticon",
            Self::Web => "web",
            Self::Terminal => "terminal",
        }
    }
}

/// A question that waits, and everybody who sees it.
struct Room {
    hub: HubProcess,
    door: Door,
    id: String,
    prime: FrontEnd,
    gobby: FrontEnd,
    events: Socket,
    terminal: Tmux,
    _directory: TempDir,
}

impl Room {
    fn full() -> Self {
        let mut hub = HubProcess::prepare(Path::new(env!("CARGO_BIN_EXE_handraise")));
        hub.home().create().unwrap();
        std::fs::write(hub.home().config(), "person = \"ann\"\n").unwrap();
        hub.restart();
        let door = Door::from(&hub);
        let session = door.opens_session(OWN);
        door.progresses(&session, &json!({"state": "idle"}));
        let directory = tempfile::tempdir().unwrap();
        let terminal = Tmux::start(directory.path(), (90, 30));
        let program = env!("CARGO_BIN_EXE_handraise");
        let home = hub.home().directory().display();
        terminal.type_line(&format!("clear; {program} chat --data {home}; echo code=$?"));
        terminal.wait_for("idle · Enter sends");
        let (mut prime, _) = door.prime_agent(&session);
        let mut gobby = door.gobby("");
        let bearer = format!("Bearer {}", door.person);
        let headers = [("authorization", bearer.as_str())];
        let events = Socket::dial(door.address, "/api/v1/events", &headers).unwrap();
        let mut events = events.live();
        let id = door.asks(&of_session(OWN, CALL, json!([database_question()])));
        prime.is_asked(&id);
        prime.waits_for(Some(&id));
        gobby.sees_call(CALL, "calling");
        assert_eq!(next_event(&mut events)["name"], "ask.opened");
        terminal.wait_for("╰");
        let room = Self { hub, door, id, prime, gobby, events, terminal, _directory: directory };
        assert_eq!(room.pending()["questions"][0]["toolId"], CALL);
        room
    }

    fn call(&self, call: &Call<'_>) -> Answer {
        Line::to(self.door.address).call(&call.clone().token(&self.door.person))
    }

    /// What Panopticon's page is told.
    fn pending(&self) -> Value {
        self.call(&Call::get(&format!("/api/agents/{OWN}/pending-questions"))).json()
    }

    fn answer_as_panopticon(&self) -> Answer {
        let path = format!("/api/agents/{OWN}/answer-question");
        self.call(&Call::post(&path).json(&json!({"answers": ["SQLite"]})))
    }

    fn answer_as_a_page_of_ours(&self) -> Answer {
        let path = format!("/api/v1/asks/{}/answer", self.id);
        let answers = json!({"answers": [{"selected": ["SQLite"]}]});
        self.call(&Call::post(&path).header("handraise-surface", "web").json(&answers))
    }

    fn answer_on(&mut self, surface: Surface) {
        let answers = json!({DATABASE: "SQLite"});
        match surface {
            Surface::PrimeAgent => self.prime.says(&prime_agent_says(&self.id, answers)),
            Surface::Gobby => self.gobby.says(&gobby_says(OWN, CALL, answers)),
            Surface::Panopticon => assert_eq!(self.answer_as_panopticon().status, 200),
            Surface::Web => assert_eq!(self.answer_as_a_page_of_ours().status, 200),
            Surface::Terminal => self.terminal.press(&["Down", "Enter"]),
        }
    }

    /// Everybody hears it in their own form, and nobody can answer any more.
    fn everybody_hears(&mut self, winner: Surface) {
        let by_ann = |text: &Value| {
            let text = text.as_str().unwrap();
            assert!(text.contains("already answered by ann at "), "{text}");
        };
        if winner != Surface::PrimeAgent {
            let told = self.prime.hears_a("ask_user_timeout");
            assert_eq!(told["question_id"], self.id);
            by_ann(&told["error"]);
        }
        self.prime.waits_for(None);
        let done = self.gobby.sees_call(CALL, "completed");
        assert_eq!(done["result"]["answers"], json!({DATABASE: "SQLite"}));
        let event = next_event(&mut self.events);
        assert_eq!(
            (&event["name"], &event["ask"]["id"]),
            (&json!("ask.resolved"), &json!(self.id))
        );
        let resolution = &event["ask"]["resolution"];
        assert_eq!(resolution["answers"][0]["selected"], json!(["SQLite"]));
        let responder = &resolution["responder"];
        assert_eq!(
            (&responder["person"], &responder["surface"]),
            (&json!("ann"), &json!(winner.name()))
        );
        assert_eq!(self.pending(), json!({"pending": false, "questions": []}));
        let screen = self.terminal.wait_for("✔ Database: SQLite");
        let elsewhere = screen.contains("● Answered elsewhere by ann");
        assert_eq!(elsewhere, winner != Surface::Terminal, "{screen}");

        // Whoever comes too late changes nothing, and is told so where the form has words for it.
        self.prime.says(&prime_agent_says(&self.id, json!({DATABASE: "MySQL"})));
        self.prime.knock();
        self.gobby.says(&gobby_says(OWN, CALL, json!({DATABASE: "MySQL"})));
        self.gobby.knock();
        let late = self.answer_as_panopticon();
        assert_eq!((late.status, &late.json()["error"]), (500, &json!("Failed to send answer")));
        assert_eq!(self.answer_as_a_page_of_ours().problem(), (409, "already_resolved".into()));
        let stands = &self.door.look(&self.id)["resolution"];
        assert_eq!(stands["answers"][0]["selected"], json!(["SQLite"]));
        assert_eq!(stands["responder"]["surface"], winner.name());
    }
}

/// The next event about an ask.
fn next_event(events: &mut Socket) -> Value {
    loop {
        let frame = events.frame();
        if frame["ask"].is_object() {
            return frame;
        }
    }
}

fn wins(winner: Surface) {
    let mut room = Room::full();
    room.answer_on(winner);
    room.everybody_hears(winner);
}

#[test]
fn an_answer_from_prime_agents_page_is_heard_by_all_others() {
    wins(Surface::PrimeAgent);
}

#[test]
fn an_answer_from_gobbys_page_is_heard_by_all_others() {
    wins(Surface::Gobby);
}

#[test]
fn an_answer_from_panopticons_page_is_heard_by_all_others() {
    wins(Surface::Panopticon);
}

#[test]
fn an_answer_from_a_page_of_our_own_is_heard_by_all_others() {
    wins(Surface::Web);
}

#[test]
fn an_answer_in_the_terminal_is_heard_by_all_others() {
    wins(Surface::Terminal);
}

#[test]
fn an_answer_in_the_dashboard_is_heard_by_all_others() {
    let mut room = Room::full();
    let mut page = Browser::at(&room.hub);
    page.card(room.id.parse().unwrap()).check("SQLite").click("Submit");
    room.everybody_hears(Surface::Web);
}

#[test]
fn the_dashboard_shows_what_was_answered_in_a_dialect() {
    let mut room = Room::full();
    let mut page = Browser::at(&room.hub);
    page.card(room.id.parse().unwrap()).fill("your own words", "half a thou").see("Draft kept.");
    room.answer_on(Surface::Gobby);
    page.see("Answered by you through gobby").see("SQLite").see("half a thou");
    room.everybody_hears(Surface::Gobby);
}

#[test]
fn all_of_them_at_once_and_one_wins() {
    let mut room = Room::full();
    let answers = json!({DATABASE: "SQLite"});
    let (address, token) = (room.door.address, room.door.person.clone());
    let panopticon = format!("/api/agents/{OWN}/answer-question");
    let web = format!("/api/v1/asks/{}/answer", room.id);
    let start = Barrier::new(5);
    let post = |path: &str, body: Value| {
        let mut line = Line::to(address);
        let call = Call::post(path).token(&token).json(&body);
        start.wait();
        line.call(&call).status
    };
    let statuses = thread::scope(|scope| {
        let Room { prime, gobby, terminal, id, .. } = &mut room;
        let panopticon = scope.spawn(|| post(&panopticon, json!({"answers": ["SQLite"]})));
        let web = scope.spawn(|| post(&web, json!({"answers": [{"selected": ["SQLite"]}]})));
        let terminal = &*terminal;
        scope.spawn(|| {
            start.wait();
            terminal.press(&["Down", "Enter"]);
        });
        scope.spawn(|| {
            start.wait();
            gobby.says(&gobby_says(OWN, CALL, json!({DATABASE: "SQLite"})));
        });
        start.wait();
        prime.says(&prime_agent_says(id, answers));
        [panopticon.join().unwrap(), web.join().unwrap()]
    });
    room.gobby.sees_call(CALL, "completed");
    let winner = room.door.look(&room.id)["resolution"]["responder"]["surface"].take();
    let won = statuses.iter().filter(|status| **status == 200).count();
    let is_by_post = winner == "dialect:panopticon" || winner == "api";
    assert_eq!(won, usize::from(is_by_post), "{winner} {statuses:?}");
    assert_eq!(next_event(&mut room.events)["ask"]["resolution"]["responder"]["surface"], winner);
    room.terminal.wait_for("✔ Database: SQLite");
}

/// Half of them speak prime-agent's dialect, where only the newest counts.
const PAGES: usize = 50;

#[derive(Debug, PartialEq)]
enum Heard {
    /// The answer that counts.
    Answer(Value),
    /// That it was its own.
    Won,
    /// That somebody else was first.
    Lost,
    /// That another connection has the session.
    Taken,
}

/// A page answers; what it hears then. It is not gone before all others have heard theirs.
fn races(door: &Door, n: usize, of: (&str, &str, &str), start: &Barrier) -> (FrontEnd, Heard) {
    let (session, call, id) = of;
    let answers = json!({DATABASE: format!("answer {n}")});
    if n.is_multiple_of(2) {
        let mut page = door.front_end(&format!("gobby/{session}"));
        page.sees_call(call, "calling");
        start.wait();
        page.says(&gobby_says(session, call, answers));
        let answer = page.sees_call(call, "completed")["result"]["answers"][DATABASE].take();
        return (page, Heard::Answer(answer));
    }
    let (mut page, _) = door.prime_agent(session);
    start.wait();
    page.says(&prime_agent_says(id, answers));
    loop {
        let heard = page.hears();
        let kind = heard["type"].as_str().unwrap();
        match kind {
            "error" => {
                assert_eq!(heard["error"], "session_taken");
                return (page, Heard::Taken);
            }
            "ask_user_timeout" => return (page, Heard::Lost),
            "session_status" if heard["waiting_for_user"] == false => return (page, Heard::Won),
            _ => {}
        }
    }
}

#[test]
fn of_fifty_pages_of_both_dialects_that_answer_at_once_one_wins() {
    let hub = HubProcess::start(Path::new(env!("CARGO_BIN_EXE_handraise")));
    let door = Door::from(&hub);
    for round in 0..5 {
        let (session, call) = (format!("s-{round}"), format!("toolu_{round}"));
        let id = door.asks(&of_session(&session, &call, json!([database_question()])));
        let start = Barrier::new(PAGES);
        let ends: Vec<_> = thread::scope(|scope| {
            let race = |n| races(&door, n, (&session, &call, &id), &start);
            let pages: Vec<_> = (0..PAGES).map(|n| scope.spawn(move || race(n))).collect();
            pages.into_iter().map(|page| page.join().unwrap()).collect()
        });
        let answer = door.answer_to(&id);
        let winner = answer.as_str().unwrap().strip_prefix("answer ").unwrap();
        let winner: usize = winner.parse().unwrap();
        let mut taken = 0;
        for (n, (_, heard)) in ends.iter().enumerate() {
            match heard {
                Heard::Answer(heard) => assert_eq!(*heard, answer, "{n} heard of another"),
                Heard::Won => assert_eq!(n, winner),
                Heard::Lost => assert_ne!(n, winner),
                Heard::Taken => {
                    assert_ne!(n, winner, "it was told that it does not count");
                    taken += 1;
                }
            }
        }
        assert_eq!(taken, PAGES / 2 - 1, "the newest counts");
    }
}
