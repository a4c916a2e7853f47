//! Lines of bounded length from somebody who may write anything.

use std::io;

use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};

/// The longest line that is read. A tool's input or result is in one line; nothing a person could look
/// at is longer.
pub const LONGEST_LINE: usize = 16 * 1024 * 1024;

/// One line, without its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Line {
    /// All of it.
    Whole(Vec<u8>),
    /// It was longer than allowed, and thrown away.
    TooLong {
        /// How long it was.
        bytes: u64,
    },
}

/// Reads line after line. Memory is bounded by the limit, even of a line that never ends.
#[derive(Debug)]
pub struct Lines<R> {
    from: BufReader<R>,
    limit: usize,
    begun: Vec<u8>,
    /// How long the line is so far, also when it is no longer kept.
    bytes: u64,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    /// The lines of this reader, of at most `limit` bytes each.
    pub fn new(from: R, limit: usize) -> Self {
        Self { from: BufReader::new(from), limit, begun: vec![], bytes: 0 }
    }

    /// The next line; `None` at the end. A last line without an end is a line.
    ///
    /// Safe to be cancelled: what was read of a line stays here.
    ///
    /// # Errors
    ///
    /// When reading fails.
    pub async fn next(&mut self) -> io::Result<Option<Line>> {
        loop {
            // Nothing is taken out of the buffer before the only place to wait is passed.
            let piece = self.from.fill_buf().await?;
            if piece.is_empty() {
                return Ok((self.bytes > 0).then(|| self.take()));
            }
            let end = piece.iter().position(|byte| *byte == b'\n');
            let piece = &piece[..end.unwrap_or(piece.len())];
            self.bytes += piece.len() as u64;
            if self.bytes <= self.limit as u64 {
                self.begun.extend_from_slice(piece);
            } else {
                self.begun = vec![];
            }
            let used = piece.len() + usize::from(end.is_some());
            self.from.consume(used);
            if end.is_some() {
                return Ok(Some(self.take()));
            }
        }
    }

    fn take(&mut self) -> Line {
        let bytes = std::mem::take(&mut self.bytes);
        let line = std::mem::take(&mut self.begun);
        if bytes > self.limit as u64 { Line::TooLong { bytes } } else { Line::Whole(line) }
    }
}

#[cfg(test)]
mod tests {
    use std::future::Future;
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    use proptest::prelude::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    fn whole(text: &str) -> Line {
        Line::Whole(text.as_bytes().to_vec())
    }

    async fn all(mut lines: Lines<impl AsyncRead + Unpin>) -> Vec<Line> {
        let mut found = vec![];
        while let Some(line) = lines.next().await.unwrap() {
            found.push(line);
        }
        found
    }

    #[tokio::test]
    async fn a_last_line_without_an_end_is_a_line() {
        let found = all(Lines::new(&b"one\n\nthree"[..], 10)).await;
        assert_eq!(found, [whole("one"), whole(""), whole("three")]);
        assert_eq!(all(Lines::new(&b"one\n"[..], 10)).await, [whole("one")]);
    }

    #[tokio::test]
    async fn a_line_that_is_too_long_costs_only_itself() {
        let found = all(Lines::new(&b"12345\n123456\n1\n1234567"[..], 5)).await;
        let too_long = |bytes| Line::TooLong { bytes };
        assert_eq!(found, [whole("12345"), too_long(6), whole("1"), too_long(7)]);
    }

    #[tokio::test]
    async fn a_line_that_does_not_end_takes_no_memory() {
        let endless = tokio::io::repeat(b'x').take(50_000_000);
        let mut lines = Lines::new(endless, 1000);
        assert_eq!(lines.next().await.unwrap(), Some(Line::TooLong { bytes: 50_000_000 }));
        assert_eq!(lines.begun.capacity(), 0);
    }

    #[tokio::test]
    async fn nothing_is_lost_when_the_wait_is_given_up() {
        let (mut to, from) = tokio::io::duplex(64);
        let mut lines = Lines::new(from, 100);
        for piece in ["ha", "lf", " a line\nand", " more"] {
            to.write_all(piece.as_bytes()).await.unwrap();
            let mut context = Context::from_waker(Waker::noop());
            if let Poll::Ready(line) = pin!(lines.next()).as_mut().poll(&mut context) {
                assert_eq!(line.unwrap(), Some(whole("half a line")));
            }
        }
        drop(to);
        assert_eq!(lines.next().await.unwrap(), Some(whole("and more")));
    }

    proptest! {
        #[test]
        fn lines_are_those_of_a_plain_split(
            text in prop::collection::vec(prop_oneof![Just(b'\n'), any::<u8>()], 0..300),
            limit in 0_usize..40,
            pipe in 1_usize..20,
        ) {
            let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
            let (mut to, from) = tokio::io::duplex(pipe);
            let written = text.clone();
            let found = runtime.block_on(async {
                let write = async move {
                    to.write_all(&written).await.unwrap();
                };
                tokio::join!(write, all(Lines::new(from, limit))).1
            });
            let mut expected: Vec<_> = text.split(|byte| *byte == b'\n').collect();
            if expected.last().is_some_and(|last| last.is_empty()) {
                expected.pop();
            }
            let expected: Vec<_> = expected.into_iter().map(|line| match line.len() {
                bytes if bytes > limit => Line::TooLong { bytes: bytes as u64 },
                _ => Line::Whole(line.to_vec()),
            }).collect();
            prop_assert_eq!(found, expected);
        }
    }
}
