//! The port to whoever starts agents for people who ask for one from a page.

use std::path::PathBuf;

use handraise_broker::{NewSession, Session};

/// Starts agents in directories that the owner of the hub has allowed.
pub trait Starter: std::fmt::Debug + Send + Sync {
    /// Where agents may be started; below these, too.
    fn directories(&self) -> Vec<PathBuf>;

    /// What a session in this directory begins with.
    ///
    /// # Errors
    ///
    /// Why it may not be there, in words for whoever asked.
    fn prepare(&self, directory: &str) -> Result<NewSession, String>;

    /// Starts the agent of a new session.
    ///
    /// # Errors
    ///
    /// Why it cannot be started.
    fn start(&self, session: &Session) -> Result<(), String>;
}

/// Starts nothing anywhere.
#[derive(Debug)]
pub struct NoStarter;

impl Starter for NoStarter {
    fn directories(&self) -> Vec<PathBuf> {
        vec![]
    }

    fn prepare(&self, _: &str) -> Result<NewSession, String> {
        Err("no directory is allowed".into())
    }

    fn start(&self, _: &Session) -> Result<(), String> {
        Err("nothing is started here".into())
    }
}
