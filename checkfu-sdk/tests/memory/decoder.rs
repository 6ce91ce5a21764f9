use checkfu_sdk::sse::Decoder;

use super::{HEAP, alone};

const MEBIBYTE: usize = 1024 * 1024;

/// What may be left: the test runner allocates a little on its own thread.
const REST: usize = 8 * 1024;

/// What is taken at most beyond what was before, while a decoder works, and what is left then: the least of several times,
/// because other threads of the test runner allocate as well.
fn heap<T>(decoder: impl Fn() -> Decoder, work: impl Fn(&mut Decoder) -> T) -> (usize, usize, T) {
    let measure = || {
        let mut decoder = decoder();
        let before = HEAP.current_usage();
        HEAP.reset_peak_usage();
        let done = work(&mut decoder);
        let peak = HEAP.peak_usage().saturating_sub(before);
        (peak, HEAP.current_usage().saturating_sub(before), done)
    };
    let (mut peak, mut left, done) = measure();
    for _ in 1..4 {
        let (higher, more, _) = measure();
        (peak, left) = (peak.min(higher), left.min(more));
    }
    (peak, left, done)
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
        let bytes = [b'1'; 4096];
        let (peak, left, failed) = heap(
            || Decoder::with_limit(cap),
            |decoder| {
                assert!(decoder.next_block(&mut start.as_bytes()).unwrap().is_none());
                (0..1024).any(|_| decoder.next_block(&mut &bytes[..]).is_err())
            },
        );
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
        let bytes = line.repeat(64).into_bytes();
        let (peak, left, _) = heap(
            || Decoder::with_limit(cap),
            |decoder| (0..1024).any(|_| decoder.next_block(&mut &bytes[..]).is_err()),
        );
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
            let (peak, left, ()) = heap(Decoder::new, |decoder| {
                for mut bytes in input.as_bytes().chunks(piece) {
                    while decoder.next_block(&mut bytes).unwrap().is_some() {}
                }
            });
            assert!(left <= REST, "{field:?}: {left} of {peak} bytes were kept");
        }
    }
    // An id is what the next connection resumes with, so it stays, in its own size.
    let input = format!("id: {huge}\ndata: x\n\nid: 7\ndata: y\n\n");
    let (_, left, ()) = heap(Decoder::new, |decoder| {
        let mut bytes = input.as_bytes();
        while decoder.next_block(&mut bytes).unwrap().is_some() {}
    });
    assert!(left <= REST, "{left} bytes were kept");
}
