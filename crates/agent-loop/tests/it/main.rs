//! The loop keeps its rules with a model that plays a script, and talks to servers that fail.

#![expect(clippy::unwrap_used, reason = "a panic is a failed test")]
#![expect(clippy::expect_used, reason = "a panic is a failed test")]

mod any_sequence;
mod asking;
mod cancelling;
mod example;
mod history_file;
mod limits;
mod over_http;
mod resuming;
mod retrying;
mod secrets;
mod stage;
mod through_hub;

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
