use http::Method;
use serde::Serialize;

use super::Sessions;
use crate::client::{Client, IdempotencyKey, Request};
use crate::error::Error;
use crate::model::{Checkpoint, CheckpointId, EventId, Seq, Session, SessionDiff, SessionId};
use crate::paging::List;

const FORK: &str = "/v1/sessions/{session_id}/fork";
const DIFF: &str = "/v1/sessions/{session_id}/diff";
const CHECKPOINTS: &str = "/v1/sessions/{session_id}/checkpoints";

/// A fork about to be made.
#[derive(Debug, Clone)]
#[must_use = "nothing is sent until `send` is called"]
pub struct ForkSession {
    client: Client,
    session_id: SessionId,
    body: Body,
    idempotency_key: Option<String>,
}

#[derive(Debug, Clone, Default, Serialize)]
struct Body {
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<Place>,
    #[serde(skip_serializing_if = "Option::is_none")]
    checkpoint_id: Option<CheckpointId>,
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "snake_case")]
enum Place {
    EventId(EventId),
    Seq(Seq),
}

impl Sessions<'_> {
    /// Makes an independent Session from the history of another, up to its head or an event of it (`FRK-1`). The copies
    /// keep ids and places, and neither log changes the other from there on (`FRK-2`).
    ///
    /// ```no_run
    /// use checkfu_sdk::Seq;
    ///
    /// # async fn example(client: checkfu_sdk::Client) -> Result<(), checkfu_sdk::Error> {
    /// let fork = client.sessions().fork("sess_1").from_seq(Seq::from(12)).send().await?;
    /// let diff = client.sessions().diff(fork.id(), &"sess_1".into()).await?;
    /// println!("{} events since place {}", diff.right.events.len(), diff.base.seq);
    /// # Ok(())
    /// # }
    /// ```
    pub fn fork(&self, session_id: impl Into<SessionId>) -> ForkSession {
        ForkSession {
            client: self.client().clone(),
            session_id: session_id.into(),
            body: Body::default(),
            idempotency_key: None,
        }
    }

    /// What each of two Sessions with common history has above it (`DIF-1`).
    ///
    /// # Errors
    ///
    /// [`Error::Api`] with status `404` if one of them is not in reach, and `409` if they have no history in common.
    ///
    /// # Cancel safety
    ///
    /// Nothing changes by it, so it may be dropped at any time.
    pub async fn diff(&self, id: &SessionId, other: &SessionId) -> Result<SessionDiff, Error> {
        let mut request = Request::to(Method::GET, DIFF, &[("session id", id.as_str())])?;
        request.query.push(("other", other.to_string()));
        self.client().call(request, None).await?.decode("the diff")
    }

    /// Lists the Checkpoints of a Session, from which a fork may start (`FRK-3`).
    pub fn checkpoints(&self, session_id: &SessionId) -> List<Checkpoint> {
        let ids = [("session id", session_id.as_str())];
        let request = Request::to(Method::GET, CHECKPOINTS, &ids).map_err(Error::from);
        List::new(self.client().clone(), request)
    }
}

impl ForkSession {
    /// Copies up to and with this event, which has to be retained. Default: the head. The last of this and
    /// [`from_seq`](Self::from_seq) counts.
    pub fn from_event(mut self, id: impl Into<EventId>) -> Self {
        self.body.from = Some(Place::EventId(id.into()));
        self
    }

    /// Copies up to and with the event at this place, which has to be retained.
    pub fn from_seq(mut self, seq: Seq) -> Self {
        self.body.from = Some(Place::Seq(seq));
        self
    }

    /// Clones the sandbox of this Checkpoint too; the server refuses where it cannot have exactly that (`FRK-3`).
    pub fn checkpoint(mut self, id: impl Into<CheckpointId>) -> Self {
        self.body.checkpoint_id = Some(id.into());
        self
    }

    /// Names this logical call, so that a later call with the same key gives the same fork. Default: a new random key for
    /// each [`send`](Self::send), kept over its retries (`A-IDEM`). It has 1 to 255 visible ASCII characters; another is
    /// refused as [`Error::Config`] and nothing is sent.
    pub fn idempotency_key(mut self, key: impl Into<String>) -> Self {
        self.idempotency_key = Some(key.into());
        self
    }

    /// Makes the fork.
    ///
    /// # Errors
    ///
    /// [`Error::Api`] if the server refuses: `404` for an unknown Session or event, `409` for an event that is not retained
    /// or a Checkpoint that cannot be had. [`Error::Transport`] if no answer came.
    ///
    /// # Cancel safety
    ///
    /// If it is dropped the fork may have been made. With an [`idempotency_key`](Self::idempotency_key) of the caller's own
    /// the same call finds out.
    pub async fn send(self) -> Result<Session, Error> {
        let key = IdempotencyKey::own_or_random(self.idempotency_key.as_deref())?;
        let ids = [("session id", self.session_id.as_str())];
        let request = Request::to(Method::POST, FORK, &ids)?.json(&self.body)?;
        self.client.call(request, Some(key)).await?.decode("the fork")
    }
}
