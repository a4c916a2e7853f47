//! Agents that only ask.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use anyhow::Result;
use tokio::task::JoinSet;

use super::connection::Connection;
use super::exchange::{ask, post_ask};
use super::subject::Subject;

/// Asks `count` times over `concurrent` connections; returns asks in a second, and the ids.
pub(crate) async fn per_second(
    subject: &Subject,
    concurrent: usize,
    count: usize,
) -> Result<(f64, Vec<String>)> {
    let mut connections = vec![];
    for _ in 0..concurrent {
        connections.push(Connection::open(subject.http, &subject.agent).await?);
    }
    let next = Arc::new(AtomicUsize::new(0));
    let start = Instant::now();
    let mut agents = JoinSet::new();
    for (number, mut connection) in connections.into_iter().enumerate() {
        let next = next.clone();
        agents.spawn(async move {
            let mut ids = vec![];
            loop {
                let asked = next.fetch_add(1, Ordering::Relaxed);
                if asked >= count {
                    return anyhow::Ok(ids);
                }
                ids.push(post_ask(&mut connection, &ask(number, asked)).await?);
            }
        });
    }
    let mut ids = vec![];
    while let Some(agent) = agents.join_next().await {
        ids.extend(agent??);
    }
    let took = start.elapsed();
    #[expect(clippy::cast_precision_loss, reason = "a few hundred thousand at most")]
    let asks = ids.len() as f64;
    Ok((asks / took.as_secs_f64(), ids))
}
