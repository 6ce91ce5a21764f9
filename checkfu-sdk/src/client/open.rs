use std::future::Future;

use http::StatusCode;

use super::handle::Client;
use super::keys::Issued;
use super::trace_parent::{self, TRACEPARENT};
use super::transport::{Request, Response};
use crate::error::{Error, KeyError, Limit, TransportError};

impl Client {
    /// One request up to the head of its answer; after a `401` a second one, if there is another key (`WIRE-1`).
    pub(crate) async fn open(&self, request: Request) -> Result<Response, Error> {
        let keys = &self.shared().keys;
        let key = self.asked(keys.current()).await?;
        // Boxed, for every call's future holds both.
        let response = Box::pin(self.send(request.clone(), &key)).await?;
        if response.status != StatusCode::UNAUTHORIZED {
            return Ok(response);
        }
        match self.asked(keys.after_refusal(&key)).await? {
            Some(key) => Ok(Box::pin(self.send(request, &key)).await?),
            None => Ok(response),
        }
    }

    async fn send(&self, mut request: Request, key: &Issued) -> Result<Response, TransportError> {
        let transport = &self.shared().transport;
        transport.redaction().hide(&key.key);
        let value = self.shared().traceparent.as_ref().and_then(|current| current());
        if let Some(header) = value.as_deref().and_then(trace_parent::header) {
            request.headers.insert(TRACEPARENT, header);
        }
        let limit = self.limits().first_byte;
        let mut place = transport.place(&request);
        let sent = transport.send(request, key.header.clone(), &mut place);
        match self.within(limit, Limit::FirstByte, sent).await {
            Ok(head) => Ok(head?.on(place)),
            Err(late) => Err(place.unanswered(limit).unwrap_or(late)),
        }
    }

    /// What the key provider says, within its limit.
    async fn asked<T: Send>(
        &self,
        answer: impl Future<Output = Result<T, KeyError>> + Send,
    ) -> Result<T, KeyError> {
        let limit = self.limits().first_byte;
        self.within(limit, Limit::FirstByte, answer)
            .await
            .unwrap_or_else(|late| Err(KeyError::temporary(late)))
    }
}
