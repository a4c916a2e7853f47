//! What Linux says about a process.

use std::fs;
use std::time::Duration;

use anyhow::{Context, Result};

/// Resident memory in bytes.
pub(crate) fn resident(process: u32) -> Result<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status"))?;
    field(&status, "VmRSS:").map(|kilobytes| kilobytes * 1024)
}

/// Ticks of processor time, in the program and in the kernel for it.
pub(crate) fn ticks(process: u32) -> Result<u64> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat"))?;
    // The name is in parentheses and may hold anything.
    let (_, fields) = stat.rsplit_once(')').context("a strange /proc/PID/stat")?;
    let fields: Vec<_> = fields.split_whitespace().collect();
    let ticks = |place: usize| -> Result<u64> {
        Ok(fields.get(place).context("a short /proc/PID/stat")?.parse()?)
    };
    Ok(ticks(11)? + ticks(12)?)
}

/// What ticks are in milliseconds: Linux shows them in hundredths of a second.
pub(crate) fn milliseconds(ticks: u64) -> f64 {
    Duration::from_millis(ticks * 10).as_secs_f64() * 1000.0
}

/// How often its threads went to sleep of their own will: each time they had been woken up before.
pub(crate) fn sleeps(process: u32) -> Result<u64> {
    let mut sum = 0;
    for thread in fs::read_dir(format!("/proc/{process}/task"))? {
        let status = fs::read_to_string(thread?.path().join("status"))?;
        sum += field(&status, "voluntary_ctxt_switches:")?;
    }
    Ok(sum)
}

fn field(status: &str, name: &str) -> Result<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    let number = line.and_then(|line| line.split_whitespace().next());
    Ok(number.with_context(|| format!("no {name} in /proc"))?.parse()?)
}
