//! Where an interview is kept, so that it can be taken up again: a directory of its own in the home.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use handraise_broker::{RealWorld, World, hex};
use handraise_client::Home;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::model::Api;
use crate::failure::{Exit, Failure};

/// What an interview is about, and with whom.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct About {
    pub(super) id: String,
    pub(super) task: String,
    pub(super) api: Api,
    pub(super) model: String,
    /// Where the model is, however that was said: it is the same one when the interview goes on.
    pub(super) base_url: String,
    /// Where the specification goes; `-` is standard output.
    pub(super) output: PathBuf,
    pub(super) begun: Timestamp,
    /// How many times it may ask.
    pub(super) most_asks: usize,
}

/// An interview's directory.
pub(super) struct Place(PathBuf);

impl Place {
    /// Makes the directory of a new interview.
    pub(super) fn make(home: &Home, about: &About) -> Result<Self, Failure> {
        let place = Self(all(home).join(&about.id));
        let unwritable = |error| Failure::unwritable(&place.0, error);
        DirBuilder::new().recursive(true).mode(0o700).create(&place.0).map_err(unwritable)?;
        let text = serde_json::to_string_pretty(about).map_err(io::Error::other);
        text.and_then(|text| write_new(&place.about(), &text)).map_err(unwritable)?;
        Ok(place)
    }

    /// Finds the interview with this name, or the newest that is not finished.
    pub(super) fn find(home: &Home, id: Option<&str>) -> Result<(Self, About), Failure> {
        let mut found = list(home);
        // One in which something was answered comes before one that never got so far.
        found.sort_by_key(|(place, about)| {
            let answered = fs::metadata(place.minutes()).is_ok_and(|minutes| minutes.len() > 0);
            std::cmp::Reverse((answered, about.begun))
        });
        let sought = found.into_iter().find(|(place, about)| match id {
            Some(id) => about.id == id,
            None => !place.is_finished(),
        });
        sought.ok_or_else(|| {
            let error = match id {
                Some(_) => anyhow::anyhow!("there is no interview of this name"),
                None => anyhow::anyhow!("there is no interview that was left in the middle"),
            };
            let hint =
                "`handraise interview --list` shows all; `handraise interview \"task\"` begins one";
            Failure::new(Exit::BadInput, error).hint(hint)
        })
    }

    pub(super) fn history(&self) -> PathBuf {
        self.0.join("history.jsonl")
    }

    pub(super) fn minutes(&self) -> PathBuf {
        self.0.join("minutes.jsonl")
    }

    /// The specification as it was agreed, whatever becomes of the file that was asked for.
    pub(super) fn specification(&self) -> PathBuf {
        self.0.join("specification.md")
    }

    fn about(&self) -> PathBuf {
        self.0.join("about.json")
    }

    pub(super) fn is_finished(&self) -> bool {
        self.specification().is_file()
    }
}

/// A name that is short enough to type.
pub(super) fn new_id() -> String {
    hex(&RealWorld.random()[..4])
}

/// All interviews of a home that can be read.
pub(super) fn list(home: &Home) -> Vec<(Place, About)> {
    let Ok(directories) = fs::read_dir(all(home)) else { return vec![] };
    let places = directories.filter_map(|entry| Some(Place(entry.ok()?.path())));
    let about = |place: &Place| serde_json::from_slice(&fs::read(place.about()).ok()?).ok();
    places.filter_map(|place| Some((about(&place)?, place))).map(|(a, p)| (p, a)).collect()
}

fn all(home: &Home) -> PathBuf {
    home.directory().join("interviews")
}

fn write_new(path: &Path, text: &str) -> io::Result<()> {
    let mut file = OpenOptions::new().create_new(true).write(true).mode(0o600).open(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

/// Opens a file of lines to add more. A line that was cut off by a crash was never acknowledged, and is
/// dropped.
pub(super) fn open_lines(path: &Path) -> io::Result<(File, Vec<String>)> {
    let mut options = OpenOptions::new();
    let mut file = options.create(true).read(true).append(true).mode(0o600).open(path)?;
    let mut bytes = vec![];
    file.read_to_end(&mut bytes)?;
    let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1);
    if whole < bytes.len() {
        file.set_len(whole as u64)?;
        file.seek(io::SeekFrom::End(0))?;
        bytes.truncate(whole);
    }
    let text = String::from_utf8(bytes).map_err(io::Error::other)?;
    Ok((file, text.lines().map(str::to_owned).collect()))
}
