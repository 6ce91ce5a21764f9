use checkfu_sdk::sse::Decoder;

use super::{HEAP, alone};

const MEBIBYTE: usize = 1024 * 1024;

/// What may be left: the test runner allocates a little on its own thread.
const REST: usize = 8 * 1024;

/// What is taken beyond `before` at most while `work` is done, and what is left then.
fn heap<T>(work: impl FnOnce() -> T) -> (usize, usize, T) {
    let before = HEAP.current_usage();
    HEAP.reset_peak_usage();
    let done = work();
    let peak = HEAP.peak_usage().saturating_sub(before);
    (peak, HEAP.current_usage().saturating_sub(before), done)
}

/// A-CLI: an endless line of any kind, and endless lines, take memory in proportion to the cap and not to what comes: the
/// cap, twice over while a buffer grows.
#[test]
fn endless_lines_take_bounded_memory() {
    let _alone = alone();
    let cap = 64 * 1024;
    for start in [
        "data: ",
        "event: ",
        "id: ",
        "retry: ",
        ": ",
        "unknown: ",
        "nocolon",
        "\u{feff}data: ",
    ] {
        let mut decoder = Decoder::with_limit(cap);
        let bytes = [b'1'; 4096];
        let (peak, left, failed) = heap(|| {
            assert!(decoder.next_block(&mut start.as_bytes()).unwrap().is_none());
            (0..1024).any(|_| decoder.next_block(&mut &bytes[..]).is_err())
        });
        assert_eq!(failed, start != ": ", "{start:?}");
        assert!(peak <= 3 * cap, "{start:?} took {peak} bytes");
        assert!(left <= REST, "{start:?} kept {left} bytes");
    }
    for line in [
        "data: 12345678\n",
        "id: 12345678\n",
        "event: 12345678\n",
        "retry: 5\n",
        "x\n",
        ":\n",
        "data\n",
    ] {
        let mut decoder = Decoder::with_limit(cap);
        let bytes = line.repeat(64).into_bytes();
        let (peak, left, _) = heap(|| (0..1024).any(|_| decoder.next_block(&mut &bytes[..]).is_err()));
        assert!(peak <= 3 * cap, "{line:?} took {peak} bytes");
        assert!(left <= REST, "{line:?} kept {left} bytes");
    }
}

/// A-CLI: no capacity stays behind after one huge block, however it came.
#[test]
fn a_huge_block_leaves_no_capacity() {
    let _alone = alone();
    let huge = "1".repeat(8 * MEBIBYTE);
    for field in ["data", "event", "unknown", "retry", ""] {
        for piece in [usize::MAX, 4096] {
            let input = format!("{field}: {huge}\ndata: x\n\n");
            let mut decoder = Decoder::new();
            let (peak, left, ()) = heap(|| {
                for mut bytes in input.as_bytes().chunks(piece) {
                    while decoder.next_block(&mut bytes).unwrap().is_some() {}
                }
            });
            assert!(left <= REST, "{field:?}: {left} of {peak} bytes were kept");
        }
    }
    // An id is what the next connection resumes with, so it stays, in its own size.
    let mut decoder = Decoder::new();
    let input = format!("id: {huge}\ndata: x\n\nid: 7\ndata: y\n\n");
    let (_, left, ()) = heap(|| {
        let mut bytes = input.as_bytes();
        while decoder.next_block(&mut bytes).unwrap().is_some() {}
    });
    assert!(left <= REST, "{left} bytes were kept");
}
