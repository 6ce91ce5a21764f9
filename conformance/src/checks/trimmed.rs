use serde_json::Value;

use crate::{
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::{Stimulus, control, replay::Replay},
    wire::request::Request,
};

pub(crate) const CHECKS: &[Check] = &[Check {
    id: "srv.resume.trimmed",
    title: "A cursor below trimmed events is refused by list and stream with what is left, and no cursor starts at what is left.",
    level: Level::Assumed,
    stimulus: Stimulus::Control,
    requirements: &["A-GAP"],
    killed_by: &["trimmed-cursor-is-none", "trimmed-without-what-is-left"],
    run: |cx| Box::pin(trimmed(cx)),
}];

async fn trimmed(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session().await?;
    cx.turn(&session).await?;
    let log = cx.rested(&session.id).await?;
    let middle = log.events.get(log.events.len() / 2).map_or(1, |event| event.seq);
    control::trim(cx.bench, &session.id, middle).await?;
    let list = Request::get(session.events()).query("after", 1);
    let stream = Request::get(session.stream()).after(1);
    for answer in [cx.send(list).await?, cx.open_refused(stream).await?] {
        let body = expect::error(&answer, 410, "runtime.cursor_expired")?;
        for (name, expected) in [("first_seq", middle), ("last_seq", log.head())] {
            let found = expect::member(&answer, &body, &format!("/error/details/{name}"))?;
            expect::equal(&answer, name, &Value::from(expected), found)?;
        }
        cx.saw(format!("{} is refused: 410", answer.path()), &answer);
    }
    let replay = Replay::through(cx.bench, Request::get(session.stream()), log.head()).await?;
    let left: Vec<_> = log
        .events
        .iter()
        .filter(|event| event.seq >= middle)
        .cloned()
        .collect();
    expect::same_events(
        &replay.evidence,
        "the stream of what is left",
        &left,
        &replay.events,
    )?;
    cx.saw(
        format!("without a cursor the stream starts at seq {middle}"),
        &replay.evidence,
    );
    cx.pass()
}
