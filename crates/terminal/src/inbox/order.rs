//! Which ask comes before which.

use super::entry::{Entry, EntryId, Standing};

/// Where an entry stands in the list: the smallest is at the top.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    rank: Rank,
    deadline: i64,
    asked: i64,
    id: EntryId,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Alarm,
    Waits,
}

/// Most blocking first.
///
/// First of all what went wrong: an agent that goes on with an answer nobody gave does harm while the
/// others only wait. Then those that end by themselves, the soonest first: whoever comes too late cannot
/// make up for it. Then the agent that has stood still for the longest time.
pub(super) fn place(entry: &Entry) -> Place {
    let rank = match entry.standing {
        Standing::Alarm(_) => Rank::Alarm,
        Standing::Waits | Standing::Ended(_) => Rank::Waits,
    };
    let deadline = entry.deadline.unwrap_or(i64::MAX);
    Place { rank, deadline, asked: entry.asked, id: entry.id }
}

impl Place {
    pub(super) fn id(self) -> EntryId {
        self.id
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixtures::entry;
    use super::*;

    #[test]
    fn what_went_wrong_then_what_ends_soon_then_what_has_waited_long() {
        let wrong = Entry { standing: Standing::Alarm(vec![]), ..entry(1, 50) };
        let soon = Entry { deadline: Some(100), ..entry(2, 40) };
        let later = Entry { deadline: Some(200), ..entry(3, 10) };
        let (long, short) = (entry(4, 20), entry(5, 30));
        let mut all = [&short, &long, &later, &soon, &wrong];
        all.sort_by_key(|entry| place(entry));
        assert_eq!(all.map(|entry| entry.id.0[0]), [1, 2, 3, 4, 5]);
    }
}
