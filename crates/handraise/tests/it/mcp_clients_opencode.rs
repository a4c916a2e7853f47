//! The real opencode asks through `handraise mcp`.

use handraise_testkit::McpClient;

use crate::mcp_clients_scene as scene;

const OPENCODE: McpClient = McpClient::Opencode;

#[test]
fn opencode_knows_the_server() {
    scene::lists_the_server(OPENCODE, "connected");
}

#[test]
fn opencode_reads_exactly_what_was_chosen() {
    scene::reads_what_was_chosen(OPENCODE);
}

#[test]
fn opencode_reads_that_nothing_was_chosen() {
    scene::reads_that_nothing_was_chosen(OPENCODE);
}

#[test]
fn opencode_takes_its_question_along_when_it_is_killed() {
    scene::takes_its_question_along(OPENCODE);
}

#[test]
fn opencode_goes_on_waiting_with_a_ticket() {
    scene::waits_longer_than_its_limit(OPENCODE, None);
}

#[test]
fn opencode_asks_at_a_terminal_without_being_allowed_to_first() {
    scene::asks_at_a_terminal(OPENCODE);
}
