use sha2::{Digest, Sha256};

/// Random numbers that a seed fixes.
#[derive(Debug, Clone)]
pub(crate) struct Dice(u64);

impl Dice {
    /// Those of one history of a run: no other history moves them, however many there are and in whatever order.
    pub(crate) fn of_history(seed: u64, history: u64) -> Self {
        let mut hash = Sha256::new();
        hash.update(seed.to_be_bytes());
        hash.update(history.to_be_bytes());
        let bytes = hash.finalize();
        Self(
            bytes
                .iter()
                .take(8)
                .fold(0, |number, byte| number << 8 | u64::from(*byte)),
        )
    }

    /// Any number (splitmix64).
    pub(crate) fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`; 0 if there is none.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.roll().checked_rem(end).unwrap_or(0)
    }

    /// A number from `low` to `high`.
    pub(crate) fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.below(high.saturating_sub(low) + 1)
    }

    /// One of these.
    pub(crate) fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len() as u64) as usize]
    }

    /// A size of pages, small and large and above what a server has to give.
    pub(crate) fn page_limit(&mut self) -> u32 {
        self.pick(&[1, 2, 3, 7, 20, 100, 1000, 5000])
    }

    /// True so many times in a hundred.
    pub(crate) fn percent(&mut self, chance: u64) -> bool {
        self.below(100) < chance
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_and_a_number_fix_the_rolls_and_nothing_else_does() {
        let rolls = |seed, history| {
            let mut dice = Dice::of_history(seed, history);
            [dice.roll(), dice.below(1000), dice.between(3, 9)]
        };
        assert_eq!(rolls(7, 3), rolls(7, 3));
        assert_ne!(rolls(7, 3), rolls(7, 4));
        assert_ne!(rolls(7, 3), rolls(8, 3));
        let mut dice = Dice::of_history(1, 1);
        assert_eq!(dice.below(0), 0);
        assert!(
            (0..1000)
                .map(|_| dice.between(3, 5))
                .all(|roll| (3..=5).contains(&roll))
        );
    }
}
