//! `handraise answer`, `decline`, `discuss`, `extend`: a person's word, from a script.

mod allowing;
mod names;

use std::io::{self, IsTerminal};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use handraise_broker::{
    AnswerIn, AskId, Hub, HubError, Level, MOST_LISTED, Matter, Order, Query, Record, Rejection,
    Reply, Resolved, State,
};
use handraise_client::{Home, RemoteHub};
use handraise_question::wording::{api, confirmation};
use handraise_question::{AnswerForm, Approval, DecisionForm, Surface, Verdict, Violations};
use handraise_wire::v1::{AnswerParams, AskResponse};
use serde_json::Value;

use crate::cli::{AnswerArgs, DeclineArgs, DiscussArgs, ExtendArgs};
use crate::failure::{Exit, Failure, say};
use crate::home::{failure, hub};
use crate::{approval, inside_agent, output, runtime, source};

pub(crate) fn answer(home: &Home, args: &AnswerArgs) -> Result<Exit, Failure> {
    let person = Person::new(home, "answer")?;
    let record = person.find_to_answer(&args.id)?;
    let (reply, key) = match &args.json {
        Some(file) => lossless(&record, file)?,
        None => (reply(&record, args)?, None),
    };
    let shown_first = args.allow && !args.yes && record.is_open() && io::stdin().is_terminal();
    let reply = if shown_first { allowing::at_terminal(&record, args)? } else { reply };
    person.say(&record, reply, key, args.json.is_some())
}

pub(crate) fn decline(home: &Home, args: &DeclineArgs) -> Result<Exit, Failure> {
    let person = Person::new(home, "decline")?;
    let record = person.find_to_answer(&args.id)?;
    person.say(&record, Reply::Decline(args.reason.clone()), None, args.json)
}

pub(crate) fn discuss(home: &Home, args: &DiscussArgs) -> Result<Exit, Failure> {
    let person = Person::new(home, "discuss")?;
    let record = person.find_to_answer(&args.id)?;
    person.say(&record, Reply::Discuss(args.words.clone()), None, args.json)
}

pub(crate) fn extend(home: &Home, args: &ExtendArgs) -> Result<Exit, Failure> {
    let person = Person::new(home, "extend")?;
    let record = person.find(&args.id)?;
    let extended = person.runtime.block_on(person.hub.extend(record.id, args.by.as_secs(), None));
    let record = extended.map_err(failure)?;
    if args.json {
        output::print_json(&AskResponse::from(&*record))?;
    } else if let Some(deadline) = record.deadline_at {
        output::print(&format!("✔ Open until {deadline:.0}"))?;
    }
    Ok(Exit::Answered)
}

/// How long an agent may take to say what it took.
const ITS_WORD: Duration = Duration::from_secs(3);
const TURN: Duration = Duration::from_millis(20);

/// Less of an id is more likely a slip, such as a variable that is not set.
const SHORTEST_END: usize = 4;

/// Somebody who may answer.
struct Person {
    hub: RemoteHub,
    runtime: tokio::runtime::Runtime,
}

impl Person {
    fn new(home: &Home, command: &str) -> Result<Self, Failure> {
        inside_agent::refuse(command, home)?;
        let hub = hub(home, Surface::Api)?;
        let runtime = runtime::single().map_err(|error| Failure::new(Exit::Internal, error))?;
        Ok(Self { hub, runtime })
    }

    /// The ask with this id, or the one whose id ends like this: an open one if there is one, else one
    /// that has ended lately.
    fn find(&self, id: &str) -> Result<Arc<Record>, Failure> {
        if let Ok(id) = id.parse::<AskId>() {
            return self.runtime.block_on(self.hub.get(id)).map_err(failure);
        }
        if id.len() < SHORTEST_END {
            let error = anyhow::anyhow!("`{id}` is too little of an id");
            return Err(Failure::new(Exit::BadInput, error).hint("`handraise list` shows the ids"));
        }
        let open = Query { states: vec![State::Open], ..Query::default() };
        let mut found = self.ending_in(id, &open, usize::MAX)?;
        if found.is_empty() {
            let states = State::ALL.into_iter().filter(|state| *state != State::Open).collect();
            let ended = Query { states, order: Order::LastEndedFirst, ..Query::default() };
            found = self.ending_in(id, &ended, 1)?;
        }
        match found.as_slice() {
            [one] => Ok(one.clone()),
            [] => {
                let error = anyhow::anyhow!("no ask has an id that ends in {id}");
                Err(Failure::new(Exit::BadInput, error).hint("`handraise list` shows the ids"))
            }
            several => {
                let error = anyhow::anyhow!("{} asks have an id like that", several.len());
                let failure = Failure::new(Exit::BadInput, error).hint("write more of the id");
                Err(several.iter().fold(failure, |failure, one| failure.detail(one.id.to_string())))
            }
        }
    }

    /// The same, unless only the agent's own dialog takes an answer: that is said before anything is
    /// said about the answer itself.
    fn find_to_answer(&self, id: &str) -> Result<Arc<Record>, Failure> {
        let record = self.find(id)?;
        if record.is_open() && record.policy().answer_in == AnswerIn::Dialog {
            let refused = failure(Rejection::OnlyInDialog.into());
            return Err(match place(&record) {
                Some(place) => refused.hint(format!("it works in {place}")),
                None => refused,
            });
        }
        Ok(record)
    }

    /// The asks whose ids end like this, in at most so many pages.
    fn ending_in(
        &self,
        id: &str,
        query: &Query,
        pages: usize,
    ) -> Result<Vec<Arc<Record>>, Failure> {
        let mut found = vec![];
        let mut after = None;
        for _ in 0..pages {
            let query = Query { after, limit: MOST_LISTED, ..query.clone() };
            let page = self.runtime.block_on(self.hub.list(query)).map_err(failure)?;
            after = page.last().map(|record| record.id);
            let last = page.len() < MOST_LISTED as usize;
            found.extend(page.into_iter().filter(|record| record.id.to_string().ends_with(id)));
            if last {
                break;
            }
        }
        Ok(found)
    }

    fn say(
        &self,
        record: &Record,
        reply: Reply,
        key: Option<String>,
        json: bool,
    ) -> Result<Exit, Failure> {
        let said = self.runtime.block_on(self.hub.reply(record.id, reply, key));
        let record = said.map_err(|error| {
            let mut stands = vec![];
            if let HubError::Rejected(Rejection::AlreadyResolved(record)) = &error {
                stands = ended(record);
            }
            stands.into_iter().fold(failure(error), Failure::detail)
        })?;
        let record = self.until_taken(record);
        let overruled = record.state() == State::Overruled;
        if json {
            output::print_json(&AskResponse::from(&*record))?;
        } else if overruled {
            let too_late = "The agent had another answer already, and goes on with that:";
            for line in
                std::iter::once(too_late.to_owned()).chain(taken(&record)).chain(doubted(&record))
            {
                output::print(&handraise_terminal::visible(&line))?;
            }
        } else {
            if record.policy().receipt == Level::Seen && record.awaits_receipt() {
                say("warning: the agent has not said yet that it took this");
            }
            for line in ended(&record).into_iter().chain(decided_call(&record)) {
                // For people, wherever it goes; programs take --json.
                output::print(&handraise_terminal::visible(&line))?;
            }
        }
        Ok(if overruled { Exit::Withdrawn } else { Exit::Answered })
    }

    /// Where the agent's own dialog is a rival, the agent is the judge: waits a little for its word.
    fn until_taken(&self, record: Arc<Record>) -> Arc<Record> {
        let start = Instant::now();
        let mut record = record;
        while record.policy().receipt == Level::Seen
            && record.awaits_receipt()
            && start.elapsed() < ITS_WORD
        {
            std::thread::sleep(TURN);
            // Whatever happens to the hub now, the answer is stored.
            let Ok(now) = self.runtime.block_on(self.hub.get(record.id)) else { break };
            record = now;
        }
        record
    }
}

/// Where an agent works, as far as it says so.
fn place(record: &Record) -> Option<String> {
    let asker = record.asker();
    let directory = asker.directory.as_deref()?;
    Some(match &asker.host {
        Some(host) => format!("{directory} on {host}"),
        None => directory.to_owned(),
    })
}

/// That no person gave what the agent goes on with, and why that is known.
pub(crate) fn doubted(record: &Record) -> Option<String> {
    record.doubt().map(|doubt| format!("nobody gave this answer: {}", doubt.why))
}

/// What the agent took instead, in lines for a person.
pub(crate) fn taken(record: &Record) -> Vec<String> {
    let took = record.last_receipt().and_then(|receipt| receipt.took.as_ref());
    let Some(took) = took else { return vec![] };
    let read = record.matter().ask().ok().and_then(|ask| {
        let resolution = api::read(&ask, took).ok()?;
        Some(confirmation::lines(&ask, &resolution))
    });
    read.unwrap_or_else(|| decided(record, took))
}

/// An approval's end, in a line for a person.
fn decided(record: &Record, resolution: &Value) -> Vec<String> {
    let tool = approval(record).map_or_else(String::new, |approval| {
        let name = || approval::tool_name(&approval);
        if approval.is_plan() { " the plan".to_owned() } else { format!(" {}", name()) }
    });
    vec![match (resolution["decision"].as_str(), resolution["kind"].as_str()) {
        (Some("allow"), _) if resolution["input"].is_object() => {
            format!("✔ Allowed{tool}, with an edited input")
        }
        (Some("allow"), _) => format!("✔ Allowed{tool}"),
        (Some(_), _) => format!("✘ Denied{tool}"),
        (None, kind) => format!("✘ {}", kind.unwrap_or_default().replace('_', " ")),
    }]
}

fn approval(record: &Record) -> Option<Approval> {
    match record.matter() {
        Matter::Approval(raw) => Approval::read(raw).ok(),
        Matter::Questions(_) => None,
    }
}

/// The call that was allowed or denied, in lines for a person: what was allowed stays readable.
pub(crate) fn decided_call(record: &Record) -> Vec<String> {
    let (Some(approval), Some(resolved)) = (approval(record), record.resolved()) else {
        return vec![];
    };
    approval::call(&approval, &resolved.resolution)
}

/// How an ask ended, in lines for a person.
pub(crate) fn ended(record: &Record) -> Vec<String> {
    let Some(resolved) = record.resolved() else { return vec![] };
    if let (Ok(ask), Ok(Some(resolution))) = (record.matter().ask(), record.resolution()) {
        return confirmation::lines(&ask, &resolution);
    }
    decided(record, &resolved.resolution)
}

/// An end within a line: what only the agent says, as its word. Of what nobody gave, the doubt says more.
pub(crate) fn attribute(record: &Record, ended: String) -> String {
    let is_claim = record.resolved().is_some_and(Resolved::is_claimed_by_agent);
    if is_claim && !record.is_invented() {
        format!("in its own dialog, the agent says: {ended}")
    } else {
        ended
    }
}

/// What `--json` gives: the body of the API, or the list of answers alone.
fn lossless(record: &Record, file: &Path) -> Result<(Reply, Option<String>), Failure> {
    let (name, bytes) = source::read(Some(file))?;
    let form = match record.matter() {
        Matter::Questions(_) => r#"{"answers": [{"selected": ["label"]}]}, one for each question"#,
        Matter::Approval(_) => r#"{"decision": "allow"} or {"decision": "deny"}"#,
    };
    let bad = |error: serde_json::Error| {
        Failure::new(
            Exit::BadInput,
            anyhow::Error::new(error).context(format!("cannot use {name}")),
        )
        .hint(format!("write {form}"))
    };
    let params: AnswerParams = if bytes.trim_ascii_start().starts_with(b"[") {
        let answers = serde_json::from_slice(&bytes).map_err(bad)?;
        AnswerParams { answers: Some(answers), ..AnswerParams::default() }
    } else {
        serde_json::from_slice(&bytes).map_err(bad)?
    };
    params.into_reply().map_err(|violations| Failure::bad_input(name, &violations))
}

fn reply(record: &Record, args: &AnswerArgs) -> Result<Reply, Failure> {
    let bad = |violations: Violations| Failure::bad_input("the answer", &violations);
    match record.matter() {
        Matter::Approval(_) => {
            let decision = match (args.allow, args.deny) {
                (true, false) => Verdict::Allow,
                (false, true) => Verdict::Deny,
                _ => {
                    let error = anyhow::anyhow!("this is an approval");
                    return Err(Failure::new(Exit::BadInput, error).hint("use --allow or --deny"));
                }
            };
            let message = args.message.clone();
            Ok(Reply::Decide(DecisionForm { decision, message, input: None, remember: None }))
        }
        Matter::Questions(_) => {
            if args.allow || args.deny || args.message.is_some() {
                let error = anyhow::anyhow!("these are questions, not an approval");
                return Err(Failure::new(Exit::BadInput, error).hint("use --choose or --words"));
            }
            let ask = record.matter().ask().map_err(bad)?;
            let mut forms = vec![AnswerForm::default(); ask.questions().len()];
            for text in &args.choose {
                let (i, label) = names::value(&ask, text)?;
                forms[i].selected.push(names::label(&ask.questions()[i], label).to_owned());
            }
            for text in &args.words {
                let (i, words) = names::value(&ask, text)?;
                names::only_once(&mut forms[i].words, words, "--words")?;
            }
            for text in &args.note {
                let (i, note) = names::value(&ask, text)?;
                names::only_once(&mut forms[i].notes, note, "--note")?;
            }
            for name in &args.leave {
                forms[names::question(&ask, name)?].left_open = true;
            }
            // Checked here as well, so that problems are named before anything is sent.
            ask.check(forms.clone()).map_err(|violations| {
                let choices = ask.questions().iter().enumerate().filter_map(names::choices);
                let failure = choices.fold(bad(violations), Failure::detail);
                failure.hint(format!("the questions: {}", names::listed(&ask)))
            })?;
            Ok(Reply::Answer(forms))
        }
    }
}
