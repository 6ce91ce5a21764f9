use std::fmt;
use std::sync::Arc;

use http::HeaderValue;

/// An API key. Its `Debug` and the header made from it show nothing of it.
///
/// ```
/// use checkfu_sdk::ApiKey;
///
/// let key = ApiKey::from("secret");
/// assert_eq!(format!("{key:?}"), "ApiKey");
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey(Arc<str>);

impl ApiKey {
    /// The `Authorization` header, marked sensitive; `None` if the key has bytes that no header may carry.
    pub(crate) fn header(&self) -> Option<HeaderValue> {
        if self.0.trim().is_empty() || self.0.trim() != &*self.0 {
            return None;
        }
        let mut value = HeaderValue::from_str(&format!("Bearer {}", self.0)).ok()?;
        value.set_sensitive(true);
        Some(value)
    }

    /// The key itself.
    pub(crate) fn secret(&self) -> &str {
        &self.0
    }
}

impl From<&str> for ApiKey {
    fn from(key: &str) -> Self {
        Self(key.into())
    }
}

impl From<String> for ApiKey {
    fn from(key: String) -> Self {
        Self(key.into())
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("ApiKey")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// WIRE-1: the key travels as a bearer token, marked so that nothing prints or indexes it.
    #[test]
    fn the_header_is_marked_sensitive() {
        let header = ApiKey::from("secret").header().unwrap();
        assert_eq!(header, "Bearer secret");
        assert!(header.is_sensitive() && !format!("{header:?}").contains("secret"));
    }
}
