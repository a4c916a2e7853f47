//! The API against its own description: whatever is sent, no answer is a surprise.

use std::process::Command;

use anyhow::{Context, Result, bail};
use handraise_broker::Power;
use handraise_testkit::HubProcess;

use crate::python;
use crate::tools::{built, cargo, root, run};

/// So many requests of each kind for each operation: enough to be hostile, few enough for every run.
const EXAMPLES: &str = "15";
/// The same requests every time.
const SEED: &str = "1";
const CHECKS: &str = "not_a_server_error,status_code_conformance,content_type_conformance,\
                      response_schema_conformance,negative_data_rejection,unsupported_method";

/// Has schemathesis make up requests from the description a hub serves, with each token.
pub(crate) fn check() -> Result<()> {
    let python =
        python::with_packages("schemathesis", &root().join("xtask/schemathesis/requirements.txt"))?;
    run(&mut cargo(&["build", "--package", "handraise"]))?;
    let mut hub = HubProcess::prepare(&built("debug", "handraise"));
    hub.home().create().context("cannot make a home")?;
    let config = "[limits]\nrequests_per_second = 1000000\n";
    std::fs::write(hub.home().config(), config).context("cannot write the configuration")?;
    hub.restart();
    for power in [Power::Agent, Power::Person] {
        let token = hub.home().token(power).context("the hub has no token")?;
        eprintln!("\nschemathesis against {}, with the token of: {power:?}", hub.url());
        let mut schemathesis = Command::new(&python);
        schemathesis
            .args(["-m", "schemathesis.cli", "run"])
            .arg(format!("{}/api/v1/openapi.json", hub.url()))
            .args(["--header", &format!("Authorization: Bearer {}", token.reveal())])
            .args(["--checks", CHECKS, "--phases", "examples,coverage,fuzzing"])
            .args([
                "--max-examples",
                EXAMPLES,
                "--seed",
                SEED,
                "--no-shrink",
                "--continue-on-failure",
            ])
            .args(["--suppress-health-check", "all", "--warnings", "off", "--workers", "1"])
            // Not HTTP, and the end of the very token this goes by.
            .args(["--exclude-path", "/api/v1/events", "--exclude-path", "/api/v1/devices/{id}"])
            .current_dir(hub.directory());
        let status = schemathesis.status().context("cannot run schemathesis")?;
        if !status.success() {
            bail!("the API and its description differ; the hub said:\n{}", hub.said());
        }
    }
    let ended = hub.stop();
    if ended.stderr.contains("panicked") {
        bail!("the hub panicked:\n{}", ended.stderr);
    }
    Ok(())
}
