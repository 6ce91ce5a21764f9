use std::fmt;

use http::HeaderValue;

use crate::error::ConfigError;

const LONGEST: usize = 255;

/// Names one logical call, so that a repeated request has its effect once (`A-IDEM`).
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct IdempotencyKey(HeaderValue);

impl IdempotencyKey {
    /// The caller's own key, or a new one where there is none.
    pub(crate) fn own_or_random(own: Option<&str>) -> Result<Self, ConfigError> {
        own.map_or_else(Self::random, Self::given)
    }

    /// A new key of 128 random bits.
    pub(crate) fn random() -> Result<Self, ConfigError> {
        let mut bytes = [0_u8; 16];
        getrandom::fill(&mut bytes).map_err(|error| ConfigError::Random {
            source: error.to_string().into(),
        })?;
        Self::given(&format!("{:032x}", u128::from_be_bytes(bytes)))
    }

    /// The caller's own key: 1 to 255 visible ASCII characters.
    fn given(key: &str) -> Result<Self, ConfigError> {
        let invalid = |reason| ConfigError::InvalidValue {
            name: "idempotency key",
            reason,
        };
        if key.is_empty() || key.len() > LONGEST {
            return Err(invalid("must have 1 to 255 characters"));
        }
        let visible = key.bytes().all(|byte| byte.is_ascii_graphic());
        let header = HeaderValue::from_str(key).ok().filter(|_| visible);
        header
            .map(Self)
            .ok_or_else(|| invalid("must be visible ASCII characters, without spaces"))
    }

    pub(crate) fn header(&self) -> HeaderValue {
        self.0.clone()
    }
}

impl fmt::Debug for IdempotencyKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, formatter)
    }
}
