use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use http::HeaderValue;
use tokio::sync::Mutex;

use super::key_provider::KeyProvider;
use crate::api_key::ApiKey;
use crate::error::{ConfigError, KeyError};

/// Where a client's keys come from.
pub(super) enum Keys {
    Fixed(Issued),
    Provided(Provided),
}

/// A key as it is sent with one request.
#[derive(Clone)]
pub(super) struct Issued {
    pub(super) key: ApiKey,
    pub(super) header: HeaderValue,
    /// How many refreshes there had been when it was asked for.
    refreshes: u64,
}

/// A provider, and its last refresh.
pub(super) struct Provided {
    provider: Arc<dyn KeyProvider>,
    refreshes: AtomicU64,
    /// Held while a refresh is under way, so that there is one at a time. One that is dropped lets go of it.
    last: Mutex<Option<Refresh>>,
}

struct Refresh {
    refused: ApiKey,
    outcome: Result<ApiKey, KeyError>,
}

impl Keys {
    pub(super) fn fixed(key: ApiKey) -> Result<Self, ConfigError> {
        let issued = Issued::new(key, 0).ok_or(ConfigError::InvalidApiKey)?;
        Ok(Self::Fixed(issued))
    }

    pub(super) fn provided(provider: Arc<dyn KeyProvider>) -> Self {
        Self::Provided(Provided {
            provider,
            refreshes: AtomicU64::new(0),
            last: Mutex::new(None),
        })
    }

    /// The key for the next request.
    pub(super) async fn current(&self) -> Result<Issued, KeyError> {
        match self {
            Self::Fixed(issued) => Ok(issued.clone()),
            Self::Provided(provided) => {
                let refreshes = provided.refreshes.load(Ordering::Acquire);
                Issued::provided(provided.provider.key().await?, refreshes)
            }
        }
    }

    /// The key to try again with after a `401`; `None` if there is no other.
    pub(super) async fn after_refusal(&self, refused: &Issued) -> Result<Option<Issued>, KeyError> {
        let Self::Provided(provided) = self else {
            return Ok(None);
        };
        let (key, refreshes) = provided.refreshed(refused).await?;
        if key == refused.key {
            return Ok(None);
        }
        Issued::provided(key, refreshes).map(Some)
    }
}

impl Provided {
    /// The key after the refresh that this refusal asks for: its own, or one that came to its end since the refused key
    /// was asked for.
    async fn refreshed(&self, refused: &Issued) -> Result<(ApiKey, u64), KeyError> {
        let mut last = self.last.lock().await;
        let refreshes = self.refreshes.load(Ordering::Acquire);
        if let Some(last) = last.as_ref().filter(|_| refreshes > refused.refreshes) {
            let is_news = last.outcome.as_ref().is_ok_and(|key| *key != refused.key);
            if is_news || last.refused == refused.key {
                return last.outcome.clone().map(|key| (key, refreshes));
            }
        }
        let outcome = self.provider.refresh(&refused.key).await;
        *last = Some(Refresh {
            refused: refused.key.clone(),
            outcome: outcome.clone(),
        });
        self.refreshes.store(refreshes + 1, Ordering::Release);
        outcome.map(|key| (key, refreshes + 1))
    }
}

impl Issued {
    fn new(key: ApiKey, refreshes: u64) -> Option<Self> {
        let header = key.header()?;
        Some(Self {
            key,
            header,
            refreshes,
        })
    }

    fn provided(key: ApiKey, refreshes: u64) -> Result<Self, KeyError> {
        Self::new(key, refreshes).ok_or_else(|| KeyError::permanent(ConfigError::InvalidApiKey))
    }
}

impl fmt::Debug for Keys {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Keys")
    }
}
