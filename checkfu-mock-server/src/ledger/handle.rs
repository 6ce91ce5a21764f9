//! What requests and streams hold of a Session.

use std::sync::Arc;

use tokio::sync::{broadcast, watch};

use super::preview::{PreviewFrame, PreviewHub};
use crate::core::cursor::Retained;
use crate::core::id::{SessionId, WorkspaceId};
use crate::core::session::Head;

/// Where the committed log of a Session ends, told to everyone who waits for more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LogEnd {
    pub(crate) retained: Retained,
    /// Nothing will follow.
    pub(crate) terminal: bool,
}

impl From<&Head> for LogEnd {
    fn from(head: &Head) -> Self {
        let retained = Retained {
            first_seq: head.first_seq,
            last_seq: head.last_seq,
        };
        Self {
            retained,
            terminal: head.status.is_terminal(),
        }
    }
}

/// A Session by its row, with its log's end.
#[derive(Debug)]
pub(crate) struct SessionHandle {
    pub(crate) row: i64,
    pub(crate) id: SessionId,
    pub(crate) workspace: WorkspaceId,
    end: watch::Sender<LogEnd>,
    previews: PreviewHub,
}

impl SessionHandle {
    pub(crate) fn new(row: i64, id: SessionId, workspace: WorkspaceId, end: LogEnd) -> Self {
        Self {
            row,
            id,
            workspace,
            end: watch::Sender::new(end),
            previews: PreviewHub::default(),
        }
    }

    /// The log's end as of the latest commit.
    pub(crate) fn end(&self) -> LogEnd {
        *self.end.borrow()
    }

    /// Wakes on every commit from now on.
    pub(crate) fn subscribe(&self) -> watch::Receiver<LogEnd> {
        self.end.subscribe()
    }

    /// Tells that a commit moved the log's end.
    pub(crate) fn publish(&self, end: LogEnd) {
        self.end.send_replace(end);
    }

    /// Previews from now on.
    pub(crate) fn watch_previews(&self) -> broadcast::Receiver<Arc<PreviewFrame>> {
        self.previews.watch()
    }

    /// Shows a preview to everyone who watches now.
    pub(crate) fn show(&self, frame: impl FnOnce() -> PreviewFrame) {
        self.previews.show(frame);
    }
}
