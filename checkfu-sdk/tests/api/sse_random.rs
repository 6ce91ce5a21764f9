//! Random event streams, decoded in random pieces and by other decoders.

use std::num::NonZeroUsize;

use checkfu_sdk::sse::Block;
use eventsource_stream::Eventsource;
use futures::{FutureExt, StreamExt, stream};
use sse_core::{SseDecoder, SseEvent};

use crate::support::decoding::{pieces, pieces_do_not_matter};
use crate::support::random::Random;

/// Parts that mean something to a decoder, and some that look as if they did.
const PARTS: [&[u8]; 32] = [
    b"\n",
    b"\n",
    b"\n\n",
    b"\r",
    b"\r\n",
    b"\r\r",
    b"\r\n\r\n",
    b"data",
    b"data:",
    b"data: ",
    b"data:  ",
    b"event:",
    b"event: tick",
    b"id",
    b"id:",
    b"id: 7",
    b"id: \0",
    b"retry: 10",
    b"retry: 1x",
    b":",
    b": note",
    b" ",
    b"\xEF\xBB\xBF",
    b"\xEF\xBB",
    b"\xFF",
    b"\xE2\x98",
    "☃".as_bytes(),
    "ä".as_bytes(),
    b"Data: x",
    b"x",
    b"0",
    b"datax: y",
];

/// Parts that every one of the decoders reads rightly: text, and lines that end with LF.
const PLAIN: [&str; 18] = [
    "\n",
    "\n",
    "\n\n",
    "data",
    "data:",
    "data: ",
    "data:  ",
    "event:",
    "event: tick",
    "id",
    "id:",
    "id: 7",
    "retry: 10",
    ":",
    ": note",
    "☃",
    "Data: x",
    "x",
];

fn draw<P: AsRef<[u8]>>(random: &mut Random, parts: &[P]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for _ in 0..random.below(40) {
        let part = usize::try_from(random.below(parts.len() as u64)).unwrap();
        bytes.extend_from_slice(parts[part].as_ref());
    }
    bytes
}

fn lengths(random: &mut Random) -> Vec<usize> {
    (0..4)
        .map(|_| usize::try_from(1 + random.below(9)).unwrap())
        .collect()
}

fn told(blocks: &[Block]) -> Vec<(String, String, String)> {
    let told = |block: &Block| {
        (
            block.event().to_owned(),
            block.data().to_owned(),
            block.id().to_owned(),
        )
    };
    blocks.iter().map(told).collect()
}

/// What `sse-core` makes of the same pieces.
fn by_sse_core(pieces: &[&[u8]]) -> Vec<(String, String, String)> {
    let mut decoder = SseDecoder::with_limit(NonZeroUsize::MAX);
    let mut all = Vec::new();
    for mut piece in pieces.iter().copied() {
        while let Some(event) = decoder.next(&mut piece) {
            if let SseEvent::Message(message) = event.unwrap() {
                let id = message.last_event_id.as_deref().unwrap_or_default();
                all.push((message.event.into_owned(), message.data, id.to_owned()));
            }
        }
    }
    all
}

/// What `eventsource-stream` makes of the same pieces.
fn by_eventsource_stream(pieces: &[&[u8]]) -> Vec<(String, String, String)> {
    let pieces = pieces.iter().map(|piece| Ok::<_, std::io::Error>(piece.to_vec()));
    let events = stream::iter(pieces).eventsource().map(|event| {
        let event = event.unwrap();
        (event.event, event.data, event.id)
    });
    events.collect().now_or_never().unwrap()
}

/// STR-5, A-CLI: random streams, broken ones among them, decode the same whole, in random pieces and byte by byte, within
/// any limit.
#[test]
fn random_streams_decode_however_they_are_cut() {
    let mut random = Random::new("random_streams_decode_however_they_are_cut");
    let (mut blocks, mut failures) = (0, 0);
    for _ in 0..20_000 {
        let input = draw(&mut random, &PARTS);
        let limit = match random.below(4) {
            0 => usize::try_from(random.below(40)).unwrap(),
            _ => 1 << 20,
        };
        let decoded = pieces_do_not_matter(&input, limit, &lengths(&mut random));
        blocks += decoded.blocks.len();
        failures += usize::from(decoded.failed);
    }
    assert!(
        blocks > 5_000 && failures > 1_000,
        "{blocks} blocks, {failures} failures"
    );
}

/// STR-5: `sse-core` reads the same in random streams, with malformed text and every line end.
#[test]
fn random_streams_decode_as_by_sse_core() {
    let mut random = Random::new("random_streams_decode_as_by_sse_core");
    let mut blocks = 0;
    for _ in 0..20_000 {
        let input = draw(&mut random, &PARTS);
        let pieces = pieces(&input, &lengths(&mut random));
        let ours = told(&pieces_do_not_matter(&input, 1 << 20, &[7]).blocks);
        assert_eq!(
            ours,
            by_sse_core(&pieces),
            "{:?}",
            String::from_utf8_lossy(&input)
        );
        blocks += ours.len();
    }
    assert!(blocks > 5_000, "{blocks}");
}

/// STR-5: so does `eventsource-stream` where lines end with LF; it holds a block back that ends with CR, and takes no
/// malformed text.
#[test]
fn random_streams_decode_as_by_eventsource_stream() {
    let mut random = Random::new("random_streams_decode_as_by_eventsource_stream");
    let mut blocks = 0;
    for _ in 0..20_000 {
        let input = draw(&mut random, &PLAIN);
        let pieces = pieces(&input, &lengths(&mut random));
        let ours = told(&pieces_do_not_matter(&input, 1 << 20, &[7]).blocks);
        assert_eq!(
            ours,
            by_eventsource_stream(&pieces),
            "{:?}",
            String::from_utf8_lossy(&input)
        );
        blocks += ours.len();
    }
    assert!(blocks > 5_000, "{blocks}");
}
