use std::error::Error as StdError;
use std::future::Future;
use std::time::Duration;

use bytes::Bytes;
use futures::StreamExt;
use http::header::{CONTENT_TYPE, HeaderName};
use http::{HeaderMap, HeaderValue};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::handle::Client;
use super::idempotency::IdempotencyKey;
use super::trace;
use super::transport::{Body, Request, Response};
use crate::error::{
    ApiError, Attempts, ConfigError, DecodeError, Error, ErrorBody, Limit, StopCause, TransportError,
    TransportErrorKind,
};
use crate::model::RequestId;
use crate::redaction::Redaction;
use crate::retry::{Schedule, retry_after};

const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
const REQUEST_ID: [HeaderName; 2] = [
    HeaderName::from_static("request-id"),
    HeaderName::from_static("x-request-id"),
];
/// A refusal that asks about a prompt holds a correction, as long as the 1 MiB that a prompt may have (`A-PIN`).
const ERROR_BODY_BYTES: usize = 4 * 1024 * 1024;
const ERROR_BODY_TIME: Duration = Duration::from_secs(10);
const REASON_CHARACTERS: usize = 1000;

/// A whole answer that is no refusal.
#[derive(Debug)]
pub(crate) struct Answer {
    body: Bytes,
    request_id: Option<RequestId>,
    redaction: Redaction,
}

impl Answer {
    /// Reads the answer as JSON. Bytes that are not UTF-8 become U+FFFD, as in a stream.
    pub(crate) fn decode<T: DeserializeOwned>(&self, what: &'static str) -> Result<T, Error> {
        serde_json::from_str(&String::from_utf8_lossy(&self.body)).map_err(|error| {
            let reason = error.to_string();
            let source: Box<dyn StdError + Send + Sync> = match self.redact(&reason) {
                same if same == reason => error.into(),
                redacted => redacted.into(),
            };
            DecodeError::new(what, self.request_id.clone(), source).into()
        })
    }

    /// A text of the answer, for an error.
    pub(crate) fn redact(&self, text: &str) -> String {
        self.redaction.excerpt(text, REASON_CHARACTERS)
    }

    pub(crate) fn request_id(&self) -> Option<&RequestId> {
        self.request_id.as_ref()
    }
}

/// An id as a segment of a path. A URL drops tabs and line ends wherever they stand, so an id with any of them
/// could become a step in the path after it was looked at.
pub(crate) fn segment<'i>(name: &'static str, id: &'i str) -> Result<&'i str, ConfigError> {
    let reason = match id {
        "" => "is empty",
        "." | ".." => "is a step in a path and no id",
        id if id.contains(|character: char| character.is_control() || character.is_whitespace()) => {
            "holds white space or control characters; give the id as the API told it"
        }
        id => return Ok(id),
    };
    Err(ConfigError::InvalidValue { name, reason })
}

impl Request {
    /// The request with `body` as JSON.
    pub(crate) fn json(mut self, body: &(impl Serialize + Sync)) -> Result<Self, ConfigError> {
        let body = serde_json::to_vec(body).map_err(|source| ConfigError::Body { source })?;
        self.headers
            .insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        self.body = Some(Bytes::from(body));
        Ok(self)
    }
}

impl Client {
    /// Makes one logical call: the request, its retries and its waits (`WIRE-3`, `WIRE-4`).
    pub(crate) async fn call(&self, request: Request, key: Option<IdempotencyKey>) -> Result<Answer, Error> {
        let (method, route) = (request.method.clone(), request.route);
        trace::in_call_span(method.as_str(), route, self.attempts(request, key)).await
    }

    async fn attempts(&self, mut request: Request, key: Option<IdempotencyKey>) -> Result<Answer, Error> {
        let repeatable = request.method.is_safe() || key.is_some();
        if let Some(key) = key {
            request.headers.insert(IDEMPOTENCY_KEY, key.header());
        }
        let (clock, total) = (self.clock(), self.limits().total);
        let started = clock.now();
        let mut schedule = self.shared().retry.schedule();
        let mut count = 0;
        loop {
            count += 1;
            let left = total.saturating_sub(clock.now().saturating_duration_since(started));
            let error = match self
                .within(left, Limit::Total, self.attempt(request.clone()))
                .await
            {
                Ok(Ok(answer)) => return Ok(answer),
                Ok(Err(error)) => error,
                Err(_) => TransportError::timed_out(Limit::Total, total).into(),
            };
            let elapsed = clock.now().saturating_duration_since(started);
            let left = total.saturating_sub(elapsed);
            match self.next_wait(&error, repeatable, count, left, &mut schedule) {
                Ok(wait) => {
                    trace::trying_again(count, wait, &error);
                    clock.sleep(wait).await;
                }
                Err(stopped) => {
                    return Err(error.with_attempts(Attempts {
                        count,
                        elapsed,
                        stopped,
                    }));
                }
            }
        }
    }

    /// Makes one request and no other, within the limit for a whole call.
    pub(crate) async fn call_once(&self, request: Request) -> Result<Answer, Error> {
        let total = self.limits().total;
        self.within(total, Limit::Total, self.attempt(request)).await?
    }

    /// How long to wait before the next attempt, or why there is none.
    fn next_wait(
        &self,
        error: &Error,
        repeatable: bool,
        count: u32,
        left: Duration,
        schedule: &mut Schedule,
    ) -> Result<Duration, StopCause> {
        let policy = &self.shared().retry;
        if !error.is_retryable() {
            return Err(StopCause::NotRetryable);
        }
        if !repeatable {
            return Err(StopCause::NotKeyed);
        }
        if count >= policy.attempts() {
            return Err(StopCause::AttemptsSpent);
        }
        if error.retry_after() > Some(policy.longest_retry_after()) {
            return Err(StopCause::RetryAfterTooLong);
        }
        let wait = schedule.next_wait(error.retry_after());
        if wait >= left {
            Err(StopCause::TimeSpent)
        } else {
            Ok(wait)
        }
    }

    /// One request and its whole answer.
    async fn attempt(&self, request: Request) -> Result<Answer, Error> {
        let response = self.open(request).await?;
        let Response {
            status,
            headers,
            body,
        } = response;
        if !status.is_success() {
            return Err(self
                .refusal(Response {
                    status,
                    headers,
                    body,
                })
                .await
                .into());
        }
        let body = self.whole(body, self.limits().body_bytes).await?;
        Ok(Answer {
            body,
            request_id: self.request_id(&headers),
            redaction: self.redaction().clone(),
        })
    }

    /// Reads a refusal. Its body is read within bounds: 4 MiB, and 10 s or a quarter of a shorter limit for the whole
    /// call. Whatever it holds, the status counts, and alone where the body did not come in time.
    pub(crate) async fn refusal(&self, response: Response) -> ApiError {
        let Response {
            status,
            headers,
            mut body,
        } = response;
        let read = async {
            let mut bytes = Vec::new();
            while bytes.len() < ERROR_BODY_BYTES {
                match self.chunk(&mut body).await {
                    Ok(Some(chunk)) => bytes.extend_from_slice(&chunk),
                    Ok(None) | Err(_) => break,
                }
            }
            bytes.truncate(ERROR_BODY_BYTES);
            bytes
        };
        // A quarter, so that the status is told before the limit for the whole call hides it.
        let limit = ERROR_BODY_TIME.min(self.limits().total / 4);
        let bytes = self.within(limit, Limit::Total, read).await.unwrap_or_default();
        let body = ErrorBody::read(&String::from_utf8_lossy(&bytes), self.redaction());
        let retry_after = retry_after(&headers, self.clock().time_of_day());
        ApiError::new(status, body, self.request_id(&headers), retry_after)
    }

    /// The id that the server gave the request.
    pub(crate) fn request_id(&self, headers: &HeaderMap) -> Option<RequestId> {
        let id = REQUEST_ID
            .iter()
            .find_map(|name| headers.get(name)?.to_str().ok())?;
        Some(self.redaction().redact(id).into())
    }

    async fn whole(&self, mut body: Body, limit: usize) -> Result<Bytes, TransportError> {
        let mut whole = Vec::new();
        while let Some(chunk) = self.chunk(&mut body).await? {
            if whole.len() + chunk.len() > limit {
                return Err(TransportError::new(TransportErrorKind::TooLarge { limit }));
            }
            whole.extend_from_slice(&chunk);
        }
        Ok(Bytes::from(whole))
    }

    async fn chunk(&self, body: &mut Body) -> Result<Option<Bytes>, TransportError> {
        self.within(self.limits().idle, Limit::Idle, body.next())
            .await?
            .transpose()
    }

    /// Waits for `work`, but not longer than `duration`.
    pub(crate) async fn within<T: Send>(
        &self,
        duration: Duration,
        limit: Limit,
        work: impl Future<Output = T> + Send,
    ) -> Result<T, TransportError> {
        tokio::select! {
            biased;
            done = work => Ok(done),
            () = self.clock().sleep(duration) => Err(TransportError::timed_out(limit, duration)),
        }
    }
}

#[cfg(test)]
mod tests;
