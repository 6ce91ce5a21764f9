use serde_json::Value;

use super::{
    bench::Bench,
    session::{self, Session},
};
use crate::{stop::Stop, wire::request::Request};

/// Forks a Session, which has to succeed.
pub(crate) async fn make(bench: &Bench, source: &Session, body: &Value) -> Result<Session, Stop> {
    session::created(bench.mutate(request(source, body)).await?)
}

/// The request for a fork.
pub(crate) fn request(source: &Session, body: &Value) -> Request {
    Request::post(format!("{}/fork", source.path()), body)
}
