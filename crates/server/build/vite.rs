//! Building the dashboard with npm, without touching its sources.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{Failure, is_page, smaller};

/// What the build is made of. Tests and their results are not.
const SOURCES: [&str; 9] = [
    "src",
    "public",
    "index.html",
    "package.json",
    "package-lock.json",
    "vite.config.ts",
    "svelte.config.js",
    "tsconfig.json",
    ".npmrc",
];

/// Returns the directory with the page.
pub(crate) fn build(out: &Path, patiently: bool) -> Result<PathBuf, Failure> {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2);
    let web = workspace.unwrap_or(Path::new("/")).join("web");
    if !web.join("package.json").is_file() {
        return Err(vec![format!("there are no sources in {}", web.display())]);
    }
    let (copy, page) = (out.join("web-src"), out.join("web"));
    copy_sources(&web, &copy).map_err(|error| vec![format!("copying web/ failed: {error}")])?;
    install(&copy, patiently)?;
    let mut vite = npm(&copy);
    vite.args(["run", "build", "--", "--emptyOutDir", "--outDir"]).arg(&page);
    vite.env("HANDRAISE_VERSION", env!("CARGO_PKG_VERSION"));
    run(vite, "npm run build")?;
    if !is_page(&page) {
        return Err(vec!["npm run build made no index.html".to_owned()]);
    }
    smaller::write(&page).map_err(|error| vec![format!("compressing the page failed: {error}")])?;
    Ok(page)
}

fn copy_sources(web: &Path, copy: &Path) -> io::Result<()> {
    fs::create_dir_all(copy)?;
    for name in SOURCES {
        let (from, to) = (web.join(name), copy.join(name));
        if to.is_dir() {
            fs::remove_dir_all(&to)?;
        } else if to.exists() {
            fs::remove_file(&to)?;
        }
        if from.exists() {
            println!("cargo::rerun-if-changed={}", from.display());
            copy_all(&from, &to)?;
        }
    }
    Ok(())
}

fn copy_all(from: &Path, to: &Path) -> io::Result<()> {
    if !from.is_dir() {
        return fs::copy(from, to).map(|_| ());
    }
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        copy_all(&entry.path(), &to.join(entry.file_name()))?;
    }
    Ok(())
}

/// Installs what the lock file names, unless that is what was installed last.
fn install(copy: &Path, patiently: bool) -> Result<(), Failure> {
    let lock = fs::read(copy.join("package-lock.json"))
        .map_err(|error| vec![format!("web/package-lock.json: {error}")])?;
    let installed = copy.join("node_modules/.installed-lock");
    if fs::read(&installed).is_ok_and(|installed| installed == lock) {
        return Ok(());
    }
    let mut ci = npm(copy);
    ci.args(["ci", "--ignore-scripts", "--omit=dev", "--no-audit", "--no-fund"]);
    if !patiently {
        // Whoever builds without a network should not wait minutes to hear it.
        ci.args(["--fetch-retries=1", "--fetch-retry-mintimeout=1000", "--fetch-timeout=30000"]);
    }
    run(ci, "npm ci")?;
    fs::write(&installed, lock).map_err(|error| vec![format!("node_modules: {error}")])
}

fn npm(directory: &Path) -> Command {
    let mut npm = Command::new("npm");
    npm.current_dir(directory);
    npm
}

fn run(mut command: Command, called: &str) -> Result<(), Failure> {
    let output = command.output().map_err(|error| {
        let is_absent = error.kind() == io::ErrorKind::NotFound;
        let found =
            if is_absent { "was not found".into() } else { format!("does not run: {error}") };
        let program = command.get_program().display();
        vec![format!("{program} {found}; install Node.js 20 or newer, and build again")]
    })?;
    if output.status.success() {
        return Ok(());
    }
    let mut reasons = vec![format!("{called} failed ({}):", output.status)];
    let said = [output.stdout, output.stderr].concat();
    reasons.extend(cause(&String::from_utf8_lossy(&said)));
    Err(reasons)
}

/// What tells the cause: npm names it first, and builders last.
fn cause(said: &str) -> Vec<String> {
    let plain: String = said.chars().filter(|c| *c == '\n' || !c.is_control()).collect();
    let tells = |line: &&str| {
        let line = line.trim_start();
        !line.is_empty() && line != "}" && !line.starts_with("at ")
    };
    let lines: Vec<_> = plain.lines().map(str::trim_end).filter(tells).collect();
    let of_npm = lines.iter().position(|line| line.starts_with("npm error code"));
    let shown = match of_npm {
        Some(first) => &lines[first..lines.len().min(first + 4)],
        None => &lines[lines.len().saturating_sub(6)..],
    };
    shown.iter().map(|line| format!("  {line}")).collect()
}
