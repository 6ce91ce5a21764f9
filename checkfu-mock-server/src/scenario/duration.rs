//! Durations as text: `250ms`, `2s`, `1m`, `1h`.

use std::time::Duration;

/// The longest that a scenario may name: a day.
pub(crate) const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

const UNITS: [(&str, u64); 4] = [("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000)];

/// A whole number and its unit, at most [`LONGEST`].
pub(crate) fn parse(text: &str) -> Option<Duration> {
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_lowercase());
    let unit = text.strip_prefix(digits)?;
    let (_, milliseconds) = UNITS.into_iter().find(|(name, _)| *name == unit)?;
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let duration = Duration::from_millis(digits.parse::<u64>().ok()?.checked_mul(milliseconds)?);
    (duration <= LONGEST).then_some(duration)
}

/// The shortest way to write it; parts of a millisecond are dropped.
pub(crate) fn write(duration: Duration) -> String {
    let milliseconds = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
    let (unit, size) = UNITS
        .into_iter()
        .rev()
        .find(|(_, size)| milliseconds > 0 && milliseconds.is_multiple_of(*size))
        .unwrap_or(UNITS[0]);
    format!("{}{unit}", milliseconds / size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_is_a_whole_number_with_a_unit() {
        for (text, milliseconds) in [
            ("0ms", 0),
            ("250ms", 250),
            ("2s", 2000),
            ("3m", 180_000),
            ("24h", 86_400_000),
        ] {
            assert_eq!(parse(text), Some(Duration::from_millis(milliseconds)), "{text}");
            assert_eq!(
                parse(&write(Duration::from_millis(milliseconds))),
                parse(text),
                "{text}"
            );
        }
        for bad in [
            "",
            "5",
            "ms",
            "-1s",
            "+1s",
            "1.5s",
            "1 s",
            "1d",
            "25h",
            "1S",
            "99999999999999999999s",
        ] {
            assert_eq!(parse(bad), None, "{bad}");
        }
    }
}
