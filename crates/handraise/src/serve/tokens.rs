//! The two tokens of this account.

use std::path::Path;

use handraise_broker::{Broker, Device, DeviceId, HubError, Power};
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
    let owner = device(home, broker, Power::Person, person, file).await?;
    device(home, broker, Power::Agent, person, file).await?;
    Ok(owner.id)
}

/// The device whose token is in the file of this power. A token that was revoked, or that belongs to a
/// database that is gone, is replaced.
async fn device(
    home: &Home,
    broker: &Broker,
    power: Power,
    person: &str,
    file: &Path,
) -> Result<Device, Failure> {
    let known = home.token(power).and_then(|token| broker.authenticate(&token));
    if let Some(device) = known.filter(|device| device.power == power) {
        return Ok(device);
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
    let admitted = broker.admit_device(&token, &name, power, person).await;
    admitted.map_err(|error| {
        if let HubError::Store(error) = error { store_failure(file, error) } else { failure(error) }
    })
}
