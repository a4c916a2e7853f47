use std::collections::HashMap;

use handraise_broker::AskId;
use jiff::Timestamp;
use proptest::prelude::*;

use super::*;

const fn at(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn ask(n: u8) -> AskId {
    AskId::new(Timestamp::UNIX_EPOCH, [n; 10])
}

fn nobody(_: AskId) -> Option<Duration> {
    None
}

fn until(seconds: u64) -> impl Fn(AskId) -> Option<Duration> {
    move |_| Some(at(seconds))
}

const fn deadline(seconds: u64, whole: u64) -> Deadline {
    Deadline { at: at(seconds), whole: at(whole) }
}

#[test]
fn an_ask_is_shown_at_once_and_taken_down_when_it_ends() {
    let mut policy = Policy::default();
    policy.opened(ask(1), None, at(5));
    assert_eq!(policy.due(at(5), nobody), [Action::Show(ask(1), Why::Opened)]);
    policy.opened(ask(1), None, at(6));
    assert_eq!(policy.due(at(6), nobody), []);
    assert_eq!(policy.next(), None, "an idle hub has nothing on its agenda");
    policy.ended(ask(1));
    assert_eq!(policy.due(at(7), nobody), [Action::Withdraw(ask(1))]);
    policy.ended(ask(1));
    assert_eq!(policy.due(at(8), nobody), []);
}

#[test]
fn whoever_looks_is_left_alone_until_they_look_away() {
    let mut policy = Policy::default();
    policy.opened(ask(1), None, at(0));
    assert_eq!(policy.due(at(0), until(30)), []);
    assert_eq!(policy.next(), Some(at(30)));
    // The look goes on.
    assert_eq!(policy.due(at(30), until(60)), []);
    // It ends before its time.
    policy.looks_changed(at(40));
    assert_eq!(policy.due(at(40), nobody), [Action::Show(ask(1), Why::Opened)]);
    // What is shown stays when somebody looks again.
    policy.looks_changed(at(41));
    assert_eq!(policy.due(at(41), until(60)), []);
}

#[test]
fn what_ends_while_somebody_looks_is_never_shown() {
    let mut policy = Policy::default();
    policy.opened(ask(1), None, at(0));
    assert_eq!(policy.due(at(0), until(30)), []);
    policy.ended(ask(1));
    policy.looks_changed(at(1));
    assert_eq!((policy.due(at(50), nobody), policy.next()), (vec![], None));
}

#[test]
fn typing_counts_as_looking() {
    let mut policy = Policy::default();
    policy.opened(ask(1), None, at(0));
    policy.typed(ask(1), None, at(0));
    assert_eq!(policy.due(at(0), nobody), []);
    policy.typed(ask(1), None, at(10));
    assert_eq!(policy.due(at(15), nobody), []);
    assert_eq!(policy.next(), Some(at(25)));
    assert_eq!(policy.due(at(25), nobody), [Action::Show(ask(1), Why::Opened)]);
}

#[test]
fn a_deadline_that_is_near_is_said_once() {
    for (whole, near) in [(40, 30), (400, 300), (24 * 3600, 24 * 3600 - 300)] {
        let mut policy = Policy::default();
        policy.opened(ask(1), Some(deadline(whole, whole)), at(0));
        assert_eq!(policy.due(at(0), nobody), [Action::Show(ask(1), Why::Opened)]);
        assert_eq!(policy.next(), Some(at(near)));
        assert_eq!(policy.due(at(near), nobody), [Action::Show(ask(1), Why::Deadline)]);
        // Typing moves it on, and is no reason to say it again.
        policy.typed(ask(1), Some(at(whole + 9)), at(near));
        assert_eq!((policy.due(at(whole), nobody), policy.next()), (vec![], None));
        // More time on purpose is.
        policy.extended(ask(1), Some(deadline(2 * whole, 2 * whole)), at(near));
        assert_eq!(policy.due(at(2 * whole), nobody), [Action::Show(ask(1), Why::Deadline)]);
    }
}

#[test]
fn what_is_shown_late_says_so_and_says_it_once() {
    let mut policy = Policy::default();
    policy.opened(ask(1), Some(deadline(40, 40)), at(0));
    assert_eq!(policy.due(at(0), until(35)), []);
    assert_eq!(policy.due(at(35), nobody), [Action::Show(ask(1), Why::Deadline)]);
    assert_eq!(policy.next(), None);
}

#[test]
fn a_reminder_comes_once_and_only_when_it_is_wanted() {
    let mut policy = Policy::new(Some(at(900)));
    policy.opened(ask(1), None, at(0));
    assert_eq!(policy.due(at(0), nobody), [Action::Show(ask(1), Why::Opened)]);
    assert_eq!(policy.due(at(899), nobody), []);
    assert_eq!(policy.due(at(900), nobody), [Action::Show(ask(1), Why::Waiting)]);
    assert_eq!(policy.next(), None);
}

#[test]
fn what_was_shown_before_a_restart_is_not_shown_again() {
    let mut policy = Policy::default();
    policy.shown_before(ask(1), Some(deadline(400, 400)), at(0));
    policy.opened(ask(1), Some(deadline(400, 400)), at(0));
    policy.opened(ask(2), None, at(0));
    assert_eq!(policy.due(at(0), nobody), [Action::Show(ask(2), Why::Opened)]);
    policy.ended(ask(1));
    assert_eq!(policy.due(at(1), nobody), [Action::Withdraw(ask(1))]);
}

#[test]
fn trouble_is_shown_once_and_taken_down_when_it_is_none_any_more() {
    let mut policy = Policy::default();
    policy.delivery(ask(1), Some(Why::Undelivered));
    policy.delivery(ask(1), Some(Why::Undelivered));
    assert_eq!(policy.due(at(0), nobody), [Action::Show(ask(1), Why::Undelivered)]);
    policy.delivery(ask(1), Some(Why::Overruled));
    assert_eq!(policy.due(at(0), nobody), [Action::Show(ask(1), Why::Overruled)]);
    policy.delivery(ask(1), None);
    assert_eq!(policy.due(at(0), nobody), [Action::Withdraw(ask(1))]);
    policy.delivery(ask(3), None);
    assert_eq!(policy.due(at(0), nobody), []);
    // Whoever looks is told when they look away, unless it is well again by then.
    policy.delivery(ask(2), Some(Why::Doubted));
    assert_eq!(policy.due(at(0), |_| Some(at(9))), []);
    assert_eq!(policy.next(), Some(at(9)));
    assert_eq!(policy.due(at(9), nobody), [Action::Show(ask(2), Why::Doubted)]);
    policy.delivery(ask(4), Some(Why::Undelivered));
    assert_eq!(policy.due(at(9), |_| Some(at(20))), []);
    policy.delivery(ask(4), None);
    assert_eq!(policy.due(at(20), nobody), []);
}

#[test]
fn old_troubles_make_room_for_new_ones() {
    let mut policy = Policy::default();
    let mut actions = vec![];
    for n in 0..=100 {
        policy.delivery(ask(n), Some(Why::Undelivered));
        actions = policy.due(at(0), nobody);
    }
    assert_eq!(actions.last(), Some(&Action::Withdraw(ask(0))));
}

#[derive(Debug, Clone)]
enum Happening {
    Opens(u8, Option<u64>),
    Extends(u8, u64),
    Types(u8),
    Ends(u8),
    Looks(Option<u64>),
    Passes(u64),
}

fn happening() -> impl Strategy<Value = Happening> {
    prop_oneof![
        (0..4_u8, proptest::option::of(1..600_u64)).prop_map(|(n, s)| Happening::Opens(n, s)),
        (0..4_u8, 1..600_u64).prop_map(|(n, s)| Happening::Extends(n, s)),
        (0..4_u8).prop_map(Happening::Types),
        (0..4_u8).prop_map(Happening::Ends),
        proptest::option::of(1..60_u64).prop_map(Happening::Looks),
        (1..100_u64).prop_map(Happening::Passes),
    ]
}

proptest! {
    /// Whatever happens: nothing is shown that somebody looks at, what is shown is taken down when it
    /// ends, and in the end everything that is open is shown.
    #[test]
    fn nothing_is_forgotten_and_nothing_is_left_over(
        story in proptest::collection::vec(happening(), 0..60),
    ) {
        let mut policy = Policy::new(Some(at(120)));
        let mut open: HashMap<u8, bool> = HashMap::new();
        let (mut now, mut look) = (at(0), None::<Duration>);
        for happening in story {
            match happening {
                Happening::Opens(n, life) if !open.contains_key(&n) => {
                    let life = life.map(|s| Deadline { at: now + at(s), whole: at(s) });
                    policy.opened(ask(n), life, now);
                    open.insert(n, false);
                }
                Happening::Opens(..) => {}
                Happening::Extends(n, s) => {
                    policy.extended(ask(n), Some(Deadline { at: now + at(s), whole: at(s) }), now);
                }
                Happening::Types(n) => policy.typed(ask(n), None, now),
                Happening::Ends(n) => {
                    policy.ended(ask(n));
                    let was_shown = open.remove(&n) == Some(true);
                    let told = policy.due(Duration::ZERO, nobody);
                    prop_assert_eq!(told, if was_shown { vec![Action::Withdraw(ask(n))] } else { vec![] });
                }
                Happening::Looks(seconds) => {
                    look = seconds.map(|seconds| now + at(seconds));
                    policy.looks_changed(now);
                }
                Happening::Passes(seconds) => now += at(seconds),
            }
            let looked_at = look.filter(|until| *until > now);
            for action in policy.due(now, |_| looked_at) {
                let Action::Show(shown, _) = action else { panic!("{action:?}") };
                prop_assert_eq!(looked_at, None);
                let n = (0..4).find(|n| ask(*n) == shown).unwrap();
                *open.get_mut(&n).expect("only what is open is shown") = true;
            }
            prop_assert!(policy.next().is_none_or(|next| next > now));
        }
        now += at(1000);
        for action in policy.due(now, nobody) {
            let Action::Show(shown, _) = action else { panic!("{action:?}") };
            let n = (0..4).find(|n| ask(*n) == shown).unwrap();
            open.insert(n, true);
        }
        prop_assert!(open.values().all(|shown| *shown), "{open:?}");
    }
}
