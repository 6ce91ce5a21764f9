use std::sync::Arc;

use http::header::{ACCEPT, CONTENT_TYPE, HeaderName};
use http::{HeaderMap, HeaderValue, StatusCode};

use crate::client::{Answer, AnswerKind, Body};
use crate::error::{ApiError, CursorGap, Divergence, Error, ErrorCode, ProtocolError, ProtocolErrorKind};
use crate::events::Log;
use crate::model::{Event, EventId, Page, PreviewType, RequestId, Seq};

const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");
const EVENT_DELTAS: &str = "event_deltas";
const EVENT_STREAM: &str = "text/event-stream";
const SHOWN_CHARACTERS: usize = 200;

/// An event that was followed: its place, and which one it was (`A-ANCHOR`).
#[derive(Debug, Clone)]
pub(crate) struct Anchor {
    pub(crate) seq: Seq,
    pub(crate) event_id: EventId,
}

/// How a connection came out.
pub(super) enum Connected {
    Stream {
        body: Body,
        request_id: Option<RequestId>,
    },
    /// `204`: there will be no more events.
    NoMore,
}

/// Opens one connection after the cursor, with previews of these types (`PRV-1`). Status and content type are looked at
/// before any byte of the body.
pub(super) async fn connect(
    log: Log,
    after: Option<Seq>,
    anchor: Option<Anchor>,
    previews: Arc<[PreviewType]>,
) -> Result<Connected, Error> {
    if let Some(anchor) = anchor {
        let request = log.first_after(anchor.seq.before())?;
        let answer = log.client().call_once(request).await;
        compare(&log, &anchor, answer)?;
    }
    let mut request = log.stream()?;
    request.answer = AnswerKind::Stream;
    let wanted = previews.iter().map(|wanted| (EVENT_DELTAS, wanted.to_string()));
    request.query.extend(wanted);
    request
        .headers
        .insert(ACCEPT, HeaderValue::from_static(EVENT_STREAM));
    if let Some(after) = after {
        request
            .headers
            .insert(LAST_EVENT_ID, HeaderValue::from(after.get()));
    }
    let response = log.client().open(request).await?;
    match response.status {
        StatusCode::NO_CONTENT => Ok(Connected::NoMore),
        StatusCode::OK if is_event_stream(&response.headers) => Ok(Connected::Stream {
            request_id: log.client().request_id(&response.headers),
            body: response.body,
        }),
        status if status.is_success() => {
            let found = response
                .headers
                .get(CONTENT_TYPE)
                .map(|value| String::from_utf8_lossy(value.as_bytes()));
            let found = format!(
                "{} {}",
                status.as_u16(),
                found.as_deref().unwrap_or("without a content type")
            );
            let found = log.client().redaction().excerpt(&found, SHOWN_CHARACTERS);
            let kind = ProtocolErrorKind::NotAnEventStream { found };
            let request_id = log.client().request_id(&response.headers);
            Err(ProtocolError::new(kind, request_id).into())
        }
        _ => Err(gap(log.client().refusal(response).await)),
    }
}

/// Makes sure that the event at the anchor is still the one that was followed, with the client's retries. A stream
/// has its own, so its connections ask once.
pub(crate) async fn check_anchor(log: &Log, anchor: &Anchor) -> Result<(), Error> {
    let request = log.first_after(anchor.seq.before())?;
    let answer = log.client().call(request, None).await;
    compare(log, anchor, answer)
}

/// Compares the event at the anchor. A trimmed event is no finding, nor is a log that ends before it: the stream
/// itself tells that.
fn compare(log: &Log, anchor: &Anchor, answer: Result<Answer, Error>) -> Result<(), Error> {
    let page: Page<Event> = match answer {
        Ok(answer) => answer.decode("the event at the cursor")?,
        Err(error) if error.status() == Some(StatusCode::GONE) => return Ok(()),
        Err(error) => return Err(error),
    };
    match page.data.first() {
        Some(found) if found.seq() == anchor.seq && *found.id() != anchor.event_id => {
            let shown = |id: &EventId| log.client().redaction().redact(id.as_str()).into();
            Err(Divergence {
                log_id: log.id().clone(),
                seq: anchor.seq,
                followed: shown(&anchor.event_id),
                found: shown(found.id()),
            }
            .into())
        }
        _ => Ok(()),
    }
}

fn is_event_stream(headers: &HeaderMap) -> bool {
    let value = headers
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    let essence = value.split(';').next().unwrap_or_default();
    essence.trim().eq_ignore_ascii_case(EVENT_STREAM)
}

/// Tells the two refusals that mean a gap from all others (`A-GAP`).
pub(crate) fn gap(answer: ApiError) -> Error {
    let (first, last) = (answer.seq_detail("first_seq"), answer.seq_detail("last_seq"));
    match (answer.status(), answer.code()) {
        (StatusCode::GONE, _) => CursorGap::Expired { first, last, answer }.into(),
        (StatusCode::CONFLICT, Some(ErrorCode::CursorAhead)) => CursorGap::Ahead { last, answer }.into(),
        _ => answer.into(),
    }
}
