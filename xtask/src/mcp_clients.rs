//! The MCP clients and conformance suites that the tests drive, at exactly the versions they were tried
//! with.

use anyhow::Result;

use crate::tools::root;
use crate::{npm, python};

/// Makes sure that they are installed: those for Node.js below `crates/testkit/mcp-clients`, the one for
/// Python below `target/`.
pub(crate) fn install() -> Result<()> {
    let place = root().join("crates/testkit/mcp-clients");
    npm::install(&place)?;
    python::with_packages("mcp", &place.join("requirements.txt"))?;
    Ok(())
}
