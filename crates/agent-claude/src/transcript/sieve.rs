//! The lines that matter, found without understanding the others.
//!
//! Nearly all of a transcript is what other tools were given and gave back. A line can say something of a
//! question only if it names the tool or, while a call waits, that call. Both kinds of line have one word in
//! common, so one pass over the bytes is enough. Claude Code writes all of these without escapes.

use std::sync::LazyLock;

use memchr::memmem::Finder;
use memchr::{memchr, memrchr};

/// The type of a call, and the name of the field in which a result says whose it is, begin like this. With
/// a quote, so that most of what was quoted into a text does not count.
static WORD: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"\"tool_use"));
static NAME: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"\"AskUserQuestion\""));

/// What is done with a line, and what lines are looked for.
pub(super) trait Sifted {
    /// Whether any call waits for its result.
    fn waits(&self) -> bool;
    /// Whether this one does.
    fn waits_for(&self, id: &[u8]) -> bool;
    /// Takes a line, without its end.
    fn take(&mut self, line: &[u8]);
}

/// Gives the lines that matter to `to`, in order. `lines` are whole lines, each with its end.
pub(super) fn sift(lines: &[u8], to: &mut impl Sifted) {
    // Where a line begins of which nothing was given away, and where the search goes on.
    let (mut start, mut from) = (0, 0);
    // No line before this names the tool.
    let mut nameless = 0;
    while let Some(at) = WORD.find(&lines[from..]).map(|at| from + at) {
        let rest = &lines[at + WORD.needle().len()..];
        from = lines.len() - rest.len();
        let line = || {
            let begin = memrchr(b'\n', &lines[start..at]).map_or(start, |end| start + end + 1);
            let end = memchr(b'\n', rest).map_or(lines.len(), |end| from + end);
            (begin, end)
        };
        let matters = match rest.strip_prefix(b"_id\"") {
            Some(value) => to.waits() && names_one(value, to),
            None if at < nameless || rest.first() != Some(&b'"') => false,
            None => {
                let (begin, end) = line();
                let named = NAME.find(&lines[begin..end]).is_some();
                nameless = if named { nameless } else { end };
                named
            }
        };
        if matters {
            let (begin, end) = line();
            to.take(&lines[begin..end]);
            start = (end + 1).min(lines.len());
            from = start;
        }
    }
}

/// Whether the value of the field whose name was just passed is a call that waits. What is not written
/// the plain way is worth a closer look.
fn names_one(after: &[u8], to: &impl Sifted) -> bool {
    let Some(value) = after.trim_ascii_start().strip_prefix(b":") else { return false };
    let Some(id) = value.trim_ascii_start().strip_prefix(b"\"") else { return false };
    let Some(end) = memchr::memchr3(b'"', b'\\', b'\n', id) else { return false };
    id[end] == b'\\' || (id[end] == b'"' && to.waits_for(&id[..end]))
}
