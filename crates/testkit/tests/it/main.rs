//! What the tests stand on, tried itself: the scripted model, and the real Claude Code with it.

#![expect(clippy::unwrap_used, reason = "a panic is a failed test")]

mod claude_dialogs;
mod claude_endings;
mod scene;
mod scripted_model;

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
