//! Dropping what has ended long ago, if the configuration says so.

use std::time::Duration;

use handraise_broker::Broker;
use jiff::SignedDuration;
use tokio_util::sync::CancellationToken;

/// How often it is looked. The clock that wakes us stands still while a machine sleeps: with one look a
/// day, a laptop that is closed at night would keep things for long.
const HOUR: Duration = Duration::from_hours(1);

/// Drops what ended more than `days` ago: now, and as long as the hub runs.
pub(super) async fn keep(broker: Broker, days: u32, stopping: CancellationToken) {
    let life = SignedDuration::from_hours(i64::from(days) * 24);
    loop {
        if let Ok(before) = broker.world().now().checked_sub(life) {
            match broker.prune(before).await {
                Ok(0) => {}
                Ok(asks) => tracing::info!(asks, days, "old asks were dropped"),
                Err(error) => tracing::error!(%error, "old asks could not be dropped"),
            }
        }
        tokio::select! {
            () = tokio::time::sleep(HOUR) => {}
            () = stopping.cancelled() => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use handraise_broker::{
        Caller, Device, DeviceId, Hub, HubError, Power, Rejection, Seat, Settings,
    };
    use handraise_question::Surface;
    use handraise_store_sqlite::SqliteStore;
    use handraise_testkit::{FakeWorld, StoreDouble, new_ask};

    use super::*;

    fn agent(broker: &Broker) -> Seat {
        let device = Device {
            id: DeviceId::new(FakeWorld::START, [7; 10]),
            name: "agent".into(),
            power: Power::Agent,
            person: None,
            added_at: FakeWorld::START,
        };
        broker.seat(Caller { device, surface: Surface::Api })
    }

    #[tokio::test(start_paused = true)]
    async fn a_hub_that_is_up_for_weeks_drops_what_gets_old_meanwhile() {
        let home = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(&home.path().join("asks.db")).unwrap();
        let world = FakeWorld::following_tokio();
        let store = StoreDouble::new(store);
        let start = Broker::start(store, world.clone(), Settings::default());
        let (broker, _writer) = start.await.unwrap();
        let stopping = CancellationToken::new();
        let keeping = tokio::spawn(keep(broker.clone(), 30, stopping.clone()));
        let day = Duration::from_hours(24);
        for _ in 0..2 {
            let begin = world.passed();
            let id = agent(&broker).ask(new_ask(None)).await.unwrap().record.id;
            agent(&broker).withdraw(id, None).await.unwrap();
            while agent(&broker).get(id).await.is_ok() {
                tokio::time::sleep(6 * HOUR).await;
            }
            let gone = agent(&broker).get(id).await;
            assert_eq!(gone, Err(HubError::Rejected(Rejection::NoSuchAsk(id))));
            let lived = world.passed().saturating_sub(begin);
            assert!(lived >= 30 * day && lived < 31 * day, "{lived:?}");
        }
        stopping.cancel();
        keeping.await.unwrap();
    }
}
