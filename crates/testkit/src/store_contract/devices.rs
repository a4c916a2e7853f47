use handraise_broker::{AskStore, Device, DeviceId, DeviceWrite, Power, Token, TokenHash};

use super::ledger::{Ledger, moment};

fn device(n: u8, power: Power, person: Option<&str>) -> (Device, TokenHash) {
    let device = Device {
        id: DeviceId::new(moment(1), [n; 10]),
        name: format!("device 'number' {n} 👩‍👧"),
        power,
        person: person.map(str::to_owned),
        added_at: moment(u64::from(n)),
    };
    (device, Token::new([n; 32]).hash())
}

/// Persons' and agents', in the same batch and in others.
pub async fn devices_count_until_they_are_revoked(store: &impl AskStore) {
    let agent = device(1, Power::Agent, None);
    let laptop = device(2, Power::Person, Some("ann"));
    let phone = device(3, Power::Person, Some(""));
    let mut ledger = Ledger::default();
    let add = |(device, token): &(Device, TokenHash)| DeviceWrite::Add(device.clone(), *token);
    ledger.batch.devices.extend([add(&agent), add(&laptop)]);
    ledger.commit(store).await;
    ledger.batch.devices.push(add(&phone));
    ledger.commit(store).await;
    let found = async || {
        let mut found = store.devices().await.unwrap();
        found.sort_by_key(|(device, _)| device.id);
        found
    };
    assert_eq!(found().await, [agent.clone(), laptop.clone(), phone.clone()]);
    ledger.batch.devices.push(DeviceWrite::Revoke(laptop.0.id, moment(9)));
    ledger.batch.devices.push(DeviceWrite::Revoke(DeviceId::new(moment(1), [9; 10]), moment(9)));
    ledger.commit(store).await;
    assert_eq!(found().await, [agent, phone]);
}
