//! A person's own shell.

use std::cell::Cell;
use std::path::Path;

use handraise_testkit::Tmux;
use tempfile::TempDir;

/// A shell in tmux, where `handraise` is at home: what runs there has no agent among its ancestors.
pub(crate) struct Shell {
    tmux: Tmux,
    directory: TempDir,
    commands: Cell<usize>,
}

/// What a command said.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Shell {
    /// A shell whose `handraise` works with the home `data`.
    pub(crate) fn at(data: &str) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let tmux = Tmux::start(directory.path(), (200, 50));
        tmux.type_line(&format!(
            "export HANDRAISE_HOME={data}; alias handraise={}; clear",
            env!("CARGO_BIN_EXE_handraise")
        ));
        Self { tmux, directory, commands: Cell::new(0) }
    }

    /// A directory of its own, in which it is.
    pub(crate) fn directory(&self) -> &Path {
        self.directory.path()
    }

    /// Types a line, and does not wait for its end.
    pub(crate) fn begin(&self, line: &str) {
        self.tmux.type_line(line);
    }

    /// Runs a line to its end.
    pub(crate) fn run(&self, line: &str) -> Said {
        let number = self.commands.replace(self.commands.get() + 1);
        self.tmux.type_line(&format!("{line} > out 2> err; echo $? > code.{number}"));
        let read = |name: &str| std::fs::read_to_string(self.directory.path().join(name));
        let code = Cell::new(None);
        self.tmux.wait_until("the end of the command", |_| {
            code.set(read(&format!("code.{number}")).ok().and_then(|c| c.trim().parse().ok()));
            code.get().is_some()
        });
        let (stdout, stderr) = (read("out").unwrap(), read("err").unwrap());
        Said { code: code.get().unwrap(), stdout, stderr }
    }
}
