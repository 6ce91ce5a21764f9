//! Whether the decoder takes time in proportion to the bytes, whatever they come in. `cargo bench -p checkfu-sdk --bench sse`
//! measures it and fails where sixteen times the bytes take 40 times as long or longer.
#![allow(clippy::panic, clippy::unwrap_used)]

use std::time::Instant;

use checkfu_sdk::sse::Decoder;

const MEBIBYTE: usize = 1024 * 1024;

fn seconds(input: &[u8], piece: usize) -> f64 {
    let run = || {
        let mut decoder = Decoder::with_limit(64 * MEBIBYTE);
        let start = Instant::now();
        for mut piece in input.chunks(piece) {
            while decoder.next_block(&mut piece).unwrap().is_some() {}
        }
        start.elapsed().as_secs_f64()
    };
    (0..5).map(|_| run()).fold(f64::INFINITY, f64::min)
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
            let small = seconds(&input(kind, MEBIBYTE), piece);
            let large = seconds(&input(kind, 16 * MEBIBYTE), piece);
            let ratio = large / small;
            println!(
                "{kind} in pieces of {piece}: {:.2} ns a byte, 16 times the bytes took {ratio:.1} times as long",
                large * 1e9 / (16 * MEBIBYTE) as f64
            );
            assert!(ratio < 40.0, "the time is not linear in the bytes");
        }
    }
}
