//! `handraise` as a person and a script meet it: the built binary, on real terminals.

#![expect(clippy::unwrap_used, reason = "a panic is a failed test")]

mod accidents;
mod answering;
mod asking;
mod bad_input;
mod bad_requests;
mod both_places;
mod catching_up;
mod chatting;
mod check_corpus;
mod checking;
mod checking_hostile;
mod checklist;
mod claude_answers;
mod claude_approvals;
mod claude_doubts;
mod claude_endings;
mod claude_many;
mod claude_page;
mod claude_refusals;
mod claude_scene;
mod claude_words;
mod connecting;
mod connecting_clients;
mod connecting_places;
mod crowds;
mod cut_short;
mod dashboard;
mod demo;
mod dialect_doors;
mod dialect_gobby;
mod dialect_leaving;
mod dialect_panopticon;
mod dialect_panopticon_doors;
mod dialect_panopticon_meant;
mod dialect_prime_agent;
mod dialect_scene;
mod dialect_sight;
mod dialect_together;
mod dialect_trouble;
mod disk_trouble;
mod doctoring;
mod doors;
mod doubts;
mod event_stream;
mod flipped_byte;
mod formats;
mod frontend_scene;
mod frontends;
mod hook_events;
mod http;
mod hub_at_work;
mod in_tmux;
mod inside_agents;
mod limits;
mod many_panes;
mod mcp_clients_codex;
mod mcp_clients_gemini;
mod mcp_clients_opencode;
mod mcp_clients_scene;
mod one_winner;
mod panopticon_scene;
mod plain;
mod previews;
mod prompt;
mod riding_out;
mod run_answers;
mod run_approvals;
mod run_chat;
mod run_children;
mod run_deferred;
mod run_dialects;
mod run_elicitation;
mod run_endings;
mod run_frontends_gobby;
mod run_frontends_panopticon;
mod run_frontends_prime_agent;
mod run_page;
mod run_promises;
mod run_scene;
mod run_subagents;
mod run_terminal;
mod sdk_promises;
mod sdk_python;
mod sdk_scene;
mod sdk_typescript;
mod secrets;
mod security;
mod shell;
mod socket;
mod terminal_care;
mod torture;
mod watch_alarms;
mod watch_claude;
mod watch_interference;
mod watch_keys;
mod watch_pane;
mod watch_scene;
mod watch_sessions;
mod watch_trouble;
mod watched_hub;

/// A test file that no `mod` line names would never run.
#[test]
fn no_test_file_is_forgotten() {
    let here = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it");
    let main = std::fs::read_to_string(here.join("main.rs")).unwrap();
    for entry in std::fs::read_dir(here).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let module = name.trim_end_matches(".rs");
        assert!(module == "main" || main.contains(&format!("mod {module};")), "{name}");
    }
}
