use std::{collections::HashSet, sync::Arc};

use serde_json::Value;

use super::bench::Bench;
use crate::{
    expect,
    stop::Stop,
    wire::{exchange::Exchange, request::Request},
};

/// More pages than this are not walked through.
const LONGEST_WALK: usize = 1_000;

/// A list of resources from its start to its end.
#[derive(Debug, Clone)]
pub(crate) struct Pages {
    pub(crate) all: Vec<Value>,
    /// The last page of the walk.
    pub(crate) evidence: Arc<Exchange>,
}

impl Pages {
    /// Walks the list that this request asks for, by page tokens with pages of at most `limit`.
    pub(crate) async fn walk(bench: &Bench, list: &Request, limit: usize) -> Result<Self, Stop> {
        let (mut all, mut seen) = (Vec::new(), HashSet::new());
        let mut token: Option<String> = None;
        for _ in 0..LONGEST_WALK {
            let mut request = list.clone().query("limit", limit);
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
            expect::that(
                data.len() <= limit,
                &answer,
                format!("at most {limit} items"),
                actual,
            )?;
            all.extend(data.iter().cloned());
            let Some(next) = page["next_page"].as_str() else {
                return Ok(Self {
                    all,
                    evidence: answer,
                });
            };
            let actual = format!("next_page {next:?} again");
            expect::that(seen.insert(next.to_owned()), &answer, "a walk that ends", actual)?;
            token = Some(next.to_owned());
        }
        Err(Stop::Inconclusive(format!(
            "{} has no end within {LONGEST_WALK} pages of {limit}",
            list.path
        )))
    }

    /// The one with this id.
    pub(crate) fn find(&self, id: &str) -> Option<&Value> {
        self.all.iter().find(|item| item["id"] == id)
    }
}
