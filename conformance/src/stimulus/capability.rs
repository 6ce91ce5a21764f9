use serde_json::Value;

use super::bench::Bench;
use crate::{expect, stop::Stop, wire::request::Request};

/// Stops a check whose capability the server lists as disabled; how it refuses is the matter of other checks. A server
/// that lists none, or lists nothing, is taken to have it.
pub(crate) async fn offered(bench: &Bench, id: &str) -> Result<(), Stop> {
    let answer = bench.send(Request::get("/v1/capabilities")).await?;
    let listed = match expect::json(&answer) {
        Ok(body) if answer.status() == 200 => body["data"].as_array().cloned().unwrap_or_default(),
        _ => Vec::new(),
    };
    let off = |entry: &Value| entry["id"] == id && entry["enabled"] == false;
    if listed.iter().any(off) {
        return Err(Stop::NotApplicable(format!("the capability {id} is disabled")));
    }
    Ok(())
}
