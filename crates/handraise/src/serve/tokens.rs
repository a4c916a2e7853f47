//! The two tokens of this account.

use handraise_broker::{Broker, Power};
use handraise_client::Home;

use crate::environment;
use crate::failure::{Exit, Failure};
use crate::home::failure;

/// Makes sure that the files hold tokens that count. One that was revoked, or that belongs to a
/// database that is gone, is replaced.
pub(crate) async fn prepare(home: &Home, broker: &Broker, person: &str) -> Result<(), Failure> {
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
        let (_, token) = broker.add_device(&name, power, person).await.map_err(failure)?;
        home.keep_token(power, &token).map_err(|error| {
            let file = home.token_file(power);
            let context = format!("cannot write {}", file.display());
            Failure::new(Exit::Internal, anyhow::Error::new(error).context(context))
        })?;
    }
    Ok(())
}
