use std::io;

use crate::prove::traffic::Call;

/// The correct server behind a relay.
pub(super) struct Upstream {
    http: reqwest::Client,
    url: String,
}

impl Upstream {
    pub(super) fn new(url: &str) -> io::Result<Self> {
        let http = reqwest::Client::builder().no_proxy().tls_certs_only([]).build();
        Ok(Self {
            http: http.map_err(io::Error::other)?,
            url: url.to_owned(),
        })
    }

    /// `None` where the server does not answer.
    pub(super) async fn send(&self, call: &Call) -> Option<reqwest::Response> {
        let mut url = reqwest::Url::parse(&format!("{}{}", self.url, call.path)).ok()?;
        if !call.query.is_empty() {
            url.query_pairs_mut().extend_pairs(&call.query);
        }
        let mut headers = call.headers.clone();
        for name in ["host", "content-length", "connection"] {
            headers.remove(name);
        }
        let request = self.http.request(call.method.parse().ok()?, url);
        let request = request.headers(headers).body(call.body.clone());
        request.send().await.ok()
    }

    /// For what it does alone.
    pub(super) async fn send_to_its_end(&self, call: &Call) {
        if let Some(answer) = self.send(call).await {
            // The answer is read so that the server has done all of it.
            let _ = answer.bytes().await;
        }
    }
}
