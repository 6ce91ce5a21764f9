use std::collections::HashMap;

use futures::future::try_join_all;

use crate::{
    agent::AgentKind,
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::{
        Stimulus,
        event::Event,
        log::Log,
        session::Session,
        turn,
        watch::{Seen, Watch, Watched},
    },
    stop::Stop,
    wire::request::Request,
};

pub(super) const BOTH: [&str; 2] = ["agent.message", "agent.thinking"];

pub(crate) const CHECKS: &[Check] = &[
    Check {
        id: "srv.preview.uncursored",
        title: "A preview has no id line and no seq.",
        level: Level::Documented,
        stimulus: Stimulus::Work,
        requirements: &["PRV-2"],
        killed_by: &[
            "previews-with-an-id-line",
            "previews-with-a-seq",
            "server:preview_has_id",
        ],
        run: |cx| Box::pin(uncursored(cx)),
    },
    Check {
        id: "srv.preview.never-persisted",
        title: "Previews are not in the list and are not replayed.",
        level: Level::Documented,
        stimulus: Stimulus::Work,
        requirements: &["PRV-2"],
        killed_by: &["lists-previews", "replays-previews"],
        run: |cx| Box::pin(never_persisted(cx)),
    },
    Check {
        id: "srv.preview.durable-as-without",
        title: "A stream with previews and one without carry the same persisted events, those of the list.",
        level: Level::Documented,
        stimulus: Stimulus::Work,
        requirements: &["PRV-1", "LST-3"],
        killed_by: &[
            "previews-instead-of-events",
            "previewing-streams-show-other-events",
            "server:stream_differs_from_list",
        ],
        run: |cx| Box::pin(durable_as_without(cx)),
    },
    Check {
        id: "srv.preview.final-id",
        title: "What was previewed is persisted under the id of its preview, and with its type.",
        level: Level::Documented,
        stimulus: Stimulus::Work,
        requirements: &["PRV-3"],
        killed_by: &["previews-under-other-ids", "previews-name-another-type"],
        run: |cx| Box::pin(final_id(cx)),
    },
    Check {
        id: "srv.preview.is-a-prefix",
        title: "Deltas come after the start of their event and before it, and together they are how its text begins.",
        level: Level::Derived,
        stimulus: Stimulus::Work,
        requirements: &["A-PRV"],
        killed_by: &[
            "deltas-without-a-start",
            "deltas-out-of-order",
            "deltas-behind-the-event",
        ],
        run: |cx| Box::pin(is_a_prefix(cx)),
    },
];

/// A server may drop previews, and a connection may end in the midst of them; so often none at all is no accident.
const TURNS: usize = 5;

/// A turn of an Agent that writes piece by piece, seen on a stream for each set of wanted types, and its list: the first
/// turn of which some previews came, else the last of several.
pub(super) async fn watched(
    cx: &Context<'_>,
    session: &Session,
    streams: Vec<Request>,
) -> Result<(Vec<Watched>, Log), Stop> {
    for _ in 1..TURNS {
        let (watched, log) = watched_once(cx, session, streams.clone()).await?;
        if watched.iter().any(|watched| watched.previews().next().is_some()) {
            return Ok((watched, log));
        }
    }
    watched_once(cx, session, streams).await
}

async fn watched_once(
    cx: &Context<'_>,
    session: &Session,
    streams: Vec<Request>,
) -> Result<(Vec<Watched>, Log), Stop> {
    let head = cx.log(&session.id).await?.head();
    let mut watches = Vec::new();
    for stream in streams {
        watches.push(Watch::open(cx.bench, stream, head).await?);
    }
    let marker = cx.bench.fresh_name("preview");
    let said = turn::say(cx.bench, &session.id, &marker).await;
    said.map_err(|stop| stop.blocking("srv.append.accepted"))?;
    let watches = watches
        .into_iter()
        .map(|watch| watch.until_settled(cx.bench, head));
    let watched = try_join_all(watches).await?;
    Ok((watched, cx.log(&session.id).await?))
}

/// The same on the Session's stream, and the Session.
async fn one(cx: &Context<'_>, wanted: &[&str]) -> Result<(Session, Watched, Log), Stop> {
    let session = subject(cx).await?;
    let stream = asking(session.stream(), wanted);
    let (mut watched, log) = watched(cx, &session, vec![stream]).await?;
    let watched = watched
        .pop()
        .ok_or_else(|| Stop::Error("one stream has one record".to_owned()))?;
    Ok((session, watched, log))
}

pub(super) async fn subject(cx: &Context<'_>) -> Result<Session, Stop> {
    let session = cx.session_of(AgentKind::Previews).await?;
    cx.offered("previews").await?;
    Ok(session)
}

/// A stream that asks for previews of these types.
pub(super) fn asking(path: String, wanted: &[&str]) -> Request {
    let ask = |request: Request, wanted: &&str| request.query("event_deltas", wanted);
    wanted.iter().fold(Request::get(path), ask)
}

async fn uncursored(cx: &mut Context<'_>) -> Judgement {
    let (_, watched, _) = one(cx, &BOTH).await?;
    let previews = expect_uncursored(&watched)?;
    cx.saw(
        format!("{previews} previews, none with a cursor"),
        &watched.evidence,
    );
    cx.pass()
}

/// How many previews came, of which none has anything that a reader could resume behind.
pub(super) fn expect_uncursored(watched: &Watched) -> Result<usize, Stop> {
    let previews = watched.some_previews()?;
    for preview in &previews {
        if preview.framed.frame.id.is_some() {
            return Err(watched.fail_at(preview, "a preview without an id line"));
        }
        if preview.data.get("seq").is_some() {
            return Err(watched.fail_at(preview, "a preview without a seq"));
        }
    }
    Ok(previews.len())
}

async fn never_persisted(cx: &mut Context<'_>) -> Judgement {
    let (session, live, log) = one(cx, &BOTH).await?;
    let previews = live.some_previews()?.len();
    let listed = log
        .events
        .iter()
        .find(|event| event.kind == "event_start" || event.kind == "event_delta");
    let actual = listed.map(|event| event.raw.to_string()).unwrap_or_default();
    expect::that(listed.is_none(), &log.evidence, "no preview in the list", actual)?;
    cx.saw(
        format!("{previews} previews came live, none is in the list"),
        &log.evidence,
    );
    let replay = Watch::open(cx.bench, asking(session.stream(), &BOTH), log.head()).await?;
    let replay = replay.close();
    if let Some(preview) = replay.previews().next() {
        return Err(replay.fail_at(preview, "no preview in a replay"));
    }
    cx.saw("and none is replayed", &replay.evidence);
    cx.pass()
}

async fn durable_as_without(cx: &mut Context<'_>) -> Judgement {
    let session = subject(cx).await?;
    let streams = vec![asking(session.stream(), &BOTH), asking(session.stream(), &[])];
    let (watched, log) = watched(cx, &session, streams).await?;
    for (what, watched) in ["the stream with previews", "the stream without"]
        .iter()
        .zip(&watched)
    {
        let events = watched.events();
        let last = events.last().map_or(0, |event| event.seq);
        let listed: Vec<Event> = log
            .events
            .iter()
            .filter(|event| event.seq <= last)
            .cloned()
            .collect();
        expect::same_events(&watched.evidence, what, &listed, &events)?;
        let previews = watched.previews().count();
        cx.saw(
            format!("{what}: {} events as listed, {previews} previews", events.len()),
            &watched.evidence,
        );
    }
    cx.pass()
}

async fn final_id(cx: &mut Context<'_>) -> Judgement {
    let (_, watched, log) = one(cx, &BOTH).await?;
    let previews = watched.some_previews()?;
    let kinds: HashMap<&str, &str> = log
        .events
        .iter()
        .map(|event| (event.id.as_str(), event.kind.as_str()))
        .collect();
    let mut matched = 0;
    for preview in previews.iter().filter(|preview| preview.is_start) {
        let Some(kind) = preview.event_id().and_then(|id| kinds.get(id)) else {
            continue;
        };
        if preview.event_type() != Some(kind) {
            return Err(watched.fail_at(preview, format!("the preview of a {kind}, as it is in the list")));
        }
        matched += 1;
    }
    if let (0, Some(preview)) = (matched, previews.first()) {
        return Err(watched.fail_at(preview, "an event of the settled turn under the id of a preview"));
    }
    cx.saw(
        format!("{matched} announced events are persisted under their ids"),
        &watched.evidence,
    );
    cx.pass()
}

async fn is_a_prefix(cx: &mut Context<'_>) -> Judgement {
    let (_, watched, log) = one(cx, &BOTH).await?;
    watched.some_previews()?;
    let mut texts: HashMap<String, Vec<(u64, String)>> = HashMap::new();
    let mut persisted = Vec::new();
    for seen in &watched.seen {
        let preview = match seen {
            Seen::Event(event) => {
                persisted.push(event.id.clone());
                continue;
            }
            Seen::Preview(preview) => preview,
        };
        let id = preview.event_id().unwrap_or_default().to_owned();
        if persisted.contains(&id) {
            return Err(watched.fail_at(preview, "no preview of an event that is there"));
        }
        if preview.is_start {
            texts.entry(id).or_default();
            continue;
        }
        match (texts.get_mut(&id), preview.text()) {
            (None, _) => return Err(watched.fail_at(preview, "a delta only after the start of its event")),
            (Some(pieces), Some((index, text))) => pieces.push((index, text.to_owned())),
            (Some(_), None) => {}
        }
    }
    for (id, pieces) in &texts {
        let Some(event) = log.events.iter().find(|event| event.id == *id) else {
            continue;
        };
        let blocks: Vec<u64> = pieces.iter().map(|(index, _)| *index).collect();
        for block in blocks {
            let own = pieces.iter().filter(|(index, _)| *index == block);
            let shown: String = own.map(|(_, text)| text.as_str()).collect();
            let text = event
                .payload(&format!("/content/{block}/text"))
                .and_then(serde_json::Value::as_str);
            let begins = text.is_some_and(|text| text.starts_with(&shown));
            let whole = text.map_or("no text".to_owned(), |text| format!("{text:?}"));
            let expected = format!("the deltas of {id} to be how {whole} begins");
            expect::that(begins, &watched.evidence, expected, format!("{shown:?}"))?;
        }
        cx.saw(
            format!("{} deltas of {id} are how its text begins", pieces.len()),
            &watched.evidence,
        );
    }
    cx.pass()
}
