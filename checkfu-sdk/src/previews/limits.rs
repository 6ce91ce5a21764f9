/// How much a [`PreviewReducer`](super::PreviewReducer) holds at most.
///
/// ```
/// use checkfu_sdk::previews::PreviewLimits;
///
/// let limits = PreviewLimits::default().bytes_per_event(64 * 1024);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct PreviewLimits {
    pub(super) events: usize,
    pub(super) bytes_per_event: usize,
    pub(super) bytes: usize,
}

impl Default for PreviewLimits {
    fn default() -> Self {
        Self {
            events: 64,
            bytes_per_event: 1024 * 1024,
            bytes: 4 * 1024 * 1024,
        }
    }
}

impl PreviewLimits {
    /// The most events that are followed at once. Default: 64.
    pub fn events(mut self, most: usize) -> Self {
        self.events = most;
        self
    }

    /// The most bytes of text of one event, with 64 more counted for each of its blocks. Default: 1 MiB.
    pub fn bytes_per_event(mut self, most: usize) -> Self {
        self.bytes_per_event = most;
        self
    }

    /// The same for all events together. Default: 4 MiB.
    pub fn bytes(mut self, most: usize) -> Self {
        self.bytes = most;
        self
    }
}
