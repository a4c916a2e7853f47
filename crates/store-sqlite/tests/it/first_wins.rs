//! Of many replies one counts.

use std::sync::Arc;

use futures_util::future::join_all;
use handraise_broker::{Hub, HubError, Record, Rejection, Reply};
use handraise_testkit::{answers, new_ask};
use serde_json::json;

use crate::house::{House, jwt};

/// Who a losing reply hears was first.
fn first(result: Result<Arc<Record>, HubError>) -> Result<Arc<Record>, Box<Record>> {
    match result {
        Ok(record) => Ok(record),
        Err(HubError::Rejected(Rejection::AlreadyResolved(record))) => Err(record),
        Err(other) => panic!("{other}"),
    }
}

fn person(record: &Record) -> String {
    record.resolved().unwrap().responder.clone().unwrap().person.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn of_a_thousand_replies_at_once_one_wins_and_all_others_hear_whose() {
    let house = Arc::new(House::new().await);
    let id = house.ask_any().await;
    let replies = (0..1000).map(|n| {
        let seat = house.person(&format!("person {n}"));
        let reply = match n % 3 {
            0 => jwt(),
            1 => Reply::Decline(Some(format!("I am {n}"))),
            _ => answers(json!([{"words": format!("I am {n}")}])),
        };
        tokio::spawn(async move { (n, seat.reply(id, reply, Some(format!("key {n}"))).await) })
    });
    let mut winners = vec![];
    let mut heard = vec![];
    for reply in join_all(replies).await {
        let (n, result) = reply.unwrap();
        match first(result) {
            Ok(record) => winners.push((format!("person {n}"), record)),
            Err(record) => heard.push(record),
        }
    }
    let [(winner, won)] = winners.as_slice() else { panic!("{} won", winners.len()) };
    assert_eq!(heard.len(), 999);
    assert!(heard.iter().all(|record| **record == **won));
    assert_eq!(&person(won), winner);
    assert_eq!(house.get(id).await, **won);
    assert_eq!(house.names().await, ["ask.opened", "ask.resolved"]);
}

#[tokio::test]
async fn of_several_ends_in_one_batch_the_first_counts() {
    let house = House::new().await;
    let id = house.ask_any().await;
    let (ann, bob, agent) = (house.person("ann"), house.person("bob"), house.agent());
    let held = house.store.hold_commits().await;
    let (_, declined, answered, withdrawn, ()) = tokio::join!(
        house.ask_any(),
        async {
            house.store.commits_begun(2).await;
            ann.reply(id, Reply::Decline(None), None).await
        },
        async {
            house.store.commits_begun(2).await;
            bob.reply(id, jwt(), None).await
        },
        async {
            house.store.commits_begun(2).await;
            agent.withdraw(id, None).await
        },
        async {
            house.store.commits_begun(2).await;
            drop(held);
        },
    );
    assert_eq!(house.store.commits(), 3, "the three came together");
    let declined = declined.unwrap();
    assert_eq!(person(&declined), "ann");
    assert_eq!(first(answered), Err(Box::new(Record::clone(&declined))));
    let undelivered = withdrawn.unwrap();
    assert_eq!(undelivered.resolved(), declined.resolved(), "the agent left without ann's answer");
    let names = ["ask.opened", "ask.opened", "ask.resolved", "ask.undelivered"];
    assert_eq!(house.names().await, names);
}

#[tokio::test]
async fn a_retried_submit_gets_the_first_result_also_after_a_restart() {
    let house = House::new().await;
    let id = house.ask(new_ask(None)).await.unwrap().record.id;
    let submit =
        async |house: &House, reply| house.person("ann").reply(id, reply, Some("k".into())).await;
    let won = submit(&house, jwt()).await.unwrap();
    assert_eq!(submit(&house, jwt()).await, Ok(won.clone()));
    let house = house.restart_after(std::time::Duration::from_hours(1)).await;
    assert_eq!(submit(&house, jwt()).await, Ok(won.clone()));
    let other = submit(&house, Reply::Decline(None)).await;
    assert_eq!(other, Err(HubError::Rejected(Rejection::KeyReused)));
    assert_eq!(house.names().await, ["ask.opened", "ask.resolved"]);
}

#[tokio::test]
async fn the_same_submit_twice_in_one_batch_is_one() {
    let house = House::new().await;
    let id = house.ask_any().await;
    let (tab, other_tab) = (house.person("ann"), house.person("ann"));
    let submit =
        |seat: handraise_broker::Seat| async move { seat.reply(id, jwt(), Some("k".into())).await };
    let (one, two) = tokio::join!(submit(tab), submit(other_tab));
    assert!(one.is_ok());
    assert_eq!(one, two);
    assert_eq!(house.names().await, ["ask.opened", "ask.resolved"]);
}

#[tokio::test]
async fn an_answer_that_does_not_fit_leaves_the_ask_open() {
    let house = House::new().await;
    let id = house.ask_any().await;
    let before = house.get(id).await;
    let wrong = answers(json!([{"selected": ["OAuth"]}]));
    let refused = house.person("ann").reply(id, wrong, None).await;
    assert!(matches!(refused, Err(HubError::Rejected(Rejection::Invalid(_)))), "{refused:?}");
    assert_eq!(house.get(id).await, before);
    assert_eq!(house.names().await, ["ask.opened"]);
}
