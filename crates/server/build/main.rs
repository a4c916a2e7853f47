//! Puts the dashboard into the hub.
//!
//! `HANDRAISE_WEB_DIST=/dir` takes one that is already built; else `web/` is built with npm. Where that
//! cannot be done the hub is built without it and says so, unless `HANDRAISE_WEB=required`.

#![expect(clippy::disallowed_methods, reason = "Cargo speaks to build scripts by the environment")]

mod smaller;
mod table;
mod vite;

use std::env;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Why there is no dashboard, one line after the other.
type Failure = Vec<String>;

fn main() -> ExitCode {
    println!("cargo::rerun-if-changed=build");
    for name in ["HANDRAISE_WEB", "HANDRAISE_WEB_DIST"] {
        println!("cargo::rerun-if-env-changed={name}");
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    let ready = env::var_os("HANDRAISE_WEB_DIST").filter(|given| !given.is_empty());
    let required = ready.is_some() || env::var("HANDRAISE_WEB").is_ok_and(|is| is == "required");
    let built = match ready {
        Some(ready) => find_ready(PathBuf::from(ready)),
        None => vite::build(&out, required),
    };
    let written = match &built {
        Ok(directory) => table::write(&out, directory),
        Err(_) => table::write_empty(&out),
    };
    let written = written.map_err(|error| vec![format!("the files cannot be read: {error}")]);
    let Err(reasons) = built.and(written) else { return ExitCode::SUCCESS };
    let kind = if required { "error" } else { "warning" };
    println!("cargo::{kind}=the dashboard is not in this build:");
    for reason in reasons {
        println!("cargo::{kind}=  {reason}");
    }
    // A file that is never there: the next build tries again.
    println!("cargo::rerun-if-changed={}", out.join("once-more").display());
    if required { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn find_ready(directory: PathBuf) -> Result<PathBuf, Failure> {
    let shown = directory.display();
    println!("cargo::rerun-if-changed={shown}");
    if !directory.is_absolute() {
        return Err(vec![format!("HANDRAISE_WEB_DIST={shown} is not an absolute path")]);
    }
    if !is_page(&directory) {
        return Err(vec![format!("there is no index.html in HANDRAISE_WEB_DIST={shown}")]);
    }
    Ok(directory)
}

fn is_page(directory: &Path) -> bool {
    directory.join("index.html").is_file()
}
