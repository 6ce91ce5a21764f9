use super::error::SqlxCursorError;
use crate::cursor::{Cursor, CursorKey, Position};
use crate::model::{EventId, Seq};
use crate::settlement::Settlement;

/// Holds for the row of a Session, or of a child, that ended for good. The text begins as `StoredCursor::write` writes it;
/// functions of JSON would fail in PostgreSQL where a settlement holds a NUL.
pub(in crate::cursor) const ENDED: &str = "(settlement LIKE '{\"status\":\"completed\"%' \
     OR settlement LIKE '{\"status\":\"failed\"%' OR settlement LIKE '{\"status\":\"canceled\"%' \
     OR settlement LIKE '{\"status\":\"thread_terminated\"%')";

/// A cursor as its row holds it.
pub(in crate::cursor) struct StoredCursor {
    /// 0 where nothing was applied yet.
    pub(in crate::cursor) seq: i64,
    pub(in crate::cursor) event_id: Option<String>,
    /// JSON.
    pub(in crate::cursor) settlement: Option<String>,
}

impl StoredCursor {
    pub(in crate::cursor) fn write(cursor: &Cursor) -> Result<Self, SqlxCursorError> {
        let settlement = cursor.settlement.as_ref().map(serde_json::to_string).transpose();
        let position = cursor.position.as_ref();
        let event_id = position.and_then(|position| position.event_id.as_ref());
        Ok(Self {
            seq: number(cursor.seq()),
            // Text with a NUL fits no column of PostgreSQL. Without the id the place still counts.
            event_id: event_id
                .map(EventId::to_string)
                .filter(|event_id| !event_id.contains('\0')),
            settlement: settlement.map_err(|_| unreadable("settlement"))?,
        })
    }

    pub(in crate::cursor) fn read(self) -> Result<Cursor, SqlxCursorError> {
        let seq = u64::try_from(self.seq).ok().and_then(Seq::new);
        let seq = seq.ok_or(unreadable("seq"))?;
        let settlement: Option<Settlement> = self
            .settlement
            .map(|json| serde_json::from_str(&json))
            .transpose()
            .map_err(|_| unreadable("settlement"))?;
        let position = Position::new(seq, self.event_id.map(EventId::from));
        Ok(Cursor::new(
            Some(position).filter(|_| seq != Seq::ZERO),
            settlement,
        ))
    }
}

fn unreadable(column: &'static str) -> SqlxCursorError {
    SqlxCursorError::UnreadableCursor { column }
}

/// The thread as its column holds it: empty for the log of the whole Session.
pub(in crate::cursor) fn thread(key: &CursorKey) -> &str {
    key.session_thread_id
        .as_ref()
        .map_or("", |thread| thread.as_str())
}

/// A `Seq` never passes 2^53, so it always fits. No cursor is the place before the first event.
pub(in crate::cursor) fn number(seq: Option<Seq>) -> i64 {
    i64::try_from(seq.unwrap_or_default().get()).unwrap_or(i64::MAX)
}
