//! How long, as people write it.

use std::time::Duration;

const LONGEST_WAIT: Duration = Duration::from_hours(366 * 24);

/// Reads `90`, `90s`, `1h30m`, `2 days`, `1w`: seconds, or numbers each with a unit.
pub(crate) fn any_duration(text: &str) -> Option<Duration> {
    let seconds = match text.trim().parse() {
        Ok(seconds) if !text.contains(['+', '-']) => Some(seconds),
        _ => seconds(text),
    };
    seconds.map(Duration::from_secs)
}

/// The same, as long as somebody may be waited for.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    match any_duration(text) {
        None => Err("write it as 90s, 5m, 1h30m or 2d".into()),
        Some(wait) if wait > LONGEST_WAIT => Err("at most 366 days are allowed".into()),
        Some(Duration::ZERO) => Err("at least one second is needed".into()),
        Some(wait) => Ok(wait),
    }
}

fn seconds(text: &str) -> Option<u64> {
    let mut rest = text.trim();
    let mut sum = 0_u64;
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let (number, after) = rest.split_at(rest.find(|c: char| !c.is_ascii_digit())?);
        let after = after.trim_start();
        let end = after.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(after.len());
        let (unit, after) = after.split_at(end);
        let unit = match unit {
            "s" | "sec" | "secs" | "second" | "seconds" => 1,
            "m" | "min" | "mins" | "minute" | "minutes" => 60,
            "h" | "hr" | "hrs" | "hour" | "hours" => 60 * 60,
            "d" | "day" | "days" => 24 * 60 * 60,
            "w" | "week" | "weeks" => 7 * 24 * 60 * 60,
            _ => return None,
        };
        sum = sum.checked_add(number.parse::<u64>().ok()?.checked_mul(unit)?)?;
        rest = after.trim_start();
    }
    Some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_as_people_write_them() {
        assert_eq!(duration("90s"), Ok(Duration::from_secs(90)));
        assert_eq!(duration("90"), Ok(Duration::from_secs(90)));
        assert_eq!(duration("1h30m"), Ok(Duration::from_mins(90)));
        assert_eq!(duration("2d"), Ok(Duration::from_hours(48)));
        assert_eq!(duration("1w"), duration("7 days"));
        for right in ["1d2h", "1d 2h", "1 day 2 hours", "26h", "1560min", "93600 seconds"] {
            assert_eq!(duration(right), Ok(Duration::from_hours(26)), "{right}");
        }
        for wrong in ["", " ", "-5s", "+5", "soon", "d", "10ms", "1d-5h", "2h ago", "-1d", "5 s x"]
        {
            assert_eq!(duration(wrong), Err("write it as 90s, 5m, 1h30m or 2d".into()), "{wrong}");
        }
        for wrong in ["400d", "9223372036854775807", "99999999999999999d", "99999999999999999999"] {
            assert!(duration(wrong).is_err(), "{wrong}");
        }
    }
}
