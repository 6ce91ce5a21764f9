//! Whether the decoder takes time in proportion to the bytes, whatever they come in. `cargo bench -p checkfu-sdk --bench sse`
//! measures it and fails where sixteen times the bytes take 40 times as long or longer; if time grew with the square of the
//! bytes, it would be 256. Large inputs alone cost pages of memory, so 16 is not reached by one long line.
#![allow(clippy::panic, clippy::unwrap_used)]

use std::time::Instant;

use checkfu_sdk::sse::Decoder;

const MEBIBYTE: usize = 1024 * 1024;
const TIMES: usize = 16;
const ROUNDS: usize = 7;

/// How long it takes to decode the input so many times.
fn seconds(input: &[u8], piece: usize, times: usize) -> f64 {
    let start = Instant::now();
    for _ in 0..times {
        let mut decoder = Decoder::with_limit(64 * MEBIBYTE);
        for mut piece in input.chunks(piece) {
            while decoder.next_block(&mut piece).unwrap().is_some() {}
        }
    }
    start.elapsed().as_secs_f64()
}

/// The shortest times of the same number of bytes, as sixteen inputs and as one of sixteen times the size. They alternate and
/// are about as long, so that a busy machine slows down both.
fn shortest(kind: &str, piece: usize) -> (f64, f64) {
    let (small, large) = (input(kind, MEBIBYTE), input(kind, TIMES * MEBIBYTE));
    let mut shortest = (f64::INFINITY, f64::INFINITY);
    for _ in 0..ROUNDS {
        shortest.0 = shortest.0.min(seconds(&small, piece, TIMES));
        shortest.1 = shortest.1.min(seconds(&large, piece, 1));
    }
    shortest
}

/// One line, many lines of one block, or many blocks.
fn input(kind: &str, bytes: usize) -> Vec<u8> {
    let line = format!("data: {}\n", "x".repeat(93));
    match kind {
        "one line" => format!("data: {}\n\n", "x".repeat(bytes)),
        "one block" => format!("{}\n", line.repeat(bytes / line.len())),
        "a comment" => format!(": {}\n", "x".repeat(bytes)),
        _ => format!("{line}\n").repeat(bytes / line.len()),
    }
    .into_bytes()
}

fn main() {
    for kind in ["one line", "one block", "a comment", "blocks"] {
        for piece in [1, 1460, 64 * 1024] {
            let (small, large) = shortest(kind, piece);
            let ratio = large / small * TIMES as f64;
            println!(
                "{kind} in pieces of {piece}: {:.2} ns a byte, {TIMES} times the bytes took {ratio:.1} times as long",
                large * 1e9 / (TIMES * MEBIBYTE) as f64
            );
            assert!(ratio < 40.0, "the time is not linear in the bytes");
        }
    }
}
