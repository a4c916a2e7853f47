use super::*;
use crate::log_fixture::{every_event, sealed, stored};

#[test]
fn every_event_comes_back_from_the_log_as_it_went() {
    for sealed in sealed(every_event()) {
        assert_eq!(stored(&sealed).read(), Ok(Some(sealed.entry)));
    }
}

#[test]
fn an_event_without_its_contents_is_no_event() {
    let mut dropped = stored(&sealed(every_event())[0]);
    dropped.body = None;
    assert_eq!(dropped.read(), Ok(None));
}

#[test]
fn contents_that_do_not_fit_the_name_are_damage() {
    let log = sealed(every_event());
    let mut wrong = stored(&log[4]);
    wrong.name = "ask.extended".into();
    let Err(StoreError::Damaged(what)) = wrong.read() else { panic!("it was read") };
    assert!(what.starts_with("event 5 cannot be read: "), "{what}");
    wrong.name = "ask.forgotten".into();
    assert_eq!(
        wrong.read(),
        Err(StoreError::Damaged("event 5 cannot be read: no such event".into()))
    );
}

#[test]
fn a_head_is_read_as_it_is_written() {
    let head = sealed(every_event())[10].head();
    assert_eq!(format!(" {head}\n").parse(), Ok(head));
    assert_eq!(Head::EMPTY.to_string(), format!("0:{}", "0".repeat(64)));
}

#[test]
fn what_is_no_head_is_refused() {
    let zeros = "0".repeat(64);
    for text in [
        String::new(),
        zeros.clone(),
        format!(":{zeros}"),
        format!("x:{zeros}"),
        format!("-1:{zeros}"),
        format!("+1:{zeros}"),
        format!("1:{}", &zeros[1..]),
        format!("1:{zeros}0"),
        format!("1:{}g", &zeros[1..]),
        format!("1:{}+0", &zeros[2..]),
        format!("1:{}é", &zeros[2..]),
    ] {
        assert_eq!(text.parse::<Head>(), Err(NotAHead), "{text}");
    }
}
