//! A little colour, where there is a terminal that has some.

use std::io::{self, IsTerminal, Write};

use handraise_terminal::visible;

/// Marks text; agent text is made visible first, so only these marks reach the terminal.
pub(super) struct Ink {
    colours: bool,
}

impl Ink {
    pub(super) fn new(no_color: bool) -> Self {
        Self { colours: !no_color && io::stdout().is_terminal() }
    }

    pub(super) fn bold(&self, text: &str) -> String {
        self.mark("1", text)
    }

    pub(super) fn dim(&self, text: &str) -> String {
        self.mark("2", text)
    }

    pub(super) fn green(&self, text: &str) -> String {
        self.mark("32", text)
    }

    pub(super) fn cyan(&self, text: &str) -> String {
        self.mark("36", text)
    }

    /// Prints a line that was put together from marked text.
    pub(super) fn print(line: &str) -> io::Result<()> {
        let mut stdout = io::stdout().lock();
        writeln!(stdout, "{line}")?;
        stdout.flush()
    }

    fn mark(&self, code: &str, text: &str) -> String {
        let text = visible(text);
        if self.colours { format!("\x1b[{code}m{text}\x1b[0m") } else { text }
    }
}
