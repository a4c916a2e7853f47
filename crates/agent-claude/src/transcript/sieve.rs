//! The lines that matter, found without understanding the others.
//!
//! Nearly all of a transcript is what other tools gave back. A line can say something of a question only
//! if it names the tool or, while a call waits, that call. Claude Code writes both without escapes.

use std::sync::LazyLock;

use memchr::memmem::Finder;
use memchr::{memchr, memrchr};

/// With its quotes, so that text that was quoted into a text does not count.
static CALL: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"\"AskUserQuestion\""));
static RESULT: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"\"tool_use_id\""));

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
    let mut start = 0;
    let mut call = next(&CALL, lines, 0);
    // Looked for only while something waits, and never twice in the same place.
    let mut result = Some(0);
    let mut looked = false;
    loop {
        if call.is_some_and(|at| at < start) {
            call = next(&CALL, lines, start);
        }
        if to.waits() && (!looked || result.is_some_and(|at| at < start)) {
            result = next(&RESULT, lines, result.unwrap_or(start).max(start));
            looked = true;
        }
        let waited = result.filter(|_| looked && to.waits());
        let hit = match (call, waited) {
            (Some(call), Some(result)) if result < call => Hit::Result(result),
            (Some(call), _) => Hit::Call(call),
            (None, Some(result)) => Hit::Result(result),
            (None, None) => return,
        };
        let at = match hit {
            Hit::Call(at) => at,
            Hit::Result(at) => {
                let after = at + RESULT.needle().len();
                if !names_one(&lines[after..], to) {
                    result = next(&RESULT, lines, after);
                    continue;
                }
                at
            }
        };
        let begin = memrchr(b'\n', &lines[start..at]).map_or(start, |end| start + end + 1);
        let end = memchr(b'\n', &lines[at..]).map_or(lines.len(), |end| at + end);
        to.take(&lines[begin..end]);
        start = (end + 1).min(lines.len());
    }
}

enum Hit {
    Call(usize),
    Result(usize),
}

fn next(finder: &Finder<'_>, lines: &[u8], from: usize) -> Option<usize> {
    finder.find(&lines[from..]).map(|at| from + at)
}

/// Whether the value of the field whose name was just passed is a call that waits. What is not written
/// the plain way is worth a closer look.
fn names_one(after: &[u8], to: &impl Sifted) -> bool {
    let Some(value) = after.trim_ascii_start().strip_prefix(b":") else { return false };
    let Some(id) = value.trim_ascii_start().strip_prefix(b"\"") else { return false };
    let Some(end) = memchr::memchr3(b'"', b'\\', b'\n', id) else { return false };
    id[end] == b'\\' || (id[end] == b'"' && to.waits_for(&id[..end]))
}
