//! `handraise mcp`: the tools by which any MCP client asks the person.
//!
//! Standard output belongs to the protocol: nothing else is ever written there.

use std::sync::Arc;
use std::time::Duration;

use handraise_agent_mcp::{Settings, serve, stdio};
use handraise_broker::MCP;
use handraise_client::{Home, RemoteHub};
use tokio::signal::unix::{SignalKind, signal};

use crate::cli::McpArgs;
use crate::config::Config;
use crate::failure::{Exit, Failure};
use crate::home::{agent_name, data_option};
use crate::{autostart, environment, runtime};

/// How long a hub that is being restarted is waited for.
const A_RESTART: Duration = Duration::from_secs(2);

pub(crate) fn run(home: &Home, args: &McpArgs) -> Result<Exit, Failure> {
    let runtime = runtime::background().map_err(|error| Failure::new(Exit::Internal, error))?;
    // Whether there is a hub shows when something is asked: a client wants to see the tools at once.
    let agent = agent_name(args.agent.as_deref(), MCP)?;
    let hub = RemoteHub::agent(home.clone(), agent).patient(A_RESTART);
    let hub = if Config::read(home).is_ok_and(|config| config.hub.autostart) {
        // Looked up now: an upgrade may take this program's own file away later.
        let (home, program) = (home.clone(), autostart::program());
        hub.patient(autostart::PATIENCE).started_by(move || {
            // Whoever asks is told that there is no hub.
            let _ = program.as_ref().map(|program| autostart::begin(&home, program));
        })
    } else {
        hub
    };
    let settings = Settings {
        deliverer: hub.deliverer().clone(),
        directory: environment::directory(),
        host: Some(environment::host()),
        patience: args.patience,
        serve: format!("handraise serve{}", data_option(home)),
        version: env!("CARGO_PKG_VERSION").to_owned(),
    };
    runtime.block_on(async {
        let (input, output) = stdio();
        serve(Arc::new(hub), settings, input, output, stopped()).await;
    });
    // What is being read this very moment is not waited for.
    runtime.shutdown_background();
    Ok(Exit::Answered)
}

/// Waits for whatever ends it.
async fn stopped() {
    let kinds = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()];
    let mut signals: Vec<_> = kinds.into_iter().filter_map(|kind| signal(kind).ok()).collect();
    std::future::poll_fn(|context| {
        let any = signals.iter_mut().any(|signal| signal.poll_recv(context).is_ready());
        if any { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
    })
    .await;
}
