use crate::{
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::{Stimulus, replay::Replay, session::Session, turn},
    stop::Stop,
    wire::request::Request,
};

pub(crate) const CHECKS: &[Check] = &[
    Check {
        id: "srv.terminal.stream-closes",
        title: "A canceled Session's stream replays up to the terminal status and closes; at its head it closes without an event.",
        level: Level::Assumed,
        stimulus: Stimulus::Work,
        requirements: &["A-SRV", "A-END"],
        killed_by: &["terminal-stream-stays-open", "cancel-is-forgotten"],
        run: |cx| Box::pin(stream_closes(cx)),
    },
    Check {
        id: "srv.terminal.takes-no-input",
        title: "A canceled Session refuses further messages for good and its log stays closed.",
        level: Level::Derived,
        stimulus: Stimulus::Create,
        requirements: &["SES-8"],
        killed_by: &["terminal-takes-input", "server:end_takes_messages"],
        run: |cx| Box::pin(takes_no_input(cx)),
    },
];

async fn stream_closes(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session().await?;
    cx.turn(&session).await?;
    cancel(cx, &session).await?;
    let log = cx.log(&session.id).await?;
    let last = log.events.last().map_or("none", |event| event.kind.as_str());
    expect::that(
        last == "session.status_canceled",
        &log.evidence,
        "session.status_canceled last in the log",
        last,
    )?;
    let replay = Replay::to_close(cx.bench, Request::get(session.stream()), log.head()).await?;
    expect::same_events(&replay.evidence, "the closed stream", &log.events, &replay.events)?;
    cx.saw(
        format!("{} events, then the stream closed", replay.events.len()),
        &replay.evidence,
    );

    let at_head = Request::get(session.stream()).after(log.head());
    let rest = Replay::to_close(cx.bench, at_head, log.head()).await?;
    if let Some((framed, event)) = rest.frames.first().zip(rest.events.first()) {
        return Err(rest.fail_at(framed, "no event at the terminal head", event.raw.to_string()));
    }
    cx.saw(
        "at the terminal head the stream closed without an event",
        &rest.evidence,
    );
    cx.pass()
}

async fn takes_no_input(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session().await?;
    cx.first_log(&session).await?;
    if let Err(Stop::Fail(_)) = cancel(cx, &session).await {
        return Err(Stop::Inconclusive(
            "no way known to end a Session here".to_owned(),
        ));
    }
    let log = cx.log(&session.id).await?;
    let message = turn::message(cx.bench, &cx.bench.fresh_name("late"));
    let answer = cx.send(Request::post(session.events(), &message)).await?;
    expect::refused_for_good(&answer)?;
    cx.saw(
        format!("a message to a canceled Session answered {}", answer.status()),
        &answer,
    );
    let now = cx.log(&session.id).await?;
    log.expect_unchanged(&now, "the log of a canceled Session")?;
    cx.saw("its log stays as it was", &now.evidence);
    cx.pass()
}

async fn cancel(cx: &Context<'_>, session: &Session) -> Result<(), Stop> {
    let answer = cx
        .bench
        .mutate(Request::post_empty(format!("{}/cancel", session.path())))
        .await?;
    expect::success(&answer)
}
