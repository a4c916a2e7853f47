//! The real Gemini CLI asks through `handraise mcp`.

use handraise_testkit::McpClient;

use crate::mcp_clients_scene as scene;

const GEMINI: McpClient = McpClient::Gemini;

#[test]
fn gemini_knows_the_server() {
    scene::lists_the_server(GEMINI, "Connected");
}

#[test]
fn gemini_reads_exactly_what_was_chosen() {
    scene::reads_what_was_chosen(GEMINI);
}

#[test]
fn gemini_reads_that_nothing_was_chosen() {
    scene::reads_that_nothing_was_chosen(GEMINI);
}

#[test]
fn gemini_takes_its_question_along_when_it_is_killed() {
    scene::takes_its_question_along(GEMINI);
}

#[test]
fn gemini_waits_longer_than_its_own_limit() {
    scene::waits_longer_than_its_limit(GEMINI, Some((": 86400000", ": 6000")));
}

#[test]
fn gemini_asks_at_a_terminal_without_being_allowed_to_first() {
    scene::asks_at_a_terminal(GEMINI);
}
