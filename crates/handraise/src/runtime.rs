//! Where asynchronous work is done.

use std::io;

use tokio::runtime::{Builder, Runtime};

/// For commands: one thread is enough, and starts at once.
pub(crate) fn single() -> io::Result<Runtime> {
    Builder::new_current_thread().enable_all().build()
}

/// For a hub: a few threads, so that neither a large request nor the one that waits for the disk holds
/// up the others.
pub(crate) fn parallel() -> io::Result<Runtime> {
    let cores = std::thread::available_parallelism().map_or(2, usize::from);
    Builder::new_multi_thread().worker_threads(cores.clamp(2, 4)).enable_all().build()
}

/// For a command that waits at the terminal while something else goes on.
pub(crate) fn background() -> io::Result<Runtime> {
    Builder::new_multi_thread().worker_threads(1).enable_all().build()
}
