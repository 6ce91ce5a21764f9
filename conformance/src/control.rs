use crate::secret::{InvalidSecret, Secret};

/// The control side of a server that has one, as the reference server does: it restarts, lets time pass and trims logs.
#[derive(Debug, Clone)]
pub struct Control {
    pub(crate) url: String,
    pub(crate) token: Secret,
}

/// A control side that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidControl {
    /// The origin does not parse.
    #[error(
        "control url {0:?} is not usable: give an absolute http or https URL such as http://127.0.0.1:8081"
    )]
    Url(String),
    /// The token cannot be sent.
    #[error("control token: {0}")]
    Token(#[from] InvalidSecret),
}

impl Control {
    /// The control listener at `url`, opened by `token`.
    ///
    /// # Errors
    /// [`InvalidControl`] for a URL that is not absolute http(s), and for a token that no header can carry.
    ///
    /// ```
    /// use checkfu_conformance::Control;
    /// assert!(Control::new("http://127.0.0.1:8081", "open-sesame").is_ok());
    /// assert!(Control::new("8081", "open-sesame").is_err());
    /// ```
    pub fn new(url: &str, token: &str) -> Result<Self, InvalidControl> {
        let refused = || InvalidControl::Url(url.to_owned());
        let parsed = reqwest::Url::parse(url).map_err(|_| refused())?;
        let plain = parsed.username().is_empty() && parsed.password().is_none();
        if !plain || !matches!(parsed.scheme(), "http" | "https") {
            return Err(refused());
        }
        Ok(Self {
            url: parsed.as_str().trim_end_matches('/').to_owned(),
            token: Secret::new(token)?,
        })
    }
}
