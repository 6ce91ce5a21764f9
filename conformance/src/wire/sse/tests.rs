use serde::Deserialize;
use serde_json::Value;

use super::*;

#[derive(Debug, PartialEq, Eq, Deserialize)]
struct Dispatched {
    event: String,
    data: String,
    id: String,
    has_id_line: bool,
}

fn decode<'a>(chunks: impl IntoIterator<Item = &'a [u8]>) -> Vec<Dispatched> {
    let mut reader = Reader::default();
    let mut last_id = String::new();
    let mut dispatched = Vec::new();
    for item in chunks.into_iter().flat_map(|chunk| reader.push(chunk)) {
        let (Item::Frame(frame) | Item::Empty(frame)) = &item else {
            continue;
        };
        if let Some(id) = &frame.id {
            last_id.clone_from(id);
        }
        if frame.data_lines > 0 {
            let event = frame
                .event
                .as_deref()
                .filter(|event| !event.is_empty())
                .unwrap_or("message");
            dispatched.push(Dispatched {
                event: event.to_owned(),
                data: frame.data.clone(),
                id: last_id.clone(),
                has_id_line: frame.id.is_some(),
            });
        }
    }
    dispatched
}

/// Every line ending and any split of the bytes decode to the same events.
#[test]
fn the_corpus_decodes_whole_byte_by_byte_and_split_anywhere() {
    let cases: Vec<Value> = serde_json::from_str(include_str!("corpus.json")).unwrap();
    assert!(cases.len() > 100);
    for case in &cases {
        let name = case["name"].as_str().unwrap();
        let input = match case["input"].as_str() {
            Some(text) => text.as_bytes().to_vec(),
            None => base64(case["input_b64"].as_str().unwrap()),
        };
        let expected: Vec<Dispatched> = serde_json::from_value(case["expect"].clone()).unwrap();
        assert_eq!(decode([input.as_slice()]), expected, "{name}, whole");
        assert_eq!(decode(input.chunks(1)), expected, "{name}, byte by byte");
        for at in 0..input.len().min(400) {
            let (head, tail) = input.split_at(at);
            assert_eq!(decode([head, tail]), expected, "{name}, split at {at}");
        }
    }
}

#[test]
fn a_frame_knows_its_bytes_its_fields_and_its_faults() {
    let text = b": hello\n\nid: 7\nevent: user.message\ndata: {}\n\nevent: x\n\ndata: \xff\n\nid: 9\n";
    let mut reader = Reader::default();
    let items = reader.push(text);
    let [
        Item::Comment(comment),
        Item::Frame(frame),
        Item::Empty(empty),
        Item::Frame(broken),
    ] = &items[..]
    else {
        panic!("{items:?}")
    };
    assert_eq!(comment, " hello");
    assert_eq!(
        &text[frame.bytes.clone()],
        b"id: 7\nevent: user.message\ndata: {}\n\n"
    );
    assert_eq!(frame.fields, ["id", "event", "data"]);
    assert_eq!(empty.event.as_deref(), Some("x"));
    assert!(broken.invalid_utf8 && !frame.invalid_utf8);
    assert!(reader.is_mid_block());
}

fn base64(text: &str) -> Vec<u8> {
    const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let bits = text.bytes().filter(|byte| *byte != b'=').flat_map(|byte| {
        let value = ALPHABET.iter().position(|letter| *letter == byte).unwrap();
        (0..6).rev().map(move |shift| (value >> shift & 1) as u8)
    });
    let bits: Vec<u8> = bits.collect();
    bits.chunks_exact(8)
        .map(|byte| byte.iter().fold(0, |value, bit| value << 1 | bit))
        .collect()
}
