//! A relay in front of a correct server that breaks one promise on the way.

mod frames;
mod upstream;

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use axum::{Router, body::Body, extract::Request, response::Response};
use futures::StreamExt;
use tokio::{net::TcpListener, sync::Mutex, task::JoinHandle};

use super::{
    mutant::Mutant,
    pressure::{Pressure, pressed},
    traffic::{Answer, Call},
};
use frames::frames;
use upstream::Upstream;

/// A running relay; it ends when it is dropped.
#[derive(Debug)]
pub struct Relay {
    url: String,
    serving: JoinHandle<()>,
}

struct State {
    upstream: Upstream,
    mutant: Mutant,
    streams: AtomicUsize,
    /// Held by a stream from when a piece of it goes out until it can take the next.
    step: Arc<Mutex<()>>,
}

impl Relay {
    /// Starts a relay that forwards to the server at `upstream` through `mutant`.
    ///
    /// # Errors
    /// If there is no free port.
    pub async fn start(upstream: &str, mutant: Mutant) -> io::Result<Self> {
        let state = Arc::new(State {
            upstream: Upstream::new(upstream)?,
            mutant,
            streams: AtomicUsize::new(0),
            step: Arc::default(),
        });
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("http://{}", listener.local_addr()?);
        let router = Router::new().fallback(move |request: Request| forward(Arc::clone(&state), request));
        let serving = tokio::spawn(async move {
            // It serves until the task is aborted.
            let _ = axum::serve(listener, router).await;
        });
        Ok(Self { url, serving })
    }

    /// Where it listens.
    pub fn url(&self) -> &str {
        &self.url
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

/// What is broken in earnest is told as 502, which is no answer of the API.
async fn forward(state: Arc<State>, request: Request) -> Response {
    let answered = relayed(state, request).await;
    answered.unwrap_or_else(|| Answer::new(502, "text/plain", "the relay has no answer").into_response())
}

async fn relayed(state: Arc<State>, request: Request) -> Option<Response> {
    let mut call = Call::read(request).await?;
    (state.mutant.request)(&mut call);
    if let Some(answer) = (state.mutant.instead)(&call) {
        return Some(answer.into_response());
    }
    if state.mutant.pressure == Pressure::HoldsCalls {
        drop(state.step.lock().await);
    }
    let response = state.upstream.send(&call).await?;
    if Answer::is_stream(&response) {
        return Some(stream(state, call, response));
    }
    let mut answer = Answer::read(response).await?;
    if let Some(more) = (state.mutant.also)(&call, answer.status) {
        state.upstream.send_to_its_end(&more).await;
    }
    (state.mutant.answer)(&call, &mut answer);
    Some(answer.into_response())
}

/// Passes an event stream on frame by frame; the correct server ends each frame by an empty line.
fn stream(state: Arc<State>, call: Call, response: reqwest::Response) -> Response {
    let number = state.streams.fetch_add(1, Ordering::Relaxed);
    let mut head = Answer::head(&response);
    (state.mutant.answer)(&call, &mut head);
    if let Some(more) = (state.mutant.also)(&call, head.status) {
        let state = Arc::clone(&state);
        tokio::spawn(async move { state.upstream.send_to_its_end(&more).await });
    }
    let (pressure, step) = (state.mutant.pressure, Arc::clone(&state.step));
    let chunks = frames(response).flat_map(move |frame| {
        let frames = match frame {
            Some(frame) => (state.mutant.frame)(&call, number, frame),
            None if state.mutant.holds_open => return futures::stream::pending().boxed(),
            None => return futures::stream::iter([Vec::new()]).boxed(),
        };
        let bytes: Vec<_> = frames
            .into_iter()
            .flat_map(|frame| (state.mutant.encode)(frame))
            .collect();
        futures::stream::iter(bytes).boxed()
    });
    let body = chunks.take_while(|chunk| futures::future::ready(!chunk.is_empty()));
    let body = pressed(body.boxed(), pressure, step);
    head.with_body(Body::from_stream(body.map(Ok::<_, io::Error>)))
}
