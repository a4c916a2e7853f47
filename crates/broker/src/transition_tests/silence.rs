use super::*;
use crate::Extended;

/// An ask that waits a hundred seconds.
fn patient() -> Record {
    questions(Policy { deadline_seconds: Some(100), ..Policy::default() })
}

fn no_answer(after_seconds: u64, second: i64) -> Vec<Event> {
    is_resolved(resolved(json!({"kind": "no_answer", "afterSeconds": after_seconds}), second))
}

#[test]
fn without_a_deadline_silence_ends_nothing() {
    let ask = questions(Policy::default());
    assert_eq!(ask.ends_at(Some(at(5))), None);
    assert_eq!(ask.expire(None, Timestamp::MAX), vec![]);
}

#[test]
fn silence_is_reported_at_the_deadline_and_not_before() {
    assert_eq!(patient().expire(None, at(99)), vec![]);
    assert_eq!(patient().expire(None, at(100)), no_answer(100, 100));
}

#[test]
fn the_agent_hears_how_long_it_was_given_however_late_that_was_noticed() {
    assert_eq!(patient().expire(None, at(5000)), no_answer(100, 5000));
}

#[test]
fn an_ask_that_has_ended_does_not_expire() {
    assert_eq!(answered(&patient()).expire(None, at(100)), vec![]);
    let silent = after(&patient(), patient().expire(None, at(100)), 100);
    assert_eq!(silent.expire(None, at(101)), vec![]);
}

#[test]
fn typing_holds_the_deadline_for_fifteen_seconds_after_each_change() {
    let ask = patient();
    assert_eq!(ask.ends_at(Some(at(80))), Some(at(100)), "they had stopped long before");
    assert_eq!(ask.ends_at(Some(at(95))), Some(at(110)));
    assert_eq!(ask.expire(Some(at(95)), at(109)), vec![]);
    assert_eq!(ask.expire(Some(at(95)), at(110)), no_answer(110, 110));
}

#[test]
fn typing_holds_it_for_one_further_deadline_and_no_longer() {
    let ask = patient();
    assert_eq!(ask.ends_at(Some(at(184))), Some(at(199)));
    assert_eq!(ask.ends_at(Some(at(186))), Some(at(200)));
    assert_eq!(ask.ends_at(Some(at(1000))), Some(at(200)));
    assert_eq!(ask.expire(Some(at(199)), at(200)), no_answer(200, 200));
}

#[test]
fn typing_holds_nothing_where_the_policy_says_so() {
    let policy =
        Policy { deadline_seconds: Some(100), pause_while_typing: false, ..Policy::default() };
    assert_eq!(questions(policy).ends_at(Some(at(95))), Some(at(100)));
}

#[test]
fn more_time_counts_from_the_deadline() {
    let extended = vec![Event::Extended(Extended {
        deadline_at: at(160),
        responder: by("ann"),
        submit: None,
    })];
    assert_eq!(patient().extend(60, by("ann"), None, at(30)), Ok(extended.clone()));
    let ask = after(&patient(), extended, 30);
    assert_eq!(ask.expire(None, at(159)), vec![]);
    assert_eq!(ask.expire(None, at(160)), no_answer(160, 160));
}

#[test]
fn more_time_counts_from_now_when_the_deadline_is_held_by_typing() {
    let extended = vec![Event::Extended(Extended {
        deadline_at: at(165),
        responder: by("ann"),
        submit: None,
    })];
    assert_eq!(patient().extend(60, by("ann"), None, at(105)), Ok(extended));
}

#[test]
fn only_an_open_ask_with_a_deadline_takes_more_time() {
    let done = answered(&patient());
    let already = Rejection::AlreadyResolved(Box::new(done.clone()));
    assert_eq!(done.extend(60, by("ann"), None, at(30)), Err(already));
    let endless = questions(Policy::default());
    assert_eq!(endless.extend(60, by("ann"), None, at(30)), Err(Rejection::NoDeadline));
}

#[test]
fn more_time_is_at_least_a_second_and_at_most_a_year_and_a_day() {
    const MOST: u64 = 366 * 24 * 60 * 60;
    for seconds in [0, MOST + 1, u64::MAX] {
        assert_eq!(refused(patient().extend(seconds, by("ann"), None, at(30))), ["seconds"]);
    }
    assert!(patient().extend(1, by("ann"), None, at(30)).is_ok());
    assert!(patient().extend(MOST, by("ann"), None, at(30)).is_ok());
}

#[test]
fn a_front_end_that_is_gone_ends_an_ask_only_where_the_policy_says_so() {
    let kept = questions(Policy::default());
    assert_eq!(kept.disconnect("gobby", at(5)), vec![]);
    let policy = Policy { on_disconnect: crate::OnDisconnect::Decline, ..Policy::default() };
    let ask = questions(policy);
    let ended = after(&ask, ask.disconnect("gobby", at(5)), 5);
    let resolved = ended.resolved().unwrap();
    assert_eq!(resolved.kind(), "declined");
    let rule = resolved.responder.as_ref().unwrap();
    assert_eq!((&rule.surface, rule.person.as_deref()), (&Surface::Rule, Some("onDisconnect")));
    assert_eq!(ended.disconnect("gobby", at(6)), vec![], "it has ended");
    assert_eq!(answered(&ask).disconnect("gobby", at(6)), vec![]);
}
