//! A moment, as people write it.

use std::time::Duration;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use crate::duration::any_duration;

/// A day, a moment, or how long ago.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum When {
    Day(Date),
    Moment(Timestamp),
    Ago(Duration),
}

impl When {
    /// Reads `2026-11-16`, `2026-11-16T14:00:00Z` or `30d`.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        let day = || text.parse().ok().filter(|_| !text.contains(['T', ' '])).map(Self::Day);
        let moment = || text.parse().ok().map(Self::Moment);
        match day().or_else(moment) {
            Some(when) => Ok(when),
            // However long: the log is as old as it is.
            None => any_duration(text).map(Self::Ago).ok_or_else(|| {
                "write it as 2026-11-16, 2026-11-16T14:00:00Z, 30d or 12w".to_owned()
            }),
        }
    }

    /// Its first moment.
    pub(crate) fn begin(self, now: Timestamp) -> Timestamp {
        match self {
            Self::Day(day) => midnight(day),
            Self::Moment(at) => at,
            Self::Ago(ago) => {
                let ago = SignedDuration::try_from(ago).unwrap_or(SignedDuration::MAX);
                now.saturating_sub(ago).unwrap_or(Timestamp::MIN)
            }
        }
    }

    /// The first moment after it.
    pub(crate) fn end(self, now: Timestamp) -> Timestamp {
        match self {
            Self::Day(day) => day.tomorrow().map_or(Timestamp::MAX, midnight),
            Self::Moment(_) | Self::Ago(_) => self.begin(now),
        }
    }
}

/// In UTC: what is exported must not depend on where the exporter sits.
fn midnight(day: Date) -> Timestamp {
    day.to_zoned(TimeZone::UTC).map_or(Timestamp::MAX, |midnight| midnight.timestamp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_moments_and_lengths_of_time_are_understood() {
        let now: Timestamp = "2026-11-16T12:00:00Z".parse().unwrap();
        for (text, begin, end) in [
            ("2026-11-15", "2026-11-15T00:00:00Z", "2026-11-16T00:00:00Z"),
            ("2026-11-15T14:00:00+02:00", "2026-11-15T12:00:00Z", "2026-11-15T12:00:00Z"),
            ("2d", "2026-11-14T12:00:00Z", "2026-11-14T12:00:00Z"),
            ("400d", "2025-10-12T12:00:00Z", "2025-10-12T12:00:00Z"),
            ("2 weeks", "2026-11-02T12:00:00Z", "2026-11-02T12:00:00Z"),
            ("99999999999d", "-009999-01-02T01:59:59Z", "-009999-01-02T01:59:59Z"),
        ] {
            let when = When::read(text).unwrap();
            assert_eq!(when.begin(now).to_string(), begin, "{text}");
            assert_eq!(when.end(now).to_string(), end, "{text}");
        }
        for wrong in ["", "soon", "2026-13-01", "2026-11-15T10:00", "-3d", "yesterday"] {
            assert!(When::read(wrong).is_err(), "{wrong}");
        }
    }
}
