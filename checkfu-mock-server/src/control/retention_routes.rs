//! Trimming and erasing on the control listener.

use std::time::Duration;

use axum::Router;
use axum::extract::{Path, Request, State};
use axum::http::StatusCode;
use axum::routing::post;
use serde_json::{Value, json};

use super::Control;
use super::retention::{Retention, RetentionError};
use crate::http::body::{self, EmptyBody};
use crate::http::fields::{Fields, invalid};
use crate::http::response::{Answer, json as json_response};
use crate::wire::error::{ApiError, Code};

/// How long the body of a request may take to arrive.
const BODY_LIMIT: Duration = Duration::from_secs(10);

pub(super) fn routes() -> Router<Control> {
    Router::new()
        .route("/control/sessions/{session_id}/trim", post(trim))
        .route("/control/sessions/{session_id}/erase", post(erase))
}

/// `{"before_seq": 12}`
async fn trim(State(control): State<Control>, Path(session): Path<String>, request: Request) -> Answer {
    let mut fields = Fields::of(read(request).await?, "")?;
    let before_seq = fields.required("before_seq")?;
    let before_seq = before_seq
        .as_u64()
        .ok_or_else(|| fields.invalid("before_seq", "must be a whole number from 0 on"))?;
    fields.finish()?;
    answer(control.trim(&session, before_seq).await)
}

/// `{"seqs": [3, 5]}`
async fn erase(State(control): State<Control>, Path(session): Path<String>, request: Request) -> Answer {
    let mut fields = Fields::of(read(request).await?, "")?;
    let Value::Array(items) = fields.required("seqs")? else {
        return Err(fields.invalid("seqs", "must be an array of numbers").into());
    };
    let seqs = items.iter().enumerate().map(|(index, item)| {
        item.as_u64()
            .ok_or_else(|| invalid(&format!("seqs[{index}]"), "must be a whole number from 0 on"))
    });
    let seqs: Vec<u64> = seqs.collect::<Result<_, _>>()?;
    fields.finish()?;
    answer(control.erase(&session, seqs).await)
}

async fn read(request: Request) -> Result<Value, ApiError> {
    let (parts, incoming) = request.into_parts();
    body::read(&parts.headers, incoming, EmptyBody::IsAnError, BODY_LIMIT)
        .await?
        .json
}

fn answer(done: Result<Retention, RetentionError>) -> Answer {
    match done {
        Ok(retention) => Ok(json_response(StatusCode::OK, json!(retention).to_string())),
        Err(error @ RetentionError::UnknownSession { .. }) => {
            Err(ApiError::new(Code::NotFound, error.to_string())
                .with_param("session_id")
                .into())
        }
        Err(error) => Err(ApiError::new(Code::Internal, error.to_string()).into()),
    }
}
