//! A relay in front of a correct server that breaks one promise on the way.

mod upstream;

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use axum::{Router, body::Body, extract::Request, response::Response};
use futures::StreamExt;
use tokio::net::TcpListener;

use crate::{
    mutant::Mutant,
    traffic::{Answer, Call, Frame},
};
use upstream::Upstream;

/// A running relay; it ends with the test's runtime.
pub(crate) struct Relay {
    pub(crate) url: String,
}

struct State {
    upstream: Upstream,
    mutant: Mutant,
    streams: AtomicUsize,
}

impl Relay {
    /// Starts a relay that forwards to `upstream` through `mutant`.
    pub(crate) async fn start(upstream: &str, mutant: Mutant) -> Self {
        let state = Arc::new(State {
            upstream: Upstream::new(upstream),
            mutant,
            streams: AtomicUsize::new(0),
        });
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let router = Router::new().fallback(move |request: Request| forward(Arc::clone(&state), request));
        tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { url }
    }
}

async fn forward(state: Arc<State>, request: Request) -> Response {
    let mut call = Call::read(request).await;
    (state.mutant.request)(&mut call);
    if let Some(answer) = (state.mutant.instead)(&call) {
        return answer.into_response();
    }
    let response = state.upstream.send(&call).await;
    if Answer::is_stream(&response) {
        return stream(state, call, response);
    }
    let mut answer = Answer::read(response).await;
    if let Some(more) = (state.mutant.also)(&call, answer.status) {
        state.upstream.send(&more).await.bytes().await.unwrap();
    }
    (state.mutant.answer)(&call, &mut answer);
    answer.into_response()
}

/// Passes an event stream on frame by frame; the correct server ends each frame by an empty line.
fn stream(state: Arc<State>, call: Call, response: reqwest::Response) -> Response {
    let number = state.streams.fetch_add(1, Ordering::Relaxed);
    let mut head = Answer::head(&response);
    (state.mutant.answer)(&call, &mut head);
    if let Some(more) = (state.mutant.also)(&call, head.status) {
        let state = Arc::clone(&state);
        tokio::spawn(async move { state.upstream.send(&more).await.bytes().await.unwrap() });
    }
    let chunks = async_frames(response).flat_map(move |frame| {
        let frames = match frame {
            Some(frame) => (state.mutant.frame)(&call, number, frame),
            None if state.mutant.holds_open => return futures::stream::pending().boxed(),
            None => return futures::stream::iter([None]).boxed(),
        };
        let bytes: Vec<_> = frames
            .into_iter()
            .flat_map(|frame| (state.mutant.encode)(frame))
            .collect();
        futures::stream::iter(bytes.into_iter().map(Some)).boxed()
    });
    let body = chunks
        .take_while(|chunk| futures::future::ready(chunk.as_ref().is_some_and(|chunk| !chunk.is_empty())));
    let body = Body::from_stream(body.map(|chunk| Ok::<_, std::io::Error>(chunk.unwrap())));
    head.with_body(body)
}

/// The frames of a stream, `None` at its end.
fn async_frames(response: reqwest::Response) -> impl futures::Stream<Item = Option<Frame>> + Send {
    let state = (response.bytes_stream().boxed(), String::new(), false);
    futures::stream::unfold(state, |(mut bytes, mut text, ended)| async move {
        if ended {
            return None;
        }
        loop {
            if let Some(end) = text.find("\n\n") {
                let rest = text.split_off(end + 2);
                let frame = Frame::read(&std::mem::replace(&mut text, rest));
                return Some((Some(frame), (bytes, text, false)));
            }
            match bytes.next().await {
                Some(Ok(chunk)) => text.push_str(std::str::from_utf8(&chunk).unwrap()),
                Some(Err(_)) | None => return Some((None, (bytes, text, true))),
            }
        }
    })
}
