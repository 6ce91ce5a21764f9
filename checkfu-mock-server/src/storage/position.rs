//! Where an event stands in the one table of events: its Session's row number above, its `seq` below, in one integer.
//!
//! So the table is clustered by Session and `seq` with nothing but SQLite's own row key, and an append writes one tree.

/// Bits of the key that hold `seq`: 68 thousand million events a Session, 134 million Sessions.
const SEQ_BITS: u32 = 36;

/// The largest `seq` that has a place.
pub(crate) const MAX_SEQ: u64 = (1 << SEQ_BITS) - 1;

/// The key of one event. A `seq` above [`MAX_SEQ`] gets the place after the Session's last.
pub(crate) fn position(session: i64, seq: u64) -> i64 {
    (session << SEQ_BITS) | seq.min(MAX_SEQ).cast_signed()
}

/// The `seq` in a key.
pub(crate) fn seq_of(position: i64) -> u64 {
    position.cast_unsigned() & MAX_SEQ
}

/// The key of one child of a Session: its Session's row number above, its place among the threads below.
pub(crate) fn child_key(session: i64, place: usize) -> i64 {
    (session << SEQ_BITS)
        | i64::try_from(place)
            .unwrap_or(i64::MAX)
            .min(MAX_SEQ.cast_signed())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_order_by_session_and_then_by_seq() {
        let places = [
            position(1, 1),
            position(1, 2),
            position(1, MAX_SEQ),
            position(2, 1),
        ];
        assert!(places.is_sorted());
        assert_eq!(seq_of(position(77, 41)), 41);
    }
}
