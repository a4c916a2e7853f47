//! The conversation: what is said, what is understood.

use std::io;

use handraise_question::{Ask, OwnWords, Question, QuestionOption, Resolution, Select};

use crate::clean::{visible, wrap_hanging};
use crate::prompt::{Draft, Unsent, cancelled};

/// Where lines are broken, their later parts are indented further than the name of a field.
const HANG: usize = 9;

/// Somebody to talk to.
pub(super) trait Talk {
    /// Says something; what an agent wrote in it is made visible.
    fn say(&mut self, text: &str) -> io::Result<()>;
    /// Waits for a line, after a short cue.
    fn hear(&mut self, cue: &str) -> io::Result<Heard>;
    /// The columns and rows of the terminal.
    fn size(&self) -> (usize, usize);
    /// Takes note of how far the answers are.
    fn note(&mut self, unsent: impl FnOnce() -> Unsent);
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
    /// Somebody elsewhere ended it, with these words.
    Closed(Vec<String>),
    /// This signal asks the process to end.
    Signal(i32),
}

/// How the conversation ended.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum End {
    Resolved(Resolution),
    Closed { lines: Vec<String>, unsent: Unsent },
    Signalled(i32),
}

/// Where to go after a line was understood.
enum Step {
    Next,
    Back,
    Stay,
    To(usize),
    Over(End),
}

/// Why a line was not understood as what was wanted; `?` carries it up to the loop.
enum Aside {
    /// Nothing was taken, and the person knows why.
    Nothing,
    Over(End),
    Failed(io::Error),
}

impl From<io::Error> for Aside {
    fn from(error: io::Error) -> Self {
        Self::Failed(error)
    }
}

pub(super) struct Dialogue<'a, T> {
    ask: &'a Ask,
    /// Whether some options may be chosen only after the whole question was on the screen.
    is_guarded: bool,
    drafts: Vec<Draft>,
    talk: &'a mut T,
}

impl<'a, T: Talk> Dialogue<'a, T> {
    pub(super) fn new(ask: &'a Ask, talk: &'a mut T) -> Self {
        let drafts = ask.questions().iter().map(Draft::new).collect();
        Self { ask, is_guarded: false, drafts, talk }
    }

    /// Shows what is longer than the screen page by page, and takes an answer after the last one.
    pub(super) fn guard(mut self, is_guarded: bool) -> Self {
        self.is_guarded = is_guarded;
        self
    }

    pub(super) fn run(mut self) -> io::Result<End> {
        let review = self.drafts.len();
        let mut here = 0;
        let mut announced = false;
        let mut reviewed = false;
        loop {
            self.talk.note(|| Unsent::of(self.ask, &self.drafts));
            reviewed |= here == review;
            let step = self.step(here, !announced);
            announced = false;
            match step {
                Ok(Step::Over(end)) | Err(Aside::Over(end)) => return Ok(end),
                Err(Aside::Failed(error)) => return Err(error),
                Ok(Step::Stay) | Err(Aside::Nothing) => announced = true,
                Ok(Step::Next) if review == 1 => {
                    if let Some(end) = self.send()? {
                        return Ok(end);
                    }
                }
                // Changed from the review, it returns to the review.
                Ok(Step::Next) if reviewed && self.drafts.iter().all(Draft::is_settled) => {
                    here = review;
                }
                Ok(Step::Next) => here += 1,
                Ok(Step::Back) => here = here.saturating_sub(1),
                Ok(Step::To(place)) => here = place,
            }
        }
    }

    fn step(&mut self, here: usize, announces: bool) -> Result<Step, Aside> {
        let is_review = here == self.drafts.len();
        match (is_review, announces) {
            (true, true) => self.announce_review()?,
            (false, true) => self.announce(here)?,
            (_, false) => {}
        }
        if is_review { self.review() } else { self.question(here) }
    }

    /// The end that comes from elsewhere.
    pub(super) fn closed(&self, lines: Vec<String>) -> End {
        End::Closed { lines, unsent: Unsent::of(self.ask, &self.drafts) }
    }

    fn announce(&mut self, i: usize) -> Result<(), Aside> {
        let texts = self.texts(i);
        if !self.is_guarded {
            return Ok(texts.iter().try_for_each(|text| self.talk.say(text))?);
        }
        let (columns, rows) = self.talk.size();
        let lines: Vec<_> =
            texts.iter().flat_map(|text| wrap_hanging(text, columns, HANG)).collect();
        // Below each page there is the line in which the person types.
        let mut left = lines.len();
        for page in lines.chunks(rows.saturating_sub(1).max(1)) {
            page.iter().try_for_each(|line| self.talk.say(line))?;
            left -= page.len();
            if left > 0 {
                self.turn_page(&page_cue(left, columns))?;
            }
        }
        Ok(())
    }

    /// Waits until the next page is wanted.
    fn turn_page(&mut self, cue: &str) -> Result<(), Aside> {
        loop {
            match self.hear_line(cue) {
                Ok(line) if line.trim().is_empty() => return Ok(()),
                Ok(line) if line.trim() == "x" => {
                    let Step::Over(end) = self.decline()? else { continue };
                    return Err(Aside::Over(end));
                }
                Ok(_) => self.talk.say("Nothing can be chosen before all of it was shown.")?,
                Err(Aside::Nothing) => {}
                Err(aside) => return Err(aside),
            }
        }
    }

    /// What is said of a question.
    fn texts(&self, i: usize) -> Vec<String> {
        let question = &self.ask.questions()[i];
        let header = question.header().map(|header| format!(": {}", set_in(header.trim())));
        let header = header.unwrap_or_default();
        let mut texts = vec![String::new()];
        texts.push(match self.drafts.len() {
            1 => format!("Question{header}"),
            total => format!("Question {} of {total}{header}", i + 1),
        });
        texts.push(set_in(question.text()));
        if question.is_open() {
            texts.push("Type your answer. /? for help.".to_owned());
            return texts;
        }
        for (n, option) in question.choices().enumerate() {
            texts.push(format!("  {}. {}", n + 1, set_in(&spoken(option))));
        }
        let other = question.choices().count() + 1;
        let described: Vec<_> =
            question.agents_other().filter_map(QuestionOption::description).collect();
        let described =
            if described.is_empty() { "type something else".into() } else { described.join("; ") };
        texts.push(format!("  {other}. Other: {}", set_in(&described)));
        let how = match question.select() {
            Select::Single => "Type a number.",
            Select::Multi => "Type numbers with commas between, such as 1,3.",
        };
        let previews = question.choices().any(|option| option.preview().is_some());
        let preview = if previews { " p 2 reads the preview of option 2." } else { "" };
        texts.push(format!("{how}{preview} ? for help."));
        texts
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
        self.talk.say(
            "  Ctrl-D cancels. A text goes on in the next line after a \\ at its end, and ends",
        )?;
        self.talk.say("  in a \\ if there are two.")
    }

    fn question(&mut self, i: usize) -> Result<Step, Aside> {
        let question = &self.ask.questions()[i];
        let open = question.is_open();
        let line = if open { self.hear_text("> ")? } else { self.hear_line("> ")? };
        let said = line.trim();
        // Where the answer is text, a slash tells a command from it.
        let slash = if open { "/" } else { "" };
        let command = match said {
            "" => "",
            "?" | "/?" | "/help" | "/" => "?",
            said => said.strip_prefix(slash).unwrap_or("text"),
        };
        match command {
            "" if self.drafts[i].is_settled() => return Ok(Step::Next),
            "" => self.talk.say("Nothing chosen.")?,
            "?" => self.help(slash)?,
            "b" => return Ok(Step::Back),
            "s" if self.drafts.len() == 1 => {
                let only =
                    format!("This is the only question: answer it, or decline with {slash}x.");
                self.talk.say(&only)?;
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

    fn choose(&mut self, i: usize, line: &str) -> Result<Step, Aside> {
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
        let words =
            if rows.contains(&other) { Some(self.hear_words("Please specify: ")?) } else { None };
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
            draft.words.accept(words.into_string());
            draft.choose_words(question.select());
        }
        Ok(Step::Next)
    }

    /// The answer to a question without options.
    fn own_words(&mut self, i: usize, first: String) -> Result<Step, Aside> {
        let words = self.checked_words(first)?.into_string();
        self.drafts[i].words.accept(words);
        self.drafts[i].choose_words(Select::Single);
        Ok(Step::Next)
    }

    /// One line. Several at once were pasted, and choose nothing.
    fn hear_line(&mut self, cue: &str) -> Result<String, Aside> {
        let mut lines = self.hear_lines(cue)?;
        if lines.len() == 1 {
            return Ok(lines.remove(0));
        }
        self.talk.say("Several lines came at once; none was taken. Type one.")?;
        Err(Aside::Nothing)
    }

    /// Text, which may have been pasted as several lines.
    fn hear_text(&mut self, cue: &str) -> Result<String, Aside> {
        Ok(self.hear_lines(cue)?.join("\n"))
    }

    fn hear_lines(&mut self, cue: &str) -> Result<Vec<String>, Aside> {
        match self.talk.hear(cue)? {
            Heard::Lines(lines) => Ok(lines),
            Heard::Unusable(why) => {
                self.talk.say(why)?;
                Err(Aside::Nothing)
            }
            Heard::End => Err(Aside::Over(End::Resolved(cancelled()))),
            Heard::Silence { after_seconds } => {
                Err(Aside::Over(End::Resolved(Resolution::NoAnswer { after_seconds })))
            }
            Heard::Closed(lines) => Err(Aside::Over(self.closed(lines))),
            Heard::Signal(signal) => Err(Aside::Over(End::Signalled(signal))),
        }
    }

    fn hear_words(&mut self, cue: &str) -> Result<OwnWords, Aside> {
        let text = self.hear_text(cue)?;
        self.checked_words(text)
    }

    /// Reads on while lines end in a backslash, then checks the whole.
    fn checked_words(&mut self, first: String) -> Result<OwnWords, Aside> {
        let mut text = first;
        while let Some(head) = text.strip_suffix('\\') {
            if head.ends_with('\\') {
                text.truncate(head.len());
                break;
            }
            text = match self.hear_text("… ") {
                Ok(line) => format!("{head}\n{line}"),
                // Not taken: the line before it still waits for one.
                Err(Aside::Nothing) => continue,
                Err(aside) => return Err(aside),
            };
        }
        match OwnWords::try_from(text) {
            Ok(words) => Ok(words),
            Err(error) => {
                self.talk.say(&format!("Not accepted: {error}, {} needed.", error.allowed()))?;
                Err(Aside::Nothing)
            }
        }
    }

    fn note(&mut self, i: usize) -> Result<Step, Aside> {
        let note = self.hear_words("Note: ")?.into_string();
        self.drafts[i].note.accept(note);
        self.talk.say("Noted.")?;
        Ok(Step::Stay)
    }

    fn discuss(&mut self) -> Result<Step, Aside> {
        let words = self.hear_words("Talk first: ")?;
        Ok(Step::Over(End::Resolved(Resolution::Discuss { words })))
    }

    fn decline(&mut self) -> Result<Step, Aside> {
        let line = self.hear_text("Decline because (may be empty): ")?;
        let blank = line.trim().is_empty();
        let reason = if blank { None } else { Some(self.checked_words(line)?) };
        Ok(Step::Over(End::Resolved(Resolution::Declined { reason })))
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
            let note = match draft.note.text().trim() {
                "" => String::new(),
                note => format!(" (note: {note})"),
            };
            let answer = format!("{}: {}{note}", question.name().trim(), draft.describe(question));
            self.talk.say(&format!("  {}. {}", i + 1, set_in(&answer)))?;
        }
        self.talk.say(
            "Type s to send, a number to change that answer, l 2 to leave question 2 open, \
             n 2 to add a note to it, d to talk first, x to decline.",
        )
    }

    fn review(&mut self) -> Result<Step, Aside> {
        let line = self.hear_line("> ")?;
        let (command, argument) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
        if let (Some(i), "") = (self.place(command), argument) {
            return Ok(Step::To(i));
        }
        match (command, argument, self.place(argument)) {
            ("s", "", _) => Ok(self.send()?.map_or(Step::Stay, Step::Over)),
            ("d", "", _) => self.discuss(),
            ("x", "", _) => self.decline(),
            ("b", "", _) => Ok(Step::Back),
            ("n", _, Some(i)) => self.note(i),
            ("l", _, Some(i)) => {
                self.drafts[i].left_open = !self.drafts[i].left_open;
                self.announce_review()?;
                Ok(Step::Stay)
            }
            _ => {
                self.talk.say("Not understood.")?;
                self.announce_review()?;
                Ok(Step::Stay)
            }
        }
    }

    /// The question a person names by its number.
    fn place(&self, number: &str) -> Option<usize> {
        let place = number.trim().parse::<usize>().ok()?.checked_sub(1)?;
        (place < self.drafts.len()).then_some(place)
    }

    fn send(&mut self) -> io::Result<Option<End>> {
        if let Some(i) = self.drafts.iter().position(|draft| !draft.is_settled()) {
            let n = i + 1;
            self.talk.say(&format!(
                "Question {n} has no answer yet: {n} answers it, l {n} leaves it open."
            ))?;
            return Ok(None);
        }
        if self.drafts.iter().all(|draft| draft.left_open) {
            self.talk.say("Every question is left open: answer one, or decline with x.")?;
            return Ok(None);
        }
        match Draft::answers(self.ask, &self.drafts) {
            Ok(answers) => Ok(Some(End::Resolved(Resolution::Answered(answers)))),
            Err(violations) => {
                self.talk.say(&violations.to_string())?;
                Ok(None)
            }
        }
    }
}

/// What is said below a page: one row, or the page would be pushed off the screen.
fn page_cue(left: usize, columns: usize) -> String {
    let long = format!("-- {left} more (Enter goes on, x declines) ");
    if long.len() <= columns { long } else { "-- ".to_owned() }
}

/// Sets later lines of a text in, so that none of them can pass for a line of the dialogue's own.
fn set_in(text: &str) -> String {
    visible(text).replace('\n', "\n       ")
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
