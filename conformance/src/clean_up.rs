use std::collections::BTreeSet;

use futures::stream::{self, StreamExt};
use serde::Serialize;
use serde_json::{Value, json};
use tokio::time::{Instant, timeout_at};

use crate::{
    expect,
    stimulus::{bench::Bench, session, thread::Threads, turn},
    wire::{exchange::Exchange, request::Request},
};

/// How many Sessions are seen to at a time.
const AT_A_TIME: usize = 4;

/// A Session that a run created, and what became of it afterwards.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct CreatedSession {
    /// Its id.
    pub id: String,
    /// What became of it.
    pub end: End,
    /// What was done to it, and what was not and why, for people.
    pub done: String,
}

/// How a Session was left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// A check had ended it.
    Ended,
    /// Canceled afterwards.
    Canceled,
    /// It cannot be canceled, so what worked in it was interrupted and its children were archived.
    Quieted,
    /// Left as it was.
    Left,
}

impl End {
    /// The word used in tables.
    pub fn word(self) -> &'static str {
        match self {
            Self::Ended => "ended",
            Self::Canceled => "canceled",
            Self::Quieted => "quieted",
            Self::Left => "LEFT",
        }
    }
}

/// The Sessions that the run created, by its own record of what the server answered.
pub(crate) fn created(bench: &Bench) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let transcript = bench.client.transcript();
    let ids = transcript.iter().filter_map(|exchange| made(exchange));
    ids.filter(|id| seen.insert(id.clone())).collect()
}

/// Leaves these as they are.
pub(crate) fn keep(ids: Vec<String>, why: &str) -> Vec<CreatedSession> {
    ids.into_iter().map(|id| left(id, why)).collect()
}

/// Ends each of these, or quiets it where the server does not let it be ended, until the time is over.
pub(crate) async fn clean_up(bench: &Bench, ids: Vec<String>) -> Vec<CreatedSession> {
    bench.client.gate().clean_up();
    let deadline = Instant::now() + bench.limits.clean_up;
    let each = ids.into_iter().map(|id| async move {
        match timeout_at(deadline, one(bench, &id)).await {
            Ok(cleaned) => cleaned,
            Err(_) => left(id, "the time to clean up was over"),
        }
    });
    stream::iter(each).buffered(AT_A_TIME).collect().await
}

async fn one(bench: &Bench, id: &str) -> CreatedSession {
    let ended = |end, done: String| CreatedSession {
        id: id.to_owned(),
        end,
        done,
    };
    match status(bench, id).await {
        Err(why) => return left(id.to_owned(), &why),
        Ok(status) if matches!(&*status, "completed" | "failed" | "canceled") => {
            return ended(End::Ended, format!("was {status}"));
        }
        Ok(_) => {}
    }
    let cancel = format!("{}/cancel", session::path(id));
    let refused = match bench.mutate(Request::post_empty(cancel)).await {
        Ok(answer) if (200..300).contains(&answer.status()) => {
            return ended(End::Canceled, "canceled".to_owned());
        }
        Ok(answer) => format!("cancel answered {}", answer.status()),
        Err(_) => "cancel was not answered".to_owned(),
    };
    quiet(bench, id, &refused).await
}

/// Interrupts what works and archives children, which is what is left where a Session cannot be canceled.
async fn quiet(bench: &Bench, id: &str, why: &str) -> CreatedSession {
    let interrupt = turn::input(bench, "user.interrupt", json!({}));
    let interrupted = bench.mutate(Request::post(session::events(id), &interrupt)).await;
    let Some(interrupted) = interrupted.ok().map(|answer| answer.status()) else {
        return left(
            id.to_owned(),
            &format!("{why}, and an interrupt was not answered"),
        );
    };
    let mut archived = 0;
    let mut children = 0;
    if let Ok(threads) = Threads::read(bench, id).await {
        for child in threads.children() {
            children += 1;
            let answer = bench.mutate(child.archive()).await;
            archived += usize::from(answer.is_ok_and(|answer| answer.status() < 300));
        }
    }
    let done =
        format!("{why}; the interrupt answered {interrupted}; {archived} of {children} children archived");
    match (200..300).contains(&interrupted) {
        true => CreatedSession {
            id: id.to_owned(),
            end: End::Quieted,
            done,
        },
        false => left(id.to_owned(), &done),
    }
}

async fn status(bench: &Bench, id: &str) -> Result<String, String> {
    let answer = bench.send(Request::get(session::path(id))).await;
    let answer = answer.map_err(|_| "it could not be read".to_owned())?;
    let body = expect::json(&answer).unwrap_or_default();
    match (answer.status(), body["status"].as_str()) {
        (200, status) => Ok(status.unwrap_or_default().to_owned()),
        (status, _) => Err(format!("reading it answered {status}")),
    }
}

fn left(id: String, why: &str) -> CreatedSession {
    CreatedSession {
        id,
        end: End::Left,
        done: why.to_owned(),
    }
}

/// The Session that this exchange created.
fn made(exchange: &Exchange) -> Option<String> {
    let path = exchange.path().split('?').next().unwrap_or_default();
    let creates = path.ends_with("/v1/sessions") || path.ends_with("/fork");
    if exchange.method() != "POST" || !creates || !(200..300).contains(&exchange.status()) {
        return None;
    }
    let body = expect::json(exchange).ok()?;
    let id = body.get("id").and_then(Value::as_str)?;
    // It goes into a path.
    let plain = id
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    (id.starts_with("sess_") && plain).then(|| id.to_owned())
}
