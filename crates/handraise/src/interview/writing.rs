//! The specification's way to where it was wanted. It is in the home first: no answer is given twice because
//! a file could not be written.

use std::fs;
use std::path::Path;

use handraise_client::Home;

use super::place::{About, Place};
use crate::failure::{self, Exit, Failure};
use crate::{output, whole_file};

/// Keeps it in the home. The interview is finished then.
pub(super) fn keep(place: &Place, text: &str) -> Result<(), Failure> {
    let path = place.specification();
    whole_file::write(&path, text, 0o600).map_err(|error| Failure::unwritable(&path, error))
}

/// Puts the specification that is kept where it was wanted.
pub(super) fn deliver(
    home: &Home,
    place: &Place,
    about: &About,
    force: bool,
) -> Result<Exit, Failure> {
    let kept = place.specification();
    let text = fs::read_to_string(&kept).map_err(|error| {
        let error = anyhow::Error::new(error).context(format!("cannot read {}", kept.display()));
        Failure::new(Exit::Internal, error)
    })?;
    if about.output == Path::new("-") {
        output::print(text.trim_end())?;
        return Ok(Exit::Answered);
    }
    let kept = || {
        let resume = super::resume(home, about);
        format!("nothing is lost; have it written elsewhere with: {resume} -o FILE")
    };
    // Hours may have gone by since it was looked at.
    whole_file::check(&about.output, force, " with -o FILE")
        .map_err(|failure| failure.hint(kept()))?;
    whole_file::write(&about.output, &text, 0o666)
        .map_err(|error| Failure::unwritable(&about.output, error).hint(kept()))?;
    failure::say("The specification is written:");
    output::print(&about.output.display().to_string())?;
    Ok(Exit::Answered)
}
