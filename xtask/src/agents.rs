//! The real agents that the tests drive, at exactly the versions they were tried with.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::tools::{need, root, run};

/// Makes sure that the agents for this machine are installed below `crates/testkit/agents`.
pub(crate) fn install() -> Result<()> {
    let place = root().join("crates/testkit/agents");
    if missing(&place)?.is_none() {
        return Ok(());
    }
    // Debian's package of npm brings Node along.
    need("npm", &["--version"])?;
    let mut npm = Command::new("npm");
    // What they would build on the way is not needed to run them.
    npm.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"]).current_dir(&place);
    run(&mut npm).context("cannot install the agents; is there a network?")?;
    match missing(&place)? {
        // Packages for one system are optional to npm: what it cannot get it leaves out in silence.
        Some(package) => bail!("npm has not installed {package}, and gave no reason"),
        None => Ok(()),
    }
}

/// The first package for this machine that is not there, or not in the version that is named.
fn missing(place: &Path) -> Result<Option<String>> {
    let wanted = read(&place.join("package.json"))?;
    let packages = wanted["optionalDependencies"].as_object().context("no agents are named")?;
    let here = packages.iter().filter(|(package, _)| package.ends_with(&machine()));
    let everywhere = wanted["dependencies"].as_object().into_iter().flatten();
    let lacks = |(package, version): &(&String, &str)| {
        let installed = read(&place.join("node_modules").join(package).join("package.json"));
        installed.map_or(true, |installed| installed["version"] != *version)
    };
    let mut wanted = here.chain(everywhere).map(|(package, wanted)| (package, version(wanted)));
    Ok(wanted.find(lacks).map(|(package, version)| format!("{package} {version}")))
}

/// The version that is wanted. A package that stands in for another one says which: `npm:other@1.2.3`.
fn version(wanted: &Value) -> &str {
    let wanted = wanted.as_str().unwrap_or_default();
    let of_another = wanted.strip_prefix("npm:").and_then(|other| other.rsplit_once('@'));
    of_another.map_or(wanted, |(_, version)| version)
}

/// How the names of packages for this machine end.
fn machine() -> String {
    let system = if cfg!(target_os = "macos") { "darwin" } else { "linux" };
    let processor = if cfg!(target_arch = "aarch64") { "arm64" } else { "x64" };
    format!("-{system}-{processor}")
}

fn read(path: &Path) -> Result<Value> {
    let text =
        fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    serde_json::from_str(&text).with_context(|| format!("{} is not JSON", path.display()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_what_this_machine_lacks_is_missing() {
        let place = tempfile::tempdir().unwrap();
        let package = format!("@maker/agent{}", machine());
        let named = json!({ "optionalDependencies": { "other-vax": "1.2.3", (&package): "npm:@maker/a@1.2.3" } });
        fs::write(place.path().join("package.json"), named.to_string()).unwrap();
        let lacks = Some(format!("{package} 1.2.3"));
        assert_eq!(missing(place.path()).unwrap(), lacks);

        let installed = place.path().join("node_modules").join(&package);
        fs::create_dir_all(&installed).unwrap();
        let has = |version: &str| {
            let text = json!({ "version": version }).to_string();
            fs::write(installed.join("package.json"), text).unwrap();
            missing(place.path()).unwrap()
        };
        assert_eq!(has("1.2.2"), lacks);
        assert_eq!(has("1.2.3"), None);

        let named = json!({ "optionalDependencies": {}, "dependencies": { "script": "4.5.6" } });
        fs::write(place.path().join("package.json"), named.to_string()).unwrap();
        assert_eq!(missing(place.path()).unwrap(), Some("script 4.5.6".to_owned()));
    }
}
