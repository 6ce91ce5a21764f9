use std::{collections::HashSet, sync::Mutex};

use serde_json::{Value, json};

use super::edit::{drop_behind_first, edit_kind, is_answer, rename_kind};
use crate::prove::{
    lock::locked,
    mutant::Mutant,
    traffic::{Answer, Call, Edit},
};

pub(super) fn mutants() -> Vec<Mutant> {
    vec![
        Mutant::new("interrupt-is-ignored")
            .instead(|call| is_interrupt(call).then(|| Answer::new(202, "application/json", "{}")))
            .kills("srv.interrupt.running", "a settled turn after")
            .kills("srv.interrupt.question", "a settled turn after")
            .kills("srv.interrupt.waiting", "a settled turn after"),
        Mutant::new("interrupt-is-terminal")
            .answer(|call, answer| {
                edit_behind_interrupt(call, answer, |event| {
                    if event["type"] == "session.status_idle" {
                        event.put("/type", "session.status_canceled".into());
                    }
                });
            })
            .kills("srv.interrupt.running", "a reusable Session")
            .kills("srv.interrupt.waiting", "a reusable Session"),
        Mutant::new("interrupted-for-good")
            .instead({
                let interrupted = Mutex::new(HashSet::new());
                move |call| {
                    let mut interrupted = locked(&interrupted);
                    if is_interrupt(call) {
                        interrupted.insert(call.path.clone());
                        return None;
                    }
                    let late = call.is_append() && interrupted.contains(&call.path);
                    late.then(|| Answer::new(409, "application/json", "{}"))
                }
            })
            .kills("srv.interrupt.running", "a 2xx status"),
        Mutant::new("interrupts-what-settles")
            .answer(|call, answer| {
                edit_behind_interrupt(call, answer, |event| {
                    if event["type"] == "run.completed" {
                        event.put("/type", "run.canceled".into());
                    }
                });
            })
            .kills("srv.interrupt.settling-finishes", "run.completed of the Run"),
        Mutant::new("refuses-interrupts")
            .instead(|call| is_interrupt(call).then(|| Answer::new(409, "application/json", "{}")))
            .kills("srv.interrupt.settling-finishes", "a 2xx status"),
        Mutant::new("interrupted-run-completes")
            .answer(|call, answer| rename_kind(call, answer, "run.canceled", "run.completed"))
            .kills("srv.interrupt.question", "run.canceled of"),
        Mutant::new("takes-answers-after-an-interrupt")
            .answer(|call, answer| {
                if call.is_append() && is_answer(&call.json()) && answer.status == 409 {
                    answer.status = 202;
                }
            })
            .kills("srv.stale.after-an-interrupt", "status 409"),
        Mutant::new("interrupts-without-a-reason")
            .answer(|call, answer| {
                edit_kind(call, answer, "run.canceled", |event| {
                    event.put("/payload", json!({}))
                });
            })
            .kills("srv.interrupt.order", "/reason of"),
        Mutant::new("interrupt-idles-for-another-reason")
            .answer(|call, answer| {
                edit_kind(call, answer, "session.status_idle", |event| {
                    event.put("/payload/stop_reason", "refusal".into());
                });
            })
            .kills("srv.interrupt.order", "/stop_reason of"),
        Mutant::new("refuses-idle-interrupts")
            .answer(|call, answer| {
                if is_interrupt(call) {
                    answer.status = 409;
                }
            })
            .kills("srv.interrupt.idle", "status 202"),
        Mutant::new("idle-interrupt-idles-again")
            .answer(|call, answer| {
                if call.is_list() {
                    answer.edit_events(|events| {
                        let last = events.last().cloned().unwrap_or_default();
                        if last["type"] == "user.interrupt" {
                            let mut more =
                                json!({"id": "evt_1", "seq": last["seq"], "type": "session.status_idle"});
                            more.add("/seq", 1);
                            events.push(more);
                        }
                    });
                }
            })
            .kills("srv.interrupt.idle", "user.interrupt"),
        Mutant::new("interrupts-any-thread")
            .request(|call| {
                let mut body = call.json();
                if is_interrupt(call) {
                    body.drop_at("/payload/session_thread_id");
                    call.set_json(&body);
                }
            })
            .kills("srv.interrupt.unknown-thread", "status 404"),
        Mutant::new("interrupt-drops-the-queue")
            .answer(|call, answer| drop_behind_first(call, answer, "run.started"))
            .kills(
                "srv.overlap.interrupt-starts-the-next",
                "run.started of the queued",
            ),
    ]
}

fn is_interrupt(call: &Call) -> bool {
    call.is_append() && call.json()["type"] == "user.interrupt"
}

fn edit_behind_interrupt(call: &Call, answer: &mut Answer, change: impl Fn(&mut Value)) {
    if call.is_list() {
        answer.edit_events(|events| {
            events
                .iter_mut()
                .skip_while(|event| event["type"] != "user.interrupt")
                .for_each(change)
        });
    }
}
