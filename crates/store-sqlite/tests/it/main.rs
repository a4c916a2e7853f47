//! SQLite keeps the contract of every store, and hubs run on it.

#![expect(clippy::unwrap_used, reason = "a panic is a failed test")]
#![expect(clippy::expect_used, reason = "a panic is a failed test")]

mod asking;
mod contract;
mod cut_short;
mod deadlines;
mod delivery;
mod devices;
mod drafts;
mod failing_store;
mod feed;
mod file;
mod first_wins;
mod house;
mod owners;
mod retention;
mod revoked;
mod sessions;
mod waiting;

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
