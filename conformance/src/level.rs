use std::fmt;

use serde::{Deserialize, Serialize};

/// How firmly a statement stands, and so what breaking it means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Level {
    /// The published text says it. Breaking it fails the server under every profile.
    #[serde(rename = "D")]
    Documented,
    /// It follows from the published text. Breaking it is a warning, and a failure when the run is strict.
    #[serde(rename = "C")]
    Derived,
    /// The text is silent and the reference server picks. Checked only under the profile `reference`.
    #[serde(rename = "A")]
    Assumed,
}

impl Level {
    /// The one letter that the requirement tables use.
    pub fn letter(self) -> char {
        match self {
            Self::Documented => 'D',
            Self::Derived => 'C',
            Self::Assumed => 'A',
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Documented => "documented",
            Self::Derived => "derived",
            Self::Assumed => "assumed",
        })
    }
}
