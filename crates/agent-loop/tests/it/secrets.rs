//! The key is in no event, no log and no history.

use std::io::Write;
use std::sync::{Arc, Mutex};

use handraise_agent_loop::{Agent, Api, ApiKey, ApiModel, Backoff, History};
use handraise_testkit::{Block, Fault, ScriptedModel};
use serde_json::json;
use tracing_subscriber::fmt::MakeWriter;

use crate::stage::{Counting, play};

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Log {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

#[test]
fn the_key_is_nowhere_whatever_the_server_says() {
    const KEY: &str = "sk-very-secret-9876543210";
    let log = Log::default();
    let everything = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_writer(log.clone())
        .finish();
    // One thread does everything, so that its subscriber hears everything.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    tracing::subscriber::with_default(everything, || {
        tracing::info!("something is logged");
        for (api, path) in [(Api::AnthropicMessages, ""), (Api::ChatCompletions, "/v1")] {
            let server = ScriptedModel::start();
            server.script("s", vec![vec![Block::text("hello"), Block::tool("count", json!({}))]]);
            let repeats = |code| {
                let message = format!("wrong key: {KEY}");
                Fault::Status { code, headers: vec![], message }
            };
            let kind = KEY.to_owned();
            server.faults("s", 0, vec![repeats(500), Fault::ErrorEvent { after: 3, kind }]);
            server.faults("s", 1, vec![repeats(401)]);
            let url = format!("{}{path}", server.url());
            let model = ApiModel::new(api, &url, ApiKey::new(KEY), "scripted").unwrap();
            let backoff = Backoff { first: std::time::Duration::ZERO, ..Backoff::default() };
            let agent = Agent::new(model).tool(Counting::default()).backoff(backoff);
            let mut run = agent.run(History::new("SCRIPT:s"));
            let told = runtime.block_on(play(&mut run));
            assert!(json!(told).to_string().contains("wrong key: …"), "{told:#?}");
            assert!(!json!(told).to_string().contains(KEY), "{told:#?}");
            assert!(!format!("{:?}", run.into_history()).contains(KEY));
        }
    });
    let log = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    assert!(log.contains("something is logged"));
    assert!(!log.contains(KEY), "{log}");
}
