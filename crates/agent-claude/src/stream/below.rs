//! What a process has started, wherever it has put it.

use std::collections::HashSet;
use std::fs;

use rustix::process::{Pid, getpgrp};

/// The process groups below a process, other than its own: Claude Code runs each shell command in a
/// session of its own, so that killing its group alone leaves the command behind (measured). None where
/// there is no `/proc`.
pub(super) fn groups_below(process: Pid) -> Vec<Pid> {
    let all: Vec<Entry> = fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .filter_map(|entry| Entry::read(entry.ok()?.file_name().to_str()?.parse().ok()?))
        .collect();
    let mut below = HashSet::from([process.as_raw_nonzero().get()]);
    // Each round goes one generation down; none is deeper than there are processes.
    while all.iter().any(|one| below.contains(&one.parent) && below.insert(one.pid)) {}
    let groups: HashSet<i32> =
        all.iter().filter(|one| below.contains(&one.pid)).map(|one| one.group).collect();
    // A group may be joined: nobody below is to take us with it.
    let spared = [process, getpgrp()];
    groups.into_iter().filter_map(Pid::from_raw).filter(|group| !spared.contains(group)).collect()
}

struct Entry {
    pid: i32,
    parent: i32,
    group: i32,
}

impl Entry {
    fn read(pid: i32) -> Option<Self> {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // The name in parentheses may itself hold any character.
        let mut fields = stat.rsplit_once(") ")?.1.split(' ').skip(1).map(str::parse);
        let (parent, group) = (fields.next()?.ok()?, fields.next()?.ok()?);
        Some(Self { pid, parent, group })
    }
}
