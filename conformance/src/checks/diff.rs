use std::sync::Arc;

use serde_json::{Value, json};

use super::fork::set_up;
use crate::{
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::{
        Stimulus, fork,
        log::Log,
        session::{Session, UNKNOWN_SESSION},
    },
    stop::Stop,
    wire::{exchange::Exchange, request::Request},
};

pub(crate) const CHECKS: &[Check] = &[
    Check {
        id: "srv.diff.tails",
        title: "A diff of a Session and its fork has the events of each above the last common one, and the other way round the same.",
        level: Level::Assumed,
        stimulus: Stimulus::Work,
        requirements: &["DIF-1", "A-DIFF"],
        killed_by: &[
            "diff-guesses-an-event",
            "diff-swaps-the-sides",
            "diff-from-another-base",
            "diff-invents-a-hole",
            "server:diff_guesses_base",
        ],
        run: |cx| Box::pin(tails(cx)),
    },
    Check {
        id: "srv.diff.relatives",
        title: "Siblings part at the earlier branch, and a Session has no difference from itself.",
        level: Level::Assumed,
        stimulus: Stimulus::Work,
        requirements: &["DIF-1", "A-DIFF"],
        killed_by: &[
            "diff-differs-from-itself",
            "siblings-part-at-the-later-branch",
            "server:diff_guesses_base",
        ],
        run: |cx| Box::pin(relatives(cx)),
    },
    Check {
        id: "srv.diff.no-common-history",
        title: "Sessions without common history are refused; so is a diff with nothing or with nobody.",
        level: Level::Assumed,
        stimulus: Stimulus::Read,
        requirements: &["DIF-1", "A-DIFF"],
        killed_by: &["diff-of-strangers", "diff-with-nobody-is-empty"],
        run: |cx| Box::pin(no_common_history(cx)),
    },
];

fn request(left: &Session, right: &str) -> Request {
    Request::get(format!("{}/diff", left.path())).query("other", right)
}

async fn diff(cx: &Context<'_>, left: &Session, right: &Session) -> Result<(Value, Arc<Exchange>), Stop> {
    let answer = cx.send(request(left, &right.id)).await?;
    expect::status(&answer, 200)?;
    Ok((expect::json(&answer)?, answer))
}

/// A side of a diff as the list above the base says it has to be.
fn side(log: &Log, base: u64) -> Value {
    let events: Vec<_> = log.above(base).iter().map(|event| event.raw.clone()).collect();
    json!({"events": events, "truncated": false})
}

async fn tails(cx: &mut Context<'_>) -> Judgement {
    let settled = cx.settled().await?;
    let (source, made) = set_up(cx).await?;
    cx.offered("diffs").await?;
    let forked_at = settled.first.log.head();
    let early = json!({"from": {"seq": forked_at}});
    let early = fork::make(cx.bench, &settled.session, &early).await?;
    cx.turn(&early).await?;
    for (other, base) in [(&made, source.head()), (&early, forked_at)] {
        let (left, right) = (cx.log(&settled.session.id).await?, cx.log(&other.id).await?);
        let expected = json!({
            "base": {"session_id": settled.session.id, "seq": base},
            "left": side(&left, base),
            "right": side(&right, base),
            "unavailable": [],
        });
        let (found, answer) = diff(cx, &settled.session, other).await?;
        for member in ["base", "left", "right", "unavailable"] {
            expect::equal(
                &answer,
                &format!("the diff's {member}"),
                &expected[member],
                &found[member],
            )?;
        }
        cx.saw(format!("base {base}, and the tail of each side"), &answer);
        let (back, answer) = diff(cx, other, &settled.session).await?;
        for (member, there) in [("base", "base"), ("left", "right"), ("right", "left")] {
            let what = format!("the diff's {member} the other way round");
            expect::equal(&answer, &what, &expected[there], &back[member])?;
        }
        cx.saw("the other way round it is the same", &answer);
    }
    cx.pass()
}

async fn relatives(cx: &mut Context<'_>) -> Judgement {
    let settled = cx.settled().await?;
    let (source, late) = set_up(cx).await?;
    cx.offered("diffs").await?;
    let early = json!({"from": {"seq": settled.first.input.seq}});
    let early = fork::make(cx.bench, &settled.session, &early).await?;
    let (found, answer) = diff(cx, &early, &late).await?;
    let base = json!({"session_id": settled.session.id, "seq": settled.first.input.seq});
    expect::equal(&answer, "the base of siblings", &base, &found["base"])?;
    cx.saw("siblings part at the earlier branch", &answer);
    let (found, answer) = diff(cx, &settled.session, &settled.session).await?;
    let empty = json!({"events": [], "truncated": false});
    let expected = json!([{"session_id": settled.session.id, "seq": source.head()}, empty, empty]);
    let actual = json!([found["base"], found["left"], found["right"]]);
    expect::equal(&answer, "the diff of a Session and itself", &expected, &actual)?;
    cx.saw("a Session has no difference from itself", &answer);
    cx.pass()
}

async fn no_common_history(cx: &mut Context<'_>) -> Judgement {
    let settled = cx.settled().await?;
    let stranger = cx.stranger(&settled.session).await?;
    cx.offered("diffs").await?;
    let answer = cx.send(request(&settled.session, &stranger.id)).await?;
    expect::error(&answer, 409, "runtime.no_common_history")?;
    cx.saw("strangers are refused", &answer);
    let nobody = Request::get(format!("{}/diff", settled.session.path()));
    let answer = cx.send(nobody).await?;
    expect::error(&answer, 400, "request.invalid_parameter")?;
    cx.saw("a diff with nothing is refused", &answer);
    let answer = cx.send(request(&settled.session, UNKNOWN_SESSION)).await?;
    expect::error(&answer, 404, "resource.not_found")?;
    cx.saw("a diff with nobody is refused", &answer);
    cx.pass()
}
