//! The tokens of this account: the person's, one for each agent, and the one that all agents shared.

use std::path::Path;

use handraise_broker::{BUILT_IN, Broker, Device, DeviceId, HubError, Power, is_agent_name};
use handraise_client::Home;

use super::start::store_failure;
use crate::environment;
use crate::failure::Failure;
use crate::home::failure;

/// Makes sure that the files hold tokens that count, and returns the person's device.
pub(crate) async fn prepare(
    home: &Home,
    broker: &Broker,
    person: &str,
    file: &Path,
) -> Result<DeviceId, Failure> {
    let refused = |error| {
        if let HubError::Store(error) = error { store_failure(file, error) } else { failure(error) }
    };
    let owner = device(home, broker, Power::Person, person).await?.map_err(refused)?;
    let is_shared = |device: &Device| device.power == Power::Agent && !is_agent_name(&device.name);
    let has_shared = broker.devices().iter().any(is_shared);
    let has_agents = BUILT_IN.iter().any(|name| is_admitted(home, broker, name));
    // Programs of older versions know only this one. Where agents have tokens of their own and none is
    // shared, the shared one was revoked.
    if has_shared || !has_agents {
        device(home, broker, Power::Agent, person).await?.map_err(refused)?;
    }
    for name in BUILT_IN {
        agent(home, broker, name).await?.map_err(refused)?;
    }
    // A draft may hold a token that counts. One that cannot be removed stays as private as the others.
    let _ = home.remove_token_drafts();
    Ok(owner.id)
}

/// The device whose token is in the file of this power. A token that was revoked, or that belongs to a
/// database that is gone, is replaced.
async fn device(
    home: &Home,
    broker: &Broker,
    power: Power,
    person: &str,
) -> Result<Result<Device, HubError>, Failure> {
    let known = home.token(power).and_then(|token| broker.authenticate(&token));
    if let Some(device) = known.filter(|device| device.power == power) {
        return Ok(Ok(device));
    }
    let host = environment::host();
    let (name, person) = match power {
        Power::Person => (format!("this account on {host}"), Some(person.to_owned())),
        Power::Agent => (format!("agents on {host}"), None),
    };
    // Into the file first. Should this be the end, the next start finds a token there that counts
    // for nothing and replaces it; the other way round, one would count for ever that nobody has.
    let token = broker.new_token();
    home.keep_token(power, &token)
        .map_err(|error| Failure::unwritable(&home.token_file(power), error))?;
    Ok(broker.admit_device(&token, &name, power, person).await)
}

/// The same for the agent of this name.
async fn agent(home: &Home, broker: &Broker, name: &str) -> Result<Result<(), HubError>, Failure> {
    if is_admitted(home, broker, name) {
        return Ok(Ok(()));
    }
    let token = broker.new_token();
    home.keep_agent_token(name, &token)
        .map_err(|error| Failure::unwritable(&home.agent_token_file(name), error))?;
    Ok(broker.admit_agent(&token, name).await.map(|_| ()))
}

/// Whether the file of the agent of this name holds a token that counts.
fn is_admitted(home: &Home, broker: &Broker, name: &str) -> bool {
    let known = home.agent_token(name).ok().and_then(|token| broker.authenticate(&token));
    known.is_some_and(|device| device.is_agent(name))
}
