use std::fmt;

use http::HeaderValue;

/// An API key. Its `Debug` and the header made from it show nothing of it.
///
/// ```
/// use checkfu_sdk::ApiKey;
///
/// let key = ApiKey::from("secret");
/// assert_eq!(format!("{key:?}"), "ApiKey");
/// ```
#[derive(Clone)]
pub struct ApiKey(Box<str>);

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

    /// `text` without the key, for a server that repeats it.
    pub(crate) fn redact(&self, text: String) -> String {
        if text.contains(&*self.0) {
            text.replace(&*self.0, "[key removed]")
        } else {
            text
        }
    }
}

impl From<&str> for ApiKey {
    fn from(key: &str) -> Self {
        Self(key.into())
    }
}

impl From<String> for ApiKey {
    fn from(key: String) -> Self {
        Self(key.into_boxed_str())
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("ApiKey")
    }
}
