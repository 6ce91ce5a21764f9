use tokio::time::{Instant, sleep};

use super::{bench::Bench, event::Event, log::Log, turn};
use crate::stop::Stop;

/// Looks at the list until this holds of it; the last look comes back as an error if it never does.
pub(crate) async fn until(
    bench: &Bench,
    session_id: &str,
    deadline: Instant,
    holds: impl Fn(&Log) -> bool,
) -> Result<Result<Log, Log>, Stop> {
    loop {
        let log = Log::read(bench, session_id).await?;
        if holds(&log) {
            return Ok(Ok(log));
        }
        if Instant::now() >= deadline {
            return Ok(Err(log));
        }
        sleep(turn::BETWEEN_LOOKS).await;
    }
}

/// Looks at the list until above `seq` the Session stands still, for whatever reason.
pub(crate) async fn still(bench: &Bench, session_id: &str, seq: u64) -> Result<Log, Stop> {
    let stands = |log: &Log| stands_still(log.above(seq));
    let log = until(bench, session_id, bench.turn_deadline(), stands).await?;
    log.map_err(|_| {
        Stop::Inconclusive(format!(
            "the Session did not come to rest within {:?}; --turn-timeout gives it more",
            bench.limits.turn
        ))
    })
}

/// Whether the newest status among these is one in which nothing is computed.
pub(crate) fn stands_still(events: &[Event]) -> bool {
    let status = events
        .iter()
        .rev()
        .find_map(|event| event.kind.strip_prefix("session.status_"));
    matches!(
        status,
        Some("waiting" | "paused" | "idle" | "completed" | "failed" | "canceled")
    )
}
