//! Numbers that a seed gives, the same every time.

/// SplitMix64: small, fast, and good enough to decide when something goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Random(u64);

impl Random {
    /// The numbers of one decision: a seed, what is decided, and how often it was decided before.
    pub(crate) fn of(seed: u64, what: u64, ordinal: u64) -> Self {
        let mut random = Self(seed);
        for part in [what, ordinal] {
            random.0 = random.next() ^ part;
        }
        random
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`; 0 below 0.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.next().checked_rem(bound).unwrap_or(0)
    }

    /// Whether something of this probability happens.
    pub(crate) fn happens(&mut self, probability: f64) -> bool {
        // 53 bits are what a double holds exactly.
        ((self.next() >> 11) as f64) / ((1_u64 << 53) as f64) < probability
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same decision comes out the same, another one differently, and about as often as it should.
    #[test]
    fn decisions_follow_from_the_seed_alone() {
        let draw = |seed, what| -> Vec<bool> {
            (0..1000)
                .map(|ordinal| Random::of(seed, what, ordinal).happens(0.25))
                .collect()
        };
        assert_eq!(draw(7, 1), draw(7, 1));
        assert_ne!(draw(7, 1), draw(8, 1));
        assert_ne!(draw(7, 1), draw(7, 2));
        let happened = draw(7, 1).into_iter().filter(|happened| *happened).count();
        assert!((200..300).contains(&happened), "{happened}");
        assert!(Random::of(1, 1, 1).happens(1.0) && !Random::of(1, 1, 1).happens(0.0));
    }
}
