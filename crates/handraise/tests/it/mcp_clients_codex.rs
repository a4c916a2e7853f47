//! The real Codex asks through `handraise mcp`.

use handraise_testkit::McpClient;

use crate::mcp_clients_scene as scene;

const CODEX: McpClient = McpClient::Codex;

#[test]
fn codex_knows_the_server() {
    scene::lists_the_server(CODEX, "enabled");
}

#[test]
fn codex_reads_exactly_what_was_chosen() {
    scene::reads_what_was_chosen(CODEX);
}

#[test]
fn codex_reads_that_nothing_was_chosen() {
    scene::reads_that_nothing_was_chosen(CODEX);
}

#[test]
fn codex_takes_its_question_along_when_it_is_killed() {
    scene::takes_its_question_along(CODEX);
}

#[test]
fn codex_waits_longer_than_its_own_limit() {
    scene::waits_longer_than_its_limit(CODEX, Some(("= 86400", "= 6")));
}

#[test]
fn codex_asks_at_a_terminal_without_being_allowed_to_first() {
    scene::asks_at_a_terminal(CODEX);
}
