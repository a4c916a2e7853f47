//! The names that agents' tokens go by. An ask belongs to the name whose token opened it, not to the
//! token: a token that is replaced keeps the asks of its name.

/// The hooks of Claude Code, `handraise watch`, and the hub itself where it settles what they asked.
pub const CLAUDE_CODE: &str = "claude-code";
/// `handraise run`.
pub const RUN: &str = "run";
/// `handraise ask`, `handraise interview`, and the commands that only read.
pub const CLI: &str = "cli";
/// `handraise mcp` under a client that has no token of its own.
pub const MCP: &str = "mcp";

/// The agents for which every hub keeps a token in its home.
pub const BUILT_IN: [&str; 10] = [
    CLAUDE_CODE,
    RUN,
    CLI,
    MCP,
    "codex",
    "gemini",
    "opencode",
    "qwen",
    "sdk-python",
    "sdk-typescript",
];

const LONGEST_NAME: usize = 100;

/// Whether an agent may be called so. A name is also the name of a file, so it has no slash and does not
/// begin with a dot.
#[must_use]
pub fn is_agent_name(name: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '@');
    name.len() <= LONGEST_NAME
        && name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.chars().all(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_a_plain_file_name() {
        for name in BUILT_IN.into_iter().chain(["codex@build-box.local", "A_1", &"x".repeat(100)]) {
            assert!(is_agent_name(name), "{name}");
        }
        let long = "x".repeat(101);
        for name in
            ["", ".", "..", ".hidden", "-rf", "a/b", "../a", "a b", "a\n", "ä", "a\0", &long]
        {
            assert!(!is_agent_name(name), "{name:?}");
        }
    }
}
