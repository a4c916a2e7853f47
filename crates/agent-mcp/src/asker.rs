//! Who asks: what a client says of itself, in our words.

use rmcp::RoleServer;
use rmcp::service::RequestContext;

/// The name of a client that says none.
const NAMELESS: &str = "mcp";
const LONGEST_NAME: usize = 100;
const LONGEST_SESSION: usize = 500;
/// Where clients say which of their conversations a call belongs to. Codex sends both.
const SESSION_FIELDS: [&str; 2] = ["threadId", "sessionId"];

/// The agent and its session, as far as a call tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Caller {
    pub(crate) agent: String,
    pub(crate) session: Option<String>,
}

impl Caller {
    pub(crate) fn of(context: &RequestContext<RoleServer>) -> Self {
        let name = context.client_info().map(|client| client.name);
        let said = |field: &str| context.meta.get(field)?.as_str().map(str::to_owned);
        let session = SESSION_FIELDS.into_iter().find_map(said);
        let fits =
            |session: &String| !session.trim().is_empty() && session.len() <= LONGEST_SESSION;
        Self { agent: agent(name.as_deref().unwrap_or_default()), session: session.filter(fits) }
    }
}

/// The name people know an agent by. Clients call themselves `codex-mcp-client` and the like.
fn agent(client: &str) -> String {
    let lower = client.to_lowercase();
    let known =
        ["codex", "opencode", "gemini", "qwen"].into_iter().find(|name| lower.contains(name));
    if let Some(name) = known {
        return name.to_owned();
    }
    let clean: String = client.chars().filter(|c| !c.is_control()).take(LONGEST_NAME).collect();
    let clean = clean.trim();
    if clean.is_empty() { NAMELESS.to_owned() } else { clean.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agents_have_the_names_people_know() {
        for (client, name) in [
            ("codex-mcp-client", "codex"),
            ("opencode", "opencode"),
            ("gemini-cli-mcp-client", "gemini"),
            ("qwen-code-mcp-client", "qwen"),
            ("Visual Studio Code", "Visual Studio Code"),
            ("\u{1b}[31mred\n", "[31mred"),
            ("  ", "mcp"),
            ("", "mcp"),
        ] {
            assert_eq!(agent(client), name);
        }
        assert_eq!(agent(&"x".repeat(1000)).len(), LONGEST_NAME);
    }
}
