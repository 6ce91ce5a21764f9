//! One handle for each Session that is in use, so that every stream of it hears of every commit.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::handle::SessionHandle;
use crate::core::id::{SessionId, WorkspaceId};
use crate::storage::error::StorageError;
use crate::storage::reader::Reader;
use crate::storage::sessions::{self, StoredSession};

/// How many handles are kept before those that nobody holds are dropped.
const CAPACITY: usize = 10_000;

/// Handles by Session.
#[derive(Debug, Default)]
pub(crate) struct Registry {
    handles: Mutex<Handles>,
}

#[derive(Debug, Default)]
struct Handles {
    by_id: HashMap<SessionId, Arc<SessionHandle>>,
    sweep_at: usize,
}

impl Registry {
    /// The handle of a Session of this Workspace.
    pub(crate) async fn find(
        self: &Arc<Self>,
        reader: &Reader,
        workspace: &WorkspaceId,
        id: &SessionId,
    ) -> Result<Option<Arc<SessionHandle>>, StorageError> {
        if let Some(known) = self.lock().by_id.get(id) {
            return Ok((known.workspace == *workspace).then(|| Arc::clone(known)));
        }
        let (workspace, id) = (workspace.clone(), id.clone());
        self.load(reader, move |reader| {
            reader.read_blocking(|db| sessions::find(db, &workspace, &id))
        })
        .await
    }

    /// The handle of the Session with this row.
    pub(crate) async fn at(
        self: &Arc<Self>,
        reader: &Reader,
        row: i64,
    ) -> Result<Option<Arc<SessionHandle>>, StorageError> {
        self.load(reader, move |reader| {
            reader.read_blocking(|db| sessions::at(db, row))
        })
        .await
    }

    /// Reads under the lock: no handle can be made, used for a commit and dropped between the read and the insertion,
    /// which would leave the new one behind the log.
    async fn load(
        self: &Arc<Self>,
        reader: &Reader,
        read: impl FnOnce(&Reader) -> Result<Option<StoredSession>, StorageError> + Send + 'static,
    ) -> Result<Option<Arc<SessionHandle>>, StorageError> {
        let (registry, reader) = (Arc::clone(self), reader.clone());
        let loaded = tokio::task::spawn_blocking(move || {
            let mut handles = registry.lock();
            Ok(read(&reader)?.map(|stored| handles.adopt(stored)))
        });
        loaded.await.unwrap_or(Err(StorageError::Closed))
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Handles> {
        self.handles.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Handles {
    fn adopt(&mut self, stored: StoredSession) -> Arc<SessionHandle> {
        if self.by_id.len() >= self.sweep_at.max(CAPACITY) {
            self.by_id.retain(|_, handle| Arc::strong_count(handle) > 1);
            self.sweep_at = self.by_id.len() * 2;
        }
        let StoredSession { row, admission, head } = stored;
        let handle = self.by_id.entry(admission.id.clone()).or_insert_with(|| {
            Arc::new(SessionHandle::new(
                row,
                admission.id,
                admission.workspace_id,
                (&head).into(),
            ))
        });
        Arc::clone(handle)
    }
}
