//! Random numbers that a seed brings back.

/// A small generator (SplitMix64).
#[derive(Debug)]
pub(crate) struct Random {
    state: u64,
}

impl Random {
    /// Takes the seed from `CHECKFU_TEST_SEED` or makes one up, and prints it.
    pub(crate) fn seeded(test: &str) -> Self {
        let fresh = std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .unwrap()
            .as_nanos() as u64;
        let seed = std::env::var("CHECKFU_TEST_SEED")
            .ok()
            .map_or(fresh, |seed| seed.parse().unwrap());
        println!("{test}: CHECKFU_TEST_SEED={seed}");
        Self { state: seed }
    }

    /// A number below `bound`.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % bound
    }
}
