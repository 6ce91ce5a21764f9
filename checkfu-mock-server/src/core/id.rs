//! Typed identifiers: a prefix that tells the kind and 32 lower-case hexadecimal digits (SES-2, A-ENV).

use serde::{Deserialize, Serialize};

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

macro_rules! identifier {
    ($(#[$meta:meta])* $name:ident, $prefix:literal) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub(crate) struct $name(Box<str>);

        impl $name {
            /// What every identifier of this kind starts with.
            pub(crate) const PREFIX: &'static str = $prefix;

            /// A fresh identifier.
            #[allow(dead_code)]
            pub(crate) fn fresh(entropy: &mut dyn Entropy) -> Self {
                Self::from_number(u128::from_be_bytes(entropy.next()))
            }

            /// The identifier whose digits are this number.
            #[allow(dead_code)]
            pub(crate) fn from_number(number: u128) -> Self {
                Self(format!("{}{number:032x}", Self::PREFIX).into())
            }

            /// Accepts the text only if it has the prefix and 32 hexadecimal digits.
            #[allow(dead_code)]
            pub(crate) fn parse(text: &str) -> Option<Self> {
                well_formed(Self::PREFIX, text).then(|| Self(text.into()))
            }

            /// The identifier as it stands on the wire.
            #[allow(dead_code)]
            pub(crate) fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str(&self.0)
            }
        }
    };
}

identifier!(
    /// A Session.
    SessionId, "sess_"
);
identifier!(
    /// A thread of a Session.
    ThreadId, "sthr_"
);
identifier!(
    /// A Run.
    RunId, "run_"
);
identifier!(
    /// An event, unique in the world.
    EventId, "evt_"
);
identifier!(
    /// A Principal: who acts or writes.
    PrincipalId, "prin_"
);
identifier!(
    /// An AgentDeployment.
    DeploymentId, "adep_"
);
identifier!(
    /// A Watch.
    WatchId, "watch_"
);
identifier!(
    /// A Workspace.
    WorkspaceId, "wksp_"
);

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
