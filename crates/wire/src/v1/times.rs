//! How long agents waited, and how long people took.

use std::time::Duration;

use handraise_broker::{Project, Row, Times, Waited};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// How long agents waited, by project and by day.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct TimesResponse {
    /// The days as `2026-11-16`, the last one today.
    pub dates: Vec<String>,
    /// The projects whose agents waited longest, the longest first: 12 at most.
    pub projects: Vec<ProjectJson>,
    /// All other projects together, if there are any.
    pub others: Option<TimesJson>,
    /// Everything together.
    pub all: TimesJson,
}

/// The times of one project.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ProjectJson {
    /// What it is called: the last part of the directory its agents work in, and as much of what comes
    /// before it, or of the machine, as tells it from all others: `shop`, `a/api`, `api (laptop)`. Absent
    /// for asks that named no directory.
    pub name: Option<String>,
    /// Its times.
    pub times: TimesJson,
}

/// Times day by day, and of all days together.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct TimesJson {
    /// One for each of the `dates`.
    pub days: Vec<WaitedJson>,
    /// All of them.
    pub total: WaitedJson,
}

/// What happened in some time.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct WaitedJson {
    /// How many asks were asked.
    pub asks: u64,
    /// How many were ended by a person: answered, declined, or to be discussed.
    pub answered: u64,
    /// How many seconds agents waited, all of them together, however it ended.
    pub waited_seconds: f64,
    /// In how many seconds half of those that a person ended had ended.
    pub median_seconds: Option<f64>,
    /// How many seconds the longest of them took.
    pub longest_seconds: Option<f64>,
}

impl From<Times> for TimesResponse {
    fn from(times: Times) -> Self {
        let Times { dates, projects, others, all } = times;
        Self {
            dates: dates.iter().map(ToString::to_string).collect(),
            projects: projects.into_iter().map(Into::into).collect(),
            others: others.map(Into::into),
            all: all.into(),
        }
    }
}

impl From<Project> for ProjectJson {
    fn from(project: Project) -> Self {
        let Project { name, row } = project;
        Self { name, times: row.into() }
    }
}

impl From<Row> for TimesJson {
    fn from(row: Row) -> Self {
        let Row { days, total } = row;
        Self { days: days.into_iter().map(Into::into).collect(), total: total.into() }
    }
}

impl From<Waited> for WaitedJson {
    fn from(waited: Waited) -> Self {
        let Waited { asks, answered, waited, median, longest } = waited;
        Self {
            asks,
            answered,
            waited_seconds: seconds(waited),
            median_seconds: median.map(seconds),
            longest_seconds: longest.map(seconds),
        }
    }
}

/// To the millisecond, in the shortest form: more digits than a double holds are no number to the page,
/// which loses none (`web/src/hub/json.ts`).
#[expect(clippy::cast_precision_loss, reason = "so many milliseconds nobody waits")]
fn seconds(time: Duration) -> f64 {
    time.as_millis() as f64 / 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_time_has_more_digits_than_a_double_holds() {
        for micros in (0..200_000_000_000).step_by(777_777_777) {
            let written = seconds(Duration::from_micros(micros)).to_string();
            let digits = written.chars().filter(char::is_ascii_digit).count();
            assert!(digits <= 15, "{written}");
        }
        assert_eq!(seconds(Duration::from_micros(2_419_999)).to_string(), "2.419");
    }
}
