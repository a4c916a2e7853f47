use std::sync::Arc;

use handraise_wire::dialects::named;

use super::super::fixtures::{asked, session};
use super::*;

fn sight(name: &str) -> Sight {
    let run = Arc::new(session(1, Some("own")));
    Sight::new((!name.is_empty()).then(|| name.to_owned()), &[run])
}

/// Somebody comes, and is about this session.
fn joins(crowd: &Crowd, dialect: &str, name: &str) -> Guest {
    crowd.join(named(dialect).unwrap(), sight(name))
}

fn counts(guest: &Guest) -> bool {
    *guest.counts.borrow()
}

#[test]
fn of_those_at_one_session_the_newest_counts_and_the_one_before_when_it_goes() {
    let crowd = Crowd::default();
    let first = joins(&crowd, "prime-agent", "s-1");
    let second = joins(&crowd, "prime-agent", "s-1");
    let third = joins(&crowd, "prime-agent", "s-1");
    assert_eq!([&first, &second, &third].map(counts), [false, false, true]);
    drop(second);
    assert_eq!([&first, &third].map(counts), [false, true]);
    drop(third);
    assert!(counts(&first));
}

#[test]
fn the_hubs_name_and_the_agents_own_are_one_place() {
    let crowd = Crowd::default();
    let id = session(1, None).id.to_string();
    let first = joins(&crowd, "prime-agent", &id);
    let second = joins(&crowd, "prime-agent", "own");
    assert_eq!([&first, &second].map(counts), [false, true]);
}

#[test]
fn other_sessions_and_dialects_that_have_room_for_several_take_nothing_over() {
    let crowd = Crowd::default();
    let guests = [
        joins(&crowd, "prime-agent", "s-1"),
        joins(&crowd, "prime-agent", "s-2"),
        joins(&crowd, "gobby", "s-1"),
        joins(&crowd, "gobby", "s-1"),
        joins(&crowd, "gobby", ""),
    ];
    assert!(guests.iter().all(counts));
}

#[test]
fn what_turns_out_to_be_one_session_is_settled_then() {
    let crowd = Crowd::default();
    let dialect = named("prime-agent").unwrap();
    let unknown = Sight::new(Some("own".into()), &[]);
    let first = crowd.join(dialect, unknown);
    let second = joins(&crowd, "prime-agent", &session(1, None).id.to_string());
    assert_eq!([&first, &second].map(counts), [true, true]);
    first.looks_at(&sight("own"));
    assert_eq!([&first, &second].map(counts), [false, true], "it came first");
}

#[test]
fn those_who_are_there_are_known_by_dialect_until_they_go() {
    let crowd = Crowd::default();
    let sees = |dialect, session| crowd.sees(dialect, &asked(1, Some(session)));
    let all = || [sees("gobby", "s-1"), sees("gobby", "s-2"), sees("prime-agent", "s-1")];
    let wide = joins(&crowd, "gobby", "");
    let narrow = joins(&crowd, "gobby", "s-1");
    let other = joins(&crowd, "prime-agent", "s-1");
    assert_eq!(all(), [true, true, true]);
    drop(wide);
    assert_eq!(all(), [true, false, true]);
    drop(narrow);
    assert_eq!(all(), [false, false, true]);
    drop(other);
    assert_eq!(all(), [false, false, false]);
}
