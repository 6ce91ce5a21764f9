use std::time::Duration;

use http::HeaderMap;
use reqwest::redirect;

use super::connections::{ANSWER_WINDOW, CONNECTION_WINDOW};
use super::tls::Tls;

/// What every client of the HTTP library is made from.
#[derive(Clone)]
pub(super) struct HttpClient {
    pub(super) headers: HeaderMap,
    pub(super) proxy: Option<reqwest::Proxy>,
    /// Without a proxy of its own it asks the environment for one, unless this is false.
    pub(super) may_use_a_proxy: bool,
    pub(super) tls: Tls,
    pub(super) scheme: String,
    pub(super) connect: Duration,
}

impl HttpClient {
    pub(super) fn make(&self) -> reqwest::Result<reqwest::Client> {
        let builder = reqwest::Client::builder()
            .default_headers(self.headers.clone())
            .redirect(redirect::Policy::none())
            .retry(reqwest::retry::never())
            .connect_timeout(self.connect)
            .http2_initial_stream_window_size(ANSWER_WINDOW)
            .http2_initial_connection_window_size(CONNECTION_WINDOW);
        let builder = match &self.proxy {
            Some(proxy) => builder.proxy(proxy.clone()),
            None if !self.may_use_a_proxy => builder.no_proxy(),
            None => builder,
        };
        self.tls.apply(builder, &self.scheme).build()
    }
}
