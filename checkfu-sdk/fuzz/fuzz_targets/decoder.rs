//! Bytes of a stream decode the same whole, in pieces that the input chooses, and one by one, within a limit that the input
//! chooses; nothing panics.
#![no_main]

#[path = "../../tests/api/support/decoding.rs"]
mod decoding;

use libfuzzer_sys::fuzz_target;

// The input: how many lengths of pieces, those, the power of two that is the limit, and the stream.
fuzz_target!(|input: &[u8]| {
    let Some((count, rest)) = input.split_first() else { return };
    let (lengths, rest) = rest.split_at(usize::from(*count % 8).min(rest.len()));
    let Some((limit, stream)) = rest.split_first() else { return };
    let lengths: Vec<usize> = lengths.iter().copied().map(usize::from).collect();
    decoding::pieces_do_not_matter(stream, 1 << (limit % 21), &lengths);
});
