use std::collections::{BTreeSet, HashMap};

use serde_json::Value;

use crate::{
    check::Check,
    context::{Context, Judgement},
    expect, json,
    level::Level,
    stimulus::{Stimulus, event::Event, replay::Replay, session},
    stop::Stop,
    wire::{
        exchange::Exchange,
        request::Request,
        sse::{Item, Reader},
    },
};

/// Judged over every list and stream of the run, so it comes late.
pub(crate) const CHECKS: &[Check] = &[Check {
    id: "srv.stream.ids-are-global",
    title: "No two Sessions of the run have an event id in common, unless one is a fork of the other or of what it came from.",
    level: Level::Documented,
    stimulus: Stimulus::Create,
    requirements: &["STR-4"],
    killed_by: &[
        "sessions-begin-with-one-id",
        "ids-are-seqs",
        "streams-begin-with-one-id",
        "streamed-ids-are-seqs",
    ],
    run: |cx| Box::pin(ids_are_global(cx)),
}];

/// More forks of forks than a run makes.
const LONGEST_LINE: usize = 100;

async fn ids_are_global(cx: &mut Context<'_>) -> Judgement {
    let sessions = [cx.session().await?, cx.session().await?];
    for session in &sessions {
        let log = cx.first_log(session).await?;
        Replay::through(cx.bench, Request::get(session.stream()), log.head()).await?;
    }
    let mut homes: HashMap<String, String> = HashMap::new();
    let mut seen = BTreeSet::new();
    let mut origins = Origins::default();
    for exchange in cx.bench.client.transcript() {
        let Some(session) = read_of(&exchange) else {
            continue;
        };
        for event in events(&exchange) {
            if !seen.contains(session) {
                seen.insert(session.to_owned());
                cx.saw(format!("the ids of {session}"), &exchange);
            }
            let home = homes
                .entry(event.id.clone())
                .or_insert_with(|| session.to_owned());
            if home == session || origins.are_one(cx, home, session).await? {
                continue;
            }
            return Err(Stop::fail(
                format!("{} to be the id of one event, which {home} has", event.id),
                format!("seq {} ({}) of {session} too", event.seq, event.kind),
                &exchange,
            ));
        }
    }
    if seen.len() < 2 {
        return Err(Stop::Inconclusive(
            "fewer than two Sessions have events".to_owned(),
        ));
    }
    cx.pass()
}

/// The Session of a list or stream of events that was answered.
fn read_of(exchange: &Exchange) -> Option<&str> {
    let path = exchange.path().split('?').next().unwrap_or_default();
    let reads_events = path.ends_with("/events") || path.ends_with("/stream");
    let is_read = exchange.method() == "GET" && exchange.status() == 200 && reads_events;
    path.strip_prefix("/v1/sessions/")?
        .split('/')
        .next()
        .filter(|_| is_read)
}

/// The whole envelopes in a page or a stretch of a stream; previews are none.
fn events(exchange: &Exchange) -> Vec<Event> {
    let content_type = exchange.header("content-type").unwrap_or_default();
    let raw = match content_type.starts_with("text/event-stream") {
        true => framed(exchange),
        false => listed(exchange),
    };
    raw.iter().filter_map(|raw| Event::read(raw).ok()).collect()
}

fn listed(exchange: &Exchange) -> Vec<Value> {
    let page = expect::json(exchange).unwrap_or_default();
    page["data"].as_array().cloned().unwrap_or_default()
}

fn framed(exchange: &Exchange) -> Vec<Value> {
    let items = Reader::default().push(exchange.body());
    let data = items.into_iter().filter_map(|item| match item {
        Item::Frame(frame) => json::read(frame.data.as_bytes()).ok(),
        _ => None,
    });
    data.collect()
}

/// What each Session was first forked from; none where that cannot be read any more.
#[derive(Debug, Default)]
struct Origins(HashMap<String, Option<String>>);

impl Origins {
    /// Whether both have a common history; what cannot be read speaks against no server.
    async fn are_one(&mut self, cx: &Context<'_>, one: &str, other: &str) -> Result<bool, Stop> {
        let (one, other) = (self.of(cx, one).await?, self.of(cx, other).await?);
        Ok(one.is_none() || other.is_none() || one == other)
    }

    async fn of(&mut self, cx: &Context<'_>, session: &str) -> Result<Option<String>, Stop> {
        if let Some(known) = self.0.get(session) {
            return Ok(known.clone());
        }
        let mut origin = Some(session.to_owned());
        for _ in 0..LONGEST_LINE {
            let Some(at) = &origin else { break };
            let answer = cx.send(Request::get(session::path(at))).await?;
            if answer.status() != 200 {
                origin = None;
                break;
            }
            let resource = expect::json(&answer)?;
            match resource
                .pointer("/forked_from/session_id")
                .and_then(|id| id.as_str())
            {
                Some(source) => origin = Some(source.to_owned()),
                None => break,
            }
        }
        self.0.insert(session.to_owned(), origin.clone());
        Ok(origin)
    }
}
