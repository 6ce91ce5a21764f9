//! Responses of mutations.

use bytes::Bytes;

/// A response as it was made inside the transaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) body: Bytes,
}
