//! Reading lines at a plain desk.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::thread;
use std::time::Instant;

use crate::gate::Gate;
use crate::wakes::{Line, Wake};

/// The thread that reads lines. It ends with this, or with the line it is waiting for: a read from
/// a terminal cannot be called off.
pub(crate) struct Lines {
    gate: Arc<Gate>,
}

impl Lines {
    pub(crate) fn start(tty: File, wakes: Sender<Wake>) -> io::Result<Self> {
        let gate = Arc::new(Gate::default());
        let inner = Arc::clone(&gate);
        let mut input = BufReader::new(tty);
        thread::Builder::new().name("lines".into()).spawn(move || {
            while inner.pass() {
                let line = line(&mut input);
                if !line.as_ref().is_ok_and(|line| !line.bytes.is_empty()) {
                    // Closed by Ctrl-D, it can be read again, but only the next ask should: gone
                    // for good, it reads as closed over and over.
                    inner.shut();
                }
                if wakes.send(line.map_or_else(Wake::InputLost, Wake::Line)).is_err() {
                    return;
                }
            }
        })?;
        Ok(Self { gate })
    }

    /// Has lines read until [`Lines::rest`].
    pub(super) fn read(&self) {
        self.gate.open();
    }

    /// Leaves further lines to whoever comes next, except for one that is being read already.
    pub(super) fn rest(&self) {
        self.gate.shut();
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        self.gate.end();
    }
}

/// The next line. Its time is that of its beginning: Ctrl-D hands over half a line, and what
/// follows it may have been typed for the next ask.
fn line(input: &mut impl BufRead) -> io::Result<Line> {
    let closed = input.fill_buf()?.is_empty();
    let (at, mut bytes) = (Instant::now(), vec![]);
    if !closed {
        input.read_until(b'\n', &mut bytes)?;
    }
    Ok(Line { bytes, at })
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    /// Hands over one piece at a time, and remembers when it was asked for the last.
    struct Pieces(Vec<&'static str>, Option<Instant>);

    impl Read for Pieces {
        fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
            self.1 = Some(Instant::now());
            let piece = if self.0.is_empty() { "" } else { self.0.remove(0) };
            piece.as_bytes().read(buf)
        }
    }

    #[test]
    fn a_line_is_as_old_as_its_first_half() {
        let mut input = BufReader::new(Pieces(vec!["ha", "lf\n", "", "next\n"], None));
        let half = line(&mut input).unwrap();
        assert_eq!(half.bytes, b"half\n");
        assert!(Some(half.at) <= input.get_ref().1);
        assert_eq!(line(&mut input).unwrap().bytes, b"", "closed, and asked only once");
        assert_eq!(line(&mut input).unwrap().bytes, b"next\n");
    }
}
