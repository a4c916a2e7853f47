//! Reading an event from standard input, for a bounded time.

use std::io;
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

/// More than any event holds.
const MAX_BYTES: usize = 64 * 1024 * 1024;
/// How long the writer may pause. Claude Code writes an event at once and closes the pipe; a machine
/// under load may delay it.
const MAX_PAUSE: Duration = Duration::from_secs(2);
/// How long the writer of a `PreToolUse` may pause: Claude Code holds its dialog back meanwhile. After
/// this pause any event that is complete counts, although the pipe is still open.
const SHORT_PAUSE: Duration = Duration::from_millis(50);
/// How long it may take in all.
const MAX_TIME: Duration = Duration::from_secs(10);

/// Reads one event: until the end of the input, or as long as its writer takes part.
///
/// # Errors
///
/// When no whole event came in time, or the input cannot be read.
pub(super) fn read(from: impl AsFd) -> io::Result<Vec<u8>> {
    let start = Instant::now();
    let mut event = vec![];
    let mut piece = vec![0; 64 * 1024];
    while event.len() < MAX_BYTES && start.elapsed() < MAX_TIME {
        if !is_readable(&from, SHORT_PAUSE)? {
            if is_whole(&event) {
                return Ok(event);
            }
            let name = b"\"PreToolUse\"";
            let is_pre_tool_use = || event.windows(name.len()).any(|part| part == name);
            if is_pre_tool_use() || !is_readable(&from, MAX_PAUSE)? {
                break;
            }
        }
        match rustix::io::read(&from, &mut piece) {
            Ok(0) => return Ok(event),
            Ok(length) => event.extend_from_slice(&piece[..length]),
            Err(Errno::INTR | Errno::AGAIN) => {}
            Err(error) => return Err(error.into()),
        }
    }
    let why = format!("the event is not whole after {} bytes", event.len());
    Err(io::Error::new(io::ErrorKind::TimedOut, why))
}

fn is_readable(from: &impl AsFd, patience: Duration) -> io::Result<bool> {
    let patience = Timespec::try_from(patience).map_err(io::Error::other)?;
    let mut fds = [PollFd::new(from, PollFlags::IN)];
    match poll(&mut fds, Some(&patience)) {
        Ok(ready) => Ok(ready > 0),
        Err(Errno::INTR) => Ok(true),
        Err(error) => Err(error.into()),
    }
}

/// Whether it is a whole JSON value.
fn is_whole(event: &[u8]) -> bool {
    serde_json::from_slice::<serde::de::IgnoredAny>(event).is_ok()
}

#[cfg(test)]
mod tests {
    use std::io::{Write, pipe};

    use super::*;

    const PRE_TOOL_USE: &[u8] = br#"{"hook_event_name":"PreToolUse","session_id":"s"}"#;

    #[test]
    fn an_event_is_read_to_the_end_of_the_input() {
        let (reader, mut writer) = pipe().unwrap();
        let large = vec![b'x'; 300_000];
        let sent = large.clone();
        let writing = std::thread::spawn(move || writer.write_all(&sent).unwrap());
        assert_eq!(read(reader).unwrap(), large);
        writing.join().unwrap();
    }

    #[test]
    fn a_whole_event_counts_although_the_pipe_is_never_closed() {
        let (reader, mut writer) = pipe().unwrap();
        writer.write_all(PRE_TOOL_USE).unwrap();
        assert_eq!(read(&reader).unwrap(), PRE_TOOL_USE);
        drop(writer);
    }

    #[test]
    fn half_an_event_or_none_is_given_up_although_the_pipe_is_never_closed() {
        for half in [&b""[..], &PRE_TOOL_USE[..40], br#"{"hook_event_name":"Stop","#] {
            let (reader, mut writer) = pipe().unwrap();
            writer.write_all(half).unwrap();
            assert_eq!(read(&reader).unwrap_err().kind(), io::ErrorKind::TimedOut);
            drop(writer);
        }
    }
}
