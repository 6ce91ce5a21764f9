//! Typed identifiers: a prefix that tells the kind and 32 lower-case hexadecimal digits (SES-2, A-ENV).

use std::fmt;
use std::marker::PhantomData;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};

/// Sixteen bytes that nobody else has; where they come from is the caller's business.
pub(crate) trait Entropy {
    /// The next sixteen bytes.
    fn next(&mut self) -> [u8; 16];
}

fn well_formed(prefix: &str, text: &str) -> bool {
    text.strip_prefix(prefix).is_some_and(|rest| {
        rest.len() == 32 && rest.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    })
}

/// What an identifier names, and the prefix that says so.
pub(crate) trait Kind {
    /// What every identifier of this kind starts with.
    const PREFIX: &'static str;
}

/// The identifier of one kind of thing.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[serde(transparent, bound = "")]
pub(crate) struct Id<K> {
    text: Box<str>,
    #[serde(skip)]
    kind: PhantomData<K>,
}

impl<K: Kind> Id<K> {
    /// What every identifier of this kind starts with.
    pub(crate) const PREFIX: &'static str = K::PREFIX;

    /// A fresh identifier.
    pub(crate) fn fresh(entropy: &mut dyn Entropy) -> Self {
        Self::from_number(u128::from_be_bytes(entropy.next()))
    }

    /// The identifier whose digits are this number.
    pub(crate) fn from_number(number: u128) -> Self {
        Self::of(format!("{}{number:032x}", K::PREFIX).into())
    }

    /// Accepts the text only if it has the prefix and 32 hexadecimal digits.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        well_formed(K::PREFIX, text).then(|| Self::of(text.into()))
    }

    /// The identifier as it stands on the wire.
    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    fn of(text: Box<str>) -> Self {
        Self {
            text,
            kind: PhantomData,
        }
    }
}

impl<'de, K: Kind> Deserialize<'de> for Id<K> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Box::<str>::deserialize(deserializer)?;
        if well_formed(K::PREFIX, &text) {
            return Ok(Self::of(text));
        }
        Err(D::Error::custom(format_args!(
            "{text:?} is no {} identifier",
            K::PREFIX
        )))
    }
}

impl<K> fmt::Display for Id<K> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

macro_rules! kinds {
    ($($(#[$meta:meta])* $name:ident = $kind:ident($prefix:literal),)+) => {
        $(
            $(#[$meta])*
            pub(crate) type $name = Id<kind::$kind>;
        )+

        /// The kinds, as types without values.
        pub(crate) mod kind {
            $(
                $(#[$meta])*
                #[derive(Debug, Clone, PartialEq, Eq, Hash)]
                pub(crate) enum $kind {}

                impl super::Kind for $kind {
                    const PREFIX: &'static str = $prefix;
                }
            )+
        }
    };
}

kinds! {
    /// A Session.
    SessionId = Session("sess_"),
    /// A thread of a Session.
    ThreadId = Thread("sthr_"),
    /// A Run.
    RunId = Run("run_"),
    /// An event, unique in the world.
    EventId = Event("evt_"),
    /// A Principal: who acts or writes.
    PrincipalId = Principal("prin_"),
    /// An AgentDeployment.
    DeploymentId = Deployment("adep_"),
    /// A Watch.
    WatchId = Watch("watch_"),
    /// An ActionApproval.
    ApprovalId = Approval("appr_"),
    /// A Question that an Agent asked.
    QuestionId = Question("qst_"),
    /// An Outcome that a grader judges.
    OutcomeId = Outcome("outc_"),
    /// A Workspace.
    WorkspaceId = Workspace("wksp_"),
}

/// The identifier of a tool call. Models choose them, so any text is one, and it is unique within its thread only.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct ToolUseId(Box<str>);

impl ToolUseId {
    pub(crate) fn new(text: impl Into<Box<str>>) -> Self {
        Self(text.into())
    }

    /// The identifier as it stands on the wire.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_prefix_with_32_lower_case_hexadecimal_digits_is_an_identifier() {
        let digits = "0123456789abcdef0123456789abcdef";
        assert!(RunId::parse(&format!("run_{digits}")).is_some());
        for bad in [
            "",
            "run_",
            "run_0123",
            &format!("sess_{digits}"),
            &format!("run_{}", digits.to_uppercase()),
        ] {
            assert!(RunId::parse(bad).is_none(), "{bad}");
        }
    }
}
