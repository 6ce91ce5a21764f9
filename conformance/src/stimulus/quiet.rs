use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use super::tape::{Tape, ended};
use crate::{stop::Stop, wire::reading::End};

/// How long to wait before a connection that ended is joined again.
const BETWEEN_JOINS: Duration = Duration::from_millis(100);

/// Reads a stream that has nothing to show until then. A connection that ends meanwhile is joined again, as any may end;
/// what matters is that one that stays open goes on.
pub(crate) async fn keep_quiet(tape: &mut Tape<'_>, until: Instant) -> Result<(), Stop> {
    while Instant::now() < until {
        match tape.next_here(until).await? {
            Ok(_) => {}
            Err(End::Deadline) => break,
            Err(end @ End::TooLarge) => {
                return Err(Stop::fail("a silent stream", ended(end), &tape.snapshot()));
            }
            Err(End::Closed | End::Broken) => {
                sleep_until((Instant::now() + BETWEEN_JOINS).min(until)).await;
                tape.join().await?;
            }
        }
    }
    Ok(())
}
