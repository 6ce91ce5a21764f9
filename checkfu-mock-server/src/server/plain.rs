//! Answers requests without faults and without writing them down.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use axum::response::Response;
use tower_service::Service as _;

use super::connection::Service;
use crate::fault::line::Line;
use crate::fault::plan::Shot;
use crate::fault::sever::Broken;

#[derive(Debug, Clone)]
pub(super) struct Plain(pub(super) Router);

impl Service for Plain {
    fn connected(&self) -> Vec<Shot> {
        Vec::new()
    }

    async fn answer(&self, request: Request<Body>, _: Arc<Line>) -> Result<Response, Broken> {
        let Ok(response) = self.0.clone().call(request).await;
        Ok(response)
    }
}
