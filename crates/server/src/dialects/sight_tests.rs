use handraise_broker::Policy;

use super::super::fixtures::{approval, asked, asked_under, session};
use super::*;

fn at(name: &str, sessions: &[Session]) -> Sight {
    let sessions: Vec<_> = sessions.iter().cloned().map(Arc::new).collect();
    Sight::new(Some(name.into()), &sessions)
}

#[test]
fn a_session_is_seen_by_any_of_its_names_and_another_by_none() {
    let run = session(1, Some("own"));
    let id = run.id.to_string();
    let ask = asked(1, Some("own"));
    for name in [id.as_str(), &id[id.len() - 8..], "own"] {
        let sight = at(name, std::slice::from_ref(&run));
        assert!(sight.covers(&ask), "{name}");
        assert_eq!(sight.name_of(&ask), name);
        assert_eq!(sight.place(), Some(id.clone()), "{name}");
    }
    for name in ["OWN", "own ", "", &id[..8], &id[id.len() - 7..]] {
        let sight = at(name, std::slice::from_ref(&run));
        assert!(!sight.covers(&ask), "{name}");
        assert_eq!(sight.place().as_deref(), Some(name));
    }
}

#[test]
fn without_a_name_all_are_seen_each_under_its_own() {
    let sight = Sight::new(None, &[Arc::new(session(1, Some("own")))]);
    let lone = asked(2, None);
    assert_eq!(sight.name_of(&asked(1, Some("own"))), "own");
    assert_eq!(sight.name_of(&lone), lone.id.to_string());
    assert!(sight.covers(&lone) && sight.place().is_none() && sight.session().is_none());
}

#[test]
fn a_session_of_another_agent_with_the_same_name_lends_it_nothing() {
    let mut other = session(1, Some("own"));
    other.agent = "another".into();
    let sight = at(&other.id.to_string(), &[other]);
    assert!(!sight.covers(&asked(1, Some("own"))));
}

#[test]
fn an_ask_of_no_session_is_seen_by_its_own_name_alone() {
    let lone = asked(3, None);
    assert!(at(&lone.id.to_string(), &[]).covers(&lone));
    assert!(!at("", &[]).covers(&lone));
    assert!(!at(&lone.id.to_string(), &[]).covers(&asked(4, None)));
}

#[test]
fn what_cannot_be_answered_there_is_not_seen() {
    let in_dialog = Policy { answer_in: AnswerIn::Dialog, ..Policy::default() };
    let everything = Sight::new(None, &[]);
    assert!(!everything.covers(&approval(1, Some("own"))));
    assert!(!everything.covers(&asked_under(2, Some("own"), in_dialog)));
}

#[test]
fn no_other_agent_takes_a_sessions_place_by_its_name() {
    let owned = |number, own: &str, owner: &str| {
        let mut session = session(number, Some(own));
        session.owner = Some(owner.into());
        session
    };
    let run = owned(1, "own", "run");
    let id = run.id.to_string();
    let by_id = [owned(2, &id, "evil"), run.clone(), owned(3, &id, "evil")];
    let mut sight = at(&id, &by_id);
    assert_eq!(sight.session().unwrap().id, run.id);
    let over = Session { state: SessionState::Ended, ..run.clone() };
    sight.note(&over);
    assert!(!sight.note(&by_id[0]), "not after its end, either");
    let by_name = [owned(2, "own", "evil"), run.clone()];
    assert!(at("own", &by_name).session().is_none(), "whose it is is not known");
    assert!(at("own", &[run, owned(4, "own", "run")]).session().is_some());
}

#[test]
fn a_session_is_followed_from_when_it_is_known() {
    let mut run = session(1, None);
    run.state = SessionState::Working;
    let mut sight = at(&run.id.to_string(), &[]);
    let ask = asked(1, Some("own"));
    assert!(!sight.is_working() && !sight.covers(&ask));
    assert!(sight.note(&run));
    assert!(sight.is_working() && !sight.covers(&ask), "whose it is is not known yet");
    run.agent_session = Some("own".into());
    assert!(sight.note(&run) && sight.covers(&ask));
    run.state = SessionState::Idle;
    assert!(!sight.note(&run) && !sight.is_working(), "its asks are the same");
    assert!(!sight.note(&session(2, Some("own"))), "another one");
    // It went on under another name.
    run.agent_session = Some("new".into());
    assert!(sight.note(&run) && !sight.covers(&ask));
}

#[test]
fn no_other_session_takes_its_place_while_it_goes_on() {
    let mut run = session(1, Some("own"));
    let mut sight = at("own", std::slice::from_ref(&run));
    let namesake = session(2, Some("own"));
    assert!(!sight.note(&namesake));
    assert_eq!(sight.session().unwrap().id, run.id);
    run.state = SessionState::Ended;
    sight.note(&run);
    assert!(sight.note(&namesake), "it was taken up again");
    assert_eq!(sight.session().unwrap().id, namesake.id);
}

#[test]
fn it_works_while_its_agent_does() {
    for state in SessionState::ALL {
        let mut run = session(1, Some("own"));
        run.state = state;
        let works = matches!(state, SessionState::Starting | SessionState::Working);
        assert_eq!(at("own", &[run]).is_working(), works, "{state:?}");
    }
}
