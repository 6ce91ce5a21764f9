use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use super::errors::one_shape;
use crate::{
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::{Stimulus, log::Log, turn},
    wire::request::Request,
};

pub(crate) const CHECKS: &[Check] = &[
    Check {
        id: "srv.append.accepted",
        title: "An accepted message stands in the log once, above everything that was there.",
        level: Level::Documented,
        stimulus: Stimulus::Create,
        requirements: &["SES-3", "SES-5"],
        killed_by: &[
            "loses-accepted-messages",
            "doubles-messages",
            "empties-listed-texts",
        ],
        run: |cx| Box::pin(accepted(cx)),
    },
    Check {
        id: "srv.append.answer",
        title: "A post answers 202 with the envelope that the list then shows.",
        level: Level::Assumed,
        stimulus: Stimulus::Create,
        requirements: &["A-POST"],
        killed_by: &["answers-another-seq", "answers-200", "server:post_is_ok"],
        run: |cx| Box::pin(answer(cx)),
    },
    Check {
        id: "srv.append.authorship-kept",
        title: "A message in the log says who wrote it and what caused it.",
        level: Level::Documented,
        stimulus: Stimulus::Work,
        requirements: &["SES-4"],
        killed_by: &[
            "rewrites-the-author",
            "forgets-the-cause",
            "server:cause_unlogged",
        ],
        run: |cx| Box::pin(authorship_kept(cx)),
    },
    Check {
        id: "srv.append.authorship-required",
        title: "A message without author or cause is refused and not written.",
        level: Level::Derived,
        stimulus: Stimulus::Create,
        requirements: &["A-AUTHOR"],
        killed_by: &["invents-the-author", "server:cause_optional"],
        run: |cx| Box::pin(authorship_required(cx)),
    },
    Check {
        id: "srv.append.batch-refused",
        title: "A body with an events array is refused by a 400 that says so.",
        level: Level::Assumed,
        stimulus: Stimulus::Create,
        requirements: &["A-POST"],
        killed_by: &["takes-batches", "batch-refused-without-a-word"],
        run: |cx| Box::pin(batch_refused(cx)),
    },
];

async fn accepted(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session().await?;
    let before = cx.log(&session.id).await?;
    let marker = cx.bench.fresh_name("accepted");
    turn::say(cx.bench, &session.id, &marker).await?;
    let deadline = cx.bench.answer_deadline();
    let log = loop {
        let log = cx.log(&session.id).await?;
        if turn::find(&log.events, &marker).is_some() || Instant::now() >= deadline {
            break log;
        }
        sleep(turn::BETWEEN_LOOKS).await;
    };
    let copies = log
        .events
        .iter()
        .filter(|event| turn::is_marked(event, &marker))
        .count();
    expect::that(
        copies == 1,
        &log.evidence,
        "the accepted message once in the list",
        match copies {
            0 => format!("not there{}", turn::unmarked(&log)),
            copies => format!("{copies} times"),
        },
    )?;
    let seq = turn::find(&log.events, &marker).map_or(0, |event| event.seq);
    let actual = format!("seq {seq}");
    expect::that(
        seq > before.head(),
        &log.evidence,
        format!("a seq above {}", before.head()),
        actual,
    )?;
    cx.saw(format!("the message stands once, at seq {seq}"), &log.evidence);
    cx.pass()
}

async fn answer(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session().await?;
    let marker = cx.bench.fresh_name("answer");
    let answer = turn::say(cx.bench, &session.id, &marker).await?;
    expect::status(&answer, 202)?;
    let body = expect::json(&answer)?;
    let log = cx.log(&session.id).await?;
    let listed = turn::find(&log.events, &marker).map_or(Value::Null, |event| event.raw.clone());
    expect::equal(&answer, "the answer", &listed, &body)?;
    cx.saw("the answer is the listed envelope", &answer);
    cx.pass()
}

async fn authorship_kept(cx: &mut Context<'_>) -> Judgement {
    let settled = cx.settled().await?;
    let log = cx.log(&settled.session.id).await?;
    let author = Value::from(cx.bench.target.principal.as_str());
    let cause = Value::from("api");
    for event in log.events.iter().filter(|event| event.kind.starts_with("user.")) {
        for (pointer, expected) in [("/authored_by", &author), ("/caused_by/kind", &cause)] {
            let what = format!("{pointer} of the payload at seq {}", event.seq);
            expect::equal(
                &log.evidence,
                &what,
                expected,
                event.payload(pointer).unwrap_or(&Value::Null),
            )?;
        }
        cx.saw(
            format!("seq {} is authored and caused as sent", event.seq),
            &log.evidence,
        );
    }
    cx.pass()
}

async fn authorship_required(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session().await?;
    let before = cx.log(&session.id).await?;
    for member in ["authored_by", "caused_by"] {
        let mut body = turn::message(cx.bench, &cx.bench.fresh_name("unsigned"));
        if let Some(payload) = body["payload"].as_object_mut() {
            payload.remove(member);
        }
        let answer = cx.send(Request::post(session.events(), &body)).await?;
        expect::status(&answer, 400)?;
        cx.saw(format!("a message without {member} is refused"), &answer);
    }
    unchanged(cx, &before, &session.id).await?;
    cx.pass()
}

async fn batch_refused(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session().await?;
    let before = cx.log(&session.id).await?;
    let body = json!({"events": [turn::message(cx.bench, &cx.bench.fresh_name("batch"))]});
    let answer = cx.send(Request::post(session.events(), &body)).await?;
    expect::status(&answer, 400)?;
    let error = expect::json(&answer)?;
    let told = expect::member(&answer, &error, "/error")?.to_string();
    expect::that(
        told.contains("events"),
        &answer,
        "an error that names the events member",
        told.clone(),
    )?;
    one_shape(&answer)?;
    cx.saw("a batch is refused by name", &answer);
    unchanged(cx, &before, &session.id).await?;
    cx.pass()
}

async fn unchanged(cx: &Context<'_>, before: &Log, session_id: &str) -> Result<(), crate::stop::Stop> {
    before.expect_unchanged(&cx.log(session_id).await?, "the log after the refusals")
}
