//! What was asked in an interview and how each ask ended: one line each, kept before the model hears it.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use handraise_broker::AskId;
use handraise_question::wording::api;
use handraise_question::{Ask, Limits, Responder};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use super::place;
use crate::ask::Ending;

/// One ask that has ended.
pub(super) struct Asked {
    /// The model's name for the call.
    pub(super) call: String,
    pub(super) ask: Ask,
    pub(super) ending: Ending,
    /// Which ask it was at the hub, if it was there.
    pub(super) at_hub: Option<AskId>,
}

/// The minutes of an interview.
pub(super) struct Minutes {
    file: File,
    asked: Vec<Asked>,
}

#[derive(Serialize, Deserialize)]
struct Line {
    call: String,
    questions: Box<RawValue>,
    resolution: Value,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ask: Option<AskId>,
}

impl Minutes {
    /// Opens them, with what is in them already.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let (file, lines) = place::open_lines(path)?;
        let asked: Option<Vec<_>> = lines.iter().map(|line| read(line)).collect();
        let asked = asked.ok_or_else(|| {
            io::Error::new(io::ErrorKind::InvalidData, "a line of it is not what was written")
        })?;
        Ok(Self { file, asked })
    }

    /// Keeps how an ask ended.
    pub(super) fn keep(&mut self, asked: Asked) -> io::Result<()> {
        let at = format!("{:.3}", asked.ending.at);
        let responder = asked.ending.responder.as_ref();
        let line = Line {
            call: asked.call.clone(),
            questions: asked.ask.as_sent().to_owned(),
            resolution: api::resolution(&asked.ending.resolution, responder, &at),
            ask: asked.at_hub,
        };
        let mut text = serde_json::to_string(&line)?;
        text.push('\n');
        self.file.write_all(text.as_bytes())?;
        self.file.sync_data()?;
        self.asked.push(asked);
        Ok(())
    }

    /// All asks that have ended, the oldest first.
    pub(super) fn asked(&self) -> &[Asked] {
        &self.asked
    }

    /// How a call ended, if it has.
    pub(super) fn end_of(&self, call: &str) -> Option<&Asked> {
        self.asked.iter().find(|asked| asked.call == call)
    }
}

fn read(line: &str) -> Option<Asked> {
    let Line { call, questions, resolution, ask: at_hub } = serde_json::from_str(line).ok()?;
    let json = format!("{{\"questions\":{}}}", questions.get());
    let ask = Ask::read(json.as_bytes(), &Limits::WIDE).ok()?.ask;
    let at: Timestamp = resolution["at"].as_str()?.parse().ok()?;
    let responder = Option::<Responder>::deserialize(&resolution["responder"]).ok()?;
    let ending = Ending { resolution: api::read(&ask, &resolution).ok()?, responder, at };
    Some(Asked { call, ask, ending, at_hub })
}
