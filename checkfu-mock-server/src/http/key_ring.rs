//! Keys, as hashes.

use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::core::id::WorkspaceId;

/// The keys that open this server, as hashes, and the Workspace that they open.
#[derive(Debug)]
pub(crate) struct KeyRing {
    hash: [u8; 32],
    workspace: WorkspaceId,
}

impl KeyRing {
    pub(crate) fn new(key: &str, workspace: WorkspaceId) -> Self {
        Self {
            hash: Sha256::digest(key.as_bytes()).into(),
            workspace,
        }
    }

    /// Compares in a time that does not depend on the keys.
    pub(super) fn opens(&self, presented: &[u8]) -> bool {
        let presented: [u8; 32] = Sha256::digest(presented).into();
        self.hash.ct_eq(&presented).into()
    }

    /// The Workspace behind the keys.
    pub(super) fn workspace(&self) -> &WorkspaceId {
        &self.workspace
    }
}
