//! Room for connections.

use rustix::process::{Resource, getrlimit, setrlimit};

/// Asks for as many open files as the system allows. Every waiting client is one.
pub(crate) fn raise() {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    if let Err(error) = setrlimit(Resource::Nofile, limit) {
        tracing::debug!(%error, "the limit of open files stays as it is");
    }
}

/// How many connections there is room for beside files and pipes.
pub(crate) fn room() -> usize {
    const OWN: u64 = 100;
    let files = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    usize::try_from(files.saturating_sub(OWN)).unwrap_or(usize::MAX).max(1)
}
