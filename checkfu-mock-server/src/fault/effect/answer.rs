//! Other answers than the server's own.

use serde::{Deserialize, Serialize};

/// Another answer than the server's own.
///
/// ```
/// use checkfu_mock_server::{Answer, RetryAfter};
///
/// let busy = Answer::new(429).retry_after(RetryAfter::Seconds(2));
/// let proxy = Answer::new(502).header("content-type", "text/html").body("<html>Bad gateway</html>");
/// # let _ = (busy, proxy);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// 200 to 999.
    pub status: u16,
    /// Its header fields; none is added but `request-id`, `retry-after` if wanted, and what HTTP itself needs.
    #[serde(default)]
    pub headers: Vec<(String, String)>,
    /// Its body.
    #[serde(default)]
    pub body: String,
    /// So many bytes more: the letter `x`, repeated. Default 0.
    #[serde(default)]
    pub fill: u64,
    /// What `retry-after` says.
    #[serde(default)]
    pub retry_after: Option<RetryAfter>,
    /// Announce so many bytes more than are sent, then close: a body that was cut off. Default 0.
    #[serde(default)]
    pub missing: u64,
    /// Whether the request is carried out before its answer is thrown away. Default false.
    #[serde(default)]
    pub run: bool,
}

impl Answer {
    /// An answer of this status, without a body.
    pub fn new(status: u16) -> Self {
        Self {
            status,
            ..Self::default()
        }
    }

    /// With one more header field.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// With this body.
    #[must_use]
    pub fn body(mut self, body: impl Into<String>) -> Self {
        self.body = body.into();
        self
    }

    /// With `retry-after`.
    #[must_use]
    pub fn retry_after(mut self, retry_after: RetryAfter) -> Self {
        self.retry_after = Some(retry_after);
        self
    }

    /// After the request was carried out: an acknowledgement that is lost.
    #[must_use]
    pub fn after_running(mut self) -> Self {
        self.run = true;
        self
    }
}

/// What `retry-after` says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RetryAfter {
    /// So many seconds.
    Seconds(u64),
    /// An HTTP date so many seconds from now; before now if negative.
    Date(i64),
    /// Whatever text is given, sense or not.
    Text(String),
}

/// The head of the answer is changed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Headers {
    /// Another status, 200 to 999.
    #[serde(default)]
    pub status: Option<u16>,
    /// Fields that are taken away, such as `content-type`.
    #[serde(default)]
    pub remove: Vec<String>,
    /// Fields that are set.
    #[serde(default)]
    pub set: Vec<(String, String)>,
    /// So many bytes of fields `x-fill-…` that mean nothing. Default 0.
    #[serde(default)]
    pub fill: u32,
}

/// The head of the request is changed before the server reads it, as a proxy in between might.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RequestHeaders {
    /// Fields that are taken away, such as `idempotency-key`.
    #[serde(default)]
    pub remove: Vec<String>,
    /// Fields that are set.
    #[serde(default)]
    pub set: Vec<(String, String)>,
}
