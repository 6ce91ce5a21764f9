use std::collections::BTreeSet;

use serde_json::Value;

use crate::{
    expect,
    stimulus::{bench::Bench, title::title},
    wire::exchange::Exchange,
};

/// The Sessions that a run is said to have created.
#[derive(Debug)]
pub(crate) struct Created {
    /// The title of the run.
    pub(crate) title: String,
    pub(crate) sessions: Vec<Made>,
}

/// One of them.
#[derive(Debug)]
pub(crate) struct Made {
    pub(crate) id: String,
    /// Whether it had been there before a creation was answered with it.
    pub(crate) was_known: bool,
}

/// The Sessions that the run created, by its own record of what the server answered.
pub(crate) fn created(bench: &Bench) -> Created {
    let transcript = bench.client.transcript();
    let mut exchanges: Vec<_> = transcript.iter().collect();
    exchanges.sort_by_key(|exchange| exchange.number());
    let mut known: BTreeSet<String> = bench.target.sessions.iter().cloned().collect();
    let mut seen = BTreeSet::new();
    let mut sessions = Vec::new();
    for exchange in exchanges {
        known.extend(named(exchange));
        if let Some(id) = made(exchange)
            && seen.insert(id.clone())
        {
            let was_known = known.contains(&id);
            sessions.push(Made { id, was_known });
        }
    }
    Created {
        title: title(bench),
        sessions,
    }
}

/// Whether the id can go into a path as it is.
pub(crate) fn is_plain(id: &str) -> bool {
    id.bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// The Session that this exchange created.
fn made(exchange: &Exchange) -> Option<String> {
    let path = path(exchange);
    let creates = path.ends_with("/v1/sessions") || path.ends_with("/fork");
    if exchange.method() != "POST" || !creates || !(200..300).contains(&exchange.status()) {
        return None;
    }
    let body = expect::json(exchange).ok()?;
    let id = body.get("id").and_then(Value::as_str)?;
    (id.starts_with("sess_") && is_plain(id)).then(|| id.to_owned())
}

/// The Sessions that were there when this was exchanged: the one that was asked for, or those of a list.
fn named(exchange: &Exchange) -> Vec<String> {
    let path = path(exchange);
    if let Some((_, rest)) = path.split_once("/v1/sessions/") {
        return vec![rest.split('/').next().unwrap_or_default().to_owned()];
    }
    if exchange.method() != "GET" || !path.ends_with("/v1/sessions") {
        return Vec::new();
    }
    let page = expect::json(exchange).unwrap_or_default();
    let listed = page["data"].as_array().into_iter().flatten();
    let ids = listed.filter_map(|session| session["id"].as_str());
    ids.map(str::to_owned).collect()
}

fn path(exchange: &Exchange) -> &str {
    exchange.path().split('?').next().unwrap_or_default()
}
