use crate::traffic::Call;

/// The correct server behind a relay.
pub(super) struct Upstream {
    http: reqwest::Client,
    url: String,
}

impl Upstream {
    pub(super) fn new(url: &str) -> Self {
        let http = reqwest::Client::builder().no_proxy().build().unwrap();
        Self {
            http,
            url: url.to_owned(),
        }
    }

    pub(super) async fn send(&self, call: &Call) -> reqwest::Response {
        let mut url = reqwest::Url::parse(&format!("{}{}", self.url, call.path)).unwrap();
        if !call.query.is_empty() {
            url.query_pairs_mut().extend_pairs(&call.query);
        }
        let mut headers = call.headers.clone();
        for name in ["host", "content-length", "connection"] {
            headers.remove(name);
        }
        let method = call.method.parse().unwrap();
        self.http
            .request(method, url)
            .headers(headers)
            .body(call.body.clone())
            .send()
            .await
            .unwrap()
    }
}
