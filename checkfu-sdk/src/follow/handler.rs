use std::error::Error as StdError;
use std::future::Future;
use std::pin::pin;

use super::error::{FollowError, RunError};
use super::follower::Follower;
use crate::cursor::CursorStore;
use crate::model::{Event, Seq};
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
        match self.run_until(handler, std::future::pending()).await? {
            RunEnd::Settled(settlement) => Ok(settlement),
            RunEnd::Stopped { cursor } => Err(RunError::Follow(FollowError::StreamEnded { after: cursor })),
        }
    }

    /// Hands every event to `handler` until the work is settled, or until `stop` is ready. A handler at work is not
    /// interrupted by that: its event is committed first, and none is handed out any more.
    ///
    /// ```no_run
    /// # async fn example<S, H>(
    /// #     mut follower: checkfu_sdk::follow::Follower<S>,
    /// #     mut handler: H,
    /// #     asked_to_stop: tokio::sync::oneshot::Receiver<()>,
    /// # ) -> Result<(), Box<dyn std::error::Error>>
    /// # where
    /// #     S: checkfu_sdk::cursor::CursorStore,
    /// #     H: checkfu_sdk::follow::EventHandler<S::Transaction>,
    /// # {
    /// use checkfu_sdk::follow::RunEnd;
    ///
    /// let stop = async { drop(asked_to_stop.await) };
    /// if let RunEnd::Stopped { cursor } = follower.run_until(&mut handler, stop).await? {
    ///     println!("stopped at {cursor:?}");
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// As with [`run`](Self::run).
    ///
    /// # Cancel safety
    ///
    /// As with [`run`](Self::run).
    pub async fn run_until<H>(
        &mut self,
        handler: &mut H,
        stop: impl Future<Output = ()> + Send,
    ) -> Result<RunEnd, RunError<S::Error, H::Error>>
    where
        H: EventHandler<S::Transaction>,
    {
        let mut stop = pin!(stop);
        loop {
            let next = tokio::select! {
                biased;
                () = &mut stop => break,
                next = self.next() => next.map_err(RunError::Follow)?,
            };
            let Some(mut delivery) = next else { break };
            let (event, transaction) = delivery.parts();
            handler
                .handle(transaction, event)
                .await
                .map_err(RunError::Handler)?;
            delivery.commit().await.map_err(RunError::Follow)?;
        }
        Ok(match self.settlement() {
            Some(settlement) => RunEnd::Settled(settlement.clone()),
            None => RunEnd::Stopped {
                cursor: self.cursor(),
            },
        })
    }
}

/// How [`Follower::run_until`] ended.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum RunEnd {
    /// The work is settled.
    Settled(Settlement),
    /// It was asked to stop.
    Stopped {
        /// The durable cursor, where a new follow goes on.
        cursor: Option<Seq>,
    },
}
