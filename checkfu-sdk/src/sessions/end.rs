use http::Method;

use super::Sessions;
use crate::client::{IdempotencyKey, Request};
use crate::error::Error;
use crate::model::{Session, SessionId};

// The contract's routes (`A-EP`).
const COMPLETE: &str = "/v1/sessions/{session_id}/complete";
const CANCEL: &str = "/v1/sessions/{session_id}/cancel";

impl Sessions<'_> {
    /// Ends a Session in success, for good, and returns it as it is then; Runs that are not settled are canceled (`SES-8`,
    /// `A-END`). To stop a turn alone, send an [`Interrupt`](crate::input::Interrupt).
    ///
    /// # Errors
    ///
    /// [`Error::Api`] with status `409` if it has ended before; that is never tried again. [`Error::Transport`] if no answer
    /// came; the Session may have ended.
    ///
    /// # Cancel safety
    ///
    /// If it is dropped the Session may have ended. [`retrieve`](Self::retrieve) finds out.
    pub async fn complete(&self, id: &SessionId) -> Result<Session, Error> {
        self.end(COMPLETE, id).await
    }

    /// Ends a Session as canceled, for good, and returns it as it is then; Runs that are not settled are canceled (`SES-8`,
    /// `A-END`). To stop a turn alone, send an [`Interrupt`](crate::input::Interrupt).
    ///
    /// # Errors
    ///
    /// [`Error::Api`] with status `409` if it has ended before; that is never tried again. [`Error::Transport`] if no answer
    /// came; the Session may have ended.
    ///
    /// # Cancel safety
    ///
    /// If it is dropped the Session may have ended. [`retrieve`](Self::retrieve) finds out.
    pub async fn cancel(&self, id: &SessionId) -> Result<Session, Error> {
        self.end(CANCEL, id).await
    }

    async fn end(&self, route: &'static str, id: &SessionId) -> Result<Session, Error> {
        let request = Request::to(Method::POST, route, &[("session id", id.as_str())])?;
        let key = IdempotencyKey::random()?;
        self.client()
            .call(request, Some(key))
            .await?
            .decode("the ended Session")
    }
}
