//! Whether it all adds up.

use std::collections::HashMap;

use handraise_broker::{AskId, BUILT_IN, Hub, HubError, Power, Query, State};
use handraise_question::Surface;
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use super::following::Seen;
use super::ledger::{Heard, Ledger, Story};
use super::{Report, Scene};
use crate::{HubProcess, Program};

/// What happens to every ask here, once and in this order.
const LIFE: [&str; 4] = ["ask.opened", "ask.resolved", "ask.delivered", "ask.delivered"];
const PAGE: u32 = 500;
/// How many asks are answered once more, too late.
const TOO_LATE: usize = 20;

pub(super) fn reach(
    report: &mut Report,
    hub: &mut HubProcess,
    scene: &Scene,
    runtime: &Runtime,
    seen: &[Seen],
    heads: &[String],
) {
    let stored = match runtime.block_on(stored(scene)) {
        Ok(stored) => stored,
        Err(error) => {
            scene.problem(format!("the asks cannot be listed: {error}"));
            HashMap::new()
        }
    };
    runtime.block_on(drafts(scene));
    too_late(hub, scene);
    scene.ledger(|ledger| {
        stories(ledger, &stored);
        events(ledger, seen);
        report.asks = ledger.asks.len();
        report.resolutions = stored.values().filter(|(_, end)| end.is_some()).count();
        report.races = ledger.asks.values().filter(|story| story.attempts.len() > 1).count();
        report.drafts = ledger.drafts_kept;
        report.breaks = ledger.breaks;
        report.longest_wait = ledger.longest_wait;
    });
    report.events = seen.first().map_or(0, |seen| seen.events.len() as u64);
    audit(hub, scene, report.events, heads);
    let stopped = hub.stop();
    if !stopped.status.success() {
        scene.problem(format!("the hub did not stop well: {stopped:?}"));
    }
    audit(hub, scene, report.events, heads);
    let said = hub.said();
    if let Some(line) = said.lines().find(|line| line.contains("ERROR") || line.contains("panic")) {
        scene.problem(format!("the hub said: {line}"));
    }
    report.problems = scene.ledger(Ledger::take_problems);
}

type Stored = HashMap<AskId, (State, Option<Value>)>;

/// Every ask as the hub has it.
async fn stored(scene: &Scene) -> Result<Stored, HubError> {
    let hub = scene.client(Power::Person, Surface::Api);
    let mut stored = HashMap::new();
    let mut after = None;
    loop {
        let page = hub.list(Query { after, limit: PAGE, ..Query::default() }).await?;
        let Some(last) = page.last().map(|record| record.id) else { return Ok(stored) };
        after = Some(last);
        for record in page {
            let end = record.resolved().map(|end| end.resolution.clone());
            stored.insert(record.id, (record.state(), end));
        }
    }
}

async fn drafts(scene: &Scene) {
    let hub = scene.client(Power::Person, Surface::Api);
    for (id, draft) in scene.ledger(|ledger| ledger.drafts.clone()) {
        match hub.draft(id).await {
            Ok(Some(kept)) if kept == draft => {}
            other => scene.problem(format!("the draft of {id} should be {draft:?}: {other:?}")),
        }
    }
}

/// Whoever answers now hears 409, and what stands.
fn too_late(hub: &HubProcess, scene: &Scene) {
    let some: Vec<_> = scene.ledger(|ledger| {
        let asks = ledger.asks.iter().take(TOO_LATE);
        asks.map(|(id, story)| (*id, story.got.clone())).collect()
    });
    for (id, got) in some {
        let body = json!({"reason": "too late", "idempotencyKey": "too late"});
        let answer = hub.plain(Power::Person, "POST", &format!("/asks/{id}/decline"), Some(&body));
        let mut stands = answer.body["resolution"].clone();
        if let Some(stands) = stands.as_object_mut() {
            stands.remove("responder");
            stands.remove("at");
        }
        let code = answer.body["code"].as_str();
        if (answer.status, code) != (409, Some("already_resolved")) || Some(stands) != got {
            scene.problem(format!("too late for {id}, the hub says {answer:?}, not {got:?}"));
        }
    }
}

/// Everybody was told the same, and it is what was meant.
fn stories(ledger: &mut Ledger, stored: &Stored) {
    let mut problems = vec![];
    for (id, story) in &ledger.asks {
        let Story { key, attempts, got, .. } = story;
        let mut problem = |what: String| problems.push(format!("{key} ({id}): {what}"));
        let mut winners = attempts.iter().filter_map(|attempt| match &attempt.heard {
            Heard::Stands(stands) => Some((attempt, stands)),
            Heard::TooLate(_) => None,
        });
        let (Some((winner, stands)), None) = (winners.next(), winners.next()) else {
            problem(format!("not exactly one reply was acknowledged: {attempts:?}"));
            continue;
        };
        if winner.meant != *stands {
            problem(format!("{} was sent, and {stands} was acknowledged", winner.meant));
        }
        for attempt in attempts {
            if let Heard::TooLate(other) = &attempt.heard
                && other != stands
            {
                problem(format!("{stands} stands, but who was too late heard {other}"));
            }
        }
        if got.as_ref() != Some(stands) {
            problem(format!("{stands} was acknowledged, and the asker got {got:?}"));
        }
        let kept = stored.get(id);
        if kept != Some(&(State::Delivered, Some(stands.clone()))) {
            problem(format!("{stands} was acknowledged, and {kept:?} is stored"));
        }
    }
    let (asked, kept) = (ledger.asks.len(), stored.len());
    if asked != kept {
        problems.push(format!("{asked} asks were asked, and {kept} are stored"));
    }
    for problem in problems {
        ledger.problem(problem);
    }
}

/// Followers saw the same; every ask lived once; nothing else happened but the two first tokens.
fn events(ledger: &mut Ledger, seen: &[Seen]) {
    let Some(first) = seen.first() else { return };
    let mut problems = vec![];
    for other in &seen[1..] {
        if other.events != first.events {
            problems.push(format!("follower {} saw other events than the first", other.number));
        }
    }
    let mut lives: HashMap<AskId, Vec<&str>> = HashMap::new();
    let mut others = vec![];
    for (name, ask) in &first.events {
        match ask {
            Some(ask) => lives.entry(*ask).or_default().push(name),
            None => others.push(name.as_str()),
        }
    }
    // The person, the token that all agents shared, and the agents.
    if others != ["device.changed"; 2 + BUILT_IN.len()] {
        problems.push(format!("beside asks there was {others:?}"));
    }
    for (id, life) in &lives {
        if *life != LIFE || !ledger.asks.contains_key(id) {
            problems.push(format!("the life of {id} was {life:?}"));
        }
    }
    if lives.len() != ledger.asks.len() {
        let asked = ledger.asks.len();
        problems.push(format!("{asked} asks were asked, and {} were told", lives.len()));
    }
    for problem in problems {
        ledger.problem(problem);
    }
}

/// The log adds up, against every head that was kept on the way, and is as long as what was told.
fn audit(hub: &HubProcess, scene: &Scene, events: u64, heads: &[String]) {
    let mut heads: Vec<_> = heads.iter().map(String::as_str).collect();
    heads.dedup();
    for head in std::iter::once(None).chain(heads.into_iter().map(Some)) {
        let mut command = hub.command();
        command.args(["audit", "verify", "--json"]);
        command.args(head.iter().flat_map(|head| ["--head", head]));
        let ended = Program::run(&mut command);
        let sound: Value = serde_json::from_str(&ended.stdout).unwrap_or_default();
        if !ended.status.success() || sound["events"] != json!(events) {
            scene.problem(format!("{events} events were told, and the audit says {ended:?}"));
        }
    }
}
