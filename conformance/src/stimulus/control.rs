use std::time::Duration;

use serde_json::{Value, json};

use super::bench::Bench;
use crate::{control::Control, stop::Stop};

/// A restart takes a moment longer than any other call.
const WITHIN: Duration = Duration::from_secs(30);

/// Ends every connection at once and starts the server again on the log that it has.
pub(crate) async fn restart(bench: &Bench) -> Result<(), Stop> {
    call(bench, "restart", &json!({"mode": "abrupt"})).await
}

/// Lets so much time pass at once, for the server.
pub(crate) async fn advance(bench: &Bench, time: Duration) -> Result<(), Stop> {
    let milliseconds = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    call(bench, "clock/advance", &json!({"milliseconds": milliseconds})).await
}

/// Takes the events below a seq out of a log.
pub(crate) async fn trim(bench: &Bench, session_id: &str, before_seq: u64) -> Result<(), Stop> {
    let path = format!("sessions/{session_id}/trim");
    call(bench, &path, &json!({"before_seq": before_seq})).await
}

// What fails here is no matter of the promises that are judged.
async fn call(bench: &Bench, path: &str, body: &Value) -> Result<(), Stop> {
    let Some(Control { url, token }) = &bench.target.control else {
        return Err(Stop::Error(
            "a check of the class control without a control side".to_owned(),
        ));
    };
    let failed = |why: String| {
        Stop::Error(format!(
            "the control side: POST /control/{path}: {}",
            token.redact(&why)
        ))
    };
    let http = reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .no_proxy()
        .timeout(WITHIN)
        .build()
        .map_err(|error| failed(error.to_string()))?;
    let request = http
        .post(format!("{url}/control/{path}"))
        .bearer_auth(token.expose())
        .header("content-type", "application/json")
        .body(body.to_string());
    let answer = request.send().await.map_err(|error| failed(error.to_string()))?;
    match answer.status().is_success() {
        true => Ok(()),
        false => Err(failed(format!("status {}", answer.status().as_u16()))),
    }
}
