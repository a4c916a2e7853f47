//! The conversation: what is said, what is understood.

use std::io;

use handraise_question::{Ask, OwnWords, Question, QuestionOption, Resolution, Select};

use crate::prompt::{Draft, cancelled};

/// Somebody to talk to.
pub(super) trait Talk {
    /// Says something; what an agent wrote in it is made visible.
    fn say(&mut self, text: &str) -> io::Result<()>;
    /// Waits for a line, after a short cue.
    fn hear(&mut self, cue: &str) -> io::Result<Heard>;
}

/// What came back.
pub(super) enum Heard {
    /// A line; more than one if they came at once, which is a paste.
    Lines(Vec<String>),
    /// Something that cannot be taken, and why.
    Unusable(&'static str),
    /// The person closed the input.
    End,
    /// The deadline passed.
    Silence { after_seconds: u64 },
}

/// How the conversation ended.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum End {
    Resolved(Resolution),
    TimedOut { after_seconds: u64 },
}

/// Where to go from here, or how it ended.
enum Step {
    Next,
    Back,
    Stay,
    Over(End),
}

pub(super) struct Dialogue<'a, T> {
    ask: &'a Ask,
    drafts: Vec<Draft>,
    talk: &'a mut T,
}

impl<'a, T: Talk> Dialogue<'a, T> {
    pub(super) fn new(ask: &'a Ask, talk: &'a mut T) -> Self {
        let drafts = ask.questions().iter().map(Draft::new).collect();
        Self { ask, drafts, talk }
    }

    pub(super) fn run(mut self) -> io::Result<End> {
        let mut i = 0;
        let mut announced = false;
        let mut reviewed = false;
        loop {
            let review = i == self.drafts.len();
            reviewed |= review;
            if !announced {
                if review { self.announce_review()? } else { self.announce(i)? }
            }
            announced = false;
            let step = if review { self.review(&mut i)? } else { self.question(i)? };
            match step {
                Step::Over(end) => return Ok(end),
                Step::Next if self.drafts.len() == 1 => {
                    if let Some(end) = self.send()? {
                        return Ok(end);
                    }
                }
                // Changed from the review, it returns to the review.
                Step::Next if reviewed && self.drafts.iter().all(Draft::is_settled) => {
                    i = self.drafts.len();
                }
                Step::Next => i += 1,
                Step::Back => i = i.saturating_sub(1),
                Step::Stay => announced = true,
            }
        }
    }

    fn announce(&mut self, i: usize) -> io::Result<()> {
        let question = &self.ask.questions()[i];
        let header = question.header().map(|header| format!(": {}", header.trim()));
        let total = self.drafts.len();
        self.talk.say("")?;
        self.talk.say(&match (total, header) {
            (1, header) => format!("Question{}", header.unwrap_or_default()),
            (_, header) => format!("Question {} of {total}{}", i + 1, header.unwrap_or_default()),
        })?;
        self.talk.say(question.text())?;
        if question.is_open() {
            return self.talk.say("Type your answer. /? for help.");
        }
        for (n, option) in question.choices().enumerate() {
            self.talk.say(&format!("  {}. {}", n + 1, spoken(option)))?;
        }
        let other = question.choices().count() + 1;
        let described: Vec<_> =
            question.agents_other().filter_map(QuestionOption::description).collect();
        let described =
            if described.is_empty() { "type something else".into() } else { described.join("; ") };
        self.talk.say(&format!("  {other}. Other: {described}"))?;
        let how = match question.select() {
            Select::Single => "Type a number.",
            Select::Multi => "Type numbers with commas between, such as 1,3.",
        };
        let previews = question.choices().any(|option| option.preview().is_some());
        let preview = if previews { " p 2 reads the preview of option 2." } else { "" };
        self.talk.say(&format!("{how}{preview} ? for help."))
    }

    fn help(&mut self, slash: &str) -> io::Result<()> {
        for (key, meaning) in [
            ("b", "go back a question"),
            ("s", "skip for now; the review comes back to it"),
            ("n", "add a note to the answer"),
            ("d", "talk first instead of answering"),
            ("x", "decline, with a reason"),
        ] {
            self.talk.say(&format!("  {slash}{key}  {meaning}"))?;
        }
        self.talk.say("  Ctrl-D cancels. A line that ends in \\ goes on in the next.")
    }

    fn question(&mut self, i: usize) -> io::Result<Step> {
        let question = &self.ask.questions()[i];
        let open = question.is_open();
        let line = if open { self.hear_text("> ")? } else { self.hear_line("> ")? };
        let line = match line {
            Ok(line) => line,
            Err(step) => return Ok(step),
        };
        let said = line.trim();
        // Where the answer is text, a slash tells a command from it.
        let command = if open && !said.is_empty() { said.strip_prefix('/') } else { Some(said) };
        match command.unwrap_or_default() {
            "" if said.is_empty() && self.drafts[i].is_settled() => return Ok(Step::Next),
            "" if said.is_empty() => self.talk.say("Nothing chosen.")?,
            "?" => self.help(if open { "/" } else { "" })?,
            "b" => return Ok(Step::Back),
            "s" if self.drafts.len() == 1 => {
                self.talk.say("This is the only question: answer it, or decline with x.")?;
            }
            "s" => return Ok(Step::Next),
            "n" => return self.note(i),
            "d" => return self.discuss(),
            "x" => return self.decline(),
            _ if open => return self.own_words(i, line),
            other => match other.strip_prefix("p ") {
                Some(number) => self.preview(question, number)?,
                None => return self.choose(i, &line),
            },
        }
        Ok(Step::Stay)
    }

    fn choose(&mut self, i: usize, line: &str) -> io::Result<Step> {
        let question = &self.ask.questions()[i];
        let other = self.drafts[i].other_row();
        let numbers: Option<Vec<usize>> = line
            .split([',', ' '])
            .filter(|part| !part.is_empty())
            .map(|part| part.parse().ok().and_then(|n: usize| n.checked_sub(1)))
            .collect();
        let rows = match numbers {
            Some(rows) if !rows.is_empty() && rows.iter().all(|row| *row <= other) => rows,
            _ => {
                self.talk.say(&format!("Not understood. Numbers go from 1 to {}.", other + 1))?;
                return Ok(Step::Stay);
            }
        };
        if question.select() == Select::Single && rows.len() > 1 {
            self.talk.say("One number only: this question takes one answer.")?;
            return Ok(Step::Stay);
        }
        let words = if rows.contains(&other) {
            match self.hear_words("Please specify: ")? {
                Ok(words) => Some(words),
                Err(step) => return Ok(step),
            }
        } else {
            None
        };
        let draft = &mut self.drafts[i];
        draft.ticked.fill(false);
        draft.words_chosen = false;
        for row in rows {
            if let Some(tick) = draft.ticked.get_mut(row) {
                *tick = true;
            }
        }
        draft.left_open = false;
        if let Some(words) = words {
            draft.words = words.into_string();
            draft.choose_words(question.select());
        }
        Ok(Step::Next)
    }

    /// The answer to a question without options.
    fn own_words(&mut self, i: usize, first: String) -> io::Result<Step> {
        match self.checked_words(first)? {
            Ok(words) => {
                self.drafts[i].words = words.into_string();
                self.drafts[i].choose_words(Select::Single);
                Ok(Step::Next)
            }
            Err(step) => Ok(step),
        }
    }

    /// One line. Several at once were pasted, and choose nothing.
    fn hear_line(&mut self, cue: &str) -> io::Result<Result<String, Step>> {
        match self.hear_lines(cue)? {
            Ok(mut lines) if lines.len() == 1 => Ok(Ok(lines.remove(0))),
            Ok(_) => {
                self.talk.say("Several lines came at once; none was taken. Type one.")?;
                Ok(Err(Step::Stay))
            }
            Err(step) => Ok(Err(step)),
        }
    }

    /// Text, which may have been pasted as several lines.
    fn hear_text(&mut self, cue: &str) -> io::Result<Result<String, Step>> {
        Ok(self.hear_lines(cue)?.map(|lines| lines.join("\n")))
    }

    fn hear_lines(&mut self, cue: &str) -> io::Result<Result<Vec<String>, Step>> {
        Ok(Err(match self.talk.hear(cue)? {
            Heard::Lines(lines) => return Ok(Ok(lines)),
            Heard::Unusable(why) => {
                self.talk.say(why)?;
                Step::Stay
            }
            Heard::End => Step::Over(End::Resolved(cancelled())),
            Heard::Silence { after_seconds } => Step::Over(End::TimedOut { after_seconds }),
        }))
    }

    fn hear_words(&mut self, cue: &str) -> io::Result<Result<OwnWords, Step>> {
        match self.hear_text(cue)? {
            Ok(text) => self.checked_words(text),
            Err(step) => Ok(Err(step)),
        }
    }

    /// Reads on while lines end in a backslash, then checks the whole.
    fn checked_words(&mut self, first: String) -> io::Result<Result<OwnWords, Step>> {
        let mut text = first;
        while let Some(head) = text.strip_suffix('\\') {
            text = match self.hear_text("… ")? {
                Ok(line) => format!("{head}\n{line}"),
                // Not taken: the line before it still waits for one.
                Err(Step::Stay) => continue,
                Err(step) => return Ok(Err(step)),
            };
        }
        match OwnWords::try_from(text) {
            Ok(words) => Ok(Ok(words)),
            Err(error) => {
                self.talk.say(&format!("Not accepted: {error}, {} needed.", error.allowed()))?;
                Ok(Err(Step::Stay))
            }
        }
    }

    fn note(&mut self, i: usize) -> io::Result<Step> {
        match self.hear_words("Note: ")? {
            Ok(note) => {
                self.drafts[i].note = note.into_string();
                self.talk.say("Noted.")?;
                Ok(Step::Stay)
            }
            Err(step) => Ok(step),
        }
    }

    fn discuss(&mut self) -> io::Result<Step> {
        Ok(match self.hear_words("Talk first: ")? {
            Ok(words) => Step::Over(End::Resolved(Resolution::Discuss { words })),
            Err(step) => step,
        })
    }

    fn decline(&mut self) -> io::Result<Step> {
        let line = match self.hear_text("Decline because (may be empty): ")? {
            Ok(line) => line,
            Err(step) => return Ok(step),
        };
        if line.trim().is_empty() {
            return Ok(Step::Over(End::Resolved(Resolution::Declined { reason: None })));
        }
        Ok(match self.checked_words(line)? {
            Ok(reason) => Step::Over(End::Resolved(Resolution::Declined { reason: Some(reason) })),
            Err(step) => step,
        })
    }

    fn preview(&mut self, question: &Question, number: &str) -> io::Result<()> {
        let row = number.trim().parse().ok().and_then(|n: usize| n.checked_sub(1));
        let preview = row.and_then(|row| question.choices().nth(row)).and_then(|o| o.preview());
        self.talk.say(preview.unwrap_or("That option has no preview."))
    }

    fn announce_review(&mut self) -> io::Result<()> {
        self.talk.say("")?;
        self.talk.say("These answers will be sent together:")?;
        for (i, (question, draft)) in self.ask.questions().iter().zip(&self.drafts).enumerate() {
            let note = match draft.note.trim() {
                "" => String::new(),
                note => format!(" (note: {note})"),
            };
            let name = question.name().trim();
            self.talk.say(&format!("  {}. {name}: {}{note}", i + 1, draft.describe(question)))?;
        }
        self.talk.say(
            "Type s to send, a number to change that answer, l 2 to leave question 2 open, \
             n 2 to add a note to it, d to talk first, x to decline.",
        )
    }

    fn review(&mut self, i: &mut usize) -> io::Result<Step> {
        let line = match self.hear_line("> ")? {
            Ok(line) => line,
            Err(step) => return Ok(step),
        };
        let (command, argument) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
        let row = |text: &str| text.trim().parse().ok().and_then(|n: usize| n.checked_sub(1));
        let named = row(argument).filter(|row| *row < self.drafts.len());
        match (command, named) {
            ("s", _) => {
                return Ok(self.send()?.map_or(Step::Stay, Step::Over));
            }
            ("d", _) => return self.discuss(),
            ("x", _) => return self.decline(),
            ("b", _) => return Ok(Step::Back),
            ("l", Some(row)) => {
                let draft = &mut self.drafts[row];
                draft.left_open = !draft.left_open;
                self.announce_review()?;
            }
            ("n", Some(row)) => return self.note(row),
            (number, _) => match row(number).filter(|row| *row < self.drafts.len()) {
                Some(row) => {
                    // The loop goes on from the question before the next.
                    *i = row;
                    self.announce(row)?;
                }
                None => self.talk.say("Not understood.")?,
            },
        }
        Ok(Step::Stay)
    }

    fn send(&mut self) -> io::Result<Option<End>> {
        if let Some(i) = self.drafts.iter().position(|draft| !draft.is_settled()) {
            let n = i + 1;
            self.talk.say(&format!(
                "Question {n} has no answer yet: {n} answers it, l {n} leaves it open."
            ))?;
            return Ok(None);
        }
        let forms = self.ask.questions().iter().zip(&self.drafts).map(|(q, d)| d.form(q)).collect();
        match self.ask.check(forms) {
            Ok(answers) => Ok(Some(End::Resolved(Resolution::Answered(answers)))),
            Err(violations) => {
                self.talk.say(&violations.to_string())?;
                Ok(None)
            }
        }
    }
}

fn spoken(option: &QuestionOption) -> String {
    let recommended = if option.is_recommended() { " (Recommended)" } else { "" };
    let description =
        option.description().map_or_else(String::new, |text| format!(": {}", text.trim()));
    format!("{}{recommended}{description}", option.short_label())
}

#[cfg(test)]
#[path = "dialogue_tests.rs"]
mod tests;
