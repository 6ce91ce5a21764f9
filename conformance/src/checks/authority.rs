use serde_json::json;

use crate::{
    agent::AgentKind,
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::{Stimulus, wait},
    wire::request::Request,
};

pub(crate) const CHECKS: &[Check] = &[
    Check {
        id: "srv.authority.decision-needs-it",
        title: "A decision by nobody with authority is refused for good, and the call still waits for a decision.",
        level: Level::Documented,
        stimulus: Stimulus::Work,
        requirements: &["WAIT-5"],
        killed_by: &[
            "anybody-may-decide",
            "refused-decision-ends-the-wait",
            "server:anyone_approves",
        ],
        run: |cx| Box::pin(decision_needs_it(cx)),
    },
    Check {
        id: "srv.authority.refusal",
        title: "A decision without authority is 403 runtime.insufficient_authority.",
        level: Level::Assumed,
        stimulus: Stimulus::Work,
        requirements: &["A-GEN"],
        killed_by: &["refuses-authority-without-a-name"],
        run: |cx| Box::pin(refusal(cx)),
    },
    Check {
        id: "srv.authority.authorship-required",
        title: "An answer or interrupt without author or cause is refused and not written.",
        level: Level::Derived,
        stimulus: Stimulus::Work,
        requirements: &["A-AUTHOR"],
        killed_by: &["signs-what-is-unsigned", "server:cause_optional"],
        run: |cx| Box::pin(authorship_required(cx)),
    },
];

/// A Principal that never was has no authority.
const NOBODY: &str = "prin_ffffffffffffffffffffffffffffffff";

async fn decision_needs_it(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session_of(AgentKind::Approval).await?;
    let parked = cx.parked(&session).await?;
    let decision = wait::confirmation(cx.bench, parked.action(), "allow");
    let mut by_nobody = decision.clone();
    by_nobody["payload"]["authored_by"] = NOBODY.into();
    let refused = cx.post(&session, &by_nobody).await?;
    expect::refused_for_good(&refused)?;
    let now = cx.log(&session.id).await?;
    parked
        .log
        .expect_no_input_since(&now, "the log after the refusal")?;
    cx.saw(
        format!("a decision by nobody answered {}", refused.status()),
        &refused,
    );
    let accepted = cx.accepted(&session, &decision).await?;
    cx.saw(
        "the decision of the Session's own Principal is accepted",
        &accepted,
    );
    cx.pass()
}

async fn refusal(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session_of(AgentKind::Approval).await?;
    let parked = cx.parked(&session).await?;
    let mut decision = wait::confirmation(cx.bench, parked.action(), "deny");
    decision["payload"]["authored_by"] = NOBODY.into();
    let refused = cx.post(&session, &decision).await?;
    expect::error(&refused, 403, "runtime.insufficient_authority")?;
    cx.saw("refused by name", &refused);
    cx.pass()
}

async fn authorship_required(cx: &mut Context<'_>) -> Judgement {
    cx.offered("interrupts").await?;
    let session = cx.session_of(AgentKind::CustomTool).await?;
    let parked = cx.parked(&session).await?;
    for whole in [
        wait::fitting(cx.bench, parked.action()),
        wait::signed(cx.bench, "user.interrupt", json!({})),
    ] {
        for member in ["authored_by", "caused_by"] {
            let mut body = whole.clone();
            if let Some(payload) = body["payload"].as_object_mut() {
                payload.remove(member);
            }
            let answer = cx.send(Request::post(session.events(), &body)).await?;
            expect::status(&answer, 400)?;
            cx.saw(format!("{} without {member} is refused", body["type"]), &answer);
        }
    }
    let now = cx.log(&session.id).await?;
    parked
        .log
        .expect_no_input_since(&now, "the log after the refusals")?;
    cx.pass()
}
