//! A decoder for `text/event-stream` bodies: bytes in, blocks out (`STR-5`).
//!
//! The decoder follows the event-stream format of the HTML standard and adds what a resuming client needs:
//! each block says whether it carried an accepted `id` line, a lone CR ends a line at once, and the memory of
//! one block is capped. It does no I/O and knows nothing of Checkfu's events.
//!
//! ```
//! use checkfu_sdk::sse::Decoder;
//!
//! let mut decoder = Decoder::new();
//! let mut input: &[u8] = b"id: 7\nevent: greeting\ndata: hello\n\n: still here\n";
//! let block = decoder.next_block(&mut input)?.expect("one block is complete");
//! assert_eq!((block.event(), block.data(), block.id()), ("greeting", "hello", "7"));
//! assert!(decoder.next_block(&mut input)?.is_none());
//! # Ok::<(), checkfu_sdk::sse::BlockTooLarge>(())
//! ```

mod block;
mod lines;

pub use block::Block;

use block::Pending;
use lines::Lines;

/// The default cap on the bytes held for one block: 16 MiB.
pub const DEFAULT_LIMIT: usize = 16 * 1024 * 1024;

/// The bytes of one block went over the decoder's cap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an event-stream block is larger than the limit of {limit} bytes")]
pub struct BlockTooLarge {
    /// The cap that was passed, in bytes.
    pub limit: usize,
}

/// Turns the bytes of an event stream into blocks, however the bytes are cut (`STR-5`, `A-CLI`).
///
/// Time is linear in the bytes. Memory is bounded by the cap: comments, however long, are not kept, and no
/// capacity stays behind after a large block. Bytes that are not UTF-8 become U+FFFD and the stream goes on.
#[derive(Debug)]
pub struct Decoder {
    lines: Lines,
    pending: Pending,
    limit: usize,
    failed: bool,
}

impl Default for Decoder {
    fn default() -> Self {
        Self::new()
    }
}

impl Decoder {
    /// A decoder at the start of a stream, with the cap of [`DEFAULT_LIMIT`] bytes.
    pub fn new() -> Self {
        Self::with_limit(DEFAULT_LIMIT)
    }

    /// A decoder at the start of a stream that holds at most `limit` bytes for one block.
    pub fn with_limit(limit: usize) -> Self {
        Self {
            lines: Lines::default(),
            pending: Pending::default(),
            limit,
            failed: false,
        }
    }

    /// Reads from the front of `input` up to the end of the next block, and returns that block.
    ///
    /// `input` is advanced past what was read. `None` means that all of it was read and no further block is
    /// complete; call again with the next bytes of the stream. At the end of a stream an unfinished block is
    /// simply not returned.
    ///
    /// # Errors
    ///
    /// [`BlockTooLarge`] once the bytes held for one block pass the cap. The decoder stays in that state.
    pub fn next_block(&mut self, input: &mut &[u8]) -> Result<Option<Block>, BlockTooLarge> {
        let too_large = BlockTooLarge { limit: self.limit };
        if self.failed {
            return Err(too_large);
        }
        let Self {
            lines,
            pending,
            limit,
            ..
        } = self;
        loop {
            let room = limit.saturating_sub(pending.held());
            let line = match lines.next_line(input, room) {
                Ok(Some(line)) => line,
                Ok(None) => return Ok(None),
                Err(_) => break,
            };
            if line.is_empty() {
                if let Some(block) = pending.dispatch() {
                    return Ok(Some(block));
                }
                continue;
            }
            pending.field(&line);
            if pending.held() > *limit {
                break;
            }
        }
        self.failed = true;
        self.lines = Lines::default();
        self.pending = Pending::default();
        Err(too_large)
    }

    /// Whether a block has begun and is not complete.
    pub(crate) fn holds_part(&self) -> bool {
        self.lines.holds_part() || self.pending.held() > 0
    }

    /// The last event id of the stream so far: the id of the latest finished block that set one.
    pub fn last_event_id(&self) -> &str {
        self.pending.last_event_id()
    }

    /// The latest valid `retry` value, in milliseconds.
    pub fn retry(&self) -> Option<u64> {
        self.pending.retry()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// STR-5: a part is held from the first byte of a line that is no comment to the end of its block.
    #[test]
    fn a_part_is_held_until_its_block_is_complete() {
        let mut decoder = Decoder::new();
        let pieces: [(&[u8], bool); 7] = [
            (b"", false),
            (b": a comment", false),
            (b"\n\n", false),
            (b"d", true),
            (b"ata: x\n", true),
            (b": a comment\n", true),
            (b"\n", false),
        ];
        for (mut piece, held) in pieces {
            while decoder.next_block(&mut piece).unwrap().is_some() {}
            assert_eq!(decoder.holds_part(), held, "{:?}", decoder);
        }
    }
}
