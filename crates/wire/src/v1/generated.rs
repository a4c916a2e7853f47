//! Files that are written from this crate and kept with the dashboard.

use std::path::Path;

/// Compares with the file in `web/src/generated`, or writes it anew under `UPDATE_TYPES=1`.
#[track_caller]
pub(super) fn matches_what_is_kept(name: &str, text: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/src/generated").join(name);
    #[expect(clippy::disallowed_methods, reason = "how whoever runs the tests asks for it")]
    if std::env::var_os("UPDATE_TYPES").is_some() {
        std::fs::write(&file, text).unwrap();
    }
    let kept = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(
        kept == text,
        "web/src/generated/{name} is not what crates/wire says; write it anew with: \
         UPDATE_TYPES=1 cargo test --package handraise-wire"
    );
}
