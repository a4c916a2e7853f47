//! What happens, told in order, once, and without a gap.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use handraise_broker::{
    AccessRefused, Asked, Feed, Hub, HubError, Matter, NewAsk, News, Power, Seat, Seq, State,
    StoreError, Told,
};
use handraise_testkit::{PATIENCE, new_ask};
use jiff::Timestamp;
use serde_json::json;

use crate::house::{House, end, jwt};

async fn follow(seat: &Seat, after: Option<Seq>) -> Box<dyn Feed> {
    seat.follow(after).await.unwrap()
}

async fn next(feed: &mut Box<dyn Feed>) -> News {
    tokio::time::timeout(PATIENCE, feed.next()).await.expect("no news").unwrap()
}

/// The next event, whatever else is told before it.
async fn told(feed: &mut Box<dyn Feed>) -> Arc<Told> {
    loop {
        match next(feed).await {
            News::Event(told) => return told,
            News::Live(_) | News::Typing { .. } | News::Speaking { .. } => {}
            News::Reset(seq) => panic!("reset at {seq}"),
        }
    }
}

/// Everything up to the place from which on it is told live.
async fn missed(feed: &mut Box<dyn Feed>) -> (Vec<Arc<Told>>, Seq) {
    let mut missed = vec![];
    loop {
        match next(feed).await {
            News::Event(told) => missed.push(told),
            News::Live(seq) => return (missed, seq),
            other @ (News::Reset(_) | News::Typing { .. } | News::Speaking { .. }) => {
                panic!("{other:?}")
            }
        }
    }
}

fn refusal() -> AccessRefused {
    AccessRefused {
        code: "no_token".into(),
        tried: "GET /".into(),
        peer: None,
        device: None,
        times: 1,
    }
}

/// Lets so much happen that is about no ask.
async fn happen(house: &House, times: usize) {
    let refused = join_all((0..times).map(|_| house.broker.note_refusal(refusal()))).await;
    assert!(refused.iter().all(Result::is_ok));
}

#[tokio::test]
async fn without_a_cursor_it_is_told_from_now_on() {
    let house = House::new().await;
    house.ask_any().await;
    let mut feed = follow(&house.person("ann"), None).await;
    assert_eq!(next(&mut feed).await, News::Live(1));
    let Asked { record, .. } = house.ask(new_ask(None)).await.unwrap();
    let expected = Told {
        seq: 2,
        at: record.asked_at,
        name: "ask.opened".into(),
        ask: Some(record.clone()),
        session: None,
        detail: None,
    };
    assert_eq!(next(&mut feed).await, News::Event(Arc::new(expected)));
    let answered = house.answer(record.id).await;
    let told = told(&mut feed).await;
    assert_eq!((told.seq, told.name.as_str()), (3, "ask.resolved"));
    assert_eq!(told.ask.as_deref(), Some(&answered));
}

/// The same is told whether somebody listened when it happened or came later.
#[tokio::test]
async fn what_was_missed_is_told_as_it_stood_then() {
    let house = House::new().await;
    let mut listener = follow(&house.person("ann"), Some(0)).await;
    assert_eq!(next(&mut listener).await, News::Live(0));
    let (one, two) = (house.ask_any().await, house.ask_any().await);
    house.answer(two).await;
    house.broker.note_refusal(refusal()).await.unwrap();
    house.agent().withdraw(one, None).await.unwrap();
    house.broker.add_device("phone", Power::Person, None).await.unwrap();
    house.agent().withdraw(two, None).await.unwrap();
    let mut live = vec![];
    for _ in 0..7 {
        live.push(told(&mut listener).await);
    }
    let seqs: Vec<_> = live.iter().map(|told| told.seq).collect();
    assert_eq!(seqs, [1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(live[3].detail, Some(json!(refusal())));
    let states: Vec<_> = live.iter().map(|told| told.ask.as_ref().map(|ask| ask.state())).collect();
    let (open, resolved) = (Some(State::Open), Some(State::Resolved));
    let gone = Some(State::Undelivered);
    assert_eq!(states, [open, open, resolved, None, resolved, None, gone]);
    for after in 0..=7 {
        let mut late = follow(&house.person("bob"), Some(after)).await;
        let expected = live[usize::try_from(after).unwrap()..].to_vec();
        assert_eq!(missed(&mut late).await, (expected, 7));
    }
}

#[tokio::test]
async fn what_was_missed_is_told_also_after_a_restart() {
    let house = House::new().await;
    let id = house.ask_any().await;
    house.answer(id).await;
    let house = house.restart_after(Duration::from_secs(1)).await;
    let mut feed = follow(&house.person("ann"), Some(1)).await;
    let (missed, live) = missed(&mut feed).await;
    let [only] = missed.as_slice() else { panic!("{missed:?}") };
    assert_eq!((only.seq, live), (2, 2));
    assert_eq!(only.ask.as_deref().and_then(end), Some("answered"));
}

#[tokio::test]
async fn agents_are_told_of_asks_only() {
    let house = House::new().await;
    let mut live = follow(&house.agent(), None).await;
    assert_eq!(next(&mut live).await, News::Live(0));
    happen(&house, 3).await;
    let id = house.ask_any().await;
    house.broker.add_device("phone", Power::Person, None).await.unwrap();
    house.answer(id).await;
    happen(&house, 1).await;
    let mut late = follow(&house.agent(), Some(0)).await;
    for feed in [&mut live, &mut late] {
        let (first, second) = (told(feed).await, told(feed).await);
        assert_eq!((first.seq, second.seq), (4, 6));
        assert!(first.ask.is_some() && second.ask.is_some());
    }
    assert_eq!(next(&mut late).await, News::Live(7));
}

/// Many who come at any time while much is happening, some from the beginning and some from now on.
#[tokio::test(flavor = "multi_thread")]
async fn nobody_misses_anything_on_the_way_from_the_log_to_live() {
    const EVENTS: Seq = 3000;
    let house = Arc::new(House::new().await);
    let writing = {
        let house = house.clone();
        tokio::spawn(async move {
            while house.broker.head().seq < EVENTS {
                let asked = join_all((0..10).map(|_| house.ask(new_ask(None)))).await;
                let answers = asked.into_iter().map(|asked| {
                    let (ann, id) = (house.person("ann"), asked.unwrap().record.id);
                    async move { ann.reply(id, jwt(), None).await.unwrap() }
                });
                join_all(answers).await;
            }
        })
    };
    let mut following = vec![];
    for n in 0..30 {
        let after = (n % 3 != 0).then(|| house.broker.head().seq / 100 * (n % 3));
        let mut feed = follow(&house.person("ann"), after).await;
        following.push(tokio::spawn(async move {
            let mut last = after;
            let mut wrong = vec![];
            while last.unwrap_or(0) < EVENTS {
                match next(&mut feed).await {
                    News::Event(told) => {
                        let open = told.name == "ask.opened";
                        let ask = told.ask.as_ref().unwrap();
                        let as_it_stood = ask.is_open() == open && ask.seq == told.seq;
                        if last.is_some_and(|last| told.seq != last + 1) || !as_it_stood {
                            wrong.push((last, told.seq, as_it_stood));
                        }
                        last = Some(told.seq);
                    }
                    News::Live(seq) => {
                        assert!(last.is_none_or(|last| seq == last));
                        last = Some(seq);
                    }
                    News::Typing { .. } | News::Speaking { .. } => {}
                    News::Reset(seq) => panic!("reset at {seq}"),
                }
            }
            wrong
        }));
        house.ask_any().await;
    }
    for feed in following {
        assert_eq!(feed.await.unwrap(), []);
    }
    writing.await.unwrap();
}

/// From now on means from the very next event, also in the middle of telling many.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_told_live_begins_right_behind_the_place_it_was_said_to() {
    let house = Arc::new(House::new().await);
    let writing = {
        let house = house.clone();
        tokio::spawn(async move {
            loop {
                happen(&house, 300).await;
            }
        })
    };
    let coming = (0..8).map(|_| {
        let seat = house.person("ann");
        tokio::spawn(async move {
            for _ in 0..40 {
                let mut feed = follow(&seat, None).await;
                let News::Live(place) = next(&mut feed).await else { panic!("not live") };
                assert_eq!(told(&mut feed).await.seq, place + 1);
            }
        })
    });
    for came in join_all(coming).await {
        came.unwrap();
    }
    writing.abort();
}

#[tokio::test]
async fn a_client_that_does_not_listen_holds_nobody_up_and_is_reset() {
    let house = House::new().await;
    let mut slow = follow(&house.person("ann"), None).await;
    let mut quick = follow(&house.person("bob"), None).await;
    assert_eq!(next(&mut slow).await, News::Live(0));
    assert_eq!(next(&mut quick).await, News::Live(0));
    for hundred in 0..11 {
        happen(&house, 100).await;
        for n in 1..=100 {
            assert_eq!(told(&mut quick).await.seq, hundred * 100 + n);
        }
    }
    assert_eq!(next(&mut slow).await, News::Reset(1100));
    assert_eq!(next(&mut slow).await, News::Live(1100));
    happen(&house, 2).await;
    assert_eq!(told(&mut slow).await.seq, 1101);
    assert_eq!(told(&mut slow).await.seq, 1102);
}

/// However much happens while a client reads what it missed.
#[tokio::test]
async fn a_client_that_is_catching_up_is_not_too_slow() {
    let house = House::new().await;
    happen(&house, 600).await;
    let mut feed = follow(&house.person("ann"), Some(0)).await;
    for seq in 1..=300 {
        assert_eq!(told(&mut feed).await.seq, seq);
    }
    happen(&house, 2000).await;
    for seq in 301..=2600 {
        assert_eq!(told(&mut feed).await.seq, seq);
    }
    assert_eq!(next(&mut feed).await, News::Live(2600));
    happen(&house, 1).await;
    assert_eq!(told(&mut feed).await.seq, 2601);
}

#[tokio::test]
async fn a_cursor_of_another_log_is_reset() {
    let house = House::new().await;
    house.ask_any().await;
    for cursor in [2, 1000, Seq::MAX] {
        let mut feed = follow(&house.person("ann"), Some(cursor)).await;
        assert_eq!(next(&mut feed).await, News::Reset(1));
        assert_eq!(next(&mut feed).await, News::Live(1));
    }
    let mut feed = follow(&house.person("ann"), Some(1)).await;
    assert_eq!(next(&mut feed).await, News::Live(1), "the end of the log is a place in it");
}

#[tokio::test]
async fn a_cursor_before_what_was_dropped_is_reset_and_one_behind_it_is_not() {
    let house = House::new().await;
    let id = house.ask_any().await;
    house.agent().withdraw(id, None).await.unwrap();
    house.ask_any().await;
    assert_eq!(house.broker.prune(Timestamp::MAX).await, Ok(1));
    for cursor in [0, 1] {
        let mut feed = follow(&house.person("ann"), Some(cursor)).await;
        assert_eq!(next(&mut feed).await, News::Reset(4 + cursor));
        assert_eq!(next(&mut feed).await, News::Live(4 + cursor));
        happen(&house, 1).await;
        assert_eq!(told(&mut feed).await.seq, 5 + cursor, "and then it goes on");
    }
    let mut feed = follow(&house.person("ann"), Some(2)).await;
    let names: Vec<_> = missed(&mut feed).await.0.iter().map(|told| told.name.clone()).collect();
    assert_eq!(names, ["ask.opened", "log.pruned", "access.refused", "access.refused"]);
}

/// Retention drops how an ask began, while a client has just read how it ended.
#[tokio::test]
async fn a_client_whose_past_is_dropped_while_it_reads_is_reset() {
    let house = House::new().await;
    let id = house.ask_any().await;
    house.agent().withdraw(id, None).await.unwrap();
    let mut feed = follow(&house.person("ann"), Some(1)).await;
    let held = house.store.hold("log_of").await;
    let (first, ()) = tokio::join!(next(&mut feed), async {
        house.store.has_answered("log", 1).await;
        assert_eq!(house.broker.prune(Timestamp::MAX).await, Ok(1));
        drop(held);
    });
    assert_eq!(first, News::Reset(3));
    assert_eq!(next(&mut feed).await, News::Live(3));
}

#[tokio::test]
async fn a_store_that_fails_interrupts_and_loses_nothing() {
    let house = House::new().await;
    happen(&house, 300).await;
    let mut feed = follow(&house.person("ann"), Some(0)).await;
    assert_eq!(told(&mut feed).await.seq, 1);
    house.store.break_with(StoreError::Failed("gone".into()));
    let failed = HubError::Store(StoreError::Failed("gone".into()));
    let mut last = 1;
    // What was read before is told.
    let error = loop {
        match feed.next().await {
            Ok(News::Event(told)) => last = told.seq,
            Ok(other) => panic!("{other:?}"),
            Err(error) => break error,
        }
    };
    assert_eq!(error, failed);
    assert_eq!(feed.next().await, Err(failed));
    house.store.mend();
    assert!(last < 300);
    for seq in last + 1..=300 {
        assert_eq!(told(&mut feed).await.seq, seq);
    }
    assert_eq!(next(&mut feed).await, News::Live(300));
}

#[tokio::test]
async fn few_clients_hold_large_asks_at_once_and_people_do_not_wait_for_agents() {
    const ASKS: Seq = 20;
    let house = House::new().await;
    let agent = house.agent();
    for _ in 0..ASKS {
        let call = json!({"tool": "Write", "input": {"content": "x".repeat(100_000)}});
        let call = serde_json::value::to_raw_value(&call).unwrap();
        let matter = Matter::approval(call).unwrap();
        agent.ask(NewAsk { matter, ..new_ask(None) }).await.unwrap();
    }
    let mut slow = vec![];
    for _ in 0..4 {
        let mut feed = follow(&agent, Some(0)).await;
        told(&mut feed).await;
        slow.push(feed);
    }
    let mut fifth = follow(&agent, Some(0)).await;
    let waiting = tokio::spawn(async move { missed(&mut fifth).await.0.len() });
    // Each of these takes as long as the fifth would.
    for _ in 0..3 {
        let (seen, _) = missed(&mut follow(&house.person("ann"), Some(0)).await).await;
        let seen: Vec<_> = seen.iter().map(|told| told.seq).collect();
        assert_eq!(seen, (1..=ASKS).collect::<Vec<_>>());
    }
    assert!(!waiting.is_finished());
    drop(slow);
    assert_eq!(tokio::time::timeout(PATIENCE, waiting).await.unwrap().unwrap(), 20);
}

#[tokio::test]
async fn a_hub_that_is_gone_tells_so() {
    let house = House::new().await;
    let mut live = follow(&house.person("ann"), None).await;
    assert_eq!(next(&mut live).await, News::Live(0));
    let waiting = tokio::spawn(async move { live.next().await });
    house.stop().await;
    let gone = tokio::time::timeout(PATIENCE, waiting).await.expect("nobody was told");
    assert_eq!(gone.unwrap(), Err(HubError::Closed));
}
