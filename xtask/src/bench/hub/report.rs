//! The table, and what is over budget.

use anyhow::{Result, bail};

/// A line above others.
pub(crate) fn title(title: &str) {
    println!("\n{title}");
}

/// A line without a budget.
pub(crate) fn line(name: &str, value: &str) {
    println!("  {name:<42} {value:>40}");
}

/// What is over budget.
#[derive(Default)]
pub(crate) struct Report {
    over: Vec<String>,
}

/// How a ratio or a size has to be.
#[derive(Clone, Copy)]
pub(crate) enum Budget {
    AtLeast(f64),
    AtMost(f64),
}

impl Report {
    /// A line with a budget.
    pub(crate) fn check(&mut self, name: &str, value: f64, unit: &str, budget: Budget) {
        let (kept, words) = match budget {
            Budget::AtLeast(least) => (value >= least, format!("at least {least}{unit}")),
            Budget::AtMost(most) => (value <= most, format!("at most {most}{unit}")),
        };
        let verdict = if kept { "" } else { "  OVER BUDGET" };
        println!("  {name:<58} {:>24}   budget: {words}{verdict}", format!("{value:.1}{unit}"));
        if !kept {
            self.over.push(format!("{name}: {value:.1}{unit}"));
        }
    }

    pub(crate) fn end(self) -> Result<()> {
        if !self.over.is_empty() {
            bail!("over budget: {}", self.over.join("; "));
        }
        Ok(())
    }
}
