//! P17, apart from events that previews hide.

use super::{finding::Docket, order::shown, view::View};

pub(super) fn judge(view: &View<'_>, docket: &mut Docket) {
    for (session, log) in &view.logs {
        for sighting in log.values().filter(|sighting| is_preview(&sighting.event.kind)) {
            docket.find(
                "preview-persisted",
                format!("{session} seq {}", sighting.event.seq),
                &[sighting.first],
                "no preview among the persisted events",
                shown(sighting.event),
            );
        }
    }
}

/// Whether this is the type of a preview.
pub(super) fn is_preview(kind: &str) -> bool {
    matches!(kind, "event_start" | "event_delta")
}
