use std::{collections::HashSet, sync::Arc};

use serde_json::Value;

use super::{bench::Bench, session};
use crate::{
    expect,
    stop::Stop,
    wire::{exchange::Exchange, request::Request},
};

/// A walk longer than this does not end.
const LONGEST_WALK: usize = 2_000;

/// A well-formed id of a thread that was never there.
pub(crate) const UNKNOWN_THREAD: &str = "sthr_00000000000000000000000000000000";

/// A thread as the server showed it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Thread {
    pub(crate) id: String,
    session_id: String,
    pub(crate) resource: Value,
}

/// A Session's threads as its list shows them.
#[derive(Debug, Clone)]
pub(crate) struct Threads {
    pub(crate) all: Vec<Thread>,
    /// The last page of the walk.
    pub(crate) evidence: Arc<Exchange>,
}

impl Thread {
    /// Reads the answer that shows one thread.
    pub(crate) fn read(answer: &Exchange, session_id: &str, resource: &Value) -> Result<Self, Stop> {
        let id = expect::string(answer, resource, "/id")?;
        expect::that(id.starts_with("sthr_"), answer, "a thread id sthr_…", id)?;
        Ok(Self {
            id: id.to_owned(),
            session_id: session_id.to_owned(),
            resource: resource.clone(),
        })
    }

    pub(crate) fn path(&self) -> String {
        path(&self.session_id, &self.id)
    }

    pub(crate) fn events(&self) -> String {
        format!("{}/events", self.path())
    }

    pub(crate) fn stream(&self) -> String {
        format!("{}/stream", self.path())
    }

    pub(crate) fn archive(&self) -> Request {
        Request::post_empty(format!("{}/archive", self.path()))
    }

    pub(crate) fn is_primary(&self) -> bool {
        self.resource["parent_thread_id"].is_null()
    }

    pub(crate) fn status(&self) -> &str {
        self.resource["status"].as_str().unwrap_or_default()
    }

    /// The resource without what changes by itself while nothing happens.
    pub(crate) fn at_rest(&self) -> Value {
        let mut resource = self.resource.clone();
        if let Some(members) = resource.as_object_mut() {
            members.remove("stats");
        }
        resource
    }
}

impl Threads {
    /// Walks the whole list.
    pub(crate) async fn read(bench: &Bench, session_id: &str) -> Result<Self, Stop> {
        Self::walk(bench, session_id, None).await
    }

    /// Walks the whole list with pages of at most `limit`.
    pub(crate) async fn walk(bench: &Bench, session_id: &str, limit: Option<usize>) -> Result<Self, Stop> {
        let (mut all, mut seen) = (Vec::new(), HashSet::new());
        let mut token: Option<String> = None;
        loop {
            let mut request = Request::get(list(session_id));
            if let Some(limit) = limit {
                request = request.query("limit", limit);
            }
            if let Some(token) = &token {
                request = request.query("page", token);
            }
            let answer = bench.send(request).await?;
            expect::status(&answer, 200)?;
            let page = expect::json(&answer)?;
            let data = expect::member(&answer, &page, "/data")?;
            let data = data
                .as_array()
                .ok_or_else(|| Stop::fail("an array /data", data.to_string(), &answer))?;
            let actual = format!("a page of {}", data.len());
            let bound = limit.unwrap_or(super::log::LARGEST_PAGE);
            expect::that(
                data.len() <= bound,
                &answer,
                format!("at most {bound} threads"),
                actual,
            )?;
            for resource in data {
                all.push(Thread::read(&answer, session_id, resource)?);
            }
            match expect::member(&answer, &page, "/next_page")? {
                Value::Null => {
                    return Ok(Self {
                        all,
                        evidence: answer,
                    });
                }
                Value::String(next) => {
                    let fresh = seen.insert(next.clone()) && seen.len() < LONGEST_WALK;
                    let actual = format!("next_page {next:?} again");
                    expect::that(fresh, &answer, "a walk of threads that ends", actual)?;
                    token = Some(next.clone());
                }
                other => {
                    return Err(Stop::fail(
                        "next_page a string or null",
                        other.to_string(),
                        &answer,
                    ));
                }
            }
        }
    }

    pub(crate) fn primary(&self) -> Result<&Thread, Stop> {
        let mut primaries = self.all.iter().filter(|thread| thread.is_primary());
        match (primaries.next(), primaries.next()) {
            (Some(primary), None) => Ok(primary),
            (one, _) => {
                let actual = if one.is_some() { "several" } else { "none" };
                Err(Stop::fail("one thread without a parent", actual, &self.evidence))
            }
        }
    }

    pub(crate) fn children(&self) -> impl Iterator<Item = &Thread> {
        self.all.iter().filter(|thread| !thread.is_primary())
    }
}

pub(crate) fn list(session_id: &str) -> String {
    format!("{}/threads", session::path(session_id))
}

pub(crate) fn path(session_id: &str, thread_id: &str) -> String {
    format!("{}/{thread_id}", list(session_id))
}

/// One thread as retrieving it shows it.
pub(crate) async fn retrieve(
    bench: &Bench,
    session_id: &str,
    thread_id: &str,
) -> Result<(Thread, Arc<Exchange>), Stop> {
    let answer = bench.send(Request::get(path(session_id, thread_id))).await?;
    expect::status(&answer, 200)?;
    let thread = Thread::read(&answer, session_id, &expect::json(&answer)?)?;
    Ok((thread, answer))
}
