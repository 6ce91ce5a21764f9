use super::ending::end;
use crate::{
    agent::AgentKind,
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::{Stimulus, event::Event, wait},
};

pub(crate) const CHECKS: &[Check] = &[Check {
    id: "srv.transition.legal",
    title: "Each status in the log may follow the one before.",
    level: Level::Assumed,
    stimulus: Stimulus::Work,
    requirements: &["A-TRANS"],
    killed_by: &["runs-without-provisioning", "works-after-the-end"],
    run: |cx| Box::pin(legal_transitions(cx)),
}];

/// What may follow each status; a terminal one may follow all that are not terminal, and nothing follows it.
const TRANSITIONS: &[(&str, &[&str])] = &[
    ("pending", &["provisioning", "idle"]),
    ("provisioning", &["running", "pending", "idle"]),
    (
        "running",
        &[
            "waiting",
            "paused",
            "reconciling",
            "idle",
            "pending",
            "provisioning",
        ],
    ),
    (
        "waiting",
        &["running", "provisioning", "pending", "idle", "waiting"],
    ),
    ("paused", &["pending", "provisioning", "idle"]),
    ("reconciling", &["idle", "pending", "provisioning"]),
    (
        "idle",
        &[
            "pending",
            "provisioning",
            "running",
            "waiting",
            "paused",
            "reconciling",
            "idle",
        ],
    ),
];
const TERMINAL: [&str; 3] = ["completed", "failed", "canceled"];

async fn legal_transitions(cx: &mut Context<'_>) -> Judgement {
    for kind in [AgentKind::Question, AgentKind::GovernedTool] {
        let session = cx.session_of(kind).await?;
        let parked = cx.parked(&session).await?;
        cx.accepted(&session, &wait::fitting(cx.bench, parked.action()))
            .await?;
        cx.still(&session, parked.log.head()).await?;
        expect::success(&*end(cx, &session, "cancel").await?)?;
        let log = cx.log(&session.id).await?;
        let statuses: Vec<_> = log.events.iter().filter_map(status).collect();
        for pair in statuses.windows(2) {
            let expected = format!("a status that may follow {}", pair[0]);
            expect::that(may_follow(pair[0], pair[1]), &log.evidence, expected, pair[1])?;
        }
        cx.saw(statuses.join(", "), &log.evidence);
    }
    cx.pass()
}

fn status(event: &Event) -> Option<&str> {
    event.kind.strip_prefix("session.status_")
}

fn may_follow(one: &str, next: &str) -> bool {
    let listed = TRANSITIONS.iter().find(|(from, _)| *from == one);
    listed.is_some_and(|(_, to)| to.contains(&next) || TERMINAL.contains(&next))
}
