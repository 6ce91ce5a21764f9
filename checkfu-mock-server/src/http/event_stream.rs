//! `GET /v1/sessions/{session_id}/events/stream`: replay, then live (STR-1, STR-2, STR-3, A-SRV).

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use axum::Extension;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, Uri, header};
use axum::response::Response;
use bytes::{BufMut, Bytes, BytesMut};
use futures::stream;
use tokio::sync::watch;

use super::auth::Caller;
use super::call::Ids;
use super::events::{gap_error, invalid_cursor};
use super::fence;
use super::query::{Parameters, invalid};
use super::response::Answer;
use super::seam::{Next, Seam};
use super::state::Shared;
use crate::capability::Capability;
use crate::core::cursor::{self, Gap};
use crate::ledger::handle::{LogEnd, SessionHandle};
use crate::ledger::unreadable;
use crate::storage::events::{self, StoredEvent};
use crate::storage::sessions;
use crate::wire::error::{ApiError, Code};

/// STR-7: one page is in flight, of at most this many events and about this many bytes.
const PAGE_EVENTS: usize = 500;
const PAGE_BYTES: usize = 256 * 1024;

/// Streams the log from the cursor on.
pub(crate) async fn stream(
    State(shared): State<Shared>,
    Extension(caller): Extension<Caller>,
    Ids(id): Ids<String>,
    headers: HeaderMap,
    uri: Uri,
) -> Answer {
    let mut parameters = Parameters::of(&uri);
    let previews = parameters.as_mut().map_or(Ok(()), check_previews);
    // A-ORDER: a capability that is off comes before existence, every other mistake after it.
    if let Err(error) = &previews
        && error.code == Code::CapabilityDisabled
    {
        return Err(error.clone().into());
    }
    let session = shared.ledger.session(caller.workspace("Session")?, &id).await?;
    previews?;
    parameters?.finish()?;
    let cursor = last_event_id(&headers)?;
    // Subscribed before the first read: whatever commits from here on wakes this stream.
    let mut end = session.subscribe();
    let told = *end.borrow_and_update();
    let seam = resume(&shared, &session, cursor, told).await?;
    let feed = Feed {
        idle: idle(&shared),
        shared,
        session,
        end,
        seam,
        greeted: false,
    };
    let frames = stream::unfold(feed, |mut feed| async move {
        let frame = feed.next().await?;
        Some((Ok::<_, Infallible>(frame), feed))
    });
    let mut response = Response::new(Body::from_stream(frames));
    let headers = response.headers_mut();
    headers.insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("text/event-stream; charset=utf-8"),
    );
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    Ok(response)
}

/// A cursor may come from a read that saw a commit before the log's end was told; so one that looks too far ahead is
/// held against the log itself before it is refused. The first event is read before the answer begins: over a damaged one
/// the stream is refused, since a close would only bring the reader back.
async fn resume(
    shared: &Shared,
    session: &SessionHandle,
    cursor: u64,
    told: LogEnd,
) -> Result<Seam, ApiError> {
    let mut seam = Seam::resume(cursor, told);
    if matches!(seam, Err(Gap::Ahead { .. })) {
        let row = session.row;
        let stored = shared
            .ledger
            .reader()
            .read(move |db| sessions::at(db, row))
            .await
            .map_err(unreadable)?;
        let stored = stored.ok_or_else(|| ApiError::not_found("Session"))?;
        seam = Seam::resume(cursor, (&stored.head).into());
    }
    let seam = seam.map_err(|gap| gap_error(gap, "Last-Event-ID"))?;
    let row = session.row;
    shared
        .ledger
        .reader()
        .read(move |db| events::page(db, row, cursor, 1, 1))
        .await
        .map_err(unreadable)?;
    Ok(seam)
}

/// The wanted previews: known ones need the capability, others are a mistake (A-SRV).
fn check_previews(parameters: &mut Parameters) -> Result<(), ApiError> {
    let mut wanted = parameters.take_all("event_deltas");
    wanted.extend(parameters.take_all("event_deltas[]"));
    if let Some(unknown) = wanted
        .iter()
        .find(|name| !matches!(name.as_str(), "agent.message" | "agent.thinking"))
    {
        let problem = format!("must be agent.message or agent.thinking, not {unknown:?}");
        return Err(invalid("event_deltas", &problem));
    }
    if wanted.is_empty() {
        Ok(())
    } else {
        fence::require(Capability::Previews)
    }
}

fn last_event_id(headers: &HeaderMap) -> Result<u64, ApiError> {
    let mut values = headers.get_all("last-event-id").iter();
    let Some(value) = values.next() else { return Ok(0) };
    let text = value.to_str().ok().filter(|_| values.next().is_none());
    text.and_then(cursor::parse)
        .ok_or_else(|| invalid_cursor("Last-Event-ID"))
}

/// One stream. It is asked for the next bytes only when the connection can take them, so a reader that stalls holds
/// one page and nothing else.
struct Feed {
    shared: Shared,
    session: Arc<SessionHandle>,
    end: watch::Receiver<LogEnd>,
    seam: Seam,
    greeted: bool,
    idle: Pin<Box<dyn Future<Output = ()> + Send>>,
}

impl Feed {
    async fn next(&mut self) -> Option<Bytes> {
        if !self.greeted {
            self.greeted = true;
            return Some(Bytes::from_static(b": connected\n\n"));
        }
        loop {
            if self.shared.stopping.is_requested() {
                return None;
            }
            let end = *self.end.borrow_and_update();
            match self.seam.next(end) {
                Next::Close => return None,
                Next::Read { after } => return self.page(after).await,
                Next::Wait => {}
            }
            tokio::select! {
                changed = self.end.changed() => changed.ok()?,
                () = &mut self.idle => {
                    self.idle = idle(&self.shared);
                    return Some(Bytes::from_static(b": keep-alive\n\n"));
                }
                () = self.shared.stopping.requested() => return None,
            }
        }
    }

    async fn page(&mut self, after: u64) -> Option<Bytes> {
        let row = self.session.row;
        let read = move |db: &rusqlite::Connection| events::page(db, row, after, PAGE_EVENTS, PAGE_BYTES);
        let page = match self.shared.ledger.reader().read(read).await {
            Ok(page) => page,
            Err(error) => {
                tracing::error!(%error, "stream");
                return None;
            }
        };
        // An empty page under the head means that the events are gone; the reader finds out why when it reconnects.
        self.seam.sent(page.last()?.seq);
        self.idle = idle(&self.shared);
        Some(frames(&page))
    }
}

fn idle(shared: &Shared) -> Pin<Box<dyn Future<Output = ()> + Send>> {
    shared.clock.sleep(shared.keep_alive)
}

/// STR-3: `id`, `event`, `data`, one line each.
fn frames(page: &[StoredEvent]) -> Bytes {
    let mut out = BytesMut::with_capacity(page.iter().map(|event| event.envelope.len() + 80).sum());
    for event in page {
        out.put_slice(b"id: ");
        out.put_slice(event.seq.to_string().as_bytes());
        out.put_slice(b"\nevent: ");
        out.put_slice(event.type_name.as_bytes());
        out.put_slice(b"\ndata: ");
        out.put_slice(&event.envelope);
        out.put_slice(b"\n\n");
    }
    out.freeze()
}
