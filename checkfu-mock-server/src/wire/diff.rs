//! Two Sessions compared (A-DIFF).

use bytes::{BufMut, Bytes, BytesMut};
use serde::Serialize;

use crate::core::id::SessionId;
use crate::core::lineage::Base;
use crate::storage::events::Page;

/// The last event that both have.
#[derive(Debug, Serialize)]
struct BaseResource<'a> {
    session_id: &'a SessionId,
    seq: u64,
}

/// Events that cannot be shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Unavailable {
    pub(crate) session_id: SessionId,
    pub(crate) from_seq: u64,
    pub(crate) to_seq: u64,
    pub(crate) reason: Reason,
}

/// Why events cannot be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Reason {
    /// Taken out one by one.
    Erased,
    /// Trimmed with the beginning of the log.
    Expired,
}

/// The body, from envelopes that are JSON already.
pub(crate) fn diff(
    base: &Base,
    left: &Page,
    right: &Page,
    unavailable: &[Unavailable],
) -> Result<Bytes, serde_json::Error> {
    let mut out = BytesMut::with_capacity(1024);
    out.put_slice(b"{\"base\":");
    out.put_slice(&serde_json::to_vec(&BaseResource {
        session_id: &base.session_id,
        seq: base.seq,
    })?);
    for (name, page) in [("left", left), ("right", right)] {
        out.put_slice(format!(",\"{name}\":{{\"events\":[").as_bytes());
        for (index, event) in page.events.iter().enumerate() {
            if index > 0 {
                out.put_u8(b',');
            }
            out.put_slice(&event.envelope);
        }
        out.put_slice(format!("],\"truncated\":{}}}", page.more).as_bytes());
    }
    out.put_slice(b",\"unavailable\":");
    out.put_slice(&serde_json::to_vec(unavailable)?);
    out.put_u8(b'}');
    Ok(out.freeze())
}
