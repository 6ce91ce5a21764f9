use serde_json::Value;

use super::edit::{NO_RUN, of_the_session};
use crate::prove::{mutant::Mutant, traffic::Edit};

pub(super) fn mutants() -> Vec<Mutant> {
    let all = [
        ("runs-after-completed", "completed", "run.created"),
        ("idles-after-completed", "completed", "session.status_idle"),
        ("runs-after-canceled", "canceled", "run.created"),
        ("idles-after-canceled", "canceled", "session.status_idle"),
        ("runs-after-failed", "failed", "run.created"),
        ("idles-after-failed", "failed", "session.status_idle"),
    ];
    all.into_iter()
        .map(|(name, status, kind)| goes_on(name, status, kind))
        .collect()
}

/// The list goes on behind the terminal status.
fn goes_on(name: &'static str, status: &'static str, kind: &'static str) -> Mutant {
    let (check, expected) = match status {
        "completed" => (
            "srv.ended.completed",
            "nothing that runs behind session.status_completed",
        ),
        "canceled" => (
            "srv.ended.canceled",
            "nothing that runs behind session.status_canceled",
        ),
        _ => (
            "srv.ended.failed",
            "nothing that runs behind session.status_failed",
        ),
    };
    let terminal = format!("session.status_{status}");
    let mutant = of_the_session(name, move |events| {
        let Some(mut event) = events.last().filter(|event| event["type"] == terminal).cloned() else {
            return;
        };
        let next = event["seq"].as_u64().map_or(Value::Null, |seq| (seq + 1).into());
        event.put("/seq", next);
        event.put("/id", "evt_another".into());
        event.put("/type", kind.into());
        event.put("/run_id", NO_RUN.into());
        events.push(event);
    });
    mutant.kills(check, expected)
}
