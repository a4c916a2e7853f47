//! `handraise history --times`: how long agents waited, and how long people took.

use handraise_client::Home;
use handraise_wire::v1::{TimesJson, TimesResponse, WaitedJson};
use jiff::SignedDuration;
use jiff::civil::Date;
use unicode_width::UnicodeWidthStr;

use super::reader;
use crate::failure::{Exit, Failure};
use crate::home::failure;
use crate::table::{self, GAP, Table};
use crate::{environment, output};

pub(crate) fn show(home: &Home, days: u16, json: bool) -> Result<Exit, Failure> {
    let (hub, runtime) = reader(home)?;
    let times = runtime.block_on(hub.times(days, offset())).map_err(failure)?;
    if json {
        output::print_json(&times)?;
    } else {
        output::show(&page(&times, table::width()))?;
    }
    Ok(Exit::Answered)
}

/// How many minutes the person's clock is ahead of UTC now.
pub(super) fn offset() -> i32 {
    environment::zone().to_offset(environment::time()).seconds() / 60
}

/// What some time was like, in words.
pub(super) fn sentence(waited: &WaitedJson) -> String {
    if waited.asks == 0 && waited.waited_seconds <= 0.0 {
        return "nothing was asked".to_owned();
    }
    let waited_for = format!("agents waited {}", duration(waited.waited_seconds));
    match (waited.answered, waited.median_seconds) {
        (0, _) | (_, None) => format!("{waited_for}; nothing was answered"),
        (1, Some(took)) => format!("{waited_for}; 1 answer, after {}", duration(took)),
        (many, Some(median)) => {
            format!("{waited_for}; {many} answers, half of them within {}", duration(median))
        }
    }
}

fn page(times: &TimesResponse, width: Option<usize>) -> String {
    let days = times.dates.len();
    let during = if days == 1 { "Today".into() } else { format!("In the last {days} days") };
    let summary = format!("{during}: {}.", sentence(&times.all.total));
    if times.projects.is_empty() {
        return summary;
    }
    let beside = rows(times, None).text(None).lines().map(UnicodeWidthStr::width).max();
    let room = width.map_or(days, |width| width.saturating_sub(beside.unwrap_or(0) + GAP));
    let bars = Bars::new(times, room);
    let each = match bars.each {
        1 => String::new(),
        each => format!("\n\nEach bar is {each} days."),
    };
    format!("{summary}\n\n{}{each}", rows(times, Some(&bars)).text(width))
}

fn rows(times: &TimesResponse, bars: Option<&Bars>) -> Table {
    let mut heads = vec!["PROJECT"];
    heads.extend(bars.map(|bars| bars.head.as_str()));
    heads.extend(["WAITED", "ASKS", "ANSWERED", "MEDIAN", "LONGEST"]);
    let mut table = Table::new(&heads);
    let mut row = |name: &str, times: &TimesJson| {
        let total = &times.total;
        let took = |time: Option<f64>| time.map_or_else(|| "–".into(), duration);
        let mut cells = vec![table::ends_within(name, LONGEST_NAME)];
        cells.extend(bars.map(|bars| bars.of(times)));
        cells.extend([
            duration(total.waited_seconds),
            total.asks.to_string(),
            total.answered.to_string(),
            took(total.median_seconds),
            took(total.longest_seconds),
        ]);
        table.row(cells);
    };
    for project in &times.projects {
        row(project.name.as_deref().unwrap_or("–"), &project.times);
    }
    if let Some(others) = &times.others {
        row("(others)", others);
    }
    if times.projects.len() > 1 {
        row("(all)", &times.all);
    }
    table
}

const LONGEST_NAME: usize = 24;
const FEWEST_BARS: usize = 7;

/// Bars of one character each, in one scale.
struct Bars {
    /// So many days are one bar.
    each: usize,
    highest: f64,
    head: String,
}

impl Bars {
    const LEVELS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

    fn new(times: &TimesResponse, room: usize) -> Self {
        let each = times.dates.len().div_ceil(room.max(FEWEST_BARS)).max(1);
        let highest = sums(&times.all, each).fold(0.0, f64::max);
        let head = match times.dates.as_slice() {
            [first, .., last] => format!("{}–{}", day(first), day(last)),
            _ => "TODAY".to_owned(),
        };
        Self { each, highest, head }
    }

    fn of(&self, times: &TimesJson) -> String {
        sums(times, self.each).map(|waited| self.bar(waited)).collect()
    }

    fn bar(&self, waited: f64) -> char {
        if waited <= 0.0 {
            return '·';
        }
        let levels = Self::LEVELS.iter().zip(1_u8..);
        let reaches = |level: u8| waited <= self.highest * f64::from(level) / 8.0;
        levels.into_iter().find(|(_, level)| reaches(*level)).map_or('█', |(bar, _)| *bar)
    }
}

/// What was waited in so many days each, the last of which ends today.
fn sums(times: &TimesJson, each: usize) -> impl Iterator<Item = f64> {
    let (first, rest) = times.days.split_at(times.days.len() % each);
    let sum = |days: &[WaitedJson]| days.iter().map(|day| day.waited_seconds).sum::<f64>();
    (!first.is_empty()).then_some(first).into_iter().chain(rest.chunks(each)).map(sum)
}

/// `3 NOV`, as a head of a column.
fn day(date: &str) -> String {
    let date = date.parse::<Date>();
    date.map_or_else(|_| String::new(), |date| date.strftime("%-d %b").to_string().to_uppercase())
}

fn duration(seconds: f64) -> String {
    table::duration(SignedDuration::try_from_secs_f64(seconds).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use handraise_wire::v1::ProjectJson;

    use super::*;

    fn waited(minutes: f64, took: Option<f64>) -> WaitedJson {
        let answered = u64::from(took.is_some());
        let (median_seconds, longest_seconds) = (took, took);
        WaitedJson {
            asks: 1,
            answered,
            waited_seconds: minutes * 60.0,
            median_seconds,
            longest_seconds,
        }
    }

    fn times(minutes: &[f64]) -> TimesJson {
        let days = minutes.iter().map(|minutes| waited(*minutes, None)).collect();
        TimesJson { days, total: waited(minutes.iter().sum(), Some(90.0)) }
    }

    fn fortnight() -> TimesResponse {
        let dates = (3..=16).map(|day| format!("2026-11-{day:02}")).collect();
        let shop = [0.0, 1.0, 8.0, 0.0, 4.0, 5.5, 0.1, 2.0, 0.0, 0.0, 7.0, 3.0, 6.0, 30.0];
        let bank = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 10.0];
        let all: Vec<_> = shop.iter().zip(bank).map(|(one, other)| one + other).collect();
        let project =
            |name: &str, minutes| ProjectJson { name: Some(name.into()), times: times(minutes) };
        let projects = vec![project("shop", &shop), project("a\u{1b}[31m bank", &bank)];
        TimesResponse { dates, projects, others: None, all: times(&all) }
    }

    #[test]
    fn each_project_has_its_bars_and_all_have_one_scale() {
        let page = page(&fortnight(), Some(100));
        let lines: Vec<_> = page.lines().collect();
        assert_eq!(
            lines,
            [
                "In the last 14 days: agents waited 1h 16m; 1 answer, after 1m.",
                "",
                "PROJECT      3 NOV–16 NOV    WAITED  ASKS  ANSWERED  MEDIAN  LONGEST",
                "shop         ·▁▂·▁▂▁▁··▂▁▂▆  1h 6m   1     1         1m      1m",
                "a␛[31m bank  ·············▂  10m     1     1         1m      1m",
                "(all)        ·▁▂·▁▂▁▁··▂▁▂█  1h 16m  1     1         1m      1m",
            ]
        );
    }

    #[test]
    fn where_there_is_no_room_a_bar_is_several_days() {
        let page = page(&fortnight(), Some(62));
        let summary = page.lines().next().unwrap_or_default();
        let table = page.strip_prefix(summary).unwrap_or_default();
        assert!(table.lines().all(|line| line.width() <= 62), "{page}");
        assert!(page.contains("\nshop         ▁▂▂▁·▂▇       1h 6m"), "{page}");
        assert!(page.ends_with("\n\nEach bar is 2 days."), "{page}");
    }

    #[test]
    fn a_day_in_words() {
        let some = WaitedJson { answered: 4, asks: 5, ..waited(3.0, Some(61.0)) };
        assert_eq!(sentence(&WaitedJson::default()), "nothing was asked");
        assert_eq!(sentence(&waited(3.0, None)), "agents waited 3m; nothing was answered");
        assert_eq!(sentence(&waited(3.0, Some(9.0))), "agents waited 3m; 1 answer, after 9s");
        assert_eq!(sentence(&some), "agents waited 3m; 4 answers, half of them within 1m");
    }
}
