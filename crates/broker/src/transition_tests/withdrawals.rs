use super::*;
use crate::{Receipt, Undelivered};

fn undelivered(reason: &str) -> Vec<Event> {
    vec![Event::Undelivered(Undelivered { reason: reason.into() })]
}

#[test]
fn an_open_ask_is_withdrawn() {
    let ask = questions(Policy::default());
    let withdrawn =
        |reason: Value| is_resolved(resolved(json!({"kind": "withdrawn", "reason": reason}), 3));
    assert_eq!(ask.withdraw(None, at(3)), Ok(withdrawn(Value::Null)));
    assert_eq!(ask.withdraw(Some(" ".into()), at(3)), Ok(withdrawn(Value::Null)));
    assert_eq!(ask.withdraw(Some("Esc".into()), at(3)), Ok(withdrawn("Esc".into())));
    assert_eq!(refused(ask.withdraw(Some("\u{7}".into()), at(3))), ["reason"]);
}

#[test]
fn an_answer_the_agent_never_got_is_undelivered() {
    let ask = answered(&questions(Policy::default()));
    assert_eq!(
        ask.withdraw(None, at(9)),
        Ok(undelivered("the agent was gone before it got the answer"))
    );
    assert_eq!(ask.withdraw(Some("killed".into()), at(9)), Ok(undelivered("killed")));
}

#[test]
fn an_agent_that_has_its_answer_may_leave() {
    let ask = answered(&questions(Policy::default()));
    let handed = Receipt::handed(None);
    let delivered = after(&ask, ask.receipt(handed, at(6)).unwrap(), 6);
    assert_eq!(delivered.withdraw(None, at(9)), Ok(vec![]));
}

#[test]
fn to_leave_twice_is_to_leave_once() {
    let open = questions(Policy::default());
    let answered = answered(&open);
    for ask in [open, answered] {
        let gone = after(&ask, ask.withdraw(None, at(6)).unwrap(), 6);
        assert_eq!(gone.withdraw(Some("again".into()), at(7)), Ok(vec![]));
    }
}
