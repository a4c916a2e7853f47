//! A look back from the end of a transcript.

use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use serde_json::Value;

use super::line::{self, Told};
use super::opened;
use super::outcome::Outcome;

/// The file of one session.
#[derive(Debug, Clone, Copy)]
pub struct Transcript<'a>(&'a Path);

/// What was said around a call.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Context {
    /// What the agent wrote just before, in the same message.
    pub preamble: Option<String>,
    /// The branch.
    pub branch: Option<String>,
    /// What the person had asked for.
    pub prompt: Option<String>,
    /// The title the person gave the session.
    pub title: Option<String>,
}

/// How far back is looked. A question is near the end: the session waits for it.
const TAIL: u64 = 4 * 1024 * 1024;

impl<'a> Transcript<'a> {
    /// The transcript in this file.
    #[must_use]
    pub fn new(path: &'a Path) -> Self {
        Self(path)
    }

    /// What was said around a call; `None` while the call is not written down yet.
    #[must_use]
    pub fn context(&self, tool_use_id: &str) -> Option<Context> {
        let text = self.tail().filter(|text| text.contains(tool_use_id))?;
        // The lines that are whole and make sense, the last first and one at a time: they are large.
        let mut lines = text.lines().rev().filter_map(|line| serde_json::from_str(line).ok());
        let call: Value = lines.by_ref().find(|line| {
            blocks(line).any(|block| block["type"] == "tool_use" && block["id"] == tool_use_id)
        })?;
        let mut context = Context { branch: branch(&call), ..Context::default() };
        let (mut said, mut before) = (texts(&call), true);
        for line in lines {
            match line["type"].as_str() {
                Some("assistant") if before => said.splice(0..0, texts(&line)).for_each(drop),
                Some("user") => {
                    before = false;
                    let prompt = prompt(&line);
                    if context.prompt.is_none() && prompt.is_some() {
                        context.prompt = prompt;
                    }
                }
                Some("custom-title") if context.title.is_none() => {
                    context.title = line["customTitle"].as_str().map(str::to_owned);
                }
                _ => {}
            }
        }
        context.preamble = Some(said.join("\n\n")).filter(|text| !text.trim().is_empty());
        Some(context)
    }

    /// What came of a call; `None` while nothing did.
    #[must_use]
    pub fn outcome(&self, tool_use_id: &str) -> Option<Outcome> {
        let text = self.tail()?;
        // Only lines that name the call are worth understanding.
        let lines = text.lines().rev().filter(|line| line.contains(tool_use_id));
        for line in lines {
            let mut found = None;
            line::tell(
                line,
                &mut found,
                |_, id| id == tool_use_id,
                |found, told| match told {
                    Told::Result(_, outcome) => *found = Some(outcome),
                    Told::Call(_) => {}
                },
            );
            if found.is_some() {
                return found;
            }
        }
        None
    }

    fn tail(&self) -> Option<String> {
        let (mut file, metadata) = opened::open(self.0).ok()?;
        file.seek(SeekFrom::Start(metadata.len().saturating_sub(TAIL))).ok()?;
        let mut bytes = vec![];
        file.take(TAIL).read_to_end(&mut bytes).ok()?;
        // Where it was cut, a character may be cut too; that line is not whole anyway.
        let whole = String::from_utf8(bytes);
        Some(whole.unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
    }
}

fn blocks(line: &Value) -> impl Iterator<Item = &Value> {
    line["message"]["content"].as_array().into_iter().flatten()
}

fn texts(line: &Value) -> Vec<String> {
    let texts = blocks(line).filter(|block| block["type"] == "text");
    texts.filter_map(|block| block["text"].as_str().map(str::to_owned)).collect()
}

/// What the person typed, if that is what this line holds.
fn prompt(line: &Value) -> Option<String> {
    if line["isMeta"] == true {
        return None;
    }
    let typed = match line["message"]["content"].as_str() {
        Some(text) => text.to_owned(),
        None => texts(line).join("\n"),
    };
    // What Claude Code says of itself stands in tags or brackets.
    Some(typed).filter(|text| !text.trim().is_empty() && !text.starts_with(['<', '[']))
}

fn branch(line: &Value) -> Option<String> {
    let branch = line["gitBranch"].as_str()?;
    // "HEAD" is what it says where there is no branch.
    (!branch.is_empty() && branch != "HEAD").then(|| branch.to_owned())
}

#[cfg(test)]
#[path = "tail_tests.rs"]
mod tests;
