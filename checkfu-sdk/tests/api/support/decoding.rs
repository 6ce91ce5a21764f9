//! What holds of the decoder for any bytes; tests and the fuzz target share it.

use checkfu_sdk::sse::{Block, BlockTooLarge, Decoder};

/// All that a decoder tells of a stream.
#[derive(Debug, PartialEq)]
pub(crate) struct Decoded {
    pub(crate) blocks: Vec<Block>,
    pub(crate) failed: bool,
    last_event_id: String,
    retry: Option<u64>,
}

pub(crate) fn decode<'c>(limit: usize, chunks: impl IntoIterator<Item = &'c [u8]>) -> Decoded {
    let mut decoder = Decoder::with_limit(limit);
    let (mut blocks, mut failed) = (Vec::new(), false);
    for mut chunk in chunks {
        loop {
            match decoder.next_block(&mut chunk) {
                Ok(Some(block)) => blocks.push(block),
                Ok(None) => break,
                Err(error) => {
                    assert_eq!(error, BlockTooLarge { limit });
                    failed = true;
                    break;
                }
            }
        }
        assert!(failed || chunk.is_empty(), "bytes were left");
    }
    if failed {
        let again = decoder.next_block(&mut &b"data: x\n\n"[..]);
        assert_eq!(again, Err(BlockTooLarge { limit }), "the failure does not stay");
    }
    Decoded {
        blocks,
        failed,
        last_event_id: decoder.last_event_id().to_owned(),
        retry: decoder.retry(),
    }
}

/// The bytes in pieces of these lengths, again and again.
pub(crate) fn pieces<'i>(mut input: &'i [u8], lengths: &[usize]) -> Vec<&'i [u8]> {
    let mut lengths = lengths.iter().cycle();
    let mut pieces = Vec::new();
    while !input.is_empty() {
        let length = lengths.next().map_or(1, |length| (*length).max(1));
        let (piece, rest) = input.split_at(length.min(input.len()));
        pieces.push(piece);
        // A read that brings nothing changes nothing.
        pieces.push(&[]);
        input = rest;
    }
    pieces
}

/// Bytes decode the same whole, in any pieces and one by one, and no block is larger than the limit.
pub(crate) fn pieces_do_not_matter(input: &[u8], limit: usize, lengths: &[usize]) -> Decoded {
    let whole = decode(limit, [input]);
    assert_eq!(decode(limit, input.chunks(1)), whole, "byte by byte");
    assert_eq!(
        decode(limit, pieces(input, lengths)),
        whole,
        "in pieces of {lengths:?}"
    );
    for block in &whole.blocks {
        let name = if block.names_event() {
            block.event().len()
        } else {
            0
        };
        assert!(
            block.data().len() + name <= limit,
            "a block of more than {limit} bytes"
        );
        assert!(block.id().len() <= limit, "an id of more than {limit} bytes");
    }
    whole
}
