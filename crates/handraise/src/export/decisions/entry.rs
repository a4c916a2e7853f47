//! What became of one question or one approval.

use std::fmt::Write;

use handraise_broker::{Record, Resolved, State};
use handraise_question::wording::api;
use handraise_question::{Answer, Approval, Question, Resolution};
use handraise_terminal::visible;
use serde_json::Value;

use crate::markdown::{inline, paragraphs, quoted};

/// A longer question does not fit a heading.
const LONGEST_HEADING: usize = 120;

/// The decisions on the questions of an ask, one for each.
pub(super) fn questions(record: &Record) -> Vec<String> {
    let (Ok(ask), Ok(Some(resolution))) = (record.matter().ask(), record.resolution()) else {
        return vec!["### An ask that cannot be read\n".to_owned()];
    };
    let took = took(record).and_then(|took| api::read(&ask, took).ok());
    let one = |(at, question): (usize, &Question)| {
        let mut out = heading(question);
        let invented = invented(record);
        let answer = answer(&resolution, at);
        if invented.is_none() && is_claimed(record) {
            out.push_str("By the agent's word, in its own dialog:\n\n");
        }
        // What nobody gave must not look like a choice.
        out += &options(question, answer.filter(|_| invented.is_none()));
        out += &match (invented, answer) {
            (Some(why), answer) => went_on_with(answer, why),
            (None, Some(answer)) => given(answer),
            (None, None) => not_given(&resolution),
        };
        out += &since(record, &resolution, took.as_ref(), at);
        out
    };
    ask.questions().iter().enumerate().map(one).collect()
}

fn heading(question: &Question) -> String {
    let text = question.text();
    let header = question.header().map(inline);
    let fits = !text.trim().contains('\n') && text.chars().count() <= LONGEST_HEADING;
    match (header, fits) {
        (Some(header), true) => format!("### {header}: {}\n\n", inline(text)),
        (None, true) => format!("### {}\n\n", inline(text)),
        (Some(header), false) => format!("### {header}\n\n{}\n\n", paragraphs(text)),
        (None, false) => {
            format!("### {}\n\n{}\n\n", inline(&cut(text, LONGEST_HEADING)), paragraphs(text))
        }
    }
}

fn options(question: &Question, answer: Option<&Answer>) -> String {
    let chosen: &[String] = match answer {
        Some(Answer::Chosen(chosen)) => chosen.labels(),
        Some(Answer::LeftOpen { .. }) | None => &[],
    };
    let mut out = String::new();
    for option in question.choices() {
        let label = inline(option.label());
        let is_chosen = chosen.iter().any(|chosen| chosen == option.label());
        let label = if is_chosen { format!("**✔ {label}**") } else { label };
        // A String takes everything.
        let _ = match option.description().map(inline).filter(|text| !text.is_empty()) {
            Some(description) => writeln!(out, "- {label} – {description}"),
            None => writeln!(out, "- {label}"),
        };
    }
    if !out.is_empty() {
        out.push('\n');
    }
    out
}

/// What the person said beside the options.
fn given(answer: &Answer) -> String {
    let mut out = match answer {
        Answer::Chosen(chosen) => chosen.words().map_or_else(String::new, |words| {
            format!("In their own words:\n\n{}\n\n", quoted(words))
        }),
        Answer::LeftOpen { .. } => "**Left open** on purpose.\n\n".to_owned(),
    };
    if let Some(notes) = answer.notes() {
        let _ = write!(out, "Remark:\n\n{}\n\n", quoted(notes));
    }
    out
}

/// Why there is no answer.
fn not_given(resolution: &Resolution) -> String {
    match resolution {
        Resolution::Answered(_) => "**Not answered.**\n\n".to_owned(),
        Resolution::Declined { reason: None } => "**Declined.** Nothing was chosen.\n\n".to_owned(),
        Resolution::Declined { reason: Some(reason) } => {
            format!("**Declined.** Nothing was chosen.\n\n{}\n\n", quoted(reason.as_str()))
        }
        Resolution::Discuss { words } => format!(
            "**Not decided:** the person wanted to talk first.\n\n{}\n\n",
            quoted(words.as_str())
        ),
        Resolution::NoAnswer { after_seconds } => {
            format!("**Nobody answered** within {after_seconds} s. Nothing was chosen.\n\n")
        }
        Resolution::Withdrawn { .. } => {
            "**Withdrawn** before anybody answered. Nothing was chosen.\n\n".to_owned()
        }
    }
}

/// Why nobody can have given what stands as the answer, if so.
fn invented(record: &Record) -> Option<&str> {
    let doubt = record.doubt().filter(|_| record.is_invented())?;
    Some(&doubt.why)
}

/// Whether only the agent says that somebody answered this.
fn is_claimed(record: &Record) -> bool {
    record.resolved().is_some_and(Resolved::is_claimed_by_agent)
}

/// What the agent took for an answer.
fn went_on_with(answer: Option<&Answer>, why: &str) -> String {
    let took = answer.map_or_else(|| "no answer".to_owned(), said);
    format!(
        "**Nobody decided this.** The agent went on with: {took}\n\nHow that is known: {}\n\n",
        inline(why)
    )
}

/// What became known afterwards of what the agent took. Whether it got the answer at all may still change
/// and is no part of the decision.
fn since(record: &Record, resolution: &Resolution, took: Option<&Resolution>, at: usize) -> String {
    let mut out = String::new();
    if record.state() == State::Overruled {
        let stands = answer(resolution, at);
        match took {
            Some(took) => {
                let instead = answer(took, at);
                if instead != stands || instead.is_none() {
                    let instead = instead.map_or_else(|| ended(took), said);
                    let _ = write!(out, "**Overruled:** the agent went on with: {instead}\n\n");
                }
            }
            None => out.push_str("**Overruled:** the agent read something else.\n\n"),
        }
        if let Some(doubt) = record.doubt() {
            let _ = write!(out, "Nobody gave the agent that answer: {}\n\n", inline(&doubt.why));
        }
    }
    out
}

fn answer(resolution: &Resolution, at: usize) -> Option<&Answer> {
    match resolution {
        Resolution::Answered(answers) => answers.as_slice().get(at),
        Resolution::Declined { .. }
        | Resolution::Discuss { .. }
        | Resolution::NoAnswer { .. }
        | Resolution::Withdrawn { .. } => None,
    }
}

/// An answer within a line.
fn said(answer: &Answer) -> String {
    match answer {
        Answer::Chosen(chosen) => {
            let words = chosen.words().map(|words| format!("“{}”", inline(words)));
            let labels = chosen.labels().iter().map(|label| inline(label));
            labels.chain(words).collect::<Vec<_>>().join(", ")
        }
        Answer::LeftOpen { .. } => "no answer to this".to_owned(),
    }
}

/// An end without an answer within a line.
fn ended(resolution: &Resolution) -> String {
    api::kind(resolution).replace('_', " ")
}

/// What the agent itself says it took.
fn took(record: &Record) -> Option<&Value> {
    record.last_receipt()?.took.as_ref()
}

/// An approval on one line. What a tool is called with stays out of it: it may be long, and hold secrets.
pub(super) fn approval(record: &Record, approval: Option<&Approval>) -> String {
    let resolution = record.resolved().map(|resolved| &resolved.resolution);
    let verdict = resolution.map_or("Not decided", verdict);
    let verdict = match invented(record) {
        Some(_) => format!("Nobody decided, the agent took it for {}:", verdict.to_lowercase()),
        None if is_claimed(record) => format!("{verdict} by the agent's word:"),
        None => verdict.to_owned(),
    };
    let what = match approval {
        Some(approval) if approval.is_plan() => "the plan".to_owned(),
        Some(approval) => inline(approval.tool()),
        None => "a tool".to_owned(),
    };
    let about = approval.and_then(|approval| {
        let plan = approval.plan().filter(|_| approval.is_plan());
        let title = || plan?.lines().map(bare).find(|line| !line.is_empty());
        title().or_else(|| approval.description())
    });
    let about =
        about.map_or_else(String::new, |text| format!(": {}", inline(&cut(text, LONGEST_HEADING))));
    let mut out = format!("**{verdict}** {what}{about}.");
    let message = ["message", "reason", "words"].iter().find_map(|name| resolution?[name].as_str());
    if let Some(message) = message {
        let _ = write!(out, " “{}”", inline(message));
    }
    if resolution.is_some_and(|resolution| resolution["input"].is_object()) {
        out.push_str(" With another input.");
    }
    if record.state() == State::Overruled {
        let instead = took(record).map_or("something else", self::verdict);
        let _ = write!(out, " **Overruled:** the agent took it for {}.", instead.to_lowercase());
    }
    if let Some(doubt) = record.doubt() {
        let _ = write!(out, " Nobody gave the agent that: {}", inline(&doubt.why));
    }
    out
}

fn verdict(resolution: &Value) -> &'static str {
    match (resolution["kind"].as_str(), resolution["decision"].as_str()) {
        (Some("answered"), Some("allow")) => "Allowed",
        (Some("answered"), _) => "Denied",
        (Some("declined"), _) => "Declined",
        (Some("discuss"), _) => "Not decided, to be talked about",
        (Some("no_answer"), _) => "Nobody answered",
        _ => "Withdrawn",
    }
}

/// A heading's words.
fn bare(line: &str) -> &str {
    line.trim().trim_start_matches('#').trim_start()
}

/// The beginning of a text that may be very long.
pub(super) fn cut(text: &str, most: usize) -> String {
    // Marked first: to `split_whitespace`, many a hidden character is a space.
    let text = visible(text).split_whitespace().collect::<Vec<_>>().join(" ");
    if text.chars().count() <= most {
        return text;
    }
    let begin: String = text.chars().take(most.saturating_sub(1)).collect();
    format!("{}…", begin.trim_end())
}
