use serde_json::{Value, json};

use crate::{
    agent::AgentKind,
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::{
        Stimulus,
        event::Event,
        fork,
        log::LARGEST_PAGE,
        session::{self, Session, UNKNOWN_SESSION},
        thread::{Thread, Threads},
    },
    stop::Stop,
    wire::request::Request,
};

/// The most events that are forked from one by one.
const POINTS: usize = 12;
/// How many pages of Sessions are searched for forks.
const PAGES_SEARCHED: usize = 50;
/// A well-formed id of an event that was never written.
const UNKNOWN_EVENT: &str = "evt_00000000000000000000000000000000";

pub(crate) const CHECKS: &[Check] = &[
    Check {
        id: "srv.fork.at-any-event",
        title: "A fork of a selected event, by id or by seq, has the log up to it, then its mark with the next seq, then an idle.",
        level: Level::Assumed,
        stimulus: Stimulus::Work,
        requirements: &["FRK-1", "A-FORK"],
        killed_by: &[
            "forks-at-the-head-always",
            "fork-copies-one-too-many",
            "mark-names-another-event",
            "server:fork_copies_more",
            "server:fork_loses_last",
            "server:fork_unmarked",
        ],
        run: |cx| Box::pin(at_any_event(cx)),
    },
    Check {
        id: "srv.fork.refusals-are-pure",
        title: "What cannot be forked from is refused by name: no Session is made and the source stays as it was.",
        level: Level::Assumed,
        stimulus: Stimulus::Work,
        requirements: &["A-FORK", "WIRE-2"],
        killed_by: &["forks-from-what-is-not-there", "refused-fork-is-made"],
        run: |cx| Box::pin(refusals_are_pure(cx)),
    },
    Check {
        id: "srv.fork.checkpoint-fails-closed",
        title: "A Checkpoint that is not there to be adopted makes no fork.",
        level: Level::Derived,
        stimulus: Stimulus::Work,
        requirements: &["FRK-3"],
        killed_by: &["forks-without-the-checkpoint", "refuses-the-checkpoint-and-forks"],
        run: |cx| Box::pin(checkpoint_fails_closed(cx)),
    },
    Check {
        id: "srv.fork.threads-at-rest",
        title: "Copied threads are valid under the fork: the primary idle, the children terminated.",
        level: Level::Assumed,
        stimulus: Stimulus::Work,
        requirements: &["A-FORK"],
        killed_by: &["forked-children-live-on", "fork-loses-its-children"],
        run: |cx| Box::pin(threads_at_rest(cx)),
    },
];

async fn at_any_event(cx: &mut Context<'_>) -> Judgement {
    let settled = cx.settled().await?;
    cx.offered("forks").await?;
    let log = settled.log();
    let step = log.events.len().div_ceil(POINTS).max(1);
    for (turn, (place, event)) in log.events.iter().enumerate().step_by(step).enumerate() {
        let from = match turn % 2 {
            0 => json!({"from": {"event_id": event.id}}),
            _ => json!({"from": {"seq": event.seq}}),
        };
        let made = fork::make(cx.bench, &settled.session, &from).await?;
        let fork = cx.log(&made.id).await?;
        let id = |event: &Event| json!([event.seq, event.id]);
        let copies: Vec<_> = log.events[..=place].iter().map(id).collect();
        let found: Vec<_> = fork.events.iter().take(copies.len()).map(id).collect();
        let what = format!("the copies of a fork at seq {}", event.seq);
        expect::equal(&fork.evidence, &what, &json!(copies), &json!(found))?;
        let tail: Vec<_> = fork
            .events
            .iter()
            .skip(copies.len())
            .map(|event| json!([event.seq, event.kind, event.raw["payload"]]))
            .collect();
        let mark = json!({
            "source_session_id": settled.session.id,
            "source_event_id": event.id,
            "source_seq": event.seq,
        });
        let expected = json!([
            [event.seq.saturating_add(1), "session.forked", mark],
            [event.seq.saturating_add(2), "session.status_idle", {"stop_reason": "end_turn"}],
        ]);
        let what = format!("the tail of a fork at seq {}", event.seq);
        expect::equal(&fork.evidence, &what, &expected, &json!(tail))?;
        cx.saw(
            format!("forked at seq {} ({})", event.seq, event.kind),
            &fork.evidence,
        );
    }
    let now = cx.log(&settled.session.id).await?;
    log.expect_unchanged(&now, "the source after its forks")?;
    cx.pass()
}

async fn refusals_are_pure(cx: &mut Context<'_>) -> Judgement {
    let settled = cx.settled().await?;
    cx.offered("forks").await?;
    let before = forks_of(cx, &settled.session).await?;
    let (event, head) = (&settled.first.input, settled.log().head());
    for (body, status, code) in [
        (
            json!({"from": {"event_id": UNKNOWN_EVENT}}),
            409,
            "runtime.event_not_retained",
        ),
        (
            json!({"from": {"seq": head.saturating_add(1)}}),
            409,
            "runtime.event_not_retained",
        ),
        (json!({"from": {"seq": 0}}), 400, "request.invalid_body"),
        (json!({"from": {}}), 400, "request.invalid_body"),
        (
            json!({"from": {"event_id": event.id, "seq": event.seq}}),
            400,
            "request.invalid_body",
        ),
        (json!({"from": "head"}), 400, "request.invalid_body"),
    ] {
        let answer = cx.send(fork::request(&settled.session, &body)).await?;
        expect::error(&answer, status, code)?;
        cx.saw(format!("{body} is refused"), &answer);
    }
    let unknown = Request::post(format!("{}/fork", session::path(UNKNOWN_SESSION)), &json!({}));
    let answer = cx.send(unknown).await?;
    expect::error(&answer, 404, "resource.not_found")?;
    let after = forks_of(cx, &settled.session).await?;
    expect::equal(&answer, "the forks after refused ones", &before, &after)?;
    let now = cx.log(&settled.session.id).await?;
    settled
        .log()
        .expect_unchanged(&now, "the source after refused forks")?;
    cx.saw("no Session was made, and the source is as it was", &now.evidence);
    cx.pass()
}

/// Every Session that was forked from this one.
async fn forks_of(cx: &Context<'_>, source: &Session) -> Result<Value, Stop> {
    let mut forks = Vec::new();
    let mut token: Option<String> = None;
    for _ in 0..PAGES_SEARCHED {
        let mut request = Request::get("/v1/sessions").query("limit", LARGEST_PAGE);
        if let Some(token) = &token {
            request = request.query("page", token);
        }
        let answer = cx.send(request).await?;
        expect::status(&answer, 200)?;
        let page = expect::json(&answer)?;
        let data = expect::member(&answer, &page, "/data")?
            .as_array()
            .cloned()
            .unwrap_or_default();
        let of_it = |entry: &&Value| entry["forked_from"]["session_id"] == source.id.as_str();
        forks.extend(data.iter().filter(of_it).map(|entry| entry["id"].clone()));
        match page["next_page"].as_str() {
            Some(next) => token = Some(next.to_owned()),
            None => return Ok(json!(forks)),
        }
    }
    Err(Stop::Inconclusive(format!(
        "there are more than {PAGES_SEARCHED} pages of Sessions"
    )))
}

async fn checkpoint_fails_closed(cx: &mut Context<'_>) -> Judgement {
    let settled = cx.settled().await?;
    cx.offered("forks").await?;
    let before = forks_of(cx, &settled.session).await?;
    let body = json!({"checkpoint_id": "ckpt_00000000000000000000000000000000"});
    let answer = cx.send(fork::request(&settled.session, &body)).await?;
    expect::refused_for_good(&answer)?;
    cx.saw(
        format!("an unknown Checkpoint answered {}", answer.status()),
        &answer,
    );
    let after = forks_of(cx, &settled.session).await?;
    expect::equal(&answer, "the forks after one that failed closed", &before, &after)?;
    cx.pass()
}

async fn threads_at_rest(cx: &mut Context<'_>) -> Judgement {
    let family = cx.family_of(AgentKind::Twins).await?;
    cx.offered("forks").await?;
    let made: Session = fork::make(cx.bench, &family.session, &json!({})).await?;
    let threads = Threads::read(cx.bench, &made.id).await?;
    let shown = |threads: &Threads, status: &dyn Fn(&Thread) -> Value| {
        let shown = threads
            .all
            .iter()
            .map(|thread| json!([thread.id, status(thread)]));
        json!(shown.collect::<Vec<_>>())
    };
    let expected = shown(&family.threads, &|thread| match thread.is_primary() {
        true => json!("idle"),
        false => json!("terminated"),
    });
    let actual = shown(&threads, &|thread| json!(thread.status()));
    expect::equal(&threads.evidence, "the threads of the fork", &expected, &actual)?;
    cx.saw(
        format!("{} threads came along, at rest", threads.all.len()),
        &threads.evidence,
    );
    let source = Threads::read(cx.bench, &family.session.id).await?;
    let (before, after) = [&family.threads, &source]
        .map(|threads| shown(threads, &|thread| json!(thread.status())))
        .into();
    expect::equal(&source.evidence, "the threads of the source", &before, &after)?;
    cx.pass()
}
