//! Streams of a view of the log: replay, then live, in the event-stream format and in the order of `seq` (STR-1, STR-2, STR-3,
//! STR-4, STR-5, STR-7, THR-6, A-SRV).

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
use super::preview_feed::{PreviewFeed, Wanted};
use super::query::{Parameters, invalid};
use super::response::Answer;
use super::seam::{Next, Seam};
use super::state::Shared;
use crate::capability::{Capabilities, Capability};
use crate::core::cursor::{self, Gap, Retained};
use crate::ledger::handle::{LogEnd, SessionHandle};
use crate::ledger::unreadable;
use crate::mutant::{self, Mutant};
use crate::storage::events::{self, Range, StoredEvent, View};
use crate::storage::position::MAX_SEQ;
use crate::storage::{sessions, threads};
use crate::wire::error::{ApiError, Code};

/// STR-7: one page is in flight, of at most this many events and about this many bytes.
const PAGE_EVENTS: usize = 500;
const PAGE_BYTES: usize = 256 * 1024;

/// `GET /v1/sessions/{session_id}/events/stream`
pub(crate) async fn stream(
    State(shared): State<Shared>,
    Extension(caller): Extension<Caller>,
    Ids(id): Ids<String>,
    headers: HeaderMap,
    uri: Uri,
) -> Answer {
    let parameters = StreamParameters::of(&uri, &shared.capabilities)?;
    let session = shared.ledger.session(caller.workspace("Session")?, &id).await?;
    stream_view(shared, session, View::Session, parameters, &headers).await
}

/// What a stream was asked for in its query.
#[derive(Debug)]
pub(super) struct StreamParameters(Result<Wanted, ApiError>);

impl StreamParameters {
    /// A-ORDER: a capability that is off comes before existence, every other mistake after it.
    pub(super) fn of(uri: &Uri, capabilities: &Capabilities) -> Result<Self, ApiError> {
        let mut parameters = Parameters::of(uri);
        let previews = parameters.as_mut().map_or(Ok(Wanted::default()), |parameters| {
            wanted_previews(parameters, capabilities)
        });
        match previews {
            Err(error) if error.code == Code::CapabilityDisabled => Err(error),
            Err(error) => Ok(Self(Err(error))),
            Ok(wanted) => Ok(Self(parameters.and_then(Parameters::finish).map(|()| wanted))),
        }
    }
}

/// Streams a view of the log from the cursor on.
pub(super) async fn stream_view(
    shared: Shared,
    session: Arc<SessionHandle>,
    view: View,
    parameters: StreamParameters,
    headers: &HeaderMap,
) -> Answer {
    let wanted = if mutant::active(Mutant::PreviewsUnasked) {
        Wanted::ALL
    } else {
        parameters.0?
    };
    let cursor = last_event_id(headers)?;
    // Subscribed before the first read: whatever commits from here on wakes this stream.
    let mut end = session.subscribe();
    let told = *end.borrow_and_update();
    let seam = resume(&shared, &session, view, cursor, told).await?;
    let feed = Feed {
        idle: idle(&shared),
        previews: PreviewFeed::open(&session, view, wanted),
        at_head: false,
        shared,
        session,
        view,
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
    view: View,
    cursor: u64,
    told: LogEnd,
) -> Result<Seam, ApiError> {
    let cursor = if mutant::active(Mutant::AheadIsHead) {
        cursor.min(told.retained.last_seq)
    } else {
        cursor
    };
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
    let first = Range {
        view,
        after: cursor,
        up_to: MAX_SEQ,
        limit: 1,
        max_bytes: 1,
    };
    shared
        .ledger
        .reader()
        .read(move |db| events::page(db, row, first))
        .await
        .map_err(unreadable)?;
    Ok(seam)
}

/// PRV-1: the wanted previews. To want any needs the capability; unknown ones are a mistake (A-SRV).
fn wanted_previews(parameters: &mut Parameters, capabilities: &Capabilities) -> Result<Wanted, ApiError> {
    let mut wanted = Wanted::default();
    let mut names = parameters.take_all("event_deltas");
    names.extend(parameters.take_all("event_deltas[]"));
    if !names.is_empty() {
        fence::require(capabilities, Capability::Previews)?;
    }
    for name in &names {
        match name.as_str() {
            "agent.message" => wanted.messages = true,
            "agent.thinking" => wanted.thinking = true,
            unknown => {
                let problem = format!("must be agent.message or agent.thinking, not {unknown:?}");
                return Err(invalid("event_deltas", &problem));
            }
        }
    }
    Ok(wanted)
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
    view: View,
    end: watch::Receiver<LogEnd>,
    seam: Seam,
    previews: Option<PreviewFeed>,
    /// Previews begin when the stream has caught up with the log.
    at_head: bool,
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
            let next = self.seam.next(end);
            if let Some(previews) = &mut self.previews {
                // What was shown before a commit goes out before the commit's events do.
                if !self.at_head {
                    previews.skip();
                } else if let Some(shown) = previews.take() {
                    return Some(shown);
                }
            }
            match next {
                Next::Close => return None,
                Next::Read { after, up_to } => match self.page(after, up_to).await? {
                    Sent::Frames(frames) => return Some(frames),
                    Sent::Nothing => continue,
                },
                Next::Wait { at } => {
                    if self.has_ended(at).await? {
                        return None;
                    }
                    self.at_head = true;
                }
            }
            let preview = next_preview(&mut self.previews);
            tokio::select! {
                changed = self.end.changed() => changed.ok()?,
                shown = preview => return Some(shown),
                () = &mut self.idle => {
                    self.idle = idle(&self.shared);
                    return Some(Bytes::from_static(b": keep-alive\n\n"));
                }
                () = self.shared.stopping.requested() => return None,
            }
        }
    }

    /// Reads and sends what the view has up to the log's end as it was told; nothing if it has nothing there, and no more
    /// than a close if events were trimmed meanwhile (A-GAP): the page says what was retained in its own snapshot.
    async fn page(&mut self, after: u64, up_to: u64) -> Option<Sent> {
        let row = self.session.row;
        let range = Range {
            view: self.view,
            after,
            up_to,
            limit: PAGE_EVENTS,
            max_bytes: PAGE_BYTES,
        };
        let read = move |db: &rusqlite::Connection| events::page(db, row, range);
        let page = match self.shared.ledger.reader().read(read).await {
            Ok(page) => page,
            Err(error) => {
                tracing::error!(%error, "stream");
                return None;
            }
        };
        let retained = Retained {
            first_seq: page.first_seq,
            last_seq: up_to,
        };
        let last_seq = page.events.last().map(|event| event.seq);
        self.seam.page_read(up_to, last_seq, page.more, retained).ok()?;
        if page.events.is_empty() {
            return Some(Sent::Nothing);
        }
        if let Some(previews) = &mut self.previews {
            previews.sent(&page.events);
        }
        self.idle = idle(&self.shared);
        let lost = usize::from(self.at_head && mutant::active(Mutant::SeamLosesEvent));
        Some(Sent::Frames(frames(&page.events[lost..])))
    }

    /// A-SRV: the stream of a child that has ended closes once everything was sent. Thread and events are read in one
    /// snapshot, so the end is not seen before its event was sent.
    async fn has_ended(&mut self, after: u64) -> Option<bool> {
        let View::Child(place) = self.view else {
            return Some(false);
        };
        let row = self.session.row;
        let rest = Range {
            view: self.view,
            after,
            up_to: MAX_SEQ,
            limit: 1,
            max_bytes: 1,
        };
        let read = move |db: &rusqlite::Connection| {
            let ended = threads::list(db, row, place, 1)?
                .first()
                .is_some_and(|stored| !stored.thread.is_live());
            Ok(ended && events::page(db, row, rest)?.events.is_empty())
        };
        match self.shared.ledger.reader().read(read).await {
            Ok(ended) => Some(ended),
            Err(error) => {
                tracing::error!(%error, "stream");
                None
            }
        }
    }
}

/// What a page brought.
enum Sent {
    Frames(Bytes),
    Nothing,
}

async fn next_preview(previews: &mut Option<PreviewFeed>) -> Bytes {
    match previews {
        Some(previews) => previews.next().await,
        None => std::future::pending().await,
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
