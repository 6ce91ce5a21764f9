use super::edit::edit_kind;
use crate::prove::{mutant::Mutant, traffic::Edit};

pub(super) fn mutants() -> Vec<Mutant> {
    vec![
        verdict("never-satisfied", "satisfied", "needs_revision")
            .kills("srv.outcome.iterations", "result of verdict"),
        verdict("interrupted-outcome-fails", "interrupted", "failed")
            .kills("srv.outcome.interrupted", "the last verdict"),
        verdict("tries-for-ever", "max_iterations_reached", "needs_revision")
            .kills("srv.outcome.gives-up", "max_iterations_reached"),
        Mutant::new("tries-are-not-counted")
            .answer(|call, answer| {
                edit_kind(call, answer, "outcome.evaluated", |event| {
                    event.put("/payload/iteration", 1.into());
                });
            })
            .kills("srv.outcome.iterations", "iteration of verdict"),
        Mutant::new("outcome-without-its-run")
            .answer(|call, answer| {
                edit_kind(call, answer, "run.created", |event| {
                    event.put("/payload/trigger/kind", "message".into());
                });
            })
            .kills("srv.outcome.iterations", "the trigger of"),
        Mutant::new("grading-ends-the-turn")
            .answer(|call, answer| {
                edit_kind(call, answer, "session.status_idle", |event| {
                    event.put("/payload/stop_reason", "end_turn".into());
                });
            })
            .kills("srv.outcome.settles-nothing", "no settlement of the turn"),
        Mutant::new("takes-two-outcomes")
            .answer(|call, answer| {
                let second = call.is_append() && call.json()["type"] == "user.define_outcome";
                if second && answer.status == 409 {
                    answer.status = 202;
                }
            })
            .kills("srv.outcome.one-at-a-time", "status 409"),
    ]
}

fn verdict(name: &'static str, from: &'static str, to: &'static str) -> Mutant {
    Mutant::new(name).answer(move |call, answer| {
        edit_kind(call, answer, "outcome.evaluated", |event| {
            if event["payload"]["result"] == from {
                event.put("/payload/result", to.into());
            }
        });
    })
}
