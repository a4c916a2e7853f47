//! Which settings are meant.

use std::path::{Path, PathBuf};

use crate::cli::SettingsArgs;
use crate::environment;
use crate::failure::{Exit, Failure};

/// The settings that the arguments name, by an absolute path.
pub(crate) fn settings_file(args: &SettingsArgs) -> Result<PathBuf, Failure> {
    let file = match &args.settings {
        Some(file) => Some(file.clone()),
        None if args.project => Some(project_settings()),
        None => user_settings(),
    };
    let file = file.ok_or_else(|| {
        let error = anyhow::anyhow!("no home directory is known");
        Failure::new(Exit::BadInput, error).hint("name the settings with --settings FILE")
    })?;
    std::path::absolute(&file).map_err(|error| {
        let error = anyhow::Error::new(error).context(format!("cannot use {:?}", file.display()));
        Failure::new(Exit::BadInput, error)
    })
}

/// A person's own settings of Claude Code.
pub(crate) fn user_settings() -> Option<PathBuf> {
    environment::claude_directory().map(|directory| directory.join("settings.json"))
}

/// The settings of the project in this directory that are nobody else's: they are not shared.
pub(crate) fn project_settings() -> PathBuf {
    Path::new(".claude/settings.local.json").to_owned()
}
