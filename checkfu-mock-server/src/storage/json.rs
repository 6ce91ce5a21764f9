//! Stored JSON that goes on the wire as it is.

use serde::de::IgnoredAny;

use super::error::StorageError;

/// That it is JSON: what a damaged disk made of it is not passed on.
pub(super) fn check(text: &[u8]) -> Result<(), StorageError> {
    serde_json::from_slice::<IgnoredAny>(text)?;
    Ok(())
}
