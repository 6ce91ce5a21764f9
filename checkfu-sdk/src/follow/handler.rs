use std::error::Error as StdError;
use std::future::Future;

use super::error::{FollowError, RunError};
use super::follower::Follower;
use crate::cursor::CursorStore;
use crate::model::Event;
use crate::settlement::Settlement;

/// Applies events, each in the transaction of its cursor.
///
/// An `async fn handle` fits. The future is `Send`, so a run can stand in a spawned task.
///
/// ```
/// use std::convert::Infallible;
/// use checkfu_sdk::Event;
/// use checkfu_sdk::follow::EventHandler;
///
/// struct Count(usize);
///
/// impl<T: Send> EventHandler<T> for Count {
///     type Error = Infallible;
///
///     async fn handle(&mut self, _transaction: &mut T, _event: &Event) -> Result<(), Infallible> {
///         self.0 += 1;
///         Ok(())
///     }
/// }
/// ```
pub trait EventHandler<T>: Send {
    /// The handler's own error.
    type Error: StdError + Send + Sync + 'static;

    /// Writes the effect of `event` in `transaction`. An effect elsewhere is not part of it: give the other
    /// service a key made from the event's id, or write down the intent here and carry it out later (`FOL-9`).
    ///
    /// # Errors
    ///
    /// The handler's own error. It rolls the transaction back and ends the run.
    ///
    /// # Cancel safety
    ///
    /// Dropped, its transaction is rolled back and the event comes again.
    fn handle(
        &mut self,
        transaction: &mut T,
        event: &Event,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send;
}

impl<S: CursorStore> Follower<S> {
    /// Hands every event to `handler` until the work is settled.
    ///
    /// # Errors
    ///
    /// [`RunError::Handler`] with the handler's error, unchanged; [`RunError::Follow`] with that of the stream or
    /// the store.
    ///
    /// # Cancel safety
    ///
    /// Dropped, an event in work is rolled back, or was committed whole. Running again goes on from there.
    pub async fn run<H>(&mut self, handler: &mut H) -> Result<Settlement, RunError<S::Error, H::Error>>
    where
        H: EventHandler<S::Transaction>,
    {
        while let Some(mut delivery) = self.next().await.map_err(RunError::Follow)? {
            let (event, transaction) = delivery.parts();
            handler
                .handle(transaction, event)
                .await
                .map_err(RunError::Handler)?;
            delivery.commit().await.map_err(RunError::Follow)?;
        }
        let ended = FollowError::StreamEnded { after: self.cursor() };
        self.settlement().cloned().ok_or(RunError::Follow(ended))
    }
}
