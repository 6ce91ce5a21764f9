use serde_json::{Value, json};

use super::edit::{drop_kind, edit_kind};
use crate::prove::{
    mutant::Mutant,
    traffic::{Answer, Call, Edit},
};

pub(super) fn mutants() -> Vec<Mutant> {
    vec![
        Mutant::new("expired-approvals-run")
            .answer(|call, answer| {
                edit_kind(call, answer, "agent.tool_result", |event| {
                    event.put("/payload/is_error", false.into());
                });
            })
            .kills("srv.approval.expires", "an agent.tool_result that is an error"),
        Mutant::new("approvals-expire-in-silence")
            .answer(|call, answer| drop_kind(call, answer, "action_approval.expired"))
            .kills("srv.approval.expires", "action_approval.expired"),
        Mutant::new("takes-late-decisions")
            .answer(|call, answer| {
                let decides = call.json()["type"] == "user.tool_confirmation";
                if call.is_append() && decides && answer.status == 409 {
                    answer.status = 202;
                }
            })
            .kills("srv.approval.expires", "status 409"),
        Mutant::new("approvals-stay-pending")
            .answer(|call, answer| {
                edit_approvals(call, answer, |approval| approval.put("/status", "pending".into()))
            })
            .kills("srv.approval.resource", "/status"),
        Mutant::new("forgets-who-decided")
            .answer(|call, answer| {
                edit_approvals(call, answer, |approval| approval.put("/decided_by", Value::Null))
            })
            .kills("srv.approval.resource", "/decided_by"),
        Mutant::new("approvals-are-not-listed")
            .answer(|call, answer| {
                if call.path.ends_with("/action_approvals") {
                    answer.edit_events(Vec::clear);
                }
            })
            .kills("srv.approval.resource", "/data/0"),
        Mutant::new("runs-what-is-denied")
            .answer(|call, answer| {
                edit_kind(call, answer, "agent.tool_result", |event| {
                    event.put("/payload/is_error", false.into());
                });
            })
            .kills(
                "srv.approval.denied-call-fails",
                "an agent.tool_result that is an error",
            ),
        Mutant::new("unknown-approval-is-empty")
            .answer(|call, answer| {
                if call.path.contains("/action_approvals/") && answer.status == 404 {
                    answer.status = 200;
                    answer.edit(|body| *body = json!({}));
                }
            })
            .kills("srv.approval.unknown", "status 404"),
    ]
}

fn edit_approvals(call: &Call, answer: &mut Answer, change: impl Fn(&mut Value)) {
    if call.path.ends_with("/action_approvals") {
        answer.edit_events(|approvals| approvals.iter_mut().for_each(change));
    } else if call.path.contains("/action_approvals/") {
        answer.edit(change);
    }
}
