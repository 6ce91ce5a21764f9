use std::{fmt, str::FromStr};

use serde::Serialize;

/// The parts of the API that a deployment may leave off, by the names that it lists them under. The list is closed: it
/// grows with the suite.
pub(crate) const CAPABILITIES: [&str; 13] = [
    "threads",
    "interrupts",
    "waits",
    "outcomes",
    "previews",
    "forks",
    "diffs",
    "checkpoints",
    "watches",
    "project_mounts",
    "memory_mounts",
    "skills",
    "prompt_integrity",
];

/// What the operator says of a capability.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Claim {
    /// The server has it: a refusal is a failure.
    On,
    /// The server does not have it: its checks do not apply.
    Off,
    /// What the server says counts.
    #[default]
    Auto,
}

/// A word that is no claim.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown claim {0:?}: use \"on\", \"off\" or \"auto\"")]
pub struct UnknownClaim(String);

/// A name that is no capability.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown capability {0:?}: use one of {known}", known = CAPABILITIES.join(", "))]
pub struct UnknownCapability(pub(crate) String);

/// What is known of one capability at the end of a run, and from where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct CapabilityReport {
    /// The name that it is listed under.
    pub id: &'static str,
    /// What the operator said.
    pub claim: Claim,
    /// Whether the server lists it as enabled; none where it does not list it, or was not asked.
    pub advertised: Option<bool>,
    /// How requests for it were answered.
    pub probe: Probe,
    /// What follows.
    pub result: Offer,
    /// Why, for people.
    pub reason: String,
}

/// How requests for a capability were answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Probe {
    /// The server did what was asked.
    Works,
    /// Refused as a disabled capability is, `403 capability.disabled`.
    Refused,
    /// Refused by another 403: the key may not.
    Forbidden,
    /// Anything that says neither, such as a 5xx or a web page.
    Unclear,
    /// Nothing was asked: the suite has no request for it, or the run did not allow or come to one.
    NotProbed,
}

/// What a run takes a capability for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Offer {
    /// It is there, and its checks are run.
    On,
    /// It is not there, and its checks do not apply.
    Off,
    /// Claimed to be off, and there.
    Undeclared,
    /// Claimed or listed as on, and refused: a check fails.
    Contradicted,
    /// Nothing says; its checks are run.
    Unknown,
}

impl CapabilityReport {
    /// Weighs what was said and seen.
    pub(crate) fn weigh(id: &'static str, claim: Claim, advertised: Option<bool>, probe: Probe) -> Self {
        let (result, reason) = match (claim, advertised, probe) {
            (Claim::On, _, Probe::Refused) => (Offer::Contradicted, "claimed on, and refused"),
            (Claim::On, Some(false), _) => (Offer::Contradicted, "claimed on, and listed as disabled"),
            (Claim::On, _, Probe::Works) => (Offer::On, "claimed on, and it works"),
            (Claim::On, ..) => (Offer::On, "claimed on"),
            (Claim::Off, _, Probe::Works) => (Offer::Undeclared, "claimed off, and it works"),
            (Claim::Off, Some(true), _) => (Offer::Undeclared, "claimed off, and listed as enabled"),
            (Claim::Off, ..) => (Offer::Off, "claimed off"),
            (Claim::Auto, Some(true), Probe::Refused) => {
                (Offer::Contradicted, "listed as enabled, and refused")
            }
            (Claim::Auto, Some(false), _) => (Offer::Off, "listed as disabled"),
            (Claim::Auto, None, Probe::Refused) => (Offer::Off, "refused as a disabled capability is"),
            (Claim::Auto, Some(true), Probe::Works) => (Offer::On, "listed as enabled, and it works"),
            (Claim::Auto, Some(true), _) => (Offer::On, "listed as enabled"),
            (Claim::Auto, None, Probe::Works) => (Offer::On, "it works"),
            (Claim::Auto, None, Probe::Forbidden) => (Offer::Unknown, "the key may not use it"),
            (Claim::Auto, None, Probe::Unclear) => (Offer::Unknown, "neither listed nor answered clearly"),
            (Claim::Auto, None, Probe::NotProbed) => (
                Offer::Unknown,
                "no list that has it was read, and it was not asked for",
            ),
        };
        Self {
            id,
            claim,
            advertised,
            probe,
            result,
            reason: reason.to_owned(),
        }
    }
}

impl Claim {
    /// The word on the command line.
    pub fn word(self) -> &'static str {
        match self {
            Self::On => "on",
            Self::Off => "off",
            Self::Auto => "auto",
        }
    }
}

impl Probe {
    /// The words used in tables.
    pub fn word(self) -> &'static str {
        match self {
            Self::Works => "works",
            Self::Refused => "refused",
            Self::Forbidden => "forbidden",
            Self::Unclear => "unclear",
            Self::NotProbed => "not probed",
        }
    }
}

impl Offer {
    /// The word used in tables.
    pub fn word(self) -> &'static str {
        match self {
            Self::On => "on",
            Self::Off => "off",
            Self::Undeclared => "undeclared",
            Self::Contradicted => "CONTRADICTED",
            Self::Unknown => "unknown",
        }
    }
}

impl fmt::Display for Claim {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.word())
    }
}

impl FromStr for Claim {
    type Err = UnknownClaim;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "on" => Ok(Self::On),
            "off" => Ok(Self::Off),
            "auto" => Ok(Self::Auto),
            other => Err(UnknownClaim(other.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_documented_refusal_or_a_word_makes_a_capability_off() {
        let result =
            |claim, advertised, probe| CapabilityReport::weigh("forks", claim, advertised, probe).result;
        for (claim, advertised, probe, expected) in [
            (Claim::On, None, Probe::Works, Offer::On),
            (Claim::On, Some(true), Probe::Refused, Offer::Contradicted),
            (Claim::On, Some(false), Probe::NotProbed, Offer::Contradicted),
            (Claim::Auto, None, Probe::Refused, Offer::Off),
            (Claim::Auto, Some(false), Probe::Works, Offer::Off),
            (Claim::Auto, Some(true), Probe::Refused, Offer::Contradicted),
            (Claim::Off, None, Probe::Works, Offer::Undeclared),
            (Claim::Off, Some(true), Probe::NotProbed, Offer::Undeclared),
            (Claim::Off, None, Probe::Refused, Offer::Off),
        ] {
            assert_eq!(
                result(claim, advertised, probe),
                expected,
                "{claim} {advertised:?} {probe:?}"
            );
        }
        for unclear in [Probe::Unclear, Probe::Forbidden, Probe::NotProbed] {
            assert_ne!(result(Claim::Auto, None, unclear), Offer::Off);
            assert_ne!(result(Claim::On, None, unclear), Offer::Contradicted);
        }
    }

    #[test]
    fn claims_are_read_by_their_words() {
        for claim in [Claim::On, Claim::Off, Claim::Auto] {
            assert_eq!(claim.word().parse(), Ok(claim));
        }
        assert!(
            "yes"
                .parse::<Claim>()
                .unwrap_err()
                .to_string()
                .contains("\"auto\"")
        );
    }
}
