use super::*;
use crate::{AnswerIn, OwnWordsRule, Receipt, Submit};

/// What a reply by ann at second 5, without a key, comes to.
fn said(record: &Record, reply: Reply) -> Result<Vec<Event>, Rejection> {
    record.reply(attempt(reply, None), at(5))
}

fn by_ann(resolution: Value) -> Vec<Event> {
    is_resolved(Resolved { responder: Some(by("ann")), ..resolved(resolution, 5) })
}

fn decide(form: Value) -> Reply {
    Reply::Decide(serde_json::from_value(form).unwrap())
}

#[test]
fn answers_to_every_question_resolve_the_ask() {
    let reply = Reply::Answer(forms(json!([
        {"selected": ["Sessions"], "notes": "for now"},
        {"selected": ["Email", "Redis"], "words": "SMS, \"later\""}])));
    assert_eq!(
        said(&questions(Policy::default()), reply),
        Ok(by_ann(json!({"kind": "answered", "answers": [
            {"selected": ["Sessions"], "words": null, "notes": "for now", "leftOpen": false},
            {"selected": ["Redis", "Email"], "words": "SMS, \"later\"", "notes": null,
             "leftOpen": false}]})))
    );
}

#[test]
fn half_an_answer_resolves_nothing() {
    let ask = questions(Policy::default());
    let one_of_two = Reply::Answer(forms(json!([{"selected": ["JWT"]}])));
    assert_eq!(refused(said(&ask, one_of_two)), ["answers"]);
    let nothing_chosen = Reply::Answer(forms(json!([{"selected": ["JWT"]}, {}])));
    assert_eq!(refused(said(&ask, nothing_chosen)), ["answers[1]"]);
    let all_left_open = Reply::Answer(forms(json!([{"leftOpen": true}, {"leftOpen": true}])));
    assert_eq!(refused(said(&ask, all_left_open)), ["answers"]);
    let no_such_option = Reply::Answer(forms(json!([{"selected": ["jwt"]}, {"leftOpen": true}])));
    assert_eq!(refused(said(&ask, no_such_option)), ["answers[0].selected[0]"]);
}

#[test]
fn a_decline_keeps_its_reason_and_a_blank_one_is_none() {
    let ask = questions(Policy::default());
    let declined = |reason: Value| by_ann(json!({"kind": "declined", "reason": reason}));
    let decline = |reason: &str| said(&ask, Reply::Decline(Some(reason.into())));
    assert_eq!(said(&ask, Reply::Decline(None)), Ok(declined(Value::Null)));
    assert_eq!(decline(" \n"), Ok(declined(Value::Null)));
    assert_eq!(decline("not today"), Ok(declined("not today".into())));
    assert_eq!(refused(decline("\u{1b}[2J")), ["reason"]);
}

#[test]
fn to_discuss_takes_words() {
    let ask = questions(Policy::default());
    let discuss = |words: &str| said(&ask, Reply::Discuss(words.into()));
    assert_eq!(discuss("why?"), Ok(by_ann(json!({"kind": "discuss", "words": "why?"}))));
    assert_eq!(refused(discuss("  ")), ["words"]);
}

#[test]
fn a_decision_resolves_an_approval() {
    let edited = json!({"decision": "allow", "input": {"command": "ls -l"}, "message": "long"});
    assert_eq!(
        said(&approval(), decide(edited)),
        Ok(by_ann(json!({"kind": "answered", "decision": "allow", "message": "long",
                         "input": {"command": "ls -l"}, "remember": false})))
    );
    assert_eq!(
        said(&approval(), decide(json!({"decision": "deny"}))),
        Ok(by_ann(json!({"kind": "answered", "decision": "deny", "message": null,
                         "input": null, "remember": null})))
    );
    assert_eq!(
        said(&approval(), Reply::Decline(None)),
        Ok(by_ann(json!({"kind": "declined", "reason": null})))
    );
}

#[test]
fn questions_take_answers_and_approvals_take_decisions() {
    let allow = decide(json!({"decision": "allow"}));
    assert_eq!(refused(said(&questions(Policy::default()), allow)), ["decision"]);
    assert_eq!(refused(said(&approval(), jwt())), ["answers"]);
}

#[test]
fn own_words_are_refused_where_the_policy_says_so() {
    let strict = Policy { own_words: OwnWordsRule::Refuse, ..Policy::default() };
    let words = |first: &str| {
        Reply::Answer(forms(json!([{"words": first}, {"selected": ["Redis"], "words": "more"}])))
    };
    let strict = questions(strict);
    assert_eq!(refused(said(&strict, words("OAuth"))), ["answers[0].words", "answers[1].words"]);
    assert_eq!(refused(said(&strict, words("JWT"))), ["answers[1].words"], "a label is no word");
    assert!(said(&strict, jwt()).is_ok());
    assert!(said(&questions(Policy::default()), words("OAuth")).is_ok());
}

#[test]
fn the_first_reply_stands_and_the_second_hears_of_it() {
    let first = answered(&questions(Policy::default()));
    let late = Attempt { reply: jwt(), responder: by("bob"), key: None };
    let Err(Rejection::AlreadyResolved(winner)) = first.reply(late, at(6)) else {
        panic!("a second reply was taken");
    };
    assert_eq!(*winner, first);
    assert_eq!(
        Rejection::AlreadyResolved(winner).to_string(),
        format!("already answered by ann at {}", at(5))
    );
}

#[test]
fn the_same_submit_again_changes_nothing() {
    let first = answered(&questions(Policy::default()));
    assert_eq!(first.reply(attempt(jwt(), Some("k")), at(9)), Ok(vec![]));
}

#[test]
fn a_key_used_for_another_reply_is_refused() {
    let first = answered(&questions(Policy::default()));
    let other = attempt(Reply::Decline(None), Some("k"));
    assert_eq!(first.reply(other, at(9)), Err(Rejection::KeyReused));
}

#[test]
fn another_key_and_no_key_are_another_reply() {
    let first = answered(&questions(Policy::default()));
    let already = Err(Rejection::AlreadyResolved(Box::new(first.clone())));
    assert_eq!(first.reply(attempt(jwt(), Some("l")), at(9)), already);
    assert_eq!(first.reply(attempt(jwt(), None), at(9)), already);
}

#[test]
fn the_submit_is_kept_with_its_key_and_a_hash_of_its_content() {
    let first = answered(&questions(Policy::default()));
    let Submit { key, content } = first.resolved().unwrap().submit.clone().unwrap();
    assert_eq!((key.as_str(), content.len()), ("k", 64));
}

#[test]
fn a_key_has_a_length() {
    let ask = questions(Policy::default());
    for key in [String::new(), "k".repeat(201)] {
        assert_eq!(refused(ask.reply(attempt(jwt(), Some(&key)), at(5))), ["idempotencyKey"]);
    }
    assert!(ask.reply(attempt(jwt(), Some(&"k".repeat(200))), at(5)).is_ok());
}

#[test]
fn silence_and_withdrawal_cannot_be_answered_any_more() {
    let ask = questions(Policy { deadline_seconds: Some(60), ..Policy::default() });
    let silent = after(&ask, ask.expire(None, at(60)), 60);
    let Err(rejection) = said(&silent, jwt()) else { panic!("silence was answered") };
    assert_eq!(rejection.to_string(), format!("the deadline passed at {}", at(60)));
    let gone = after(&ask, ask.withdraw(None, at(7)).unwrap(), 7);
    let Err(rejection) = said(&gone, jwt()) else { panic!("a withdrawn ask was answered") };
    assert_eq!(rejection.to_string(), format!("withdrawn by the agent at {}", at(7)));
}

#[test]
fn what_only_the_agents_own_dialog_takes_is_answered_there() {
    let ask = questions(Policy { answer_in: AnswerIn::Dialog, ..Policy::default() });
    for reply in [jwt(), Reply::Decline(None), Reply::Discuss("why?".into())] {
        assert_eq!(said(&ask, reply), Err(Rejection::OnlyInDialog));
    }
    let took = json!({"kind": "answered", "answers": [{"selected": ["JWT"]}, {"leftOpen": true}]});
    let receipt = ask.receipt(Receipt::handed(None).taking(took), at(5)).unwrap();
    let ended = after(&ask, receipt, 5);
    assert!(matches!(said(&ended, jwt()), Err(Rejection::AlreadyResolved(_))));
    assert!(ask.withdraw(None, at(5)).is_ok_and(|events| events.len() == 1));
}
