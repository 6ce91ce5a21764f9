//! Keys, as hashes.

use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::core::id::WorkspaceId;

/// A key as its hash.
#[derive(Debug, Clone)]
pub(crate) struct KeyHash([u8; 32]);

impl KeyHash {
    pub(crate) fn of(key: &str) -> Self {
        Self(Sha256::digest(key.as_bytes()).into())
    }

    /// Compares in a time that does not depend on the keys.
    pub(crate) fn opens(&self, presented: &[u8]) -> bool {
        let presented: [u8; 32] = Sha256::digest(presented).into();
        self.0.ct_eq(&presented).into()
    }
}

/// The key that opens this server, and the Workspace that it opens.
#[derive(Debug)]
pub(crate) struct KeyRing {
    key: KeyHash,
    workspace: WorkspaceId,
}

impl KeyRing {
    pub(crate) fn new(key: &str, workspace: WorkspaceId) -> Self {
        Self {
            key: KeyHash::of(key),
            workspace,
        }
    }

    pub(super) fn opens(&self, presented: &[u8]) -> bool {
        self.key.opens(presented)
    }

    /// The Workspace behind the keys.
    pub(super) fn workspace(&self) -> &WorkspaceId {
        &self.workspace
    }
}
