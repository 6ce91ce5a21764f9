//! Where the histories of two Sessions part (A-DIFF).

use super::id::SessionId;
use crate::mutant::{self, Mutant};

/// A Session that another one comes from, or is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ancestor {
    pub(crate) session_id: SessionId,
    /// The last of its events that the next one down the line copied; for the Session itself, its head.
    pub(crate) left_at: u64,
}

/// The last event that two Sessions share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Base {
    /// The Session that it was first written to.
    pub(crate) session_id: SessionId,
    pub(crate) seq: u64,
}

/// The nearest common ancestor, at the lower of where both lines left it. Each line begins with its Session itself; none if
/// they share no history.
pub(crate) fn base(left: &[Ancestor], right: &[Ancestor]) -> Option<Base> {
    let (nearest, seq) = left.iter().enumerate().find_map(|(place, ancestor)| {
        let other = right
            .iter()
            .position(|other| other.session_id == ancestor.session_id)?;
        let (ours, theirs) = (left_at(left, place), left_at(right, other));
        let seq = if mutant::active(Mutant::DiffGuessesBase) {
            ours.max(theirs)
        } else {
            ours.min(theirs)
        };
        Some((place, seq))
    })?;
    // An event that the ancestor had copied itself was first written further up.
    let line = &left[nearest..];
    let writer = line
        .windows(2)
        .position(|pair| pair[1].left_at < seq)
        .unwrap_or(line.len() - 1);
    Some(Base {
        session_id: line[writer].session_id.clone(),
        seq,
    })
}

/// A fork at an event that its source had copied itself left the source's source there too.
fn left_at(line: &[Ancestor], place: usize) -> u64 {
    let passed = line[..=place].iter().map(|ancestor| ancestor.left_at);
    passed.min().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(of: &[(u128, u64)]) -> Vec<Ancestor> {
        of.iter()
            .map(|(number, left_at)| Ancestor {
                session_id: SessionId::from_number(*number),
                left_at: *left_at,
            })
            .collect()
    }

    #[track_caller]
    fn parts(left: &[(u128, u64)], right: &[(u128, u64)], expected: Option<(u128, u64)>) {
        let expected = expected.map(|(number, seq)| Base {
            session_id: SessionId::from_number(number),
            seq,
        });
        assert_eq!(base(&line(left), &line(right)), expected);
        assert_eq!(base(&line(right), &line(left)), expected, "the other way round");
    }

    /// A-DIFF: a Session and itself, its fork, a fork's fork, siblings, cousins, and strangers.
    #[test]
    fn histories_part_at_the_last_event_that_both_have() {
        parts(&[(1, 20)], &[(1, 20)], Some((1, 20)));
        parts(&[(1, 20)], &[(2, 30), (1, 10)], Some((1, 10)));
        parts(&[(2, 15), (1, 10)], &[(3, 16), (1, 8)], Some((1, 8)));
        // 3 forked 2 above and below where 2 left 1.
        parts(&[(1, 20)], &[(3, 40), (2, 15), (1, 10)], Some((1, 10)));
        parts(&[(1, 20)], &[(3, 40), (2, 5), (1, 10)], Some((1, 5)));
        parts(&[(2, 30), (1, 10)], &[(3, 40), (2, 15), (1, 10)], Some((2, 15)));
        parts(&[(2, 30), (1, 10)], &[(3, 40), (2, 5), (1, 10)], Some((1, 5)));
        parts(&[(2, 30), (1, 10)], &[(3, 40), (2, 10), (1, 10)], Some((1, 10)));
        parts(
            &[(4, 9), (3, 7), (1, 6)],
            &[(5, 9), (2, 12), (1, 8)],
            Some((1, 6)),
        );
        parts(&[(1, 20)], &[(2, 20)], None);
        parts(&[(3, 20), (1, 5)], &[(4, 20), (2, 5)], None);
    }
}
