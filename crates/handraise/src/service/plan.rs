//! What the service runs.

use std::path::Path;

use handraise_client::Home;

use crate::connect;
use crate::environment;
use crate::failure::{Exit, Failure};
use crate::true_name::are_the_same;

/// A hub that a service manager runs: this program, for this home.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Plan {
    pub(super) program: String,
    pub(super) home: String,
    /// Where agents that are started from the dashboard are found: a service manager knows only the
    /// system's own programs.
    pub(super) path: String,
}

impl Plan {
    pub(super) fn of(home: &Home) -> Result<Self, Failure> {
        let program = connect::program().map_err(|error| {
            let error = anyhow::Error::new(error).context("cannot tell where this program is");
            Failure::new(Exit::Internal, error)
        })?;
        let path: Vec<_> = environment::search_path().iter().filter_map(|p| plain(p)).collect();
        Ok(Self {
            program: writable(&program)?,
            home: writable(home.directory())?,
            path: path.join(":"),
        })
    }

    /// The program and its arguments. The home is always named: what the environment of a shell says
    /// about it, a service manager does not know.
    pub(super) fn words<'a>(&'a self, last: &[&'a str]) -> Vec<&'a str> {
        [&[self.program.as_str(), "--data", &self.home], last].concat()
    }

    /// The same, from such words.
    pub(super) fn read(words: &[String], path: &str) -> Option<Self> {
        match words {
            [program, data, home, serve, ..] if data == "--data" && serve == "serve" => {
                Some(Self { program: program.clone(), home: home.clone(), path: path.to_owned() })
            }
            _ => None,
        }
    }

    /// Whether it is for this home, whatever it is called.
    pub(super) fn serves(&self, home: &Home) -> bool {
        are_the_same(Path::new(&self.home), home.directory())
    }
}

fn writable(path: &Path) -> Result<String, Failure> {
    plain(path).ok_or_else(|| {
        let error = anyhow::anyhow!(
            "{} cannot be written into a service: not UTF-8, or a control character in it",
            path.display()
        );
        Failure::new(Exit::BadInput, error).hint("rename it, or move it elsewhere")
    })
}

/// A path that can stand in one line.
fn plain(path: &Path) -> Option<String> {
    path.to_str().filter(|text| !text.chars().any(char::is_control)).map(str::to_owned)
}
