//! The seam between replay and live delivery, as a pure state machine (A-SRV).
//!
//! A stream that asks for the log's end, subscribed to it before it reads, can neither miss an event that commits
//! between its last page and its wait, nor send one twice.

use crate::core::cursor::{self, Gap};
use crate::ledger::handle::LogEnd;

/// Where a stream is in the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Seam {
    cursor: u64,
}

/// What a stream does next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Next {
    /// Read the page right after this `seq`.
    Read { after: u64 },
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
        if self.cursor >= end.retained.last_seq {
            return if end.terminal {
                Next::Close
            } else {
                Next::Wait { at: self.cursor }
            };
        }
        match cursor::check(self.cursor, end.retained) {
            Ok(()) => Next::Read { after: self.cursor },
            Err(_) => Next::Close,
        }
    }

    /// A page up to `last_seq` was sent.
    pub(crate) fn sent(&mut self, last_seq: u64) {
        self.cursor = self.cursor.max(last_seq);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::cursor::Retained;

    fn end(first_seq: u64, last_seq: u64, terminal: bool) -> LogEnd {
        LogEnd {
            retained: Retained { first_seq, last_seq },
            terminal,
        }
    }

    /// A-SRV, A-GAP: read while something is left, wait at the head, close at a terminal head or over a trimmed gap.
    #[test]
    fn a_stream_reads_waits_and_closes_by_the_end_of_the_log() {
        let mut seam = Seam::resume(2, end(1, 5, false)).unwrap();
        assert_eq!(seam.next(end(1, 5, false)), Next::Read { after: 2 });
        seam.sent(5);
        assert_eq!(seam.next(end(1, 5, false)), Next::Wait { at: 5 });
        assert_eq!(seam.next(end(1, 6, true)), Next::Read { after: 5 });
        assert_eq!(seam.next(end(8, 9, false)), Next::Close);
        seam.sent(6);
        assert_eq!(seam.next(end(1, 6, true)), Next::Close);
        assert_eq!(Seam::resume(7, end(1, 6, true)), Err(Gap::Ahead { last_seq: 6 }));
    }
}
