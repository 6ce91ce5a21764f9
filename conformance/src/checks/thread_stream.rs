use crate::{
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::{
        Stimulus,
        bench::Opened,
        live::Live,
        log::{LARGEST_PAGE, Log},
        replay::Replay,
    },
    wire::request::Request,
};

/// The most events whose cut is tried one by one.
const CUTS: usize = 16;
/// No log of the suite gets so far.
const FAR_AHEAD: u64 = 1_000_000_000;

pub(crate) const CHECKS: &[Check] = &[
    Check {
        id: "srv.thread.stream-equals-list",
        title: "A thread's stream replays its list, framed as the Session's: seq as id, type as event, envelope as data.",
        level: Level::Documented,
        stimulus: Stimulus::Read,
        requirements: &["THR-6", "THR-5"],
        killed_by: &["thread-stream-drops-an-event", "thread-stream-without-ids"],
        run: |cx| Box::pin(stream_equals_list(cx)),
    },
    Check {
        id: "srv.thread.stream-of-a-child",
        title: "A child's stream replays the child's list and resumes behind any of its events.",
        level: Level::Documented,
        stimulus: Stimulus::Read,
        requirements: &["THR-6", "THR-5"],
        killed_by: &["child-stream-is-the-sessions", "child-stream-ignores-the-cursor"],
        run: |cx| Box::pin(stream_of_a_child(cx)),
    },
    Check {
        id: "srv.thread.stream-resumes",
        title: "Last-Event-ID resumes a thread's stream right behind that seq.",
        level: Level::Documented,
        stimulus: Stimulus::Read,
        requirements: &["THR-6"],
        killed_by: &["thread-stream-is-inclusive", "thread-stream-skips-one"],
        run: |cx| Box::pin(stream_resumes(cx)),
    },
    Check {
        id: "srv.thread.stream-gaps-alike",
        title: "A cursor ahead of the log, and one that is no number, meet the same answer on a thread's stream as on the Session's.",
        level: Level::Documented,
        stimulus: Stimulus::Read,
        requirements: &["THR-6"],
        killed_by: &["thread-stream-waits-ahead", "thread-stream-takes-any-cursor"],
        run: |cx| Box::pin(stream_gaps_alike(cx)),
    },
    Check {
        id: "srv.thread.stream-lives",
        title: "A thread's stream goes on live on the same connection after its replay.",
        level: Level::Documented,
        stimulus: Stimulus::Create,
        requirements: &["THR-6"],
        killed_by: &[
            "thread-stream-ends-after-replay",
            "thread-stream-shows-nothing-live",
        ],
        run: |cx| Box::pin(stream_lives(cx)),
    },
];

async fn stream_equals_list(cx: &mut Context<'_>) -> Judgement {
    let settled = cx.settled().await?;
    let primary = cx.primary(&settled.session.id).await?;
    let list = Log::walk_at(cx.bench, &primary.events(), LARGEST_PAGE).await?;
    let replay = Replay::through(cx.bench, Request::get(primary.stream()), list.head()).await?;
    expect::same_events(
        &replay.evidence,
        "the thread's stream beside its list",
        &list.events,
        &replay.events,
    )?;
    for (framed, event) in replay.frames.iter().zip(&replay.events) {
        let frame = &framed.frame;
        let (id, kind) = (event.seq.to_string(), event.kind.as_str());
        if frame.id.as_deref() != Some(&id) || frame.event.as_deref() != Some(kind) {
            let actual = format!("id {:?}, event {:?}", frame.id, frame.event);
            let expected = format!("id {id}, event {kind} on a thread's stream");
            return Err(replay.fail_at(framed, expected, actual));
        }
    }
    cx.saw(
        format!("{} envelopes are the listed ones", replay.events.len()),
        &replay.evidence,
    );
    cx.pass()
}

async fn stream_of_a_child(cx: &mut Context<'_>) -> Judgement {
    let family = cx.family().await?;
    for (child, list) in &family.histories {
        let whole = Replay::through(cx.bench, Request::get(child.stream()), list.head()).await?;
        expect::same_events(
            &whole.evidence,
            "the child's stream beside its list",
            &list.events,
            &whole.events,
        )?;
        cx.saw(
            format!("{} events of {}", whole.events.len(), child.id),
            &whole.evidence,
        );
        let Some(event) = list.events.get(list.events.len() / 2) else {
            continue;
        };
        if event.seq == list.head() {
            continue;
        }
        let resume = Request::get(child.stream()).after(event.seq);
        let rest = Replay::through(cx.bench, resume, list.head()).await?;
        let what = format!("the child's stream after {}", event.seq);
        expect::same_events(&rest.evidence, &what, list.above(event.seq), &rest.events)?;
        cx.saw(format!("{what} is the rest"), &rest.evidence);
    }
    cx.pass()
}

async fn stream_resumes(cx: &mut Context<'_>) -> Judgement {
    let settled = cx.settled().await?;
    let primary = cx.primary(&settled.session.id).await?;
    let list = Log::walk_at(cx.bench, &primary.events(), LARGEST_PAGE).await?;
    let step = list.events.len().div_ceil(CUTS).max(1);
    for event in list
        .events
        .iter()
        .step_by(step)
        .filter(|event| event.seq < list.head())
    {
        let resume = Request::get(primary.stream()).after(event.seq);
        let rest = Replay::through(cx.bench, resume, list.head()).await?;
        let what = format!("the thread's stream after {}", event.seq);
        expect::same_events(&rest.evidence, &what, list.above(event.seq), &rest.events)?;
        cx.saw(
            format!("after {} come {} events", event.seq, rest.events.len()),
            &rest.evidence,
        );
    }
    cx.pass()
}

async fn stream_gaps_alike(cx: &mut Context<'_>) -> Judgement {
    let settled = cx.settled().await?;
    let primary = cx.primary(&settled.session.id).await?;
    for cursor in [FAR_AHEAD.to_string(), "evt".to_owned()] {
        let mut met = Vec::new();
        for path in [settled.session.stream(), primary.stream()] {
            let answer = match cx.bench.open_any(Request::get(path).after(&cursor)).await? {
                Opened::Answer(answer) => answer,
                Opened::Stream(reading) => cx.bench.close(*reading),
            };
            met.push(answer);
        }
        if let [session, thread] = met.as_slice() {
            let actual = format!("status {}", thread.status());
            let expected = format!(
                "status {} for the cursor {cursor}, as on the Session's stream",
                session.status()
            );
            expect::that(thread.status() == session.status(), thread, expected, actual)?;
            cx.saw(
                format!("both answered {} to the cursor {cursor}", thread.status()),
                thread,
            );
        }
    }
    cx.pass()
}

async fn stream_lives(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session().await?;
    let primary = cx.primary(&session.id).await?;
    let awaited = "a new event on the thread's open stream";
    let live = Live::reach(
        cx.bench,
        &session,
        (&primary.events(), &primary.stream()),
        awaited,
    )
    .await?;
    cx.saw(
        format!("seq {} ({}) arrived live", live.event.seq, live.event.kind),
        &live.evidence,
    );
    cx.pass()
}
