use checkfu_sdk::sse::{Block, BlockTooLarge, DEFAULT_LIMIT, Decoder};
use serde_json::Value;

struct Case {
    name: String,
    input: Vec<u8>,
    expect: Vec<(String, String, String, bool)>,
    last_event_id: String,
    retry: Option<u64>,
    any_retry: bool,
}

fn corpus() -> Vec<Case> {
    let cases: Vec<Value> = serde_json::from_str(include_str!("../data/sse-corpus.json")).unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let read = |case: &Value| Case {
        name: text(&case["name"]),
        input: match case["input"].as_str() {
            Some(input) => input.as_bytes().to_vec(),
            None => base64(case["input_b64"].as_str().unwrap()),
        },
        expect: case["expect"]
            .as_array()
            .unwrap()
            .iter()
            .map(|block| {
                let has_id_line = block["has_id_line"].as_bool().unwrap();
                (
                    text(&block["event"]),
                    text(&block["data"]),
                    text(&block["id"]),
                    has_id_line,
                )
            })
            .collect(),
        last_event_id: text(&case["final"]["last_event_id"]),
        retry: case["final"]["retry"].as_u64(),
        any_retry: case.get("retry_any").is_some(),
    };
    cases.iter().map(read).collect()
}

fn base64(text: &str) -> Vec<u8> {
    const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut bits = 0_u32;
    let mut count = 0;
    let mut bytes = Vec::new();
    for letter in text.bytes().filter(|letter| *letter != b'=') {
        let value = ALPHABET.iter().position(|known| *known == letter).unwrap();
        bits = bits << 6 | u32::try_from(value).unwrap();
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push(u8::try_from(bits >> count & 0xff).unwrap());
        }
    }
    bytes
}

/// Decodes chunks, and gives the blocks that were out after each of them.
fn decode<'c>(decoder: &mut Decoder, chunks: impl IntoIterator<Item = &'c [u8]>) -> Vec<Vec<Block>> {
    let mut out = Vec::new();
    for mut chunk in chunks {
        let mut blocks = Vec::new();
        while let Some(block) = decoder.next_block(&mut chunk).unwrap() {
            blocks.push(block);
        }
        assert!(chunk.is_empty());
        out.push(blocks);
    }
    out
}

fn check(case: &Case, decoder: &Decoder, blocks: &[Block], cut: &str) {
    let seen: Vec<_> = blocks
        .iter()
        .map(|block| {
            (
                block.event().to_owned(),
                block.data().to_owned(),
                block.id().to_owned(),
                block.has_id_line(),
            )
        })
        .collect();
    assert_eq!(seen, case.expect, "{} {cut}", case.name);
    assert_eq!(decoder.last_event_id(), case.last_event_id, "{} {cut}", case.name);
    if !case.any_retry {
        assert_eq!(decoder.retry(), case.retry, "{} {cut}", case.name);
    }
}

/// STR-5, REP-31, REP-33: the corpus decodes the same whole, byte by byte and cut at every place, and every block is
/// out before the next bytes arrive.
#[test]
fn the_corpus_decodes_however_it_is_cut() {
    let corpus = corpus();
    assert!(corpus.len() >= 117, "the corpus is whole");
    for case in &corpus {
        let mut decoder = Decoder::new();
        let whole = decode(&mut decoder, [&case.input[..]]).concat();
        check(case, &decoder, &whole, "whole");

        let mut decoder = Decoder::new();
        let by_byte = decode(&mut decoder, case.input.chunks(1));
        check(case, &decoder, &by_byte.concat(), "byte by byte");

        for place in 0..=case.input.len() {
            let (front, back) = case.input.split_at(place);
            let mut decoder = Decoder::new();
            let cut = decode(&mut decoder, [front, back]);
            check(case, &decoder, &cut.concat(), &format!("cut at {place}"));
            let early: usize = by_byte[..place].iter().map(Vec::len).sum();
            assert_eq!(
                cut[0].len(),
                early,
                "{}: a block was held back at {place}",
                case.name
            );
        }
    }
}

/// STR-5, REP-32: a lone CR ends a block at once, not when the next byte shows that no LF follows.
#[test]
fn a_lone_carriage_return_dispatches_at_once() {
    let mut decoder = Decoder::new();
    assert_eq!(decode(&mut decoder, [&b"data: x\r\r"[..]]).concat().len(), 1);
    assert_eq!(decode(&mut decoder, [&b"\ndata: y\r\n\r"[..]]).concat().len(), 1);
}

/// STR-5: a block names its type unless that is empty, absent, or the one that it would have anyway.
#[test]
fn a_block_tells_whether_it_names_its_type() {
    let input: &[u8] = b"event: tick\ndata: a\n\nevent:\ndata: b\n\ndata: c\n\nevent: message\ndata: d\n\n";
    let blocks = decode(&mut Decoder::new(), [input]).concat();
    let told: Vec<_> = blocks
        .iter()
        .map(|block| (block.event(), block.names_event()))
        .collect();
    let unnamed = ("message", false);
    assert_eq!(told, [("tick", true), unnamed, unnamed, unnamed]);
}

/// A-CLI: a block over the cap is a typed error that stays, just under it is none.
#[test]
fn a_block_over_the_cap_is_an_error() {
    let block = |length: usize| format!("data: {}\n\n", "x".repeat(length)).into_bytes();
    let limit = 1000;
    for chunk in [1, 7, 4096] {
        let mut decoder = Decoder::with_limit(limit);
        let input = block(limit - "data: ".len());
        assert_eq!(decode(&mut decoder, input.chunks(chunk)).concat().len(), 1);

        let input = block(limit + 1);
        let mut results = input
            .chunks(chunk)
            .map(|mut bytes| decoder.next_block(&mut bytes));
        assert!(results.any(|result| result == Err(BlockTooLarge { limit })));
        assert_eq!(
            decoder.next_block(&mut &b"data: x\n\n"[..]),
            Err(BlockTooLarge { limit })
        );
    }
}

/// A-CLI: every kind of endless line is bounded, whether of data, of a name, of an id or of an unknown field.
#[test]
fn endless_lines_of_every_kind_are_bounded() {
    for start in [
        "data: ",
        "event: ",
        "id: ",
        "retry: ",
        "unknown: ",
        "nocolon",
        "\u{feff}x",
    ] {
        let mut decoder = Decoder::with_limit(4096);
        assert!(decoder.next_block(&mut start.as_bytes()).unwrap().is_none());
        let failed = (0..100).any(|_| decoder.next_block(&mut &[b'1'; 100][..]).is_err());
        assert!(failed, "{start:?} grows without end");
    }
    let mut decoder = Decoder::with_limit(100);
    let mut grows: &[u8] = &[&b"data: "[..], &[0xff; 90], b"\n\n"].concat();
    assert!(
        decoder.next_block(&mut grows).is_err(),
        "what malformed text grows to is not counted"
    );
    let mut fits: &[u8] = &[&b"data: "[..], &[0xff; 33], b"\n\n"].concat();
    let block = Decoder::with_limit(100).next_block(&mut fits).unwrap().unwrap();
    assert_eq!(
        block.data().len(),
        99,
        "text that grows up to the cap, with the line end after it"
    );
    let mut decoder = Decoder::with_limit(4096);
    let failed = (0..1000).any(|_| decoder.next_block(&mut &b"data: many lines\n"[..]).is_err());
    assert!(failed, "many lines grow without end");
}

/// A-CLI: a line over the cap is an error of every kind but a comment, also where it is whole at once, or cut before its
/// colon.
#[test]
fn a_line_over_the_cap_is_an_error_however_it_is_cut() {
    for (name, rest) in [
        ("data", ": "),
        ("id", ":"),
        ("retry", ": "),
        ("unknown", ": "),
        ("nocolon", ""),
    ] {
        let line = format!("{name}{rest}{}\n\n", "1".repeat(100));
        for place in [0, name.len()] {
            let mut decoder = Decoder::with_limit(64);
            let (front, back) = line.split_at(place);
            assert_eq!(decoder.next_block(&mut front.as_bytes()), Ok(None));
            let failed = decoder.next_block(&mut back.as_bytes()).is_err();
            assert!(failed, "{name:?} cut at {place} passes the cap");
        }
    }
}

/// A-CLI: comments are signs of life, however long; they are not kept and never an error.
#[test]
fn an_endless_comment_is_no_error() {
    let mut decoder = Decoder::with_limit(64);
    assert!(decoder.next_block(&mut &b": "[..]).unwrap().is_none());
    for _ in 0..1000 {
        assert!(decoder.next_block(&mut &[b'.'; 100][..]).unwrap().is_none());
    }
    assert_eq!(
        decode(&mut decoder, [&b"\n: again\ndata: x\n\n"[..]]).concat()[0].data(),
        "x"
    );
}

/// STR-5: malformed UTF-8 costs one character of the text that it stands in, and nothing after it.
#[test]
fn malformed_text_costs_one_character() {
    let input: &[u8] =
        b"event: t\xFFick\nid: \xE2\x98\ndata: a\xFFb\ndata: \xF0\x9F\x98\n\ndata: \xE2\x98\x83\n\n";
    for chunk in [1, 3, 4096] {
        let blocks = decode(&mut Decoder::new(), input.chunks(chunk)).concat();
        let told = blocks
            .iter()
            .map(|block| (block.event(), block.id(), block.data()));
        let expected = [
            ("t\u{FFFD}ick", "\u{FFFD}", "a\u{FFFD}b\n\u{FFFD}"),
            ("message", "\u{FFFD}", "\u{2603}"),
        ];
        assert!(told.eq(expected), "{blocks:?}");
    }
}

/// A-CLI: a block may hold 16 MiB unless another cap is set; one byte more is a typed error that names the cap.
#[test]
fn the_cap_is_16_mebibytes() {
    assert_eq!(DEFAULT_LIMIT, 16 * 1024 * 1024);
    for (length, fits) in [(DEFAULT_LIMIT - "data: ".len(), true), (DEFAULT_LIMIT - 5, false)] {
        let input = format!("data: {}\n\n", "x".repeat(length)).into_bytes();
        let mut decoder = Decoder::new();
        let mut chunks = input.chunks(64 * 1024);
        let found = chunks.find_map(|mut chunk| decoder.next_block(&mut chunk).transpose());
        match found.unwrap() {
            Ok(block) => assert!(fits && block.data().len() == length),
            Err(error) => assert!(!fits && error == BlockTooLarge { limit: DEFAULT_LIMIT }),
        }
    }
    let told = BlockTooLarge { limit: DEFAULT_LIMIT }.to_string();
    assert_eq!(
        told,
        "an event-stream block is larger than the limit of 16777216 bytes"
    );
}
