//! Which server is ours.

use std::path::Path;

/// What a client runs to start a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Server {
    /// The program.
    pub program: String,
    /// Its arguments.
    pub args: Vec<String>,
}

/// How our server is told from another one of the same name: by the program it runs.
#[derive(Debug, Clone, Default)]
pub struct Ours {
    programs: Vec<String>,
}

impl Ours {
    /// Takes also what runs this program for ours, whatever its name.
    #[must_use]
    pub fn and(mut self, program: &str) -> Self {
        self.programs.push(program.to_owned());
        self
    }

    /// Whether this server is ours: `handraise`, wherever it is, with `mcp` among its arguments.
    #[must_use]
    pub fn runs(&self, server: &Server) -> bool {
        let named = Path::new(&server.program).file_name().is_some_and(|name| name == "handraise");
        let known = named || self.programs.contains(&server.program);
        known && server.args.iter().any(|arg| arg == "mcp")
    }
}
