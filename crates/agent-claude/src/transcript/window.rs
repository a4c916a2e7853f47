//! A file that passes by, in whole lines.

use std::io::{self, Read};

use memchr::{memchr, memrchr};

/// The longest line that is kept. What a tool took or gave back is in one line; no question is longer.
pub(super) const LONGEST_LINE: usize = 16 * 1024 * 1024;
/// How much is read at once: what a processor's own memory holds, and more than most lines.
const PIECE: usize = 512 * 1024;
/// So much may stay while lines are a bit longer than that.
const ROOMY: usize = 2 * PIECE;

/// What was read and not yet given away: at most the beginning of one line.
#[derive(Debug, Default)]
pub(super) struct Window {
    bytes: Vec<u8>,
    filled: usize,
    /// Whether the line that was begun is longer than any that is kept: then it is passed over.
    too_long: bool,
    passed_over: u64,
}

impl Window {
    /// Reads `length` bytes, or up to the end of what there is, and gives away whole lines, several at
    /// once, each with its end; `seen` sees every byte. How many bytes were read, also when it ended in
    /// an error.
    pub(super) fn pass(
        &mut self,
        from: &mut impl Read,
        length: u64,
        mut lines: impl FnMut(&[u8]),
        mut seen: impl FnMut(&[u8]),
    ) -> (u64, io::Result<()>) {
        let mut read = 0;
        let result = loop {
            let left = usize::try_from(length - read).unwrap_or(usize::MAX);
            if left == 0 {
                break Ok(());
            }
            self.make_room(left);
            let end = self.bytes.len().min(self.filled.saturating_add(left));
            let new = match from.read(&mut self.bytes[self.filled..end]) {
                Ok(0) => break Ok(()),
                Ok(new) => new,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => break Err(error),
            };
            read += new as u64;
            seen(&self.bytes[self.filled..self.filled + new]);
            self.take(new, &mut lines);
        };
        self.let_go();
        (read, result)
    }

    /// How many lines were too long.
    pub(super) fn passed_over(&self) -> u64 {
        self.passed_over
    }

    /// Room for something more: as much as is left to read, up to a piece; for a line that is longer
    /// than that, as much again as it has.
    fn make_room(&mut self, left: usize) {
        if self.filled > LONGEST_LINE {
            self.passed_over += u64::from(!self.too_long);
            (self.too_long, self.filled) = (true, 0);
        }
        let room = if self.filled < PIECE { PIECE } else { 2 * self.filled };
        let wanted = room.min(self.filled.saturating_add(left)).min(LONGEST_LINE + PIECE);
        if self.bytes.len() < wanted {
            self.bytes.reserve_exact(wanted - self.bytes.len());
            self.bytes.resize(wanted, 0);
        } else if self.bytes.len() > room.max(ROOMY) {
            // A very long line has passed.
            self.bytes.truncate(room);
            self.bytes.shrink_to_fit();
        }
    }

    fn take(&mut self, new: usize, lines: &mut impl FnMut(&[u8])) {
        let mut begin = 0;
        let (mut old, end) = (self.filled, self.filled + new);
        if self.too_long {
            match memchr(b'\n', &self.bytes[..end]) {
                None => return,
                Some(line_end) => (self.too_long, begin, old) = (false, line_end + 1, line_end + 1),
            }
        }
        if let Some(last) = memrchr(b'\n', &self.bytes[old..end]) {
            lines(&self.bytes[begin..=old + last]);
            begin = old + last + 1;
        }
        self.bytes.copy_within(begin..end, 0);
        self.filled = end - begin;
    }

    /// Between two times nothing is kept but the beginning of a line.
    fn let_go(&mut self) {
        self.bytes.truncate(self.filled);
        self.bytes.shrink_to_fit();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn lines_of(pieces: &[&[u8]]) -> Vec<Vec<u8>> {
        let mut window = Window::default();
        let mut found = vec![];
        for piece in pieces {
            let mut from = *piece;
            let length = piece.len() as u64;
            let (read, result) = window.pass(
                &mut from,
                length,
                |lines| found.extend(lines.split_inclusive(|b| *b == b'\n').map(<[u8]>::to_vec)),
                |_| {},
            );
            result.unwrap();
            assert_eq!(read, length);
            assert!(window.bytes.len() <= LONGEST_LINE + PIECE);
        }
        found
    }

    #[test]
    fn a_line_that_is_too_long_costs_only_itself() {
        let fits = [vec![b'x'; LONGEST_LINE - 1], b"\n".to_vec()].concat();
        let long = vec![b'x'; 3 * LONGEST_LINE];
        let found = lines_of(&[b"one\n", &fits, &long, &long, b"x\ntwo\nthr", b"ee\n"]);
        assert_eq!(found, [b"one\n".to_vec(), fits, b"two\n".to_vec(), b"three\n".to_vec()]);
    }

    proptest! {
        #[test]
        fn lines_are_those_of_a_plain_split(
            text in prop::collection::vec(prop_oneof![Just(b'\n'), any::<u8>()], 0..300),
            size in 1_usize..50,
        ) {
            let pieces: Vec<_> = text.chunks(size).collect();
            let mut expected: Vec<_> =
                text.split_inclusive(|b| *b == b'\n').map(<[u8]>::to_vec).collect();
            if expected.last().is_some_and(|line| line.last() != Some(&b'\n')) {
                expected.pop();
            }
            prop_assert_eq!(lines_of(&pieces), expected);
        }
    }
}
