use std::future::Future;
use std::pin::Pin;

use crate::api_key::ApiKey;
use crate::error::KeyError;

/// What a [`KeyProvider`] answers with.
pub type KeyFuture<'p> = Pin<Box<dyn Future<Output = Result<ApiKey, KeyError>> + Send + 'p>>;

/// Where the API key comes from, if it changes while the client lives.
///
/// [`key`](Self::key) is asked before every request, retries and the reconnects of streams included, so a new key counts
/// from the next request on. The client keeps no key itself: a provider that has to fetch one keeps it, and answers from
/// memory until it runs out.
///
/// Where the server answers `401`, the client asks [`refresh`](Self::refresh) once and makes the request once more with
/// the key that it gives, a change too, under the same idempotency key: a request that was refused did nothing. The `401`
/// comes out if the key is the same, and if the new one is refused as well. Requests that are refused at the same time
/// share one refresh and what comes of it, a failure included.
///
/// Each of the two has [`Limits::first_byte`](crate::Limits::first_byte), 30 s by default. Where the caller gives up, the
/// future is dropped; another request that waits for the same refresh then asks for one of its own.
///
/// Every closure that gives a future of a key is a provider; its refresh asks it again.
///
/// ```
/// use checkfu_sdk::error::KeyError;
/// use checkfu_sdk::{ApiKey, Client};
///
/// let read = || async {
///     let key = std::fs::read_to_string("/run/secrets/checkfu").map_err(KeyError::temporary)?;
///     Ok(ApiKey::from(key.trim()))
/// };
/// let client = Client::builder().base_url("http://127.0.0.1:8080").key_provider(read).build()?;
/// # Ok::<(), checkfu_sdk::Error>(())
/// ```
pub trait KeyProvider: Send + Sync + 'static {
    /// The key for the next request.
    ///
    /// # Errors
    ///
    /// [`KeyError`] says whether the call is tried again; nothing is sent.
    ///
    /// # Cancel safety
    ///
    /// The future may be dropped at any point.
    fn key(&self) -> KeyFuture<'_>;

    /// A new key, after the server refused this one with `401`. [`key`](Self::key) has to give it from then on. Default:
    /// asks `key` again.
    ///
    /// # Errors
    ///
    /// [`KeyError`] takes the place of the `401`, and says whether the call is tried again.
    ///
    /// # Cancel safety
    ///
    /// The future may be dropped at any point.
    fn refresh<'p>(&'p self, refused: &'p ApiKey) -> KeyFuture<'p> {
        let _ = refused;
        self.key()
    }
}

impl<F, K> KeyProvider for F
where
    F: Fn() -> K + Send + Sync + 'static,
    K: Future<Output = Result<ApiKey, KeyError>> + Send + 'static,
{
    fn key(&self) -> KeyFuture<'_> {
        Box::pin(self())
    }
}
