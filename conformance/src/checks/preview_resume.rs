use super::{
    mirror::cuts,
    preview_live::{BOTH, asking, expect_uncursored, subject, watched},
};
use crate::{
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::{
        Stimulus,
        event::Event,
        log::Log,
        watch::{Watch, Watched},
    },
    stop::Stop,
};

pub(crate) const CHECKS: &[Check] = &[
    Check {
        id: "srv.preview.resumes",
        title: "Last-Event-ID resumes a stream that asks for previews right behind that seq, as any other.",
        level: Level::Documented,
        stimulus: Stimulus::Work,
        requirements: &["STR-2", "PRV-1"],
        killed_by: &["previews-drop-the-cursor", "previews-skip-one"],
        run: |cx| Box::pin(resumes(cx)),
    },
    Check {
        id: "srv.preview.resumed-uncursored",
        title: "On a resumed stream too a preview has no id line and no seq.",
        level: Level::Documented,
        stimulus: Stimulus::Work,
        requirements: &["PRV-2"],
        killed_by: &["resumed-previews-with-an-id-line", "resumed-previews-with-a-seq"],
        run: |cx| Box::pin(resumed_uncursored(cx)),
    },
];

async fn resumes(cx: &mut Context<'_>) -> Judgement {
    let session = subject(cx).await?;
    cx.turn(&session).await?;
    let log = cx.rested(&session.id).await?;
    for cursor in cuts(&log) {
        let resume = asking(session.stream(), &BOTH).after(cursor);
        let stream = Watch::open(cx.bench, resume, log.head()).await?.close();
        expect_behind(cx, &stream, &log, cursor)?;
    }
    let cursor = last_cut(&log)?;
    let live = asking(session.stream(), &BOTH).after(cursor);
    let (live, log) = watched(cx, &session, vec![live]).await?;
    for live in &live {
        expect_behind(cx, live, &log, cursor)?;
    }
    cx.pass()
}

/// The last seq behind which a stream has something to replay.
fn last_cut(log: &Log) -> Result<u64, Stop> {
    let last = log.events.iter().rev().nth(1);
    last.map(|event| event.seq)
        .ok_or_else(|| Stop::Inconclusive("the turn left no two events".to_owned()))
}

/// The stream has the persisted events behind the cursor, up to where it was left.
fn expect_behind(cx: &mut Context<'_>, stream: &Watched, log: &Log, cursor: u64) -> Result<(), Stop> {
    let events = stream.events();
    let last = events.last().map_or(0, |event| event.seq);
    let listed = log.above(cursor).iter().filter(|event| event.seq <= last);
    let listed: Vec<Event> = listed.cloned().collect();
    let what = format!("the stream with previews after {cursor}");
    expect::same_events(&stream.evidence, &what, &listed, &events)?;
    cx.saw(format!("{} events are {what}", events.len()), &stream.evidence);
    Ok(())
}

async fn resumed_uncursored(cx: &mut Context<'_>) -> Judgement {
    let session = subject(cx).await?;
    cx.turn(&session).await?;
    let cursor = last_cut(&cx.rested(&session.id).await?)?;
    let stream = asking(session.stream(), &BOTH).after(cursor);
    let (streams, _) = watched(cx, &session, vec![stream]).await?;
    for stream in &streams {
        let previews = expect_uncursored(stream)?;
        cx.saw(
            format!("{previews} previews behind {cursor}, none with a cursor"),
            &stream.evidence,
        );
    }
    cx.pass()
}
