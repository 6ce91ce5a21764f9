use std::future::poll_fn;
use std::task::Poll;

use checkfu_sdk::Client;
use checkfu_sdk::stream::EventStream;
use futures::stream::BoxStream;
use futures::{Stream, StreamExt};

use super::server::Server;
use super::{alone, live};

const STREAMS: usize = 200;

/// What an idle stream may hold beyond a bare body of the HTTP library.
const OURS: usize = 4 * 1024;

type Body = BoxStream<'static, Vec<u8>>;

/// Reads on until nothing is at hand.
async fn is_idle(stream: &mut (impl Stream + Unpin)) {
    let idle = poll_fn(|context| Poll::Ready(stream.poll_next_unpin(context).is_pending())).await;
    assert!(idle, "the stream brings more than it should");
}

async fn bare(http: &reqwest::Client, url: &str, bytes: usize) -> Body {
    let response = http.get(url).send().await.unwrap();
    let mut body: Body = Box::pin(response.bytes_stream().map(|chunk| chunk.unwrap().to_vec()));
    let mut read = 0;
    while read < bytes {
        read += body.next().await.unwrap().len();
    }
    body
}

async fn ours(client: &Client, session: &str) -> Box<EventStream> {
    let events = client.sessions().events(session);
    let mut stream = Box::new(events.stream().open());
    stream.next().await.unwrap().unwrap();
    stream
}

/// The bytes that a bare body holds, and those of ours beyond that, for each of many connections on which one event of
/// `bytes` came.
async fn measure(server: &Server, bytes: usize) -> (usize, usize) {
    let session = format!("sess_idle_{bytes}");
    let url = format!("{}/v1/sessions/{session}/events/stream", server.url);
    let http = reqwest::Client::builder().no_proxy().build().unwrap();
    let client = Client::builder()
        .base_url(&server.url)
        .api_key("key")
        .build()
        .unwrap();
    // Whatever is made once.
    drop((bare(&http, &url, bytes).await, ours(&client, &session).await));
    let mut bodies = Vec::with_capacity(STREAMS);
    let mut streams = Vec::with_capacity(STREAMS);
    let before = live().await;
    for _ in 0..STREAMS {
        let mut body = bare(&http, &url, bytes).await;
        is_idle(&mut body).await;
        bodies.push(body);
    }
    let between = live().await;
    for _ in 0..STREAMS {
        let mut stream = ours(&client, &session).await;
        is_idle(&mut stream).await;
        streams.push(stream);
    }
    let after = live().await;
    let per_body = (between - before) / STREAMS;
    (
        (between - before) / STREAMS,
        ((after - between) / STREAMS).saturating_sub(per_body),
    )
}

/// An idle stream holds at most 4 KiB beyond what a bare body of the HTTP library holds in the same run, whatever the
/// size of the last event.
#[test]
fn an_idle_stream_holds_little_of_its_own() {
    let _alone = alone();
    let server = Server::start();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.unwrap();
    for bytes in [10, 500, 4_000, 30_000, 300_000] {
        let (body, ours) = runtime.block_on(measure(&server, bytes));
        eprintln!("after an event of {bytes} bytes: a bare body holds {body} bytes, a stream {ours} more");
        assert!(ours <= OURS, "{ours} bytes of ours for each stream");
    }
}
