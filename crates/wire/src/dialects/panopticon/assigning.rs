//! Which question each label of one flat list answers.
//!
//! The list is cut into runs, one for each question in order, over the first asks, each of them whole.
//! Where exactly one cut makes sense, that is what was meant; else nobody can tell.

use std::collections::HashMap;

use handraise_broker::AskId;
use handraise_question::{AnswerForm, Ask, Question, Select, Violation};

/// As many as one ask of the widest limits has options.
const MOST_ANSWERS: usize = 1000;

/// Gives each question its part of `answers`, from left to right.
///
/// A single-select takes one element: a label, or own words. A multi-select takes one or more: labels,
/// each once, and own words at most once. What is a label of any of the questions is never taken for own
/// words: it would say to one question what was meant for another.
///
/// # Errors
///
/// When they fit in no way, or in more than one.
pub fn assign(
    asks: &[(AskId, Ask)],
    answers: &[String],
) -> Result<Vec<(AskId, Vec<AnswerForm>)>, Violation> {
    if answers.is_empty() {
        return Err(Violation::new("answers", "none", "one for each question"));
    }
    if answers.len() > MOST_ANSWERS {
        let found = format!("{} elements", answers.len());
        return Err(Violation::new("answers", found, format!("1–{MOST_ANSWERS}")));
    }
    let table = Table::new(asks, answers);
    let ways = table.ways();
    match ways[0][0] {
        0 => Err(table.misfit()),
        1 => Ok(table.the_one(&ways)),
        _ => {
            let found = "they fit the questions in more than one way";
            Err(Violation::new("answers", found, "labels that fit in one way only"))
        }
    }
}

/// The questions beside the answers.
struct Table<'a> {
    asks: &'a [(AskId, Ask)],
    places: Vec<Place<'a>>,
    answers: &'a [String],
    /// Where among the answers each text stands.
    positions: HashMap<&'a str, Vec<usize>>,
    /// For each answer, whether it is the label of anything here.
    is_label: Vec<bool>,
}

/// One question and where it stands: `questions[ask].questions[number]` of what the page was told.
struct Place<'a> {
    ask: usize,
    number: usize,
    is_last: bool,
    question: &'a Question,
}

/// For each question, and each answer that may be the first that is left then, in how many ways the rest
/// fits; two stands for more.
type Ways = Vec<Vec<u8>>;

impl<'a> Table<'a> {
    fn new(asks: &'a [(AskId, Ask)], answers: &'a [String]) -> Self {
        let mut positions: HashMap<&str, Vec<usize>> = HashMap::new();
        for (position, answer) in answers.iter().enumerate() {
            positions.entry(answer).or_default().push(position);
        }
        let options = asks.iter().flat_map(|(_, ask)| ask.questions()).flat_map(Question::choices);
        let mut is_label = vec![false; answers.len()];
        for position in options.filter_map(|option| positions.get(option.label())).flatten() {
            is_label[*position] = true;
        }
        let places = asks.iter().enumerate().flat_map(|(ask, (_, asked))| {
            let questions = asked.questions();
            let place = move |(number, question)| Place {
                ask,
                number,
                is_last: number + 1 == questions.len(),
                question,
            };
            questions.iter().enumerate().map(place)
        });
        // Every question takes one at least: more of them than there are answers, and the next to be
        // named as missing, do not matter.
        let places = places.take(answers.len() + 1).collect();
        Self { asks, places, answers, positions, is_label }
    }

    /// Whether the answers may end before this question.
    fn may_end_before(&self, place: usize) -> bool {
        place.checked_sub(1).is_some_and(|before| self.places[before].is_last)
    }

    fn ways(&self) -> Ways {
        let end = self.answers.len();
        let ended = |place| {
            let mut row = vec![0_u8; end + 1];
            row[end] = self.may_end_before(place).into();
            row
        };
        let mut ways = vec![ended(self.places.len())];
        for (place, Place { question, .. }) in self.places.iter().enumerate().rev() {
            let mut row = ended(place);
            let sums = sums(ways.last().map_or(&[], Vec::as_slice));
            for (from, most) in self.longest_runs(question).into_iter().enumerate() {
                let rest = sums[from + most + 1] - sums[from + 1];
                row[from] = u8::try_from(rest.min(2)).unwrap_or(2);
            }
            ways.push(row);
        }
        ways.reverse();
        ways
    }

    /// How many of the answers, from each of them on, this question can take at most. It can take fewer,
    /// too, but not none.
    fn longest_runs(&self, question: &Question) -> Vec<usize> {
        let slots = self.slots(question);
        match question.select() {
            Select::Single => slots.iter().map(|slot| usize::from(slot.is_some())).collect(),
            Select::Multi => {
                let mut taken = vec![false; question.choices().count() + 1];
                let mut end = 0;
                let run = |from: usize| {
                    end = end.max(from);
                    while let Some(Some(slot)) = slots.get(end)
                        && !taken[*slot]
                    {
                        taken[*slot] = true;
                        end += 1;
                    }
                    // The next run begins one further on.
                    if let Some(slot) = slots[from].filter(|_| end > from) {
                        taken[slot] = false;
                    }
                    end - from
                };
                (0..slots.len()).map(run).collect()
            }
        }
    }

    /// What of a question each answer fills: one of its options, or the place for own words after them.
    fn slots(&self, question: &Question) -> Vec<Option<usize>> {
        let options: Vec<_> = question.choices().collect();
        let words = |is_label: &bool| (!is_label).then_some(options.len());
        let mut slots: Vec<_> = self.is_label.iter().map(words).collect();
        for (slot, option) in options.iter().enumerate() {
            for position in self.positions.get(option.label()).into_iter().flatten() {
                slots[*position] = Some(slot);
            }
        }
        slots
    }

    /// The only way they fit.
    fn the_one(&self, ways: &Ways) -> Vec<(AskId, Vec<AnswerForm>)> {
        let mut given: Vec<(AskId, Vec<AnswerForm>)> = vec![];
        let mut from = 0;
        for (place, rest) in self.places.iter().zip(&ways[1..]) {
            let Some(to) = (from + 1..rest.len()).find(|to| rest[*to] > 0) else { break };
            if place.number == 0 {
                given.push((self.asks[place.ask].0, vec![]));
            }
            if let Some((_, forms)) = given.last_mut() {
                forms.push(self.form(from..to));
            }
            from = to;
        }
        given
    }

    fn form(&self, run: std::ops::Range<usize>) -> AnswerForm {
        let mut form = AnswerForm::default();
        for (answer, is_label) in self.answers[run.clone()].iter().zip(&self.is_label[run]) {
            if *is_label {
                form.selected.push(answer.clone());
            } else {
                form.words = Some(answer.clone());
            }
        }
        form
    }

    /// Why they fit in no way: how far one comes from the left.
    fn misfit(&self) -> Violation {
        let mut reached = vec![0];
        for place in &self.places {
            let furthest = reached.last().copied().unwrap_or_default();
            let longest = self.longest_runs(place.question);
            let runs =
                reached.iter().filter_map(|from| Some(from + 1..=from + longest.get(*from)?));
            let mut next: Vec<_> = runs.flatten().collect();
            if next.is_empty() {
                let Place { ask, number, .. } = place;
                let place = format!("questions[{ask}].questions[{number}]");
                return if furthest == self.answers.len() {
                    Violation::new(place, "no answer", "one at least")
                } else {
                    let found = "an option of another question";
                    let allowed = format!("an answer to {place}");
                    Violation::new(format!("answers[{furthest}]"), found, allowed)
                };
            }
            next.sort_unstable();
            next.dedup();
            reached = next;
        }
        let furthest = reached.last().copied().unwrap_or_default();
        Violation::new(format!("answers[{furthest}]"), "left over", "nothing more")
    }
}

/// For each place, and for the end, the sum of all before it.
fn sums(row: &[u8]) -> Vec<usize> {
    let mut sums = vec![0];
    sums.extend(row.iter().scan(0, |sum, ways| {
        *sum += usize::from(*ways);
        Some(*sum)
    }));
    sums
}
