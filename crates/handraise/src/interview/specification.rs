//! The agreed specification, as Markdown.
//!
//! What was decided, by whom and why comes from the minutes, not from the model: it stands here once and as
//! it was answered, whatever the model makes of it. The model adds the summary and what it sees as open.

use std::fmt::Write;

use handraise_question::{Answer, Chosen, Question, Resolution, Responder};
use jiff::Timestamp;

use super::minutes::Asked;
use super::place::About;
use crate::markdown::{contained, inline, sections, verbatim, without_html};
use crate::who::{by, person};

/// How the model closed an interview.
pub(super) enum Closing {
    /// With these words.
    Words(String),
    /// Not at all, and why.
    Cut(String),
}

/// A question and where it stands.
struct Matter<'a> {
    question: &'a Question,
    stand: Stand<'a>,
    responder: Option<&'a Responder>,
    at: Timestamp,
}

enum Stand<'a> {
    Decided {
        chosen: &'a Chosen,
        notes: Option<&'a str>,
    },
    /// Open, with the words for it.
    Open(String),
    /// The same, because somebody wanted to talk first.
    Talked(String),
}

/// How many questions have a decision.
pub(super) fn decisions(asked: &[Asked]) -> usize {
    let decided = |matter: &&Matter<'_>| matches!(matter.stand, Stand::Decided { .. });
    matters(asked).iter().filter(decided).count()
}

/// Writes it.
pub(super) fn write(about: &About, asked: &[Asked], closing: &Closing, today: Timestamp) -> String {
    let said = match closing {
        Closing::Words(text) => Some(text.as_str()),
        Closing::Cut(_) => None,
    };
    let said = said.map(without_html).unwrap_or_default();
    let parts = Parts::of(&said);
    let matters = matters(asked);
    let mut out = String::new();
    let title = parts.title.as_deref().unwrap_or(&about.task);
    // A String takes everything.
    let _ = write!(out, "# {}\n\n- Task: {}\n", inline(title), inline(&about.task));
    let _ = write!(out, "- Interview: {}, with {}, ", about.id, inline(&about.model));
    let _ = writeln!(out, "finished {}", minute(today));
    let _ = writeln!(out, "- Decisions: {}", decisions(asked));
    if !parts.words.is_empty() {
        let _ = write!(out, "\n## Summary, in the model's words\n\n{}\n", parts.words);
    }
    out.push_str("\n## Decisions\n");
    let mut number = 0;
    for matter in &matters {
        if let Stand::Decided { chosen, notes } = &matter.stand {
            number += 1;
            out.push_str(&decision(number, matter, chosen, *notes));
        }
    }
    if number == 0 {
        out.push_str("\nNothing was decided.\n");
    }
    out.push_str("\n## Open points\n\n");
    let mut open = false;
    if let Closing::Cut(why) = closing {
        open = true;
        let _ = writeln!(out, "- The interview was cut off, so more may be open: {}", inline(why));
    }
    for matter in &matters {
        if let Stand::Open(why) | Stand::Talked(why) = &matter.stand {
            open = true;
            let _ = writeln!(out, "- {} ({why})", inline(matter.question.text()));
        }
    }
    match parts.open {
        Some(more) => {
            let gap = if open { "\n" } else { "" };
            let _ = writeln!(out, "{gap}{more}");
        }
        None if !open => out.push_str("None.\n"),
        None => {}
    }
    out
}

/// The model's closing text, cut up.
struct Parts {
    title: Option<String>,
    /// Its sections, without those that we write, one level below ours: nothing in them can be taken for
    /// the record.
    words: String,
    open: Option<String>,
}

impl Parts {
    fn of(said: &str) -> Self {
        let (mut title, mut open, mut words) = (None, None, vec![]);
        for section in sections(said) {
            let name: String = section.title.chars().filter(|c| c.is_alphanumeric()).collect();
            let name = name.to_lowercase();
            let body = contained(&section.deeper());
            if matches!(name.as_str(), "openpoints" | "openquestions") {
                open = Some(body).filter(|body| says_something(body));
                continue;
            }
            if name.contains("decision") || name.contains("decided") {
                continue;
            }
            let is_title = section.level == Some(1) && title.is_none() && !section.title.is_empty();
            if is_title {
                title = Some(section.title);
            } else if section.level.is_some() && !body.is_empty() {
                words.push(format!("### {}", inline(&section.title)));
            }
            if !body.is_empty() {
                words.push(body);
            }
        }
        Self { title, words: words.join("\n\n"), open }
    }
}

/// Whether a list of open points names any.
fn says_something(body: &str) -> bool {
    let bare = body.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    !matches!(bare.as_str(), "" | "none" | "nothing" | "n/a")
}

/// Every question once, in the order in which they were first asked. What was decided last counts; a
/// question that was decided is not opened again by not being answered.
fn matters(asked: &[Asked]) -> Vec<Matter<'_>> {
    let mut matters: Vec<Matter<'_>> = vec![];
    for one in asked {
        for (at, question) in one.ask.questions().iter().enumerate() {
            let matter = Matter {
                question,
                stand: stand(&one.ending.resolution, at, one.ending.responder.as_ref()),
                responder: one.ending.responder.as_ref(),
                at: one.ending.at,
            };
            let same = matters.iter_mut().find(|old| is_same(old.question, question));
            match same {
                None => matters.push(matter),
                Some(old)
                    if matches!(old.stand, Stand::Open(_) | Stand::Talked(_))
                        || matches!(matter.stand, Stand::Decided { .. }) =>
                {
                    *old = matter;
                }
                Some(_) => {}
            }
        }
    }
    // What somebody wanted to talk about first is often asked again in other words, under the same name.
    let decided: Vec<_> = matters
        .iter()
        .filter(|matter| matches!(matter.stand, Stand::Decided { .. }))
        .filter_map(|matter| matter.question.header())
        .collect();
    matters.retain(|matter| {
        let settled = || matter.question.header().is_some_and(|header| decided.contains(&header));
        !(matches!(matter.stand, Stand::Talked(_)) && settled())
    });
    matters
}

/// Whether two are one question: the same words about the same choice.
fn is_same(one: &Question, other: &Question) -> bool {
    let labels = |question: &Question| -> Vec<String> {
        question.options().iter().map(|option| option.label().to_owned()).collect()
    };
    one.text() == other.text() && one.header() == other.header() && labels(one) == labels(other)
}

fn stand<'a>(resolution: &'a Resolution, at: usize, by: Option<&Responder>) -> Stand<'a> {
    let who = by.map_or_else(String::new, |by| format!(" by {}", person(by)));
    match resolution {
        Resolution::Answered(answers) => match answers.as_slice().get(at) {
            Some(answer @ Answer::Chosen(chosen)) => {
                Stand::Decided { chosen, notes: answer.notes() }
            }
            Some(answer @ Answer::LeftOpen { .. }) => {
                let notes = answer.notes().map_or_else(String::new, |n| format!(": {}", inline(n)));
                Stand::Open(format!("left open on purpose{who}{notes}"))
            }
            None => Stand::Open("not answered".into()),
        },
        Resolution::Declined { reason } => {
            let reason = reason
                .as_ref()
                .map_or_else(String::new, |reason| format!(": {}", inline(reason.as_str())));
            Stand::Open(format!("declined{who}{reason}"))
        }
        Resolution::Discuss { words } => {
            Stand::Talked(format!("talked about{who}, not decided: {}", inline(words.as_str())))
        }
        Resolution::NoAnswer { .. } => Stand::Open("nobody answered".into()),
        Resolution::Withdrawn { .. } => Stand::Open("withdrawn before anybody answered".into()),
    }
}

fn decision(number: usize, matter: &Matter<'_>, chosen: &Chosen, notes: Option<&str>) -> String {
    let question = matter.question;
    let mut out = format!("\n### {number}. {}\n\n", inline(question.name()));
    if question.header().is_some() {
        let _ = write!(out, "{}\n\n", inline(question.text()));
    }
    let labels: Vec<_> = chosen.labels().iter().map(|label| inline(label)).collect();
    let (own, quoted) = match chosen.words() {
        Some(words) if words.contains('\n') => (None, Some(words)),
        words => (words.map(|words| format!("“{}”", inline(words))), None),
    };
    let all: Vec<_> = labels.iter().map(|label| format!("**{label}**")).chain(own).collect();
    if !all.is_empty() {
        let _ = writeln!(out, "- Decided: {}", all.join(", "));
    }
    if let Some(words) = quoted {
        let and = if all.is_empty() { "Decided" } else { "And" };
        let _ = writeln!(out, "- {and}, in these words:\n\n{}\n", indented(&verbatim(words)));
    }
    for label in chosen.labels() {
        let reason = question.choice(label).and_then(|option| option.description());
        if let Some(reason) = reason {
            let of = if labels.len() > 1 { format!(" ({})", inline(label)) } else { String::new() };
            let _ = writeln!(out, "- Reason{of}: {}", inline(reason));
        }
    }
    if let Some(notes) = notes {
        let _ = if notes.contains('\n') {
            writeln!(out, "- Remark:\n\n{}\n", indented(&verbatim(notes)))
        } else {
            writeln!(out, "- Remark: {}", inline(notes))
        };
    }
    let chosen_of = |label: &str| chosen.labels().iter().any(|chosen| chosen == label);
    let other: Vec<_> = question.choices().filter(|option| !chosen_of(option.label())).collect();
    if !other.is_empty() {
        let other: Vec<_> = other.iter().map(|option| inline(option.label())).collect();
        let _ = writeln!(out, "- Not chosen: {}", other.join(", "));
    }
    let who = matter.responder.map_or_else(|| "not known".to_owned(), by);
    let _ = writeln!(out, "- Decided by: {who}, {}", minute(matter.at));
    out
}

fn minute(at: Timestamp) -> String {
    at.strftime("%Y-%m-%d %H:%M UTC").to_string()
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
#[path = "specification_tests.rs"]
mod tests;
