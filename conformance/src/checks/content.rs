use serde_json::{Value, json};

use crate::{
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::{
        Stimulus,
        event::Event,
        log::Log,
        look,
        replay::Replay,
        session::Session,
        text::{self, DELICATE, difference},
        turn,
    },
    stop::Stop,
    wire::{exchange::Exchange, request::Request},
};

pub(crate) const CHECKS: &[Check] = &[
    Check {
        id: "srv.content.kept",
        title: "A message stands in list and stream as it was sent: each part of it, each character and all white space.",
        level: Level::Documented,
        stimulus: Stimulus::Create,
        requirements: &["SES-3", "SES-5", "LST-3"],
        killed_by: &[
            "keeps-ascii-alone",
            "collapses-white-space",
            "trims-texts",
            "composes-letters",
            "unescapes-texts",
            "keeps-the-first-part",
            "joins-the-parts",
            "streams-the-first-part",
        ],
        run: |cx| Box::pin(kept(cx)),
    },
    Check {
        id: "srv.content.long-text-kept",
        title: "A message of 64 KiB stands in list and stream to its last character.",
        level: Level::Documented,
        stimulus: Stimulus::Create,
        requirements: &["SES-3", "SES-5", "LST-3"],
        killed_by: &["cuts-long-texts", "streams-cut-texts"],
        run: |cx| Box::pin(long_text_kept(cx)),
    },
];

/// Longer than what fits one read of a socket, and what many a column or buffer holds.
const LONG: usize = 64 << 10;

async fn kept(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session().await?;
    let part = |text: &str| json!({"type": "text", "text": text});
    let parts = json!([
        part("Say hello."),
        part(DELICATE),
        part("Say hello."),
        part("\u{20}")
    ]);
    for content in [json!([part(DELICATE)]), parts] {
        let body = turn::input(cx.bench, "user.message", json!({"content": content}));
        let before = cx.log(&session.id).await?;
        let answer = cx.bench.mutate(Request::post(session.events(), &body)).await?;
        expect::success(&answer)?;
        stands_as_sent(cx, &session, &before, &body).await?;
    }
    cx.pass()
}

async fn long_text_kept(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session().await?;
    let text = format!("Say hello, whatever follows.\n{}", text::long(LONG));
    let body = turn::message_saying(cx.bench, &text);
    let before = cx.log(&session.id).await?;
    let answer = cx.bench.mutate(Request::post(session.events(), &body)).await?;
    if answer.status() == 413 {
        let why = "the server takes no message of 64 KiB (413)";
        return Err(Stop::NotApplicable(why.to_owned()));
    }
    expect::success(&answer)?;
    stands_as_sent(cx, &session, &before, &body).await?;
    cx.pass()
}

/// The message that was accepted since, in both views and all of it.
async fn stands_as_sent(
    cx: &mut Context<'_>,
    session: &Session,
    before: &Log,
    body: &Value,
) -> Result<(), Stop> {
    let is_message = |event: &&Event| event.kind == "user.message";
    let listed = |log: &Log| log.above(before.head()).iter().any(|event| is_message(&event));
    let log = look::until(cx.bench, &session.id, cx.bench.answer_deadline(), listed).await?;
    let (Ok(log) | Err(log)) = log;
    let Some(event) = log.above(before.head()).iter().find(is_message) else {
        let expected = "the accepted message in the list";
        return Err(Stop::fail(expected, "none", &log.evidence));
    };
    is_whole(&log.evidence, "the list", body, event)?;
    cx.saw(
        format!("seq {} is listed as it was sent", event.seq),
        &log.evidence,
    );
    let replay = Replay::through(cx.bench, Request::get(session.stream()), event.seq).await?;
    let Some(streamed) = replay.events.iter().find(|other| other.seq == event.seq) else {
        let expected = format!("seq {} on the stream", event.seq);
        return Err(Stop::fail(expected, "not there", &replay.evidence));
    };
    is_whole(&replay.evidence, "the stream", body, streamed)?;
    cx.saw(
        format!("seq {} is streamed as it was sent", event.seq),
        &replay.evidence,
    );
    Ok(())
}

fn is_whole(evidence: &Exchange, place: &str, body: &Value, event: &Event) -> Result<(), Stop> {
    match difference(&body["payload"], event.raw.get("payload")) {
        None => Ok(()),
        Some(differing) => Err(Stop::fail(
            format!(
                "{} of the message in {place} to be {}",
                differing.at, differing.sent
            ),
            differing.kept,
            evidence,
        )),
    }
}
