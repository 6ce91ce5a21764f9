use std::net::TcpListener;

use http::Method;

use super::*;
use crate::retry::{Backoff, RetryPolicy};

/// A-IDEM, REP-4: a mutation without an idempotency key is never tried again, even where nothing answered; with one it
/// is, and so is a read.
#[tokio::test]
async fn a_mutation_is_repeated_only_with_its_key() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let quick = Backoff::between(Duration::ZERO, Duration::ZERO);
    let builder = Client::builder().base_url(url).api_key("k");
    let policy = RetryPolicy::default().backoff(quick);
    let client = builder.retry_policy(policy).build().unwrap();
    for (method, keyed, count, stopped) in [
        (Method::POST, false, 1, StopCause::NotKeyed),
        (Method::DELETE, false, 1, StopCause::NotKeyed),
        (Method::POST, true, 3, StopCause::AttemptsSpent),
        (Method::GET, false, 3, StopCause::AttemptsSpent),
    ] {
        let request = Request::new(method.clone(), "/v1/sessions", &[]);
        let key = keyed.then(|| IdempotencyKey::random().unwrap());
        let attempts = client.call(request, key).await.unwrap_err().attempts().unwrap();
        assert_eq!(
            (attempts.count, attempts.stopped),
            (count, stopped),
            "{method} {keyed}"
        );
    }
}
