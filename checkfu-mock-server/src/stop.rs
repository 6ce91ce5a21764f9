//! How the parts of a server learn that it stops.

use tokio::sync::watch;

/// Tells that the server stops; dropping it tells so too.
#[derive(Debug)]
pub(crate) struct Stop(watch::Sender<bool>);

impl Stop {
    pub(crate) fn new() -> (Self, Stopping) {
        let (sender, receiver) = watch::channel(false);
        (Self(sender), Stopping(receiver))
    }

    pub(crate) fn request(&self) {
        self.0.send_replace(true);
    }
}

/// Hears that the server stops.
#[derive(Debug, Clone)]
pub(crate) struct Stopping(watch::Receiver<bool>);

impl Stopping {
    /// Whether the server stops.
    pub(crate) fn is_requested(&self) -> bool {
        *self.0.borrow() || self.0.has_changed().is_err()
    }

    /// Ends when the server stops, at once if it has.
    pub(crate) async fn requested(&self) {
        let mut receiver = self.0.clone();
        // An error means that the server is gone, which is a stop too.
        let _ = receiver.wait_for(|stopping| *stopping).await;
    }
}
