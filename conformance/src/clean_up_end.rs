use std::sync::Arc;

use tokio::sync::watch::Sender;

/// Ends the cleaning up of a run before it is done: what was not seen to by then is left as it is. Clones are one.
///
/// ```
/// use checkfu_conformance::CleanUpEnd;
///
/// let end = CleanUpEnd::default();
/// end.clone().end();
/// assert!(end.is_ended());
/// ```
#[derive(Debug, Clone)]
pub struct CleanUpEnd(Arc<Sender<bool>>);

impl Default for CleanUpEnd {
    fn default() -> Self {
        Self(Arc::new(Sender::new(false)))
    }
}

impl CleanUpEnd {
    /// Ends it, now or when it begins.
    pub fn end(&self) {
        self.0.send_replace(true);
    }

    /// Whether it was ended.
    pub fn is_ended(&self) -> bool {
        *self.0.borrow()
    }

    pub(crate) async fn ended(&self) {
        let mut seen = self.0.subscribe();
        // The sender is here, so there is always an end to wait for.
        let _ = seen.wait_for(|ended| *ended).await;
    }
}
