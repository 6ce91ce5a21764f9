use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use http::StatusCode;
use serde::de::DeserializeOwned;

use crate::client::{Answer, Request};
use crate::error::{Error, Limit};
use crate::events::Log;
use crate::model::{Event, Page, Seq, Session, SessionThread, SessionThreadStatus};
use crate::settlement::Settlement;

/// How long the Session may take to answer, and its log.
const HEAD_LIMIT: Duration = Duration::from_secs(5);

/// What was read to see whether a stream is over.
pub(super) struct Head {
    /// The Session; `None` on a child's plain stream, which its thread alone speaks for.
    pub(super) session: Option<Session>,
    /// What the Session, or the child, says of its work, if that counts here.
    pub(super) settlement: Option<Settlement>,
    /// Whether nothing is left to deliver (`A-HEAD`).
    pub(super) is_over: bool,
}

/// A read of the head on its way.
pub(super) type ReadingHead = BoxFuture<'static, Result<Head, Error>>;

/// Reads the Session, and before it the thread on a thread's log. A turn that settled counts only for a follow, at or
/// above the place that `settles_from` names.
///
/// The events up to the Session's `last_seq` may not all be in this view (`A-SEQ`), so the log is asked whether anything
/// comes after the cursor.
pub(super) fn read_head(log: Log, cursor: Option<Seq>, settles_from: Option<Seq>) -> ReadingHead {
    let cursor = cursor.unwrap_or_default();
    async move {
        let child = match log.thread() {
            Some(request) => {
                let thread: SessionThread = read(&log, request?).await?;
                Some(thread).filter(|thread| thread.is_primary() != Some(true))
            }
            None => None,
        };
        if let (Some(child), None) = (&child, settles_from) {
            let ended = child.status() == Some(&SessionThreadStatus::Terminated);
            return Ok(Head {
                session: None,
                settlement: None,
                is_over: ended && is_read(&log, cursor).await?,
            });
        }
        let session: Session = read(&log, log.session()?).await?;
        let settlement = Settlement::of_work(&session, child.as_ref()).filter(|head| match settles_from {
            Some(from) => head.seq >= from,
            None => head.outcome.is_terminal(),
        });
        let is_over = match &settlement {
            Some(head) => head.seq <= cursor || is_read(&log, cursor).await?,
            None => false,
        };
        Ok(Head {
            session: Some(session),
            settlement,
            is_over,
        })
    }
    .boxed()
}

/// What was found while an open connection brought nothing.
pub(super) struct Look {
    pub(super) head: Head,
    /// Whether the log holds an event after the cursor, which the connection should have brought.
    pub(super) has_more: bool,
}

/// A look at the log on its way.
pub(super) type Looking = BoxFuture<'static, Result<Look, Error>>;

/// Reads the head, and the log where that may hold more than the stream delivered.
pub(super) fn look(log: Log, cursor: Option<Seq>, settles_from: Option<Seq>) -> Looking {
    async move {
        let head = read_head(log.clone(), cursor, settles_from).await?;
        let last = head.session.as_ref().and_then(Session::last_seq);
        let may_have_more = !head.is_over && last.is_none_or(|last| Some(last) > cursor);
        let has_more = may_have_more && !is_read(&log, cursor.unwrap_or_default()).await?;
        Ok(Look { head, has_more })
    }
    .boxed()
}

/// Whether the log has nothing after the cursor.
async fn is_read(log: &Log, cursor: Seq) -> Result<bool, Error> {
    is_the_end(ask(log, log.first_after(cursor)?).await)
}

/// Whether [`Log::first_after`] was answered with nothing. A log that was trimmed there holds more.
pub(crate) fn is_the_end(answer: Result<Answer, Error>) -> Result<bool, Error> {
    let rest: Page<Event> = match answer {
        Err(error) if error.status() == Some(StatusCode::GONE) => return Ok(false),
        answer => answer?.decode("the rest of the log")?,
    };
    Ok(rest.data.is_empty() && rest.next_page.is_none())
}

async fn read<T: DeserializeOwned>(log: &Log, request: Request) -> Result<T, Error> {
    ask(log, request).await?.decode("the head of the log")
}

async fn ask(log: &Log, request: Request) -> Result<Answer, Error> {
    let client = log.client();
    client
        .within(HEAD_LIMIT, Limit::Total, client.call_once(request))
        .await?
}
