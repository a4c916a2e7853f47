//! The pinned programs.

use std::path::{Path, PathBuf};

use super::McpClient;

/// The words that start a client.
pub(super) fn program(client: McpClient) -> Vec<String> {
    let packages = Path::new(env!("CARGO_MANIFEST_DIR")).join("agents/node_modules");
    let system = if cfg!(target_os = "macos") { "darwin" } else { "linux" };
    let machine = if cfg!(target_arch = "aarch64") { "arm64" } else { "x64" };
    let place = match client {
        McpClient::Codex => {
            let processor = if cfg!(target_arch = "aarch64") { "aarch64" } else { "x86_64" };
            let system_of_rust =
                if cfg!(target_os = "macos") { "apple-darwin" } else { "unknown-linux-musl" };
            packages.join(format!(
                "@openai/codex-{system}-{machine}/vendor/{processor}-{system_of_rust}/bin/codex"
            ))
        }
        McpClient::Opencode => packages.join(format!("opencode-{system}-{machine}/bin/opencode")),
        McpClient::Gemini => packages.join("@google/gemini-cli/bundle/gemini.js"),
    };
    assert!(
        place.exists(),
        "there is no {}: run `cargo xtask test`, which installs it",
        place.display()
    );
    let node = (client == McpClient::Gemini).then(|| node().display().to_string());
    node.into_iter().chain([place.display().to_string()]).collect()
}

fn node() -> PathBuf {
    #[expect(clippy::disallowed_methods, reason = "where programs are is for the machine to say")]
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut places = std::env::split_paths(&path).map(|place| place.join("node"));
    places.find(|node| node.exists()).unwrap_or_else(|| panic!("the tests need node"))
}
