use std::task::{Context, Poll};
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;

use super::silence::Silence;
use crate::clock::Clock;
use crate::error::{Error, Limit};
use crate::events::{EVENTS, SESSION, SessionEvents};
use crate::model::{Event, Page, Seq, Session};
use crate::settlement::Settlement;

/// How long the Session may take to answer, and its log.
const HEAD_LIMIT: Duration = Duration::from_secs(5);

/// The Session as it was read to see whether its stream is over.
pub(super) struct Head {
    pub(super) session: Session,
    /// Whether the Session says that it is settled and nothing is left to deliver (`A-HEAD`).
    pub(super) is_over: bool,
}

/// A read of the Session on its way.
pub(super) type ReadingHead = BoxFuture<'static, Result<Head, Error>>;

/// Reads the Session. A turn that settled counts only for a follow, at or above the place that `settles_from` names.
///
/// In a follow the events up to the Session's `last_seq` may not all be in this view (`A-SEQ`), so the log is asked
/// whether anything comes after the cursor.
pub(super) fn read_head(
    events: SessionEvents,
    cursor: Option<Seq>,
    settles_from: Option<Seq>,
) -> ReadingHead {
    let cursor = cursor.unwrap_or_default();
    async move {
        let session: Session = read(&events, SESSION, None).await?;
        let ends = |head: &Settlement| match settles_from {
            Some(from) => head.seq >= from,
            None => head.outcome.is_terminal(),
        };
        let is_over = match Settlement::of_session(&session).filter(ends) {
            Some(head) if head.seq <= cursor => true,
            Some(_) if settles_from.is_some() => {
                let rest: Page<Event> = read(&events, EVENTS, Some(cursor)).await?;
                rest.data.is_empty() && rest.next_page.is_none()
            }
            _ => false,
        };
        Ok(Head { session, is_over })
    }
    .boxed()
}

async fn read<T: serde::de::DeserializeOwned>(
    events: &SessionEvents,
    route: &'static str,
    after: Option<Seq>,
) -> Result<T, Error> {
    let mut request = events.request(http::Method::GET, route)?;
    if let Some(after) = after {
        request.query.push(("after", after.to_string()));
        request.query.push(("limit", "1".to_owned()));
    }
    let client = events.client();
    let answer = client
        .within(HEAD_LIMIT, Limit::Total, client.call_once(request))
        .await??;
    answer.decode("the head of the session")
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

    /// Ready with the Session once it says that it is over. A read that fails says nothing; the next one may.
    pub(super) fn poll_over(
        &mut self,
        clock: &dyn Clock,
        read: impl Fn() -> ReadingHead,
        context: &mut Context<'_>,
    ) -> Poll<Session> {
        loop {
            if let Some(reading) = &mut self.reading {
                let Poll::Ready(head) = reading.as_mut().poll(context) else {
                    return Poll::Pending;
                };
                self.broken();
                match head {
                    Ok(Head {
                        session,
                        is_over: true,
                    }) => return Poll::Ready(session),
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
