//! A point in time with the precision that the wire has: milliseconds.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// Milliseconds since the Unix epoch, written as RFC 3339 in UTC (A-ENV).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Moment(i64);

impl Moment {
    pub(crate) fn from_milliseconds(milliseconds: i64) -> Self {
        Self(milliseconds)
    }

    pub(crate) fn milliseconds(self) -> i64 {
        self.0
    }

    /// This moment and a bit later; the far end of time stays where it is.
    pub(crate) fn plus(self, duration: Duration) -> Self {
        let added = i64::try_from(duration.as_millis()).unwrap_or(i64::MAX);
        Self(self.0.saturating_add(added))
    }
}

impl Moment {
    /// Milliseconds since an earlier moment; 0 since a later one.
    pub(crate) fn since(self, earlier: Self) -> i64 {
        self.0.saturating_sub(earlier.0).max(0)
    }
}

impl From<jiff::Timestamp> for Moment {
    fn from(timestamp: jiff::Timestamp) -> Self {
        Self(timestamp.as_millisecond())
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let timestamp = jiff::Timestamp::from_millisecond(self.0).unwrap_or(jiff::Timestamp::MAX);
        write!(formatter, "{timestamp:.3}")
    }
}

impl Serialize for Moment {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Moment {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let timestamp: jiff::Timestamp = text.parse().map_err(de::Error::custom)?;
        Ok(timestamp.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_written_with_three_decimals_and_read_back_the_same() {
        let moment = Moment::from_milliseconds(1_788_134_400_120);
        let text = serde_json::to_string(&moment).unwrap();
        assert_eq!(text, "\"2026-08-31T00:00:00.120Z\"");
        assert_eq!(serde_json::from_str::<Moment>(&text).unwrap(), moment);
    }
}
