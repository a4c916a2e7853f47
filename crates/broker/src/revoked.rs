//! Devices that were revoked while the hub runs.

use std::collections::HashSet;

use tokio::sync::watch;

use crate::DeviceId;

/// The devices whose tokens ceased to count since the hub was started.
///
/// A token is looked at once, when a request comes in; what takes longer than that asks here.
#[derive(Debug, Default)]
pub(crate) struct Revoked(watch::Sender<HashSet<DeviceId>>);

impl Revoked {
    pub(crate) fn note(&self, device: DeviceId) {
        self.0.send_modify(|revoked| {
            revoked.insert(device);
        });
    }

    pub(crate) fn has(&self, device: DeviceId) -> bool {
        self.0.borrow().contains(&device)
    }

    /// Waits until the device is revoked.
    pub(crate) async fn until(&self, device: DeviceId) {
        // It fails only when the other end is gone, which is here.
        let _ = self.0.subscribe().wait_for(|revoked| revoked.contains(&device)).await;
    }
}
