//! Any MCP client raises its hand: a server on stdio whose tool asks the person.
