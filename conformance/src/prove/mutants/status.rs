use super::edit::{of_the_session, rename_kind};
use crate::prove::{mutant::Mutant, traffic::Edit};

pub(super) fn mutants() -> Vec<Mutant> {
    vec![
        Mutant::new("pending-at-work")
            .answer(|call, answer| {
                rename_kind(call, answer, "session.status_running", "session.status_pending");
            })
            .kills("srv.status.fits-the-runs", "no Run at work where"),
        first_as("provisioning-without-a-run", "session.status_provisioning")
            .kills("srv.status.fits-the-runs", "a Run that has not ended where"),
        first_as("running-without-a-run", "session.status_running")
            .kills("srv.status.fits-the-runs", "a Run that has not ended where"),
        of_the_session("idle-at-work", |events| {
            move_behind(events, "run.completed", "session.status_idle");
        })
        .kills("srv.status.fits-the-runs", "no Run that has not ended where"),
        of_the_session("writes-while-reconciling", |events| {
            move_behind(events, "agent.message", "session.status_reconciling");
        })
        .kills("srv.status.reconciling", "nothing of the Agent between"),
        of_the_session("reconciles-for-ever", |events| {
            move_behind(events, "session.status_reconciling", "session.status_idle");
        })
        .kills("srv.status.reconciling", "a settlement behind"),
    ]
}

/// The first event of a log, where it is a status, under another name.
fn first_as(name: &'static str, kind: &'static str) -> Mutant {
    of_the_session(name, move |events| {
        if let Some(first) = events.first_mut()
            && first["type"] == "session.status_pending"
        {
            first.put("/type", kind.into());
        }
    })
}

/// Gives the first event of one type the place behind the next one of another; the numbers stay where they are.
fn move_behind(events: &mut Vec<serde_json::Value>, kind: &str, other: &str) {
    let Some(from) = events.iter().position(|event| event["type"] == kind) else {
        return;
    };
    let Some(to) = events.iter().skip(from).position(|event| event["type"] == other) else {
        return;
    };
    let numbers: Vec<_> = events.iter().map(|event| event["seq"].clone()).collect();
    let moved = events.remove(from);
    events.insert(from + to, moved);
    for (event, number) in events.iter_mut().zip(numbers) {
        event.put("/seq", number);
    }
}
