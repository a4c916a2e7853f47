//! What the kernel tells of other processes.

use std::fs::{self, File};
use std::io::Read;
use std::path::PathBuf;

/// What is set for whatever Handraise itself runs, or a program that asks it for itself.
const OWNER: &[u8] = b"HANDRAISE_OWNER=";
/// More than an environment holds.
const LONGEST: u64 = 4 * 1024 * 1024;

/// Whether somebody looks after the questions of this process already.
pub(super) fn has_owner(pid: u32) -> bool {
    let Ok(file) = File::open(format!("/proc/{pid}/environ")) else { return false };
    let mut environment = vec![];
    // What could be read counts.
    let _ = file.take(LONGEST).read_to_end(&mut environment);
    let mut lines = environment.split(|byte| *byte == 0);
    lines.any(|line| line.strip_prefix(OWNER).is_some_and(|value| !value.is_empty()))
}

/// Every process that calls itself Claude Code, and where it works.
pub(super) fn claudes() -> Vec<(u32, PathBuf)> {
    let all = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = all.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let named = pids.filter(|pid| {
        fs::read_to_string(format!("/proc/{pid}/comm")).is_ok_and(|name| name.trim() == "claude")
    });
    named.filter_map(|pid| Some((pid, fs::read_link(format!("/proc/{pid}/cwd")).ok()?))).collect()
}
