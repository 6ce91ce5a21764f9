use futures::future::try_join_all;

use crate::{
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::{Stimulus, session, turn},
    wire::{exchange::Exchange, request::Request},
};

pub(crate) const CHECKS: &[Check] = &[
    Check {
        id: "srv.idempotency.replay",
        title: "The same mutation under the same key answers the same again and is done once.",
        level: Level::Assumed,
        stimulus: Stimulus::Create,
        requirements: &["A-IDEM"],
        killed_by: &["ignores-idempotency-keys", "server:no_idempotency"],
        run: |cx| Box::pin(replay(cx)),
    },
    Check {
        id: "srv.idempotency.other-body",
        title: "Another body under a used key is refused and not done.",
        level: Level::Assumed,
        stimulus: Stimulus::Create,
        requirements: &["A-IDEM"],
        killed_by: &[
            "ignores-idempotency-keys",
            "replays-for-any-body",
            "server:key_ignores_body",
            "server:no_idempotency",
        ],
        run: |cx| Box::pin(other_body(cx)),
    },
    Check {
        id: "srv.idempotency.refusal-frees-the-key",
        title: "A refused mutation leaves its key free for the corrected one.",
        level: Level::Assumed,
        stimulus: Stimulus::Create,
        requirements: &["A-IDEM"],
        killed_by: &["refusal-takes-the-key"],
        run: |cx| Box::pin(refusal_frees_the_key(cx)),
    },
    Check {
        id: "srv.idempotency.in-progress",
        title: "Many calls at once under one key are done once; each is answered alike or told when to come back.",
        level: Level::Assumed,
        stimulus: Stimulus::Create,
        requirements: &["A-IDEM"],
        killed_by: &[
            "ignores-idempotency-keys",
            "in-progress-without-a-time",
            "in-progress-is-a-conflict",
        ],
        run: |cx| Box::pin(in_progress(cx)),
    },
];

/// How many calls are sent at once.
const AT_ONCE: usize = 8;
const KEY: &str = "idempotency-key";

async fn replay(cx: &mut Context<'_>) -> Judgement {
    let body = session::creation(cx.bench)
        .await
        .map_err(|stop| stop.blocking("srv.session.create"))?;
    let creation = Request::post("/v1/sessions", &body).header(KEY, cx.bench.fresh_name("key"));
    let once = session::created(cx.send(creation.clone()).await?)
        .map_err(|stop| stop.blocking("srv.session.create"))?;
    let again = session::created(cx.send(creation).await?)?;
    expect::equal(
        &again.answer,
        "the replayed creation",
        &once.resource,
        &again.resource,
    )?;
    cx.saw("a repeated creation is the same Session", &again.answer);

    let marker = cx.bench.fresh_name("once");
    let append = Request::post(once.events(), &turn::message(cx.bench, &marker))
        .header(KEY, cx.bench.fresh_name("key"));
    let first = cx.send(append.clone()).await?;
    expect::success(&first)?;
    let second = cx.send(append).await?;
    expect::status(&second, first.status())?;
    expect::equal(
        &second,
        "the replayed answer",
        &expect::json(&first)?,
        &expect::json(&second)?,
    )?;
    cx.saw(
        "a repeated message is answered with the original envelope",
        &second,
    );
    let log = cx.log(&once.id).await?;
    let copies = log
        .events
        .iter()
        .filter(|event| turn::is_marked(event, &marker))
        .count();
    expect::that(
        copies == 1,
        &log.evidence,
        "the message once in the log",
        format!("{copies} times"),
    )?;
    cx.saw("it stands in the log once", &log.evidence);
    cx.pass()
}

async fn in_progress(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session().await?;
    let marker = cx.bench.fresh_name("at-once");
    let append = Request::post(session.events(), &turn::message(cx.bench, &marker))
        .header(KEY, cx.bench.fresh_name("key"));
    let busy = |answer: &Exchange| expect::error(answer, 503, "idempotency.in_progress").is_ok();
    let answers = (0..AT_ONCE).map(|_| cx.bench.send_until(append.clone(), busy));
    let answers = try_join_all(answers).await?;
    let last = cx.send(append).await?;
    expect::success(&last)?;
    let stored = expect::json(&last)?;
    for answer in &answers {
        if answer.status() == 503 {
            let body = expect::error(answer, 503, "idempotency.in_progress")?;
            let retryable = expect::member(answer, &body, "/error/retryable")?;
            expect::equal(answer, "retryable", &true.into(), retryable)?;
            let after = answer.header("retry-after").unwrap_or("none");
            let told = after.parse::<u64>().is_ok();
            expect::that(told, answer, "Retry-After in seconds", after)?;
            cx.saw(format!("one was told to come back in {after} s"), answer);
            continue;
        }
        expect::status(answer, last.status())?;
        let body = expect::json(answer)?;
        expect::equal(answer, "the answer under one key", &stored, &body)?;
        cx.saw("one was answered with the one envelope", answer);
    }
    let log = cx.log(&session.id).await?;
    let copies = log
        .events
        .iter()
        .filter(|event| turn::is_marked(event, &marker))
        .count();
    let expected = "the message of all calls once in the log";
    expect::that(copies == 1, &log.evidence, expected, format!("{copies} times"))?;
    cx.saw("it stands in the log once", &log.evidence);
    cx.pass()
}

async fn other_body(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session().await?;
    let key = cx.bench.fresh_name("key");
    let (one, other) = (cx.bench.fresh_name("one"), cx.bench.fresh_name("other"));
    let append =
        |marker: &str| Request::post(session.events(), &turn::message(cx.bench, marker)).header(KEY, &key);
    let first = cx.send(append(&one)).await?;
    expect::success(&first).map_err(|stop| stop.blocking("srv.append.accepted"))?;
    let answer = cx.send(append(&other)).await?;
    expect::error(&answer, 422, "idempotency.key_reused")?;
    cx.saw("another body under the key is refused", &answer);
    let log = cx.log(&session.id).await?;
    let written = turn::find(&log.events, &other).is_some();
    expect::that(
        !written,
        &log.evidence,
        "the other message not in the log",
        "it is",
    )?;
    cx.saw("and it is not in the log", &log.evidence);
    cx.pass()
}

async fn refusal_frees_the_key(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session().await?;
    let key = cx.bench.fresh_name("key");
    let marker = cx.bench.fresh_name("corrected");
    let append = |body| Request::post(session.events(), body).header(KEY, &key);
    let whole = turn::message(cx.bench, &marker);
    let mut unsigned = whole.clone();
    if let Some(payload) = unsigned["payload"].as_object_mut() {
        payload.remove("authored_by");
    }
    let refused = cx.send(append(&unsigned)).await?;
    expect::refused_for_good(&refused)?;
    cx.saw("an unsigned message is refused", &refused);
    let accepted = cx.send(append(&whole)).await?;
    expect::success(&accepted)?;
    let log = cx.log(&session.id).await?;
    expect::that(
        turn::find(&log.events, &marker).is_some(),
        &log.evidence,
        "the corrected message in the log",
        "none",
    )?;
    cx.saw("the corrected one is accepted under the same key", &accepted);
    cx.pass()
}
