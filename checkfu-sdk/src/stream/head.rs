use std::task::{Context, Poll};
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;

use super::silence::Silence;
use crate::client::Request;
use crate::clock::Clock;
use crate::error::{Error, Limit};
use crate::events::Log;
use crate::model::{Event, Page, Seq, Session, SessionThread, SessionThreadStatus};
use crate::settlement::Settlement;

/// How long the Session may take to answer, and its log.
const HEAD_LIMIT: Duration = Duration::from_secs(5);

/// What was read to see whether a stream is over.
pub(super) struct Head {
    /// The Session; `None` on a child's log, which its thread alone speaks for.
    pub(super) session: Option<Session>,
    /// Whether that says that nothing is left to deliver (`A-HEAD`).
    pub(super) is_over: bool,
}

/// A read of the head on its way.
pub(super) type ReadingHead = BoxFuture<'static, Result<Head, Error>>;

/// Reads the Session, or the thread on a child's log. A turn that settled counts only for a follow, at or above the place
/// that `settles_from` names.
///
/// In a follow the events up to the Session's `last_seq` may not all be in this view (`A-SEQ`), so the log is asked
/// whether anything comes after the cursor.
pub(super) fn read_head(log: Log, cursor: Option<Seq>, settles_from: Option<Seq>) -> ReadingHead {
    let cursor = cursor.unwrap_or_default();
    async move {
        if let Some(request) = log.thread() {
            let thread: SessionThread = read(&log, request?).await?;
            if thread.is_primary() != Some(true) {
                return Ok(Head {
                    session: None,
                    is_over: thread.status() == Some(&SessionThreadStatus::Terminated)
                        && is_read(&log, cursor).await?,
                });
            }
        }
        let session: Session = read(&log, log.session()?).await?;
        let ends = |head: &Settlement| match settles_from {
            Some(from) => head.seq >= from,
            None => head.outcome.is_terminal(),
        };
        let is_over = match Settlement::of_session(&session).filter(ends) {
            Some(head) if head.seq <= cursor => true,
            Some(_) if settles_from.is_some() => is_read(&log, cursor).await?,
            _ => false,
        };
        Ok(Head {
            session: Some(session),
            is_over,
        })
    }
    .boxed()
}

/// Whether the log has nothing after the cursor.
async fn is_read(log: &Log, cursor: Seq) -> Result<bool, Error> {
    let mut request = log.list()?;
    request.query.push(("after", cursor.to_string()));
    request.query.push(("limit", "1".to_owned()));
    let rest: Page<Event> = read(log, request).await?;
    Ok(rest.data.is_empty() && rest.next_page.is_none())
}

async fn read<T: serde::de::DeserializeOwned>(log: &Log, request: Request) -> Result<T, Error> {
    let client = log.client();
    let answer = client
        .within(HEAD_LIMIT, Limit::Total, client.call_once(request))
        .await??;
    answer.decode("the head of the log")
}

/// Asks the Session whether it is settled while an open connection brings no event, comments aside: once each time that
/// it has been quiet for a while.
pub(super) struct Quiet {
    silence: Silence,
    reading: Option<ReadingHead>,
}

impl Quiet {
    pub(super) fn new(limit: Duration) -> Self {
        Self {
            silence: Silence::new(limit),
            reading: None,
        }
    }

    /// An event was handed out.
    pub(super) fn broken(&mut self) {
        self.silence.broken();
        self.reading = None;
    }

    /// Ready with the head once it says that it is over. A read that fails says nothing; the next one may.
    pub(super) fn poll_over(
        &mut self,
        clock: &dyn Clock,
        read: impl Fn() -> ReadingHead,
        context: &mut Context<'_>,
    ) -> Poll<Head> {
        loop {
            if let Some(reading) = &mut self.reading {
                let Poll::Ready(head) = reading.as_mut().poll(context) else {
                    return Poll::Pending;
                };
                self.broken();
                match head {
                    Ok(head) if head.is_over => return Poll::Ready(head),
                    _ => continue,
                }
            }
            if self.silence.poll_too_long(clock, context).is_pending() {
                return Poll::Pending;
            }
            self.reading = Some(read());
        }
    }
}
