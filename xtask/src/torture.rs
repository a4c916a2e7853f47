//! A hub that is killed again and again, and transcripts that are broken again and again.

use anyhow::{Result, bail};
use clap::Args;
use handraise_testkit::{Chance, Torture};

use crate::tools::{built, cargo, run};

#[derive(Debug, Args)]
pub(crate) struct TortureArgs {
    /// Asks in flight at all times
    #[arg(long, value_name = "N", default_value_t = 200)]
    asks: usize,

    /// How often the hub is killed
    #[arg(long, value_name = "N", default_value_t = 50)]
    kills: usize,

    /// Where chance begins, to have the same plan again [default: any]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
}

pub(crate) fn torture(args: &TortureArgs) -> Result<()> {
    run(&mut cargo(&["build", "--package", "handraise"]))?;
    let seed = args.seed.unwrap_or_else(Chance::any_seed);
    eprintln!("\nseed {seed}");
    let torture = Torture { asks: args.asks, kills: args.kills, seed };
    let report = torture.run(&built("debug", "handraise"));
    println!("{report}");
    if !report.problems.is_empty() {
        bail!("{} problems; `--seed {seed}` makes the same plan again", report.problems.len());
    }
    // And a thousand clients answer at once, a hundred times over.
    run(&mut cargo(&["test", "--package", "handraise", "--test", "it", "--", "--ignored"]))?;
    // And transcripts are broken in thousands of ways.
    run(&mut cargo(&["test", "--package", "handraise-agent-claude", "--lib", "--", "--ignored"]))
}
