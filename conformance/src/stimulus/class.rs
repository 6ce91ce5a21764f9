use std::{fmt, str::FromStr};

use serde::Serialize;

/// What a check makes a server do, least first; a run may forbid the higher ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Stimulus {
    /// Only reads, of Sessions that the operator names. Without such a Session the suite makes one, which is more.
    Read,
    /// Input that the server has to take and keep, for which no Agent has to work.
    Create,
    /// Input on which an Agent has to work, which costs money and time.
    #[default]
    Work,
    /// What nobody but the control side of a server can do to it: restart it, let time pass, trim its logs.
    Control,
}

impl Stimulus {
    /// Every class, least first.
    pub const ALL: [Self; 4] = [Self::Read, Self::Create, Self::Work, Self::Control];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Create => "create",
            Self::Work => "work",
            Self::Control => "control",
        }
    }

    /// What a run of this class may send.
    pub fn allows(self) -> &'static str {
        match self {
            Self::Read => "nothing but reads",
            Self::Create => "reads, and input that needs no work of an Agent",
            Self::Work => "all that the checks need, work of Agents included",
            Self::Control => "all that the checks need, and what the control side can do",
        }
    }

    /// What a check of this class does, as the end of "it …".
    pub fn does(self) -> &'static str {
        match self {
            Self::Read => "only reads, given Sessions to read",
            Self::Create => "creates and appends, and needs no work of an Agent",
            Self::Work => "needs the work of an Agent",
            Self::Control => "needs the control side of the server (--control)",
        }
    }
}

impl fmt::Display for Stimulus {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// A name that is no class of stimulus.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown stimulus {0:?}: use \"read\", \"create\", \"work\" or \"control\"")]
pub struct UnknownStimulus(String);

impl FromStr for Stimulus {
    type Err = UnknownStimulus;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|class| class.name() == text);
        found.ok_or_else(|| UnknownStimulus(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_ordered_and_read_by_their_names() {
        assert!(Stimulus::ALL.is_sorted());
        for class in Stimulus::ALL {
            assert_eq!(class.name().parse(), Ok(class));
        }
        let error = "none".parse::<Stimulus>().unwrap_err().to_string();
        assert!(error.contains("\"work\" or \"control\""), "{error}");
    }
}
