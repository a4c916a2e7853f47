//! A short torture; `cargo xtask torture` is the long one.

use std::path::Path;

use handraise_testkit::{Chance, Torture};

#[test]
fn nothing_is_lost_or_doubled_when_the_hub_is_killed_at_random_moments() {
    let torture = Torture { asks: 40, kills: 8, seed: Chance::any_seed() };
    let report = torture.run(Path::new(env!("CARGO_BIN_EXE_handraise")));
    println!("{report}");
    assert!(report.problems.is_empty(), "{report}");
}
