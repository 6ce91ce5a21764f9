use serde_json::{Value, json};

use crate::{
    agent::AgentKind,
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::Stimulus,
    stop::Stop,
};

pub(crate) const CHECKS: &[Check] = &[Check {
    id: "srv.wait.names-its-kind",
    title: "A Run that waits says for what kind of answer: to a Question, to an approval, to a call of a tool.",
    level: Level::Assumed,
    stimulus: Stimulus::Work,
    requirements: &["A-PARK", "A-GEN"],
    killed_by: &["waits-for-nothing-known", "server:wait_of_other_kind"],
    run: |cx| Box::pin(names_its_kind(cx)),
}];

/// What an Agent asks for, how its wait is called, and the member of both that names it.
const KINDS: [(AgentKind, &str, &str); 3] = [
    (AgentKind::Question, "question", "question_id"),
    (AgentKind::Approval, "action_approval", "tool_use_id"),
    (AgentKind::CustomTool, "custom_tool", "tool_use_id"),
];

async fn names_its_kind(cx: &mut Context<'_>) -> Judgement {
    for (agent, kind, member) in KINDS {
        let session = cx.session_of(agent).await?;
        let parked = cx.parked(&session).await?;
        let waiting = parked.events().iter().find(|event| event.kind == "run.waiting");
        let waiting =
            waiting.ok_or_else(|| Stop::fail("run.waiting of a parked Run", "none", &parked.log.evidence))?;
        let asked = parked.action().payload(&format!("/{member}"));
        let named = |wait: &Value| json!([wait["kind"], wait[member]]);
        let expected = json!([kind, asked]);
        let wait = waiting.payload("/wait").map(named).unwrap_or_default();
        expect::equal(&parked.log.evidence, "what the Run waits for", &expected, &wait)?;
        cx.saw(format!("a Run waits for {kind}"), &parked.log.evidence);
    }
    cx.pass()
}
