//! Many answer at once; one answer counts.

use std::sync::Arc;

use handraise_broker::{Hub, HubError, News, Rejection, Reply};
use handraise_client::RemoteHub;
use handraise_question::AnswerForm;
use tokio::sync::Barrier;
use tokio::task::JoinSet;

use crate::asking::database;
use crate::hub_at_work::{HubAtWork, new_ask};

const CLIENTS: usize = 1000;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_a_thousand_clients_one_wins_and_the_others_hear_who() {
    race(5).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes minutes on a busy machine; `cargo xtask torture` runs it"]
async fn of_a_thousand_clients_one_wins_a_hundred_times() {
    race(100).await;
}

async fn race(asks: usize) {
    let hub = HubAtWork::with_config("[limits]\nrequests_per_second = 1000000");
    let agent = hub.agent();
    // Each has a connection of its own.
    let clients: Vec<RemoteHub> = (0..CLIENTS).map(|_| hub.person()).collect();
    for _ in 0..asks {
        let id = agent.ask(new_ask(&database())).await.unwrap().record.id;
        let start = Arc::new(Barrier::new(CLIENTS));
        let mut answers = JoinSet::new();
        for (number, client) in clients.iter().enumerate() {
            let (client, start) = (client.clone(), start.clone());
            answers.spawn(async move {
                let words = Some(format!("answer {number}"));
                let reply = Reply::Answer(vec![AnswerForm { words, ..AnswerForm::default() }]);
                start.wait().await;
                client.reply(id, reply, None).await
            });
        }
        let mut winners = vec![];
        let mut heard = vec![];
        for answer in answers.join_all().await {
            match answer {
                Ok(record) => winners.push(record.resolved().unwrap().clone()),
                Err(HubError::Rejected(Rejection::AlreadyResolved(record))) => {
                    heard.push(record.resolved().unwrap().clone());
                }
                Err(other) => panic!("{other}"),
            }
        }
        assert_eq!((winners.len(), heard.len()), (1, CLIENTS - 1));
        assert!(heard.iter().all(|stands| *stands == winners[0]), "all hear of the same winner");
    }
    assert_eq!(resolutions(&agent).await, asks, "the log has one resolution for each");
}

async fn resolutions(hub: &RemoteHub) -> usize {
    let mut feed = hub.follow(Some(0)).await.unwrap();
    let mut found = 0;
    loop {
        match feed.next().await.unwrap() {
            News::Event(told) => found += usize::from(told.name == "ask.resolved"),
            News::Live(_) => return found,
            News::Typing { .. } | News::Speaking { .. } | News::Reset(_) => {}
        }
    }
}
