//! Whose tokens count.

use std::time::Duration;

use handraise_broker::{
    AccessRefused, DeviceChange, DeviceChanged, Event, HubError, Power, Rejection, Token,
};
use handraise_testkit::FakeWorld;

use crate::house::House;

#[tokio::test]
async fn a_token_counts_until_its_device_is_revoked() {
    let house = House::new().await;
    let broker = &house.broker;
    let added = broker.add_device("phone", Power::Person, Some("ann".into())).await;
    let (phone, token) = added.unwrap();
    let (agent, agents_token) = broker.add_device("agents", Power::Agent, None).await.unwrap();
    assert_eq!((phone.name.as_str(), phone.added_at), ("phone", FakeWorld::START));
    assert_eq!(broker.authenticate(&token), Some(phone.clone()));
    assert_eq!(broker.authenticate(&agents_token), Some(agent.clone()));
    assert_eq!(broker.authenticate(&Token::presented("guess")), None);
    assert_eq!(broker.revoke_device(phone.id).await, Ok(phone.clone()));
    assert_eq!(broker.authenticate(&token), None);
    assert_eq!(broker.devices(), [agent]);
    let again = broker.revoke_device(phone.id).await;
    assert_eq!(again, Err(HubError::Rejected(Rejection::NoSuchDevice)));
    let revoked = DeviceChanged { change: DeviceChange::Revoked, device: phone };
    let last = house.log().await.pop().unwrap().read().unwrap().unwrap();
    assert_eq!(last.event, Event::DeviceChanged(revoked));
}

#[tokio::test]
async fn tokens_outlive_a_restart_and_so_does_their_end() {
    let house = House::new().await;
    let token = Token::presented("from a file");
    let kept = house.broker.admit_device(&token, "cli", Power::Person, None).await.unwrap();
    let added = house.broker.add_device("phone", Power::Person, None).await;
    let (phone, lost) = added.unwrap();
    house.broker.revoke_device(phone.id).await.unwrap();
    let house = house.restart_after(Duration::from_secs(1)).await;
    assert_eq!(house.broker.devices(), std::slice::from_ref(&kept));
    assert_eq!(house.broker.authenticate(&token), Some(kept));
    assert_eq!(house.broker.authenticate(&lost), None);
}

#[tokio::test]
async fn a_device_is_revoked_once_however_many_try() {
    let house = House::new().await;
    let (phone, _) = house.broker.add_device("phone", Power::Person, None).await.unwrap();
    let revoke = || house.broker.revoke_device(phone.id);
    let (one, two) = tokio::join!(revoke(), revoke());
    assert_eq!(one, Ok(phone.clone()));
    assert_eq!(two, Err(HubError::Rejected(Rejection::NoSuchDevice)));
    assert_eq!(house.names().await, ["device.changed", "device.changed"]);
}

#[tokio::test]
async fn refused_attempts_are_in_the_log_and_counted() {
    let house = House::new().await;
    let refused = AccessRefused {
        code: "no_token".into(),
        tried: "GET /api/v1/asks".into(),
        peer: Some("127.0.0.1".into()),
        device: None,
        times: 3,
    };
    house.broker.note_refusal(refused.clone()).await.unwrap();
    let last = house.log().await.pop().unwrap().read().unwrap().unwrap();
    assert_eq!(last.event, Event::AccessRefused(refused));
    assert_eq!(house.broker.counts().refused, 3);
}
