use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The place of an event in its Session's log: the order of processing and the cursor to resume after.
///
/// Numbers rise strictly and may have holes (`A-SEQ`). They run up to 2^53 − 1; [`Seq::ZERO`] means "before the
/// first event", the same as having no cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Seq(u64);

impl Seq {
    /// Before the first event.
    pub const ZERO: Self = Self(0);

    /// The largest number an event can have.
    pub const MAX: Self = Self((1 << 53) - 1);

    /// The place `seq`, if it is not above [`Seq::MAX`].
    ///
    /// ```
    /// use checkfu_sdk::Seq;
    ///
    /// assert_eq!(Seq::new(42).map(Seq::get), Some(42));
    /// assert_eq!(Seq::new(u64::MAX), None);
    /// ```
    pub const fn new(seq: u64) -> Option<Self> {
        if seq <= Self::MAX.0 { Some(Self(seq)) } else { None }
    }

    /// The number.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// The cursor right before this event.
    pub(crate) const fn before(self) -> Self {
        Self(self.0.saturating_sub(1))
    }
}

impl From<u32> for Seq {
    fn from(seq: u32) -> Self {
        Self(u64::from(seq))
    }
}

impl fmt::Display for Seq {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

impl Serialize for Seq {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(self.0)
    }
}

impl<'de> Deserialize<'de> for Seq {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let seq = u64::deserialize(deserializer)?;
        Self::new(seq).ok_or_else(|| serde::de::Error::custom(format!("seq {seq} is above 2^53 - 1")))
    }
}
