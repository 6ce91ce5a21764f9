use crate::{
    check::Check,
    context::{Context, Judgement},
    level::Level,
    stimulus::{replay::next_event, turn},
    stop::Stop,
    wire::request::Request,
};

pub(crate) const CHECKS: &[Check] = &[Check {
    id: "srv.preview.only-when-asked",
    title: "A stream that asked for no previews carries a live turn in persisted events alone.",
    level: Level::Documented,
    requirements: &["PRV-1"],
    killed_by: &["previews-unasked", "previews-unasked-with-ids"],
    run: |cx| Box::pin(only_when_asked(cx)),
}];

async fn only_when_asked(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session().await?;
    let mut reading = cx.open(Request::get(session.stream())).await?;
    let marker = cx.bench.fresh_name("durable");
    turn::say(cx.bench, &session.id, &marker)
        .await
        .map_err(|stop| stop.blocking("srv.append.accepted"))?;
    let deadline = cx.bench.turn_deadline();
    let mut events = 0_usize;
    loop {
        let awaited = || "persisted events up to a settlement".to_owned();
        let (frame, event) = next_event(&mut reading, deadline, awaited).await?;
        let preview = event.kind == "event_start" || event.kind == "event_delta";
        if frame.id.is_none() || preview {
            let wire = reading.snapshot().excerpt_of(frame.bytes);
            return Err(Stop::fail_with(
                "a persisted event with its id line",
                event.raw.to_string(),
                wire,
            ));
        }
        events += 1;
        if event.settles_session() {
            break;
        }
    }
    let evidence = cx.bench.close(reading);
    cx.saw(
        format!("a live turn arrived in {events} persisted events and nothing else"),
        &evidence,
    );
    cx.pass()
}
