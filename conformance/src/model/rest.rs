use std::collections::BTreeMap;

use crate::stimulus::event::Event;

/// What a Run does.
#[derive(PartialEq)]
enum Doing {
    /// Created, but not begun: it may be queued behind one that waits.
    Queued,
    Working,
    Nothing,
}

/// Whether nothing is computed behind these events, which are a log from its start: every Run has settled, waits, or is
/// queued behind one that waits, and so does the Session.
pub(crate) fn at_rest(log: &[&Event]) -> bool {
    let mut runs: BTreeMap<&str, Doing> = BTreeMap::new();
    let mut status = "pending";
    let mut driven = false;
    for event in log {
        if let Some(of_session) = event.kind.strip_prefix("session.status_") {
            status = of_session;
        }
        let doing = match event.kind.as_str() {
            "run.created" => Doing::Queued,
            "run.started" | "run.resumed" | "run.requeued" => Doing::Working,
            "run.waiting" | "run.completed" | "run.failed" | "run.canceled" => Doing::Nothing,
            "user.message" => {
                driven = true;
                continue;
            }
            // The Runs of the source are not carried over.
            "session.forked" => {
                runs.clear();
                driven = false;
                continue;
            }
            _ => continue,
        };
        runs.extend(event.run_id().map(|run| (run, doing)));
    }
    let none = |doing| runs.values().all(|known| *known != doing);
    match status {
        "pending" => !driven && none(Doing::Queued) && none(Doing::Working),
        "waiting" | "paused" => none(Doing::Working),
        "idle" | "completed" | "failed" | "canceled" => none(Doing::Queued) && none(Doing::Working),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn rests(kinds: &[&str]) -> bool {
        let events: Vec<Event> = kinds
            .iter()
            .zip(1..)
            .map(|(kind, seq)| {
                let (kind, run) = kind.split_once(' ').unwrap_or((kind, ""));
                Event::read(&json!({"seq": seq, "id": format!("e{seq}"), "type": kind, "run_id": run}))
                    .unwrap()
            })
            .collect();
        at_rest(&events.iter().collect::<Vec<_>>())
    }

    #[test]
    fn a_session_is_at_rest_when_its_runs_are() {
        assert!(rests(&["session.status_pending"]));
        assert!(!rests(&["session.status_pending", "user.message"]));
        assert!(!rests(&["user.message", "run.created r", "session.status_idle"]));
        assert!(!rests(&[
            "user.message",
            "run.created r",
            "run.completed r",
            "session.status_running"
        ]));
        assert!(rests(&[
            "user.message",
            "run.created r",
            "run.completed r",
            "session.status_idle"
        ]));
        assert!(rests(&[
            "user.message",
            "run.created r",
            "run.waiting r",
            "session.status_paused"
        ]));
        assert!(!rests(&[
            "run.created r",
            "run.waiting r",
            "run.resumed r",
            "session.status_paused"
        ]));
        assert!(rests(&[
            "run.created r",
            "run.waiting r",
            "run.created s",
            "session.status_paused"
        ]));
        assert!(!rests(&[
            "run.created r",
            "run.completed r",
            "run.created s",
            "session.status_idle"
        ]));
        assert!(rests(&[
            "user.message",
            "run.created r",
            "session.forked",
            "session.status_idle"
        ]));
    }
}
