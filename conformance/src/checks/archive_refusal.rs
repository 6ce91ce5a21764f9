use serde_json::json;
use tokio::time::{Instant, sleep};

use crate::{
    agent::AgentKind,
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::{
        Stimulus,
        thread::{self, Thread},
        turn,
    },
    stop::Stop,
    wire::request::Request,
};

pub(crate) const CHECKS: &[Check] = &[
    Check {
        id: "srv.archive.not-the-primary",
        title: "The primary thread is refused with 409 runtime.primary_thread, and stays as it was.",
        level: Level::Documented,
        stimulus: Stimulus::Work,
        requirements: &["THR-4"],
        killed_by: &[
            "primary-is-not-found-to-archive",
            "archives-the-primary",
            "primary-refused-by-another-code",
            "server:archives_primary",
        ],
        run: |cx| Box::pin(not_the_primary(cx)),
    },
    Check {
        id: "srv.archive.not-while-waiting",
        title: "A child that waits for an action is refused with 409 runtime.invalid_transition, and once its wait is interrupted it is archived.",
        level: Level::Documented,
        stimulus: Stimulus::Work,
        requirements: &["THR-4"],
        killed_by: &[
            "archives-what-waits",
            "waiting-child-refused-by-another-code",
            "never-archives-after-an-interrupt",
            "server:archives_waiting",
            "server:interrupt_spares_children",
        ],
        run: |cx| Box::pin(not_while_waiting(cx)),
    },
];

async fn not_the_primary(cx: &mut Context<'_>) -> Judgement {
    let settled = cx.settled().await?;
    let primary = cx.primary(&settled.session.id).await?;
    let answer = cx.bench.mutate(primary.archive()).await?;
    expect::error(&answer, 409, "runtime.primary_thread")?;
    cx.saw("archiving the primary thread is refused", &answer);
    let (now, shown) = thread::retrieve(cx.bench, &settled.session.id, &primary.id).await?;
    expect::equal(&shown, "the primary thread", &primary.at_rest(), &now.at_rest())?;
    let log = cx.log(&settled.session.id).await?;
    settled
        .log()
        .expect_unchanged(&log, "the log after the refusal")?;
    cx.saw("it is as it was", &shown);
    cx.pass()
}

async fn not_while_waiting(cx: &mut Context<'_>) -> Judgement {
    let family = cx.family_of(AgentKind::Twins).await?;
    let waiting = |thread: &&Thread| {
        family
            .history(&thread.id)
            .iter()
            .any(|event| event.kind == "agent.tool_use")
    };
    let Some(child) = family.threads.children().find(waiting) else {
        return Err(Stop::Inconclusive("no child waits for a call".to_owned()));
    };
    let answer = cx.bench.mutate(child.archive()).await?;
    expect::error(&answer, 409, "runtime.invalid_transition")?;
    cx.saw("a child that waits for an action is refused", &answer);
    let log = cx.log(&family.session.id).await?;
    family.log.expect_unchanged(&log, "the log after the refusal")?;
    cx.offered("interrupts").await?;
    let interrupt = turn::input(cx.bench, "user.interrupt", json!({"session_thread_id": child.id}));
    let interrupted = cx
        .bench
        .mutate(Request::post(family.session.events(), &interrupt))
        .await?;
    expect::success(&interrupted)?;
    let deadline = cx.bench.turn_deadline();
    loop {
        let answer = cx.bench.mutate(child.archive()).await?;
        // Accepted is not finished: until the interrupt is through, the child still waits.
        if answer.status() == 409 && Instant::now() < deadline {
            sleep(turn::BETWEEN_LOOKS).await;
            continue;
        }
        let actual = format!("status {}", answer.status());
        let expected = "the child archived once its wait was interrupted";
        expect::that((200..300).contains(&answer.status()), &answer, expected, actual)?;
        expect::equal(
            &answer,
            "the status",
            &json!("terminated"),
            &expect::json(&answer)?["status"],
        )?;
        cx.saw("after an interrupt of its wait it is archived", &answer);
        return cx.pass();
    }
}
