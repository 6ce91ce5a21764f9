use std::collections::{HashMap, HashSet};

use super::preview_live::{BOTH, asking, subject, watched};
use crate::{
    agent::AgentKind,
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::{Stimulus, family::Family, watch::Watch},
    stop::Stop,
    wire::request::Request,
};

pub(crate) const CHECKS: &[Check] = &[
    Check {
        id: "srv.preview.only-wanted-types",
        title: "Only the types that were asked for are previewed.",
        level: Level::Documented,
        stimulus: Stimulus::Work,
        requirements: &["PRV-1"],
        killed_by: &[
            "previews-messages-unasked",
            "previews-thinking-unasked",
            "server:previews_unasked",
        ],
        run: |cx| Box::pin(only_wanted_types(cx)),
    },
    Check {
        id: "srv.preview.on-a-thread",
        title: "A thread's stream has previews only when asked, and without id lines.",
        level: Level::Documented,
        stimulus: Stimulus::Work,
        requirements: &["THR-6", "PRV-1"],
        killed_by: &[
            "thread-previews-unasked",
            "thread-previews-with-an-id-line",
            "server:previews_unasked",
        ],
        run: |cx| Box::pin(on_a_thread(cx)),
    },
    Check {
        id: "srv.preview.local-to-its-thread",
        title: "What a child writes is not previewed on the Session's stream.",
        level: Level::Documented,
        stimulus: Stimulus::Work,
        requirements: &["THR-6"],
        killed_by: &["childs-starts-on-the-session", "childs-deltas-on-the-session"],
        run: |cx| Box::pin(local_to_its_thread(cx)),
    },
    Check {
        id: "srv.preview.unknown-type",
        title: "A type that has no previews is refused, and the spelling with brackets is taken.",
        level: Level::Assumed,
        stimulus: Stimulus::Read,
        requirements: &["A-SRV"],
        killed_by: &["ignores-unknown-previews", "refuses-bracketed-previews"],
        run: |cx| Box::pin(unknown_type(cx)),
    },
];

async fn only_wanted_types(cx: &mut Context<'_>) -> Judgement {
    let session = subject(cx).await?;
    let streams = BOTH.map(|wanted| asking(session.stream(), &[wanted])).to_vec();
    let (watched, log) = watched(cx, &session, streams).await?;
    let kinds: HashMap<&str, &str> = log
        .events
        .iter()
        .map(|event| (event.id.as_str(), event.kind.as_str()))
        .collect();
    let mut seen = 0;
    for (wanted, watched) in BOTH.iter().zip(&watched) {
        for preview in watched.previews() {
            let persisted = preview.event_id().and_then(|id| kinds.get(id)).copied();
            let other = preview
                .event_type()
                .or(persisted)
                .is_some_and(|kind| kind != *wanted);
            if other {
                return Err(watched.fail_at(preview, format!("previews of {wanted} alone")));
            }
            seen += 1;
        }
        cx.saw(
            format!("asked for {wanted}, nothing else was previewed"),
            &watched.evidence,
        );
    }
    if seen == 0 {
        return Err(Stop::Inconclusive(
            "no preview came, and a server may drop them".to_owned(),
        ));
    }
    cx.pass()
}

async fn on_a_thread(cx: &mut Context<'_>) -> Judgement {
    let session = subject(cx).await?;
    let primary = cx.primary(&session.id).await?;
    let streams = vec![asking(primary.stream(), &[]), asking(primary.stream(), &BOTH)];
    let (watched, _) = watched(cx, &session, streams).await?;
    if let [plain, asked] = watched.as_slice() {
        if let Some(preview) = plain.previews().next() {
            return Err(plain.fail_at(preview, "no preview on a thread's stream that asked for none"));
        }
        cx.saw(
            format!("{} events without a preview", plain.seen.len()),
            &plain.evidence,
        );
        for preview in asked.some_previews()? {
            if preview.framed.frame.id.is_some() || preview.data.get("seq").is_some() {
                return Err(asked.fail_at(preview, "a preview on a thread's stream without id line and seq"));
            }
        }
        cx.saw(
            format!("{} previews without a cursor", asked.previews().count()),
            &asked.evidence,
        );
    }
    cx.pass()
}

async fn local_to_its_thread(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session_of(AgentKind::Coordinator).await?;
    cx.offered("previews").await?;
    cx.offered("threads").await?;
    let head = cx.log(&session.id).await?.head();
    let mut watch = Watch::open(cx.bench, asking(session.stream(), &BOTH), head).await?;
    let family = Family::build(cx.bench, session).await?;
    watch.through(cx.bench, family.log.head()).await?;
    let watched = watch.close();
    let shared: HashSet<&str> = family.log.events.iter().map(|event| event.id.as_str()).collect();
    let own = family.histories.iter().flat_map(|(_, log)| &log.events);
    let own: HashSet<&str> = own
        .map(|event| event.id.as_str())
        .filter(|id| !shared.contains(id))
        .collect();
    for preview in watched.previews() {
        if preview.event_id().is_some_and(|id| own.contains(id)) {
            return Err(watched.fail_at(
                preview,
                "no preview of a child's own event on the Session's stream",
            ));
        }
    }
    let count = watched.previews().count();
    cx.saw(
        format!(
            "{count} previews, none of the {} events of children alone",
            own.len()
        ),
        &watched.evidence,
    );
    cx.pass()
}

async fn unknown_type(cx: &mut Context<'_>) -> Judgement {
    let session = cx.readable().await?;
    cx.offered("previews").await?;
    let answer = cx
        .open_refused(asking(session.stream(), &["agent.tool_use"]))
        .await?;
    expect::error(&answer, 400, "request.invalid_parameter")?;
    cx.saw("previews of agent.tool_use are refused", &answer);
    let bracketed = Request::get(session.stream()).query("event_deltas[]", "agent.message");
    let reading = cx.open(bracketed).await?;
    let evidence = cx.bench.close(reading);
    cx.saw("event_deltas[] is taken", &evidence);
    cx.pass()
}
