//! The two tokens of this account.

use std::path::Path;

use handraise_broker::{Broker, HubError, Power};
use handraise_client::Home;

use super::start::store_failure;
use crate::environment;
use crate::failure::Failure;
use crate::home::failure;

/// Makes sure that the files hold tokens that count. One that was revoked, or that belongs to a
/// database that is gone, is replaced.
pub(crate) async fn prepare(
    home: &Home,
    broker: &Broker,
    person: &str,
    file: &Path,
) -> Result<(), Failure> {
    for power in [Power::Person, Power::Agent] {
        let known = home.token(power).and_then(|token| broker.authenticate(&token));
        if known.is_some_and(|device| device.power == power) {
            continue;
        }
        let host = environment::host();
        let (name, person) = match power {
            Power::Person => (format!("this account on {host}"), Some(person.to_owned())),
            Power::Agent => (format!("agents on {host}"), None),
        };
        let added = broker.add_device(&name, power, person).await;
        let (_, token) = added.map_err(|error| match error {
            HubError::Store(error) => store_failure(file, error),
            error => failure(error),
        })?;
        home.keep_token(power, &token)
            .map_err(|error| Failure::unwritable(&home.token_file(power), error))?;
    }
    Ok(())
}
