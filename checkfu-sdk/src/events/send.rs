use super::handle::SessionEvents;
use super::posted::Posted;
use crate::client::IdempotencyKey;
use crate::error::Error;
use crate::input::UserInput;
use crate::model::Event;

impl SessionEvents {
    /// Appends one input, and returns the event that it became. That means accepted, not finished: follow the
    /// Session from this event's `seq` (`SES-6`).
    ///
    /// The call carries an idempotency key, one for all its retries, so the input stands in the log once even
    /// if an answer was lost (`A-IDEM`).
    ///
    /// ```no_run
    /// use checkfu_sdk::input::UserMessage;
    ///
    /// # async fn example(client: checkfu_sdk::Client) -> Result<(), checkfu_sdk::Error> {
    /// let events = client.sessions().events("sess_1");
    /// let input = events.send(UserMessage::new("Draft a release note.").by("prin_1")).await?;
    /// println!("accepted at {}", input.seq());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Api`] if the server refuses: a `409` is a matter of the Session's state and is never tried
    /// again. [`Error::Transport`] if no answer came; the input may have been accepted.
    ///
    /// # Cancel safety
    ///
    /// If it is dropped the input may have been accepted. With an
    /// [`idempotency_key`](UserInput::idempotency_key) of the caller's own, sending it again finds out.
    pub async fn send(&self, input: UserInput) -> Result<Event, Error> {
        let key = IdempotencyKey::own_or_random(input.own_idempotency_key())?;
        let request = self.log().append()?.json(&input)?;
        let answer = self.client().call(request, Some(key)).await?;
        answer
            .decode::<Posted>("the accepted event")
            .map(Posted::into_event)
    }
}
