//! A small disk of its own, to be filled and made read-only without harm.

#![expect(clippy::missing_panics_doc, reason = "a panic here is a failed test, with its reason")]
#![expect(clippy::expect_used, reason = "a panic here is a failed test, with its reason")]

use std::fs::File;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

use crate::{HubProcess, Program};

/// A disk in memory that only programs in its own mount namespace have before them. It is gone when
/// this is dropped, or with the test.
#[derive(Debug)]
pub struct SmallDisk {
    /// Keeps the namespace alive: a shell that waits for the end of its input.
    keeper: Child,
    directory: TempDir,
}

const FILLER: &str = "filler";

impl SmallDisk {
    /// A disk of `size`, as `mount` takes it.
    #[must_use]
    pub fn new(size: &str) -> Self {
        let directory = tempfile::tempdir().expect("a place for the disk");
        let script = "mount -t tmpfs -o size=\"$1\" tmpfs \"$0\" && echo ready && exec cat";
        let mut keeper = Command::new("unshare")
            .args(["--user", "--map-root-user", "--mount", "sh", "-c", script])
            .arg(directory.path())
            .arg(size)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("unshare, of the package util-linux, is installed");
        let mut line = String::new();
        let stdout = keeper.stdout.take().expect("standard output is a pipe");
        let read = BufReader::new(stdout).read_line(&mut line);
        if read.is_err() || line != "ready\n" {
            let mut why = String::new();
            let mut stderr = keeper.stderr.take().expect("standard error is a pipe");
            // What it says helps; that it says nothing does not matter.
            let _ = stderr.read_to_string(&mut why);
            panic!(
                "this test needs a user and a mount namespace of its own, and may not have them \
                 here: {}",
                why.trim()
            );
        }
        Self { keeper, directory }
    }

    /// Prepares a hub whose home is on this disk.
    #[must_use]
    pub fn hub(&self, program: &Path) -> HubProcess {
        let wrapper = self.wrapper();
        let wrapper: Vec<_> = wrapper.iter().map(String::as_str).collect();
        HubProcess::prepare(program).within(&wrapper, &self.inside("home"), &self.outside("home"))
    }

    /// What leads a command into the namespace.
    fn wrapper(&self) -> Vec<String> {
        let keeper = self.keeper.id().to_string();
        let words = ["nsenter", "--target", &keeper, "--user", "--mount", "--preserve-credentials"];
        words.map(str::to_owned).into()
    }

    /// What leads a command into the namespace, for a shell.
    #[must_use]
    pub fn enter(&self) -> String {
        self.wrapper().join(" ")
    }

    /// Runs a line of shell in the namespace; `$0` is the disk.
    pub fn shell(&self, line: &str) {
        let wrapper = self.wrapper();
        let mut command = Program::command(&wrapper[0], Path::new("/"));
        command.args(&wrapper[1..]).args(["sh", "-c", line]).arg(self.directory.path());
        let ended = Program::run(&mut command);
        assert!(ended.status.success(), "{line}: {}", ended.stderr);
    }

    /// The name of something on the disk for those in the namespace.
    #[must_use]
    pub fn inside(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// The name of the same thing from here.
    #[must_use]
    pub fn outside(&self, name: &str) -> PathBuf {
        let inside = self.inside(name);
        let inside = inside.strip_prefix("/").unwrap_or(&inside);
        Path::new("/proc").join(self.keeper.id().to_string()).join("root").join(inside)
    }

    /// Takes all the room that is left.
    pub fn fill(&self) {
        let mut file = File::options()
            .create(true)
            .append(true)
            .open(self.outside(FILLER))
            .expect("the disk can be written to");
        loop {
            match file.write_all(&[0; 4096]) {
                Ok(()) => {}
                Err(error) if error.kind() == ErrorKind::StorageFull => return,
                Err(error) => panic!("the disk cannot be filled: {error}"),
            }
        }
    }

    /// Takes all the room that is left but for so many pages of 4096 bytes.
    pub fn fill_but(&self, pages: u64) {
        self.fill();
        let file = File::options().write(true).open(self.outside(FILLER)).expect("it is filled");
        let taken = file.metadata().expect("it is filled").len();
        file.set_len(taken - pages * 4096).expect("the room can be given back");
    }

    /// Gives back all the room that was taken.
    pub fn make_room(&self) {
        std::fs::remove_file(self.outside(FILLER)).expect("the room was taken");
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // It may have ended long ago.
        let _ = self.keeper.kill();
        let _ = self.keeper.wait();
    }
}
