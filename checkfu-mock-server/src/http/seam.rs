//! The seam between replay and live delivery, as a pure state machine (STR-1, STR-2, A-SRV, A-GAP).
//!
//! A stream that asks for the log's end, subscribed to it before it reads, can neither miss an event that commits
//! between its last page and its wait, nor send one twice. What it sends may be a view, in which events of the log are
//! missing; so what decides is how far it has looked, not what it found.

use crate::core::cursor::{self, Gap, Retained};
use crate::ledger::handle::LogEnd;

#[cfg(test)]
mod tests;

/// Where a stream is in the log: everything up to there was sent, or is not in its view.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Seam {
    cursor: u64,
}

/// What a stream does next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Next {
    /// Read the page right after `after`. The log is known to reach `up_to`.
    Read { after: u64, up_to: u64 },
    /// Everything up to this `seq` was sent: wait until the log's end moves.
    Wait { at: u64 },
    /// Nothing will follow, or what follows is gone.
    Close,
}

impl Seam {
    /// A stream that resumes right after `cursor`.
    pub(crate) fn resume(cursor: u64, end: LogEnd) -> Result<Self, Gap> {
        cursor::check(cursor, end.retained)?;
        Ok(Self { cursor })
    }

    /// Decides by the log's end, which has to be the latest that was told.
    pub(crate) fn next(&self, end: LogEnd) -> Next {
        let up_to = end.retained.last_seq;
        if self.cursor >= up_to {
            return if end.terminal {
                Next::Close
            } else {
                Next::Wait { at: self.cursor }
            };
        }
        match cursor::check(self.cursor, end.retained) {
            Ok(()) => Next::Read {
                after: self.cursor,
                up_to,
            },
            Err(_) => Next::Close,
        }
    }

    /// A page was read, as [`Next::Read`] said, and will now be sent: `last_seq` is its last event, if it has one;
    /// `full` says that it may have ended before `up_to`; `retained` is what was left of the log in the very snapshot
    /// that the page was read from.
    ///
    /// # Errors
    ///
    /// An event after the cursor was trimmed before the read. The page must not be sent, since it may hide a gap.
    pub(crate) fn page_read(
        &mut self,
        up_to: u64,
        last_seq: Option<u64>,
        full: bool,
        retained: Retained,
    ) -> Result<(), Gap> {
        cursor::check(self.cursor, retained)?;
        let looked = if full { None } else { Some(up_to) };
        self.cursor = self.cursor.max(last_seq.max(looked).unwrap_or_default());
        Ok(())
    }
}
