use std::error::Error as StdError;
use std::fmt;
use std::sync::Arc;

use super::attempts::{Attempts, write_suffix};

/// The [`KeyProvider`](crate::client::KeyProvider) gave no key that can be sent.
///
/// The provider says whether that may pass: a temporary failure is tried again like one of the transport, a permanent
/// one comes back at once. What it gives as the source is shown as it is, so it must hold no secret.
///
/// ```
/// use checkfu_sdk::error::KeyError;
///
/// assert!(KeyError::temporary("the vault is sealed").is_retryable());
/// assert!(!KeyError::permanent("this program has no role in the vault").is_retryable());
/// ```
#[derive(Debug, Clone)]
pub struct KeyError {
    is_retryable: bool,
    source: Arc<dyn StdError + Send + Sync>,
    attempts: Option<Attempts>,
}

impl KeyError {
    /// A failure that may pass by itself.
    pub fn temporary(source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        Self::new(true, source.into())
    }

    /// A failure that needs a fix.
    pub fn permanent(source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        Self::new(false, source.into())
    }

    fn new(is_retryable: bool, source: Box<dyn StdError + Send + Sync>) -> Self {
        Self {
            is_retryable,
            source: source.into(),
            attempts: None,
        }
    }

    /// Whether the same call could succeed later, as the provider says (`WIRE-7`). True also where the provider took
    /// longer than the limit on the first byte.
    pub fn is_retryable(&self) -> bool {
        self.is_retryable
    }

    /// How the call was tried. An attempt that ended here sent nothing, or was refused with `401` before.
    pub fn attempts(&self) -> Option<Attempts> {
        self.attempts
    }

    pub(crate) fn set_attempts(&mut self, attempts: Attempts) {
        self.attempts = Some(attempts);
    }
}

impl fmt::Display for KeyError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the key provider gave no key")?;
        write_suffix(self.attempts.as_ref(), formatter)
    }
}

impl StdError for KeyError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        Some(&*self.source)
    }
}
