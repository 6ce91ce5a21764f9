mod owned;

use futures::stream::{self, StreamExt};
use serde::Serialize;
use serde_json::{Value, json};
use tokio::time::{Instant, timeout_at};

use crate::{
    created::Created,
    expect,
    stimulus::{bench::Bench, session, thread::Threads, turn},
    wire::request::Request,
};
pub(crate) use owned::is_title_of;

/// How many Sessions are seen to at a time.
const AT_A_TIME: usize = 4;

const OVER: &str = "the time to clean up was over";
const ENDED: &str = "the cleaning up was ended";

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

/// Leaves these as they are.
pub(crate) fn keep(created: Created, why: &str) -> Vec<CreatedSession> {
    let sessions = created.sessions.into_iter();
    sessions.map(|made| left(made.id, why)).collect()
}

/// Ends each of these that is the run's by its own words, or quiets it where the server does not let it be ended, until
/// the time is over.
pub(crate) async fn clean_up(bench: &Bench, created: Created) -> Vec<CreatedSession> {
    bench.client.gate().clean_up();
    let deadline = Instant::now() + bench.limits.clean_up;
    let each = created.sessions.into_iter().map(|made| async move {
        let session = within(bench, deadline, resource(bench, &made.id)).await;
        (made, session.unwrap_or_else(|why| Err(why.to_owned())))
    });
    let read: Vec<_> = stream::iter(each).buffered(AT_A_TIME).collect().await;
    let others = owned::others(&read, &created.title, &bench.target.sessions);
    let each = read
        .into_iter()
        .zip(others)
        .map(|((made, session), other)| async move {
            if let Some(why) = other {
                return left(made.id, &why);
            }
            let status = session
                .ok()
                .and_then(|session| Some(session["status"].as_str()?.to_owned()));
            let status = status.unwrap_or_default();
            match within(bench, deadline, one(bench, &made.id, &status)).await {
                Ok(cleaned) => cleaned,
                Err(why) => left(made.id, why),
            }
        });
    stream::iter(each).buffered(AT_A_TIME).collect().await
}

/// What comes of it, unless the time or the patience is over before.
async fn within<T>(
    bench: &Bench,
    deadline: Instant,
    what: impl Future<Output = T>,
) -> Result<T, &'static str> {
    tokio::select! {
        biased;
        () = bench.clean_up_end.ended() => Err(ENDED),
        done = timeout_at(deadline, what) => done.map_err(|_| OVER),
    }
}

async fn one(bench: &Bench, id: &str, status: &str) -> CreatedSession {
    let ended = |end, done: String| CreatedSession {
        id: id.to_owned(),
        end,
        done,
    };
    if matches!(status, "completed" | "failed" | "canceled") {
        return ended(End::Ended, format!("was {status}"));
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

async fn resource(bench: &Bench, id: &str) -> Result<Value, String> {
    let answer = bench.send(Request::get(session::path(id))).await;
    let answer = answer.map_err(|_| "it could not be read".to_owned())?;
    match answer.status() {
        200 => expect::json(&answer).map_err(|_| "reading it showed no Session".to_owned()),
        status => Err(format!("reading it answered {status}")),
    }
}

fn left(id: String, why: &str) -> CreatedSession {
    CreatedSession {
        id,
        end: End::Left,
        done: why.to_owned(),
    }
}
