//! Idempotency keys on their way in (A-IDEM).

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use axum::http::{HeaderMap, Method};

use crate::core::id::WorkspaceId;
use crate::storage::idempotency::RecordKey;
use crate::wire::error::{ApiError, Code};

/// The longest key.
const MAX_KEY_BYTES: usize = 255;

/// Keys whose first call has not been answered yet.
#[derive(Debug, Clone, Default)]
pub(crate) struct InFlight {
    keys: Arc<Mutex<HashSet<(String, String)>>>,
}

/// Holds a key while its call is carried out.
#[derive(Debug)]
pub(crate) struct Holding {
    in_flight: InFlight,
    key: (String, String),
}

impl InFlight {
    /// Takes the key, or refuses because another call with it is being carried out.
    pub(crate) fn hold(&self, key: &RecordKey) -> Result<Holding, ApiError> {
        let key = (key.scope.clone(), key.key.clone());
        if self
            .keys
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(key.clone())
        {
            return Ok(Holding {
                in_flight: self.clone(),
                key,
            });
        }
        Err(ApiError::new(
            Code::KeyInProgress,
            "a call with this idempotency key is in progress; send it again after Retry-After",
        )
        .with_param("Idempotency-Key"))
    }
}

impl Drop for Holding {
    fn drop(&mut self) {
        self.in_flight
            .keys
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(&self.key);
    }
}

/// The key of a call, in its scope of Workspace, method and path.
pub(crate) fn record_key(
    headers: &HeaderMap,
    workspace: &WorkspaceId,
    method: &Method,
    path: &str,
    body_hash: [u8; 32],
) -> Result<Option<RecordKey>, ApiError> {
    let mut values = headers.get_all("idempotency-key").iter();
    let Some(value) = values.next() else {
        return Ok(None);
    };
    let key = value
        .to_str()
        .ok()
        .filter(|key| !key.is_empty() && key.len() <= MAX_KEY_BYTES && !key.contains('\t'));
    match (key, values.next()) {
        (Some(key), None) => Ok(Some(RecordKey {
            scope: format!("{workspace} {method} {path}"),
            key: key.to_owned(),
            body_hash,
        })),
        _ => Err(ApiError::new(
            Code::InvalidParameter,
            format!("Idempotency-Key must be one value of 1 to {MAX_KEY_BYTES} printable ASCII characters"),
        )
        .with_param("Idempotency-Key")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A-IDEM: while a call is carried out, another with its key is told when to come back; then the key is free.
    #[test]
    fn a_key_is_held_by_one_call_at_a_time() {
        let key = |scope: &str| RecordKey {
            scope: scope.to_owned(),
            key: "k".to_owned(),
            body_hash: [0; 32],
        };
        let in_flight = InFlight::default();
        let holding = in_flight.hold(&key("a")).unwrap();
        let refused = in_flight.hold(&key("a")).unwrap_err();
        assert_eq!(
            (refused.code, refused.retry_after()),
            (Code::KeyInProgress, Some(1))
        );
        assert!(in_flight.hold(&key("b")).is_ok());
        drop(holding);
        assert!(in_flight.hold(&key("a")).is_ok());
    }
}
