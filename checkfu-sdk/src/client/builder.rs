mod network;

use std::fmt;
use std::sync::Arc;

use super::handle::{Client, Shared};
use super::key_provider::KeyProvider;
use super::keys::Keys;
use super::limits::Limits;
use super::observer::Observer;
use super::trace_parent::TraceParent;
use super::transport::{Setup, TlsSettings, Transport};
use crate::api_key::ApiKey;
use crate::clock::{Clock, TokioClock};
use crate::error::{ConfigError, Error};
use crate::model::WorkspaceId;
use crate::retry::{ReconnectPolicy, RetryPolicy};

const BASE_URL: &str = "https://api.checkfu.com";
const API_KEY_VARIABLE: &str = "CHECKFU_API_KEY";
const BASE_URL_VARIABLE: &str = "CHECKFU_BASE_URL";
const WORKSPACE_VARIABLE: &str = "CHECKFU_WORKSPACE_ID";

/// Sets up a [`Client`].
///
/// ```
/// use std::time::Duration;
/// use checkfu_sdk::retry::RetryPolicy;
/// use checkfu_sdk::{Client, Limits};
///
/// let client = Client::builder()
///     .base_url("http://127.0.0.1:8080")
///     .api_key("key")
///     .limits(Limits::default().total(Duration::from_secs(30)))
///     .retry_policy(RetryPolicy::default().max_attempts(5))
///     .build()?;
/// # Ok::<(), checkfu_sdk::Error>(())
/// ```
#[must_use = "a builder does nothing until `build` is called"]
pub struct ClientBuilder {
    base_url: String,
    key: Option<Key>,
    workspace: Option<WorkspaceId>,
    user_agent: Option<String>,
    traceparent: Option<TraceParent>,
    headers: Vec<(String, String)>,
    proxy: Option<String>,
    root_certificates: Vec<Vec<u8>>,
    client_certificate: Option<(Vec<u8>, Vec<u8>)>,
    clock: Arc<dyn Clock>,
    limits: Limits,
    retry: RetryPolicy,
    reconnect: ReconnectPolicy,
    observer: Option<Arc<dyn Observer>>,
}

enum Key {
    Fixed(ApiKey),
    Provided(Arc<dyn KeyProvider>),
}

impl Client {
    /// A builder for a client of `https://api.checkfu.com` (`WIRE-8`).
    pub fn builder() -> ClientBuilder {
        ClientBuilder {
            base_url: BASE_URL.to_owned(),
            key: None,
            workspace: None,
            user_agent: None,
            traceparent: None,
            headers: Vec::new(),
            proxy: None,
            root_certificates: Vec::new(),
            client_certificate: None,
            clock: Arc::new(TokioClock),
            limits: Limits::default(),
            retry: RetryPolicy::default(),
            reconnect: ReconnectPolicy::default(),
            observer: None,
        }
    }

    /// A client from the variables `CHECKFU_API_KEY`, `CHECKFU_BASE_URL` (default `https://api.checkfu.com`) and
    /// `CHECKFU_WORKSPACE_ID` (optional).
    ///
    /// # Errors
    ///
    /// [`Error::Config`] if the key is missing or a variable is unusable.
    pub fn from_env() -> Result<Self, Error> {
        Self::builder().environment()?.build()
    }
}

impl ClientBuilder {
    /// Takes what the variables of [`Client::from_env`] say; an absent or empty one changes nothing.
    ///
    /// # Errors
    ///
    /// [`Error::Config`] if a variable is not valid Unicode.
    pub fn environment(mut self) -> Result<Self, Error> {
        if let Some(key) = variable(API_KEY_VARIABLE)? {
            self = self.api_key(key);
        }
        if let Some(url) = variable(BASE_URL_VARIABLE)? {
            self = self.base_url(url);
        }
        if let Some(workspace) = variable(WORKSPACE_VARIABLE)? {
            self = self.workspace(workspace);
        }
        Ok(self)
    }

    /// Where the API is. Default: `https://api.checkfu.com`. A path in it is kept as a prefix.
    pub fn base_url(mut self, url: impl Into<String>) -> Self {
        self.base_url = url.into();
        self
    }

    /// The key, sent as `Authorization: Bearer …` to the base URL's origin and nowhere else (`WIRE-1`).
    pub fn api_key(mut self, key: impl Into<ApiKey>) -> Self {
        self.key = Some(Key::Fixed(key.into()));
        self
    }

    /// Where the key comes from, if it changes while the client lives: in place of [`api_key`](Self::api_key), and of the
    /// variable `CHECKFU_API_KEY`. Of the two the last call counts.
    pub fn key_provider(mut self, provider: impl KeyProvider) -> Self {
        self.key = Some(Key::Provided(Arc::new(provider)));
        self
    }

    /// The workspace to act in, sent as `Checkfu-Workspace` (`A-VER`). Default: none is sent.
    pub fn workspace(mut self, workspace: impl Into<WorkspaceId>) -> Self {
        self.workspace = Some(workspace.into());
        self
    }

    /// How long calls may take and how much they may hold.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// How calls are tried again.
    pub fn retry_policy(mut self, policy: RetryPolicy) -> Self {
        self.retry = policy;
        self
    }

    /// How streams are opened again.
    pub fn reconnect_policy(mut self, policy: ReconnectPolicy) -> Self {
        self.reconnect = policy;
        self
    }

    /// Who is told of the changes in every stream.
    pub fn observer(mut self, observer: impl Observer) -> Self {
        self.observer = Some(Arc::new(observer));
        self
    }

    /// The clock that every timer asks. Default: [`TokioClock`].
    pub fn clock(mut self, clock: impl Clock) -> Self {
        self.clock = Arc::new(clock);
        self
    }

    /// Builds the client. No request is sent.
    ///
    /// # Errors
    ///
    /// [`Error::Config`] if there is no key, the base URL or another setting is unusable, or TLS is asked for and cannot
    /// be had. It names the setting and never repeats a secret.
    pub fn build(self) -> Result<Client, Error> {
        let keys = match self.key.ok_or(ConfigError::MissingApiKey)? {
            Key::Fixed(key) => Keys::fixed(key)?,
            Key::Provided(provider) => Keys::provided(provider),
        };
        let certificate = self.client_certificate.as_ref();
        let transport = Transport::new(Setup {
            base_url: &self.base_url,
            workspace: self.workspace.as_ref().map(WorkspaceId::as_str),
            user_agent: self.user_agent.as_deref(),
            headers: &self.headers,
            proxy: self.proxy.as_deref(),
            tls: TlsSettings {
                root_certificates: &self.root_certificates,
                client_certificate: certificate.map(|(certificate, key)| (&**certificate, &**key)),
            },
            connect: self.limits.connect,
        })?;
        Ok(Client::from_shared(Shared {
            keys,
            transport,
            traceparent: self.traceparent,
            clock: self.clock,
            limits: self.limits,
            retry: self.retry,
            reconnect: self.reconnect,
            observer: self.observer,
        }))
    }
}

fn variable(name: &'static str) -> Result<Option<String>, ConfigError> {
    let Some(value) = std::env::var_os(name) else {
        return Ok(None);
    };
    let value = value
        .into_string()
        .map_err(|_| ConfigError::Environment { name })?;
    Ok(Some(value).filter(|value| !value.is_empty()))
}

impl fmt::Debug for ClientBuilder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("ClientBuilder").finish_non_exhaustive()
    }
}
