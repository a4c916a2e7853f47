use super::*;
use proptest::prelude::*;

const fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn span(directory: &str, asked_at: &str, ended_at: Option<&str>) -> Span {
    let directory = (!directory.is_empty()).then(|| directory.to_owned());
    let (asked_at, ended_at) = (at(asked_at), ended_at.map(at));
    Span { directory, host: None, asked_at, ended_at, by_person: true }
}

fn berlin() -> Offset {
    Offset::from_hours(2).unwrap()
}

#[test]
fn days_begin_at_the_midnight_of_whoever_looks() {
    // Half past midnight in Berlin, and still the day before in Greenwich.
    let days = Days::until(at("2026-06-02T22:30:00Z"), 2, berlin());
    assert_eq!(days.dates, ["2026-06-02", "2026-06-03"].map(|date| date.parse().unwrap()));
    assert_eq!(days.begin(), at("2026-06-01T22:00:00Z"));
    assert_eq!(days.of(at("2026-06-02T21:59:59Z")), Some(0));
    assert_eq!(days.of(at("2026-06-02T22:00:00Z")), Some(1));
    assert_eq!(days.of(at("2026-06-01T21:59:59Z")), None);
    assert_eq!(days.of(at("2026-06-03T22:00:00Z")), None);
}

#[test]
fn a_night_is_shared_by_two_days_and_an_answer_belongs_to_its_own() {
    let now = at("2026-06-03T12:00:00Z");
    let days = Days::until(now, 2, berlin());
    let spans = [span("/home/ann/shop", "2026-06-02T20:00:00Z", Some("2026-06-03T06:00:00Z"))];
    let times = Times::of(&spans, &days, now);
    let [before, after] = times.all.days[..] else { panic!("{times:?}") };
    let none = Waited::default();
    assert_eq!(before, Waited { asks: 1, waited: seconds(2 * 3600), ..none });
    let took = Some(seconds(10 * 3600));
    let waited = seconds(8 * 3600);
    assert_eq!(after, Waited { answered: 1, waited, median: took, longest: took, ..none });
    assert_eq!(times.projects[0].name.as_deref(), Some("shop"));
    assert_eq!(times.projects[0].row, times.all);
    assert_eq!(times.others, None);
}

#[test]
fn what_nobody_answered_was_waited_for_and_what_is_open_still_is() {
    let now = at("2026-06-03T12:00:00Z");
    let days = Days::until(now, 1, Offset::UTC);
    let withdrawn =
        Span { by_person: false, ..span("", "2026-06-03T10:00:00Z", Some("2026-06-03T10:01:00Z")) };
    let open = span("", "2026-06-03T11:59:00Z", None);
    let times = Times::of(&[withdrawn, open], &days, now);
    let waited = Waited { asks: 2, waited: seconds(120), ..Waited::default() };
    assert_eq!(times.all.total, waited);
    assert_eq!(times.projects[0].name, None);
}

#[test]
fn the_median_is_in_the_middle() {
    let now = at("2026-06-03T12:00:00Z");
    let days = Days::until(now, 1, Offset::UTC);
    let took = |all: &[&str]| {
        let spans: Vec<_> =
            all.iter().map(|end| span("", "2026-06-03T10:00:00Z", Some(end))).collect();
        let total = Times::of(&spans, &days, now).all.total;
        (total.median, total.longest)
    };
    let [one, two, ten] = ["01", "02", "10"].map(|end| format!("2026-06-03T10:00:{end}Z"));
    assert_eq!(took(&[]), (None, None));
    assert_eq!(took(&[&ten]), (Some(seconds(10)), Some(seconds(10))));
    assert_eq!(took(&[&ten, &one, &two]), (Some(seconds(2)), Some(seconds(10))));
    assert_eq!(took(&[&two, &one]), (Some(Duration::from_millis(1500)), Some(seconds(2))));
}

#[test]
fn few_projects_are_told_apart_however_many_there_are() {
    let now = at("2026-06-03T12:00:00Z");
    let days = Days::until(now, 1, Offset::UTC);
    let spans: Vec<_> = (0..40)
        .map(|n| span(&format!("/p{n:02}/"), &format!("2026-06-03T11:{n:02}:00Z"), None))
        .collect();
    let times = Times::of(&spans, &days, now);
    let names: Vec<_> = times.projects.iter().filter_map(|one| one.name.as_deref()).collect();
    assert_eq!(names.len(), Times::MOST_PROJECTS);
    assert_eq!(names[..2], ["p00", "p01"], "those that waited longest come first");
    assert_eq!(times.others.map(|row| row.total.asks), Some(28));
}

#[test]
fn a_clock_that_was_set_back_takes_nothing_away() {
    let now = at("2026-06-03T12:00:00Z");
    let days = Days::until(now, 2, Offset::UTC);
    let back = span("", "2026-06-03T11:00:00Z", Some("2026-06-02T11:00:00Z"));
    let future = span("", "2026-06-05T11:00:00Z", None);
    let times = Times::of(&[back, future], &days, now);
    let nothing = Some(Duration::ZERO);
    let total = times.all.total;
    assert_eq!((total.waited, total.median, total.longest), (Duration::ZERO, nothing, nothing));
}

#[test]
fn projects_of_one_name_are_counted_apart() {
    let now = at("2026-06-03T12:00:00Z");
    let days = Days::until(now, 1, Offset::UTC);
    let asked = |directory, minute: u8| {
        span(directory, &format!("2026-06-03T11:{minute:02}:00Z"), Some("2026-06-03T12:00:00Z"))
    };
    let on = |host: &str, span| Span { host: Some(host.into()), ..span };
    let spans = [
        asked("/a/api", 10),
        asked("/b/api/", 20),
        asked("/b/api", 30),
        on("desk", asked("/srv/web", 40)),
        on("laptop", asked("/srv/web", 50)),
    ];
    let times = Times::of(&spans, &days, now);
    let told = times.projects.iter();
    let told: Vec<_> = told.map(|one| (one.name.as_deref().unwrap(), one.row.total.asks)).collect();
    assert_eq!(told, [("b/api", 2), ("a/api", 1), ("web (desk)", 1), ("web (laptop)", 1)]);
    assert_eq!(times.all.total.asks, 5);
}

/// Days as they are where clocks are changed: of 23, 24 or 25 hours.
fn any_days() -> impl Strategy<Value = Days> {
    prop::collection::vec(23..=25_i64, 1..20).prop_map(|hours| {
        let mut midnights = vec![at("2026-03-20T23:00:00Z")];
        for hours in hours {
            midnights.push(midnights[midnights.len() - 1] + SignedDuration::from_hours(hours));
        }
        Days { dates: vec![Date::ZERO; midnights.len() - 1], midnights }
    })
}

fn any_spans() -> impl Strategy<Value = Vec<Span>> {
    let micros = || -5_000_000_000_i64..1_900_000_000_000;
    let span = (micros(), prop::option::of(micros()), 0..20_u8, any::<bool>());
    let span = span.prop_map(|(asked, ended, project, by_person)| {
        let time = |micros| at("2026-03-20T23:00:00Z") + SignedDuration::from_micros(micros);
        let directory = (project > 0).then(|| format!("/p{project}"));
        let host = (project % 3 > 0).then(|| format!("h{}", project % 2));
        let (asked_at, ended_at) = (time(asked), ended.map(time));
        Span { directory, host, asked_at, ended_at, by_person }
    });
    prop::collection::vec(span, 0..60)
}

proptest! {
    /// Not a microsecond is lost or counted twice, whatever days it is spread over.
    #[test]
    fn the_days_the_projects_and_the_asks_add_up_to_the_same(days in any_days(), spans in any_spans()) {
        let [begin, .., end] = days.midnights[..] else { unreachable!() };
        let now = end - SignedDuration::from_hours(1);
        let times = Times::of(&spans, &days, now);
        let each = spans.iter().map(|span| {
            let from = span.asked_at.max(begin);
            let to = span.ended_at.unwrap_or(now).min(end);
            Duration::try_from(to.duration_since(from)).unwrap_or_default()
        });
        prop_assert_eq!(times.all.total.waited, each.sum::<Duration>());
        let within = |at: &Timestamp| begin <= *at && *at < end;
        let asked = spans.iter().filter(|span| within(&span.asked_at)).count() as u64;
        let ended = spans.iter().filter(|span| span.by_person);
        let ended = ended.filter_map(|span| span.ended_at).filter(within).count() as u64;
        prop_assert_eq!((times.all.total.asks, times.all.total.answered), (asked, ended));

        let rows = times.projects.iter().map(|project| &project.row).chain(&times.others);
        let mut sum = vec![(0, 0, Duration::ZERO); days.len() + 1];
        for row in rows.clone().chain([&times.all]) {
            prop_assert_eq!(row.days.len(), days.len());
            let of_days: Duration = row.days.iter().map(|day| day.waited).sum();
            prop_assert_eq!(of_days, row.total.waited);
            let longest = row.days.iter().filter_map(|day| day.longest).max();
            prop_assert_eq!(longest, row.total.longest);
            prop_assert!(row.total.median <= row.total.longest);
        }
        for row in rows {
            for (sum, cell) in sum.iter_mut().zip(row.days.iter().chain([&row.total])) {
                sum.0 += cell.asks;
                sum.1 += cell.answered;
                sum.2 += cell.waited;
            }
        }
        let all = times.all.days.iter().chain([&times.all.total]);
        let all: Vec<_> = all.map(|cell| (cell.asks, cell.answered, cell.waited)).collect();
        prop_assert_eq!(sum, all);
        prop_assert!(times.projects.len() <= Times::MOST_PROJECTS);
    }

    /// Any moment, any number of days and any clock make days that follow one another.
    #[test]
    fn days_follow_one_another(
        now in Timestamp::MIN.as_second()..Timestamp::MAX.as_second(),
        days in any::<u16>(),
        minutes in -1440..=1440,
    ) {
        let now = Timestamp::from_second(now).unwrap();
        let offset = Offset::from_seconds(minutes * 60).unwrap();
        let made = Days::until(now, days, offset);
        prop_assert_eq!(made.len(), usize::from(days.clamp(1, Days::MOST)));
        prop_assert!(made.midnights.is_sorted());
        prop_assert_eq!(made.midnights.len(), made.len() + 1);
    }
}
