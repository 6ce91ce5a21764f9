use futures::future::try_join;

use crate::{
    check::Check,
    context::{Context, Judgement},
    level::Level,
    stimulus::{Stimulus, replay::Replay, turn},
    wire::request::Request,
};

pub(crate) const CHECKS: &[Check] = &[Check {
    id: "srv.preview.only-when-asked",
    title: "A stream that asked for no previews carries a live turn in persisted events alone.",
    level: Level::Documented,
    stimulus: Stimulus::Work,
    requirements: &["PRV-1"],
    killed_by: &[
        "previews-unasked",
        "previews-unasked-with-ids",
        "server:previews_unasked",
    ],
    run: |cx| Box::pin(only_when_asked(cx)),
}];

async fn only_when_asked(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session().await?;
    let head = cx.log(&session.id).await?.head();
    let marker = cx.bench.fresh_name("durable");
    let said = async {
        let said = turn::say(cx.bench, &session.id, &marker).await;
        said.map_err(|stop| stop.blocking("srv.append.accepted"))
    };
    let stream = Replay::until_settled(cx.bench, &session.id, Request::get(session.stream()), head);
    let (replay, _) = try_join(stream, said).await?;
    for (framed, event) in replay.frames.iter().zip(&replay.events) {
        let preview = event.kind == "event_start" || event.kind == "event_delta";
        if framed.frame.id.is_none() || preview {
            let expected = "a persisted event with its id line";
            return Err(replay.fail_at(framed, expected, event.raw.to_string()));
        }
    }
    let events = replay.events.len();
    cx.saw(
        format!("a live turn arrived in {events} persisted events and nothing else"),
        &replay.evidence,
    );
    cx.pass()
}
