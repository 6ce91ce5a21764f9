use super::start::Follow;
use crate::cursor::CursorStore;
use crate::events::{SessionEvents, ThreadEvents};
use crate::model::RunId;

impl SessionEvents {
    /// Follows the Session until its work is settled. `consumer` names the cursor; `store` keeps it beside the
    /// effects of the events.
    ///
    /// ```no_run
    /// use checkfu_sdk::cursor::MemoryCursorStore;
    ///
    /// # async fn example(client: checkfu_sdk::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// let events = client.sessions().events("sess_1");
    /// let mut follower = events.follow("billing", MemoryCursorStore::new()).start().await?;
    /// while let Some(delivery) = follower.next().await? {
    ///     println!("{}", delivery.event().event_type());
    ///     delivery.commit().await?;
    /// }
    /// println!("{:?}", follower.settlement());
    /// # Ok(())
    /// # }
    /// ```
    pub fn follow<S: CursorStore>(&self, consumer: impl Into<String>, store: S) -> Follow<S> {
        Follow::new(self.log(), None, consumer.into(), store)
    }

    /// Follows until one Run ends by its own `run.completed`, `run.failed` or `run.canceled`, wherever the Session's turns
    /// stand meanwhile (`FOL-11`, `RUN-3`). All else is as with [`follow`](Self::follow), and the cursor is the same one:
    /// every event is delivered, those of other Runs included.
    ///
    /// The Run is one of the primary thread. A Run of a child ends in its thread's log, which is followed with
    /// [`ThreadEvents::follow_run`].
    ///
    /// ```no_run
    /// use checkfu_sdk::cursor::MemoryCursorStore;
    ///
    /// # async fn example(client: checkfu_sdk::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// let events = client.sessions().events("sess_1");
    /// let mut follower = events.follow_run("run_1", "billing", MemoryCursorStore::new()).start().await?;
    /// while let Some(delivery) = follower.next().await? {
    ///     delivery.commit().await?;
    /// }
    /// println!("{:?}", follower.settlement());
    /// # Ok(())
    /// # }
    /// ```
    pub fn follow_run<S: CursorStore>(
        &self,
        run_id: impl Into<RunId>,
        consumer: impl Into<String>,
        store: S,
    ) -> Follow<S> {
        Follow::new(self.log(), Some(run_id.into()), consumer.into(), store)
    }
}

impl ThreadEvents {
    /// Follows the thread's log until the thread's work is settled (`THR-6`, `THR-11`): that of a child by its
    /// `session.thread_status_idle` whose stop reason is not `requires_action`, by its `session.thread_status_terminated`, or
    /// by the Session's end; that of the primary as the Session's. What other threads come to settles nothing of a child.
    ///
    /// All else is as with [`SessionEvents::follow`]. The cursor counts by the Session's `seq` and is the thread's own, so
    /// the same consumer can follow the Session beside it (`A-CURSOR`). An input is one that the thread was sent: the message
    /// that it received, or an answer to what it waited for.
    ///
    /// On open the thread is read and then its Session (`A-HEAD`). An idle child that does not tell its `stop_reason` is not
    /// settled by that: its next settlement is waited for.
    ///
    /// ```no_run
    /// use checkfu_sdk::cursor::MemoryCursorStore;
    ///
    /// # async fn example(client: checkfu_sdk::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// let child = client.sessions().threads("sess_1").events("sthr_2");
    /// let mut follower = child.follow("billing", MemoryCursorStore::new()).start().await?;
    /// while let Some(delivery) = follower.next().await? {
    ///     println!("{}", delivery.event().event_type());
    ///     delivery.commit().await?;
    /// }
    /// println!("{:?}", follower.settlement());
    /// # Ok(())
    /// # }
    /// ```
    pub fn follow<S: CursorStore>(&self, consumer: impl Into<String>, store: S) -> Follow<S> {
        Follow::new(self.log(), None, consumer.into(), store)
    }

    /// Follows the thread's log until one Run of the thread ends, wherever the thread and the Session stand meanwhile
    /// (`FOL-11`, `RUN-3`). All else is as with [`follow`](Self::follow), and the cursor is the same one.
    ///
    /// ```no_run
    /// use checkfu_sdk::cursor::MemoryCursorStore;
    ///
    /// # async fn example(client: checkfu_sdk::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// let child = client.sessions().threads("sess_1").events("sthr_2");
    /// let mut follower = child.follow_run("run_7", "billing", MemoryCursorStore::new()).start().await?;
    /// while let Some(delivery) = follower.next().await? {
    ///     delivery.commit().await?;
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn follow_run<S: CursorStore>(
        &self,
        run_id: impl Into<RunId>,
        consumer: impl Into<String>,
        store: S,
    ) -> Follow<S> {
        Follow::new(self.log(), Some(run_id.into()), consumer.into(), store)
    }
}
