use std::{fmt, str::FromStr};

use serde::Serialize;

use crate::level::Level;

/// Which levels a run judges.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Profile {
    /// What the published pages say and what follows from it. For any server.
    #[default]
    Published,
    /// Also what the reference server picks where the pages are silent. Derived statements fail here.
    Reference,
}

impl Profile {
    /// What a contradiction of a check at `level` counts as.
    pub fn severity(self, level: Level, strict: bool) -> Severity {
        match (level, self) {
            (Level::Documented, _) => Severity::Fails,
            (Level::Derived, Self::Published) if !strict => Severity::Warns,
            (Level::Derived, _) => Severity::Fails,
            (Level::Assumed, Self::Published) => Severity::NotSelected,
            (Level::Assumed, Self::Reference) => Severity::Fails,
        }
    }
}

/// What a contradiction counts as under a profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// The run does not conform.
    Fails,
    /// The run conforms, and the contradiction is listed.
    Warns,
    /// The check is not executed.
    NotSelected,
}

impl fmt::Display for Profile {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Published => "published",
            Self::Reference => "reference",
        })
    }
}

/// A profile name that does not exist.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown profile {0:?}: use \"published\" or \"reference\"")]
pub struct UnknownProfile(String);

impl FromStr for Profile {
    type Err = UnknownProfile;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "published" => Ok(Self::Published),
            "reference" => Ok(Self::Reference),
            other => Err(UnknownProfile(other.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_decide_what_a_contradiction_counts_as() {
        let published = |level, strict| Profile::Published.severity(level, strict);
        assert_eq!(published(Level::Documented, false), Severity::Fails);
        assert_eq!(published(Level::Derived, false), Severity::Warns);
        assert_eq!(published(Level::Derived, true), Severity::Fails);
        assert_eq!(published(Level::Assumed, true), Severity::NotSelected);
        for level in [Level::Documented, Level::Derived, Level::Assumed] {
            assert_eq!(Profile::Reference.severity(level, false), Severity::Fails);
        }
    }
}
