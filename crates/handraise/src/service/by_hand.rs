//! Stopping and starting the service by hand: what to type.

use std::path::Path;

use handraise_client::Home;

use super::launchd;
use super::manager::Manager;

/// The commands with which a person stops and starts the hub of a home.
#[derive(Debug)]
pub(crate) struct ByHand {
    pub(crate) stop: String,
    pub(crate) start: String,
}

/// How the hub of this home is stopped and started; nothing when no service of ours is for it.
pub(crate) fn by_hand(home: &Home) -> Option<ByHand> {
    let manager = Manager::here();
    let file = manager.file().ok()?;
    let text = std::fs::read_to_string(&file).ok()?;
    manager.read(&text)?.serves(home).then(|| ByHand::of(manager, &file))
}

/// The same, if the hub that runs for this home is the service's.
pub(crate) fn by_hand_if_it_runs(home: &Home) -> Option<ByHand> {
    let commands = by_hand(home)?;
    let running = home.hub().map(|hub| hub.pid);
    let is_its = match Manager::here().activity() {
        Ok(activity) => activity.pid.is_some() && (running.is_none() || activity.pid == running),
        // From where the manager cannot be asked, it is the likely one.
        Err(_) => true,
    };
    is_its.then_some(commands)
}

impl ByHand {
    fn of(manager: Manager, file: &Path) -> Self {
        match manager {
            Manager::Systemd => Self {
                stop: "systemctl --user stop handraise".to_owned(),
                start: "systemctl --user start handraise".to_owned(),
            },
            Manager::Launchd => {
                let file = file.to_string_lossy();
                let word = shlex::try_quote(&file).unwrap_or_else(|_| file.clone());
                Self {
                    stop: format!("launchctl bootout {}", launchd::target()),
                    start: format!("launchctl bootstrap {} {word}", launchd::domain()),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mac_is_told_its_own_words() {
        let file = Path::new("/Users/ann/my agents/handraise.hub.plist");
        let ByHand { stop, start } = ByHand::of(Manager::Launchd, file);
        let account = rustix::process::getuid().as_raw();
        assert_eq!(stop, format!("launchctl bootout gui/{account}/handraise.hub"));
        assert_eq!(start, format!("launchctl bootstrap gui/{account} '{}'", file.display()));
    }
}
