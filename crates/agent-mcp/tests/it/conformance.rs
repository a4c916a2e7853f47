//! The protocol's own conformance suites, against the very server that `handraise mcp` runs.
//!
//! They know no way in but HTTP, so the server is put behind the SDK's own HTTP service, in this process
//! and for these tests alone. What is run is what applies to a server with two tools of its own. The rest:
//!
//! - `tools-call-*`, `json-schema-*`, `elicitation-*`, `input-required-*` and
//!   `http-custom-header-*` call tools of certain names, which a server is to have for the suite alone;
//! - `prompts-*`, `resources-*`, `completion-*`, `logging-*`, `sep-2164-*`, `sep-2640-*` and `tasks-*`
//!   are about what is not declared here;
//! - `server-sse-*`, `http-header-*` and `dns-rebinding-*` are about HTTP, which the program does not speak.

use std::path::{Path, PathBuf};
use std::process::Output;
use std::sync::Arc;

use handraise_agent_mcp::{Server, Settings};
use handraise_broker::DelivererId;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::process::Command;

use crate::fake_hub::FakeHub;

/// The last release, for the revisions with a handshake.
const RELEASED: &str = "@modelcontextprotocol/conformance";
/// The next one, which knows the revision without.
const NEXT: &str = "conformance-2026-07-28";

/// Parts of scenarios that do not apply either, and how the suite begins to say so: they need tools of its
/// own, or lists of what is not declared.
const NOT_TESTABLE: [(&str, &str); 7] = [
    ("sep-2575-server-rejects-undeclared-capability", "Not testable"),
    ("sep-2575-missing-capability-http-400", "Not testable"),
    ("sep-2575-http-server-no-independent-requests-on-stream", "Not testable"),
    ("sep-2575-server-no-log-without-loglevel", "Not testable"),
    ("sep-2549-prompts-list-caching-hints", "prompts/list returned JSON-RPC error -32601"),
    ("sep-2549-resources-list-caching-hints", "resources/list returned JSON-RPC error -32601"),
    (
        "sep-2549-resources-templates-list-caching-hints",
        "resources/templates/list returned JSON-RPC error -32601",
    ),
];

/// How the names of scenarios begin that do not apply; the reasons are above.
const NOT_APPLICABLE: [&str; 15] = [
    "tools-call-",
    "json-schema-",
    "elicitation-",
    "input-required-",
    "http-custom-header-",
    "prompts-",
    "resources-",
    "completion-",
    "logging-",
    "sep-2164-",
    "sep-2640-",
    "tasks-",
    "server-sse-",
    "http-header-",
    "dns-rebinding-",
];

fn clients() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testkit/mcp-clients");
    assert!(
        here.join("node_modules").exists(),
        "run `cargo xtask test`, which installs the suites"
    );
    here
}

async fn suite(name: &str, args: &[&str]) -> Output {
    let clients = clients();
    let index = clients.join("node_modules").join(name).join("dist/index.js");
    let mut node = Command::new("node");
    node.arg("--import").arg(clients.join("newer-node.mjs")).arg(index).args(args);
    node.kill_on_drop(true).output().await.unwrap()
}

/// Serves over HTTP, and returns the address.
async fn serve() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let settings = Settings {
        deliverer: DelivererId::new("conformance").unwrap(),
        directory: None,
        host: None,
        patience: None,
        serve: "handraise serve".into(),
        version: "1".into(),
    };
    let server = Server::new(FakeHub::new(), settings);
    let service = StreamableHttpService::new(
        move || Ok(server.clone()),
        Arc::<LocalSessionManager>::default(),
        StreamableHttpServerConfig::default(),
    );
    let router = axum::Router::new().nest_service("/mcp", service);
    tokio::spawn(async move { axum::serve(listener, router).await });
    url
}

/// Runs one scenario; everything in it has to succeed.
async fn conforms(name: &str, scenario: &str, revision: &str) {
    let url = serve().await;
    let args = ["--scenario", scenario, "--spec-version", revision, "--verbose"];
    let out = suite(name, &[&["server", "--url", &url], &args[..]].concat()).await;
    let said = String::from_utf8_lossy(&out.stdout);
    let checks = said.find("[\n").map(|start| {
        let mut values = serde_json::Deserializer::from_str(&said[start..]).into_iter::<Value>();
        values.next().unwrap().unwrap()
    });
    let checks = checks.unwrap_or_else(|| panic!("{said}{}", String::from_utf8_lossy(&out.stderr)));
    let checks = checks.as_array().unwrap();
    let failed = checks.iter().filter(|check| {
        let why = check["errorMessage"].as_str().unwrap_or_default();
        let untestable =
            NOT_TESTABLE.iter().any(|(id, said)| check["id"] == *id && why.starts_with(said));
        check["status"] == "FAILURE" && !untestable
    });
    let failed: Vec<_> = failed.collect();
    assert!(failed.is_empty(), "{scenario}: {failed:#?}");
    assert!(checks.iter().any(|check| check["status"] == "SUCCESS"), "{scenario}: {checks:#?}");
}

#[tokio::test]
async fn the_handshake_conforms() {
    conforms(RELEASED, "server-initialize", "2025-06-18").await;
    conforms(NEXT, "server-initialize", "2025-11-25").await;
    conforms(NEXT, "server-session-lifecycle", "2025-11-25").await;
}

#[tokio::test]
async fn the_tools_conform() {
    conforms(RELEASED, "tools-list", "2025-06-18").await;
    conforms(NEXT, "tools-list", "2025-11-25").await;
    conforms(NEXT, "tools-list", "2026-07-28").await;
}

#[tokio::test]
async fn a_ping_conforms() {
    conforms(RELEASED, "ping", "2025-11-25").await;
    conforms(NEXT, "ping", "2025-06-18").await;
}

#[tokio::test]
async fn requests_without_a_handshake_conform() {
    conforms(NEXT, "server-stateless", "2026-07-28").await;
    conforms(NEXT, "caching", "2026-07-28").await;
}

/// A scenario that a newer suite brings along has to be run, or there has to be a reason.
#[tokio::test]
async fn no_scenario_is_forgotten() {
    let run =
        ["server-initialize", "server-session-lifecycle", "server-stateless", "ping", "tools-list"];
    for name in [RELEASED, NEXT] {
        let listed = suite(name, &["list", "--server"]).await;
        let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
        let scenarios = listed.lines().filter_map(|line| line.strip_prefix("  - "));
        let scenarios: Vec<_> = scenarios.filter_map(|line| line.split(' ').next()).collect();
        assert!(scenarios.len() > 30, "{listed}");
        for scenario in scenarios {
            let applies = !NOT_APPLICABLE.iter().any(|prefix| scenario.starts_with(prefix));
            assert_eq!(applies, run.contains(&scenario) || scenario == "caching", "{scenario}");
        }
    }
}
