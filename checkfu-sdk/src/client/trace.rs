//! What `tracing` is told, with the feature of that name. Never a body, a key or an id in a URL.

use std::future::Future;
use std::time::Duration;

#[cfg(feature = "tracing")]
use super::observer::Interruption;
use super::observer::StreamChange;
use crate::error::Error;
use crate::model::LogId;
#[cfg(feature = "tracing")]
use crate::model::SessionThreadId;

/// Runs `call` in the span of one logical call.
pub(super) async fn in_call_span<T>(method: &str, route: &str, call: impl Future<Output = T> + Send) -> T {
    #[cfg(feature = "tracing")]
    {
        use tracing::Instrument;
        call.instrument(tracing::debug_span!("checkfu.call", method, route))
            .await
    }
    #[cfg(not(feature = "tracing"))]
    {
        let _ = (method, route);
        call.await
    }
}

/// A call failed and is tried again.
pub(super) fn trying_again(attempt: u32, wait: Duration, error: &Error) {
    #[cfg(feature = "tracing")]
    tracing::debug!(attempt, ?wait, status = error.status().map(|status| status.as_u16()), %error, "trying again");
    #[cfg(not(feature = "tracing"))]
    let _ = (attempt, wait, error);
}

/// The connection of a stream changed.
pub(crate) fn stream_changed(log_id: &LogId, change: &StreamChange<'_>) {
    #[cfg(feature = "tracing")]
    {
        let session = log_id.session_id.as_str();
        let thread = log_id.session_thread_id.as_ref().map(SessionThreadId::as_str);
        match change {
            StreamChange::Opened { after, reconnects } => {
                let after = after.map(crate::model::Seq::get);
                tracing::debug!(session, thread, after, reconnects, "stream opened");
            }
            StreamChange::Interrupted { after, cause } => {
                let after = after.map(crate::model::Seq::get);
                let cause = match cause {
                    Interruption::Closed => "closed in good order".to_owned(),
                    Interruption::Failed(error) => error.to_string(),
                };
                tracing::debug!(session, thread, after, cause, "stream interrupted");
            }
            StreamChange::Waiting { wait, reconnect } => {
                tracing::debug!(session, thread, ?wait, reconnect, "stream waits");
            }
            StreamChange::Ended => tracing::debug!(session, thread, "stream ended"),
        }
    }
    #[cfg(not(feature = "tracing"))]
    let _ = (log_id, change);
}
