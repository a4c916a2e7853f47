//! Paused time that does not run away.

/// Does `work` that waits for another thread, while tokio's paused time stands still.
///
/// Paused time jumps to the next timer as soon as no task can go on. It does not know of threads that
/// are not tokio's, such as those of a database, and would run through all timeouts while one is at
/// work. It does wait for tokio's own blocking tasks, so one is kept alive meanwhile.
pub async fn while_time_stands_still<T>(work: impl Future<Output = T>) -> T {
    let (done, working) = std::sync::mpsc::channel::<()>();
    // The channel closes when the work is done, or given up.
    let blocking = tokio::task::spawn_blocking(move || working.recv());
    let out = work.await;
    drop(done);
    // It cannot fail: all it does is to wait.
    let _ = blocking.await;
    out
}
