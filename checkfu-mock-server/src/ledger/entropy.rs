//! Random bytes from the operating system.

use crate::core::id::Entropy;

/// The operating system's generator.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct SystemEntropy;

impl SystemEntropy {
    /// Bytes that nobody can guess.
    pub(crate) fn bytes<const N: usize>() -> [u8; N] {
        let mut bytes = [0; N];
        // Only an early boot has no entropy yet.
        while getrandom::fill(&mut bytes).is_err() {
            std::thread::yield_now();
        }
        bytes
    }
}

impl Entropy for SystemEntropy {
    fn next(&mut self) -> [u8; 16] {
        Self::bytes()
    }
}
