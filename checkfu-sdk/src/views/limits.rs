/// How much each view of a log holds at most; beyond that it lets go of its oldest entries.
///
/// ```
/// use checkfu_sdk::views::ViewLimits;
///
/// let limits = ViewLimits::default().entries(500);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ViewLimits {
    pub(super) entries: usize,
    pub(super) bytes: usize,
}

impl Default for ViewLimits {
    fn default() -> Self {
        Self {
            entries: 10_000,
            bytes: 32 * 1024 * 1024,
        }
    }
}

impl ViewLimits {
    /// The most entries of each of the five views. Default: 10,000.
    pub fn entries(mut self, most: usize) -> Self {
        self.entries = most;
        self
    }

    /// The most bytes of each of the five views, counted as the JSON of the events that its entries come from.
    /// Default: 32 MiB.
    pub fn bytes(mut self, most: usize) -> Self {
        self.bytes = most;
        self
    }
}
