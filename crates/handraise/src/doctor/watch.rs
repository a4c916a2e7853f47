//! Whether the hub watches sessions itself.

use handraise_broker::CLI;
use handraise_client::{Home, RemoteHub};
use handraise_wire::v1::{WatchJson, WatchStateJson};

use super::finding::Finding;
use crate::watch::describe;
use crate::{runtime, service};

const WATCH: &str = "watch";

/// Nothing where no hub answers, and where nobody wants it to watch.
pub(super) fn look(home: &Home) -> Option<Finding> {
    home.hub()?;
    let hub = RemoteHub::agent(home.clone(), CLI);
    let watch = runtime::single().ok()?.block_on(hub.status()).ok()?.watch?;
    match watch.state {
        WatchStateJson::Off => off(home),
        WatchStateJson::Waiting => Some(Finding::unsure(WATCH, describe(&watch))),
        WatchStateJson::Watching => Some(Finding::well(WATCH, describe(&watch))),
        WatchStateJson::Failed => Some(failed(&watch)),
    }
}

/// A hub of the service watches unless somebody has turned it off.
fn off(home: &Home) -> Option<Finding> {
    let its_hub = service::report(home).is_ok_and(|report| report.watch.is_some());
    let hint = "[watch] enabled = true in config.toml turns it on; then start the hub anew";
    its_hub.then(|| Finding::unsure(WATCH, "off: sessions without hooks are not seen").hint(hint))
}

fn failed(watch: &WatchJson) -> Finding {
    Finding::wrong(WATCH, describe(watch))
        .hint("it is tried again every minute; [watch] enabled = false in config.toml turns it off")
}
