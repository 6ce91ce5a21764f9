use std::error::Error as StdError;

/// A client or a call that was set up wrongly. Nothing was sent.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// No API key was given.
    #[error("no API key: set it with `ClientBuilder::api_key` or in the variable CHECKFU_API_KEY")]
    MissingApiKey,
    /// The API key cannot stand in a header.
    #[error("the API key is empty or holds spaces or bytes that a header cannot carry")]
    InvalidApiKey,
    /// The base URL is none that requests can go to.
    #[error("base URL: {reason}")]
    InvalidBaseUrl {
        /// What is wrong, and what to write instead.
        reason: &'static str,
    },
    /// The proxy is none that requests can go through. The URL may hold a password, so it is not repeated.
    #[error("proxy: {reason}")]
    InvalidProxy {
        /// What is wrong, and what to write instead.
        reason: &'static str,
    },
    /// The base URL is https or a certificate was given, and the crate was built without TLS.
    #[error("TLS is asked for, but neither the feature `rustls` nor `native-tls` is on: switch one on")]
    TlsNotBuilt,
    /// TLS could not be set up on this machine, for want of any CA certificate for one.
    #[error("TLS cannot be set up on this machine")]
    Tls {
        /// The TLS library's reason.
        source: Box<dyn StdError + Send + Sync>,
    },
    /// The HTTP client could not be set up.
    #[error("the HTTP client cannot be set up")]
    HttpClient {
        /// The library's reason.
        source: Box<dyn StdError + Send + Sync>,
    },
    /// An environment variable is set to something unusable.
    #[error("the variable {name} is not valid Unicode")]
    Environment {
        /// The variable.
        name: &'static str,
    },
    /// A value given by the caller cannot be sent.
    #[error("{name} {reason}")]
    InvalidValue {
        /// The value, by its name in the API.
        name: &'static str,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A header given by the caller cannot be sent. Its value may be a secret, so it is not repeated.
    #[error("header {name}: {reason}")]
    InvalidHeader {
        /// The header.
        name: String,
        /// What is wrong, and what to do instead.
        reason: &'static str,
    },
    /// A body could not be written as JSON.
    #[error("the request body cannot be written as JSON")]
    Body {
        /// The encoder's reason.
        source: serde_json::Error,
    },
    /// Two settings contradict each other, or one is out of range.
    #[error("{name}: {reason}")]
    InvalidSetting {
        /// The setting.
        name: &'static str,
        /// What is wrong, and what is allowed.
        reason: &'static str,
    },
    /// The system's source of random numbers failed.
    #[error("no random bytes for an idempotency key")]
    Random {
        /// The system's reason.
        source: Box<dyn StdError + Send + Sync>,
    },
}
