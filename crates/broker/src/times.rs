//! How long agents waited, and how long people took.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::time::Duration;

use jiff::civil::Date;
use jiff::tz::Offset;
use jiff::{SignedDuration, Timestamp};

use crate::called::{Place, Places};

/// The time an ask took, without what it was about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// The directory its agent works in.
    pub directory: Option<String>,
    /// The machine it runs on.
    pub host: Option<String>,
    /// When it was asked.
    pub asked_at: Timestamp,
    /// When it ended; it is open, when absent.
    pub ended_at: Option<Timestamp>,
    /// Whether a person ended it: not silence, not its agent, not a rule, and nobody doubts it.
    pub by_person: bool,
}

/// Days one after the other, each from its midnight to the next: one may have 23 hours, or 25.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Days {
    dates: Vec<Date>,
    /// One more than there are days.
    midnights: Vec<Timestamp>,
}

impl Days {
    /// The most days that are looked at together: a year.
    pub const MOST: u16 = 366;

    /// So many days, the last of which is today for somebody whose clock is so far from UTC.
    #[must_use]
    pub fn until(now: Timestamp, days: u16, offset: Offset) -> Self {
        let today = offset.to_datetime(now).date();
        let day = |back: i64| today.saturating_sub(SignedDuration::from_hours(24 * back));
        let midnight = |date: Date| {
            let midnight = offset.to_timestamp(date.to_datetime(jiff::civil::Time::midnight()));
            midnight.unwrap_or(Timestamp::MAX)
        };
        let dates: Vec<_> = (0..i64::from(days.clamp(1, Self::MOST))).rev().map(day).collect();
        let midnights = dates.iter().copied().chain([day(-1)]).map(midnight).collect();
        Self { dates, midnights }
    }

    /// When the first of them begins.
    #[must_use]
    pub fn begin(&self) -> Timestamp {
        self.midnights.first().copied().unwrap_or(Timestamp::MAX)
    }

    fn len(&self) -> usize {
        self.dates.len()
    }

    /// The day in which a moment falls.
    fn of(&self, at: Timestamp) -> Option<usize> {
        let after = self.midnights.partition_point(|midnight| *midnight <= at);
        after.checked_sub(1).filter(|day| *day < self.len())
    }

    /// What of a time falls into each of the days it touches.
    fn split(&self, from: Timestamp, to: Timestamp) -> impl Iterator<Item = (usize, Duration)> {
        let first = self.of(from.max(self.begin())).unwrap_or(self.len());
        let days = self.midnights.windows(2).enumerate().skip(first);
        days.take_while(move |(_, day)| day[0] < to)
            .map(move |(n, day)| (n, between(from.max(day[0]), to.min(day[1]))))
    }
}

/// How long agents waited, by project and by day.
#[derive(Debug, Clone, PartialEq)]
pub struct Times {
    /// The days, the last one today.
    pub dates: Vec<Date>,
    /// The projects whose agents waited longest, the longest first.
    pub projects: Vec<Project>,
    /// All the others together, if there are any.
    pub others: Option<Row>,
    /// Everything together.
    pub all: Row,
}

/// One project's times.
#[derive(Debug, Clone, PartialEq)]
pub struct Project {
    /// What people call it, told from all others; asks that named no directory have none.
    pub name: Option<String>,
    /// Its times.
    pub row: Row,
}

/// Times day by day, and of all days together.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// One for each day.
    pub days: Vec<Waited>,
    /// All of them.
    pub total: Waited,
}

/// What happened in some time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Waited {
    /// How many asks were asked.
    pub asks: u64,
    /// How many were ended by a person.
    pub answered: u64,
    /// How long agents waited, all of them together, however it ended.
    pub waited: Duration,
    /// In what time half of those that a person ended had ended.
    pub median: Option<Duration>,
    /// How long the longest of them took.
    pub longest: Option<Duration>,
}

impl Times {
    /// The most projects that are told apart.
    pub const MOST_PROJECTS: usize = 12;

    /// Adds up the times of asks; those that are open have waited until now.
    #[must_use]
    pub fn of(spans: &[Span], days: &Days, now: Timestamp) -> Self {
        let mut places = Places::default();
        for span in spans {
            places.note(span.directory.as_deref(), span.host.as_deref());
        }
        // First who is told apart, then the days of those: names are anybody's, and as many as they like.
        let mut waited: HashMap<Place<'_>, Duration> = HashMap::new();
        for span in spans {
            let sum = days.split(span.asked_at, span.ended_at.unwrap_or(now)).map(|(_, time)| time);
            *waited.entry(span.place(&places)).or_default() += sum.sum::<Duration>();
        }
        let mut longest: Vec<_> = waited.into_iter().collect();
        longest.sort_unstable_by_key(|(place, waited)| (Reverse(*waited), *place));
        let has_others = longest.len() > Self::MOST_PROJECTS;
        longest.truncate(Self::MOST_PROJECTS);
        let row_of: HashMap<_, _> =
            longest.iter().enumerate().map(|(row, (place, _))| (*place, row)).collect();
        let mut rows = vec![Sums::new(days); longest.len()];
        let mut others = Sums::new(days);
        let mut all = Sums::new(days);
        for span in spans {
            all.add(span, days, now);
            match row_of.get(&span.place(&places)) {
                Some(row) => rows[*row].add(span, days, now),
                None => others.add(span, days, now),
            }
        }
        let projects = longest
            .iter()
            .zip(rows)
            .map(|((place, _), sums)| Project { name: places.name(*place), row: sums.row() });
        Self {
            dates: days.dates.clone(),
            projects: projects.collect(),
            others: has_others.then(|| others.row()),
            all: all.row(),
        }
    }
}

impl Span {
    fn place<'a>(&'a self, places: &Places<'a>) -> Place<'a> {
        places.of(self.directory.as_deref(), self.host.as_deref())
    }
}

/// What adds up to a [`Row`].
#[derive(Debug, Clone)]
struct Sums(Vec<Sum>);

#[derive(Debug, Clone, Default)]
struct Sum {
    asks: u64,
    waited: Duration,
    /// How long each took that a person ended.
    took: Vec<Duration>,
}

impl Sums {
    fn new(days: &Days) -> Self {
        Self(vec![Sum::default(); days.len()])
    }

    fn add(&mut self, span: &Span, days: &Days, now: Timestamp) {
        if let Some(day) = days.of(span.asked_at) {
            self.0[day].asks += 1;
        }
        for (day, time) in days.split(span.asked_at, span.ended_at.unwrap_or(now)) {
            self.0[day].waited += time;
        }
        if let Some(ended_at) = span.ended_at.filter(|_| span.by_person)
            && let Some(day) = days.of(ended_at)
        {
            self.0[day].took.push(between(span.asked_at, ended_at));
        }
    }

    fn row(mut self) -> Row {
        let mut total = Sum::default();
        let days = self.0.iter_mut().map(|sum| {
            total.asks += sum.asks;
            total.waited += sum.waited;
            total.took.extend(&sum.took);
            sum.waited()
        });
        let days = days.collect();
        Row { days, total: total.waited() }
    }
}

impl Sum {
    fn waited(&mut self) -> Waited {
        self.took.sort_unstable();
        let middle = self.took.len() / 2;
        let median = match self.took.get(..=middle) {
            Some([.., before, at]) if self.took.len().is_multiple_of(2) => {
                Some((*before + *at) / 2)
            }
            Some([.., at]) => Some(*at),
            _ => None,
        };
        Waited {
            asks: self.asks,
            answered: self.took.len() as u64,
            waited: self.waited,
            median,
            longest: self.took.last().copied(),
        }
    }
}

/// How long it is from one moment to a later one; nothing, where a clock was set back.
fn between(from: Timestamp, to: Timestamp) -> Duration {
    to.duration_since(from).try_into().unwrap_or_default()
}

#[cfg(test)]
#[path = "times_tests.rs"]
mod tests;
