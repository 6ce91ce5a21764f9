//! Calls on the threads of one Session (`SDK-1`).

use http::Method;

use crate::client::{Client, IdempotencyKey, Request};
use crate::error::Error;
use crate::events::{THREAD, ThreadEvents};
use crate::model::{SessionId, SessionThread, SessionThreadId};
use crate::paging::List;
use crate::sessions::Sessions;

const THREADS: &str = "/v1/sessions/{session_id}/threads";
const ARCHIVE: &str = "/v1/sessions/{session_id}/threads/{thread_id}/archive";

/// The calls on the threads of one Session. A client observes and archives threads and never makes one (`THR-2`).
#[derive(Debug, Clone)]
pub struct SessionThreads {
    client: Client,
    session_id: SessionId,
}

impl Sessions<'_> {
    /// The calls on the threads of one Session.
    ///
    /// ```no_run
    /// use futures::TryStreamExt;
    ///
    /// # async fn example(client: checkfu_sdk::Client) -> Result<(), checkfu_sdk::Error> {
    /// let threads = client.sessions().threads("sess_1");
    /// let mut all = threads.list().items();
    /// while let Some(thread) = all.try_next().await? {
    ///     println!("{} {:?}", thread.id(), thread.status());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn threads(&self, session_id: impl Into<SessionId>) -> SessionThreads {
        SessionThreads {
            client: self.client().clone(),
            session_id: session_id.into(),
        }
    }
}

impl SessionThreads {
    /// Lists the threads: the primary, then the children in the order in which they were spawned (`THR-1`).
    pub fn list(&self) -> List<SessionThread> {
        List::new(self.client.clone(), self.request(Method::GET, THREADS, None))
    }

    /// Reads one thread.
    ///
    /// # Errors
    ///
    /// [`Error::Api`] with status `404` if the Session has no such thread, though another may (`THR-3`).
    ///
    /// # Cancel safety
    ///
    /// Nothing changes by it, so it may be dropped at any time.
    pub async fn retrieve(&self, thread_id: &SessionThreadId) -> Result<SessionThread, Error> {
        let request = self.request(Method::GET, THREAD, Some(thread_id))?;
        self.client.call(request, None).await?.decode("the thread")
    }

    /// Archives an idle child without an open wait, and returns it as it is then. Repeated, it returns the same thread
    /// (`THR-4`). A wait is interrupted first, with [`Interrupt::thread`](crate::input::Interrupt::thread).
    ///
    /// # Errors
    ///
    /// [`Error::Api`] with status `409` if the thread works or waits, or is the primary; that is never tried again.
    /// [`Error::Transport`] if no answer came; the thread may be archived.
    ///
    /// # Cancel safety
    ///
    /// If it is dropped the thread may be archived. The same call finds out.
    pub async fn archive(&self, thread_id: &SessionThreadId) -> Result<SessionThread, Error> {
        let request = self.request(Method::POST, ARCHIVE, Some(thread_id))?;
        let key = IdempotencyKey::random()?;
        self.client
            .call(request, Some(key))
            .await?
            .decode("the archived thread")
    }

    /// The calls on the events of one thread.
    pub fn events(&self, thread_id: impl Into<SessionThreadId>) -> ThreadEvents {
        ThreadEvents::new(self.client.clone(), self.session_id.clone(), thread_id.into())
    }

    fn request(
        &self,
        method: Method,
        route: &'static str,
        thread_id: Option<&SessionThreadId>,
    ) -> Result<Request, Error> {
        let mut ids = vec![("session id", self.session_id.as_str())];
        ids.extend(thread_id.map(|thread_id| ("thread id", thread_id.as_str())));
        Ok(Request::to(method, route, &ids)?)
    }
}
