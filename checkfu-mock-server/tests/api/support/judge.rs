//! The published contract as the judge of every answer.

use std::sync::LazyLock;

use checkfu_openapi::Judge;
use serde_json::Value;

static JUDGE: LazyLock<Judge> = LazyLock::new(|| Judge::closed().unwrap());

/// Fails the test if an answer is not what the contract says of this method, path and status.
pub(crate) fn judge_answer(method: &str, path: &str, status: u16, body: &Value) {
    let documented = JUDGE
        .operation(method, path)
        .is_some_and(|operation| operation.statuses.contains(&status));
    let verdict = if documented {
        JUDGE.check_response(method, path, status, body)
    } else {
        // Routes and methods outside the contract, and fences that it does not list, still answer with its error.
        JUDGE.check("Error", body)
    };
    if let Err(violations) = verdict {
        panic!("{method} {path} answered {status}, {violations}\n{body:#}");
    }
}

/// Fails the test if the data of a stream's frame is not a documented event.
pub(crate) fn judge_event(event: &Value) {
    if let Err(violations) = JUDGE.check_event(event) {
        panic!("a stream sent what the contract does not know: {violations}\n{event:#}");
    }
}

/// Fails the test if the data of a frame without an `id:` line is not a documented preview.
pub(crate) fn judge_preview(preview: &Value) {
    let schema = match preview["type"].as_str() {
        Some("event_start") => "EventStartPreview",
        Some("event_delta") => "EventDeltaPreview",
        other => panic!("not a preview: {other:?}"),
    };
    if let Err(violations) = JUDGE.check(schema, preview) {
        panic!("a stream sent what the contract does not know: {violations}\n{preview:#}");
    }
}
