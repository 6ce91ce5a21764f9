//! A-GAP, A-CURSOR: what a cursor, by whatever name and of whatever view, means for a log of which a beginning may have been trimmed.

/// What is left of a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Retained {
    /// The oldest event that is still there.
    pub(crate) first_seq: u64,
    pub(crate) last_seq: u64,
}

/// A cursor that cannot be resumed from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Gap {
    /// An event above the cursor was trimmed.
    Expired(Retained),
    /// The log does not reach the cursor.
    Ahead { last_seq: u64 },
}

/// Decides whether reading may begin right after `cursor`. Zero is "before the first event", which is the same as no
/// cursor, and always fits.
pub(crate) fn check(cursor: u64, retained: Retained) -> Result<(), Gap> {
    if cursor == 0 {
        return Ok(());
    }
    if cursor > retained.last_seq {
        return Err(Gap::Ahead {
            last_seq: retained.last_seq,
        });
    }
    if cursor + 1 < retained.first_seq {
        return Err(Gap::Expired(retained));
    }
    Ok(())
}

/// Reads a cursor: decimal digits and nothing else. A number beyond every log is still a number.
pub(crate) fn parse(text: &str) -> Option<u64> {
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    Some(text.parse().unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A-GAP, A-SEQ: zero and the event right before the first retained one fit, anything older does not.
    #[test]
    fn a_cursor_fits_unless_something_above_it_was_trimmed_or_it_is_above_the_head() {
        let retained = Retained {
            first_seq: 5,
            last_seq: 9,
        };
        for fits in [0, 4, 5, 8, 9] {
            assert_eq!(check(fits, retained), Ok(()), "{fits}");
        }
        for expired in [1, 2, 3] {
            assert_eq!(check(expired, retained), Err(Gap::Expired(retained)), "{expired}");
        }
        assert_eq!(check(10, retained), Err(Gap::Ahead { last_seq: 9 }));
    }

    /// A-GAP: only decimal digits are a cursor.
    #[test]
    fn only_decimal_digits_are_a_cursor() {
        assert_eq!(parse("0012"), Some(12));
        assert_eq!(parse("99999999999999999999999"), Some(u64::MAX));
        for bad in ["", " 1", "1 ", "+1", "-1", "1.0", "0x1", "١", "evt_1"] {
            assert_eq!(parse(bad), None, "{bad:?}");
        }
    }
}
