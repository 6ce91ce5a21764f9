use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;

use checkfu_sdk::client::ClientBuilder;
use checkfu_sdk::retry::{Backoff, ReconnectPolicy, RetryPolicy};
use checkfu_sdk::{Client, SessionId};

use super::event::frames;

/// What is done on one connection, byte for byte. After the last step the connection is closed.
pub(crate) enum Step {
    Send(Vec<u8>),
    /// Waits until the test says so.
    Until(Arc<Notify>),
    /// Keeps the connection open and silent.
    Hang,
    /// Sends comments for as long as they are taken.
    Fill,
    /// Breaks the connection off.
    Reset,
}

#[derive(Debug, Clone)]
pub(crate) struct Recorded {
    pub(crate) method: String,
    pub(crate) target: String,
    pub(crate) headers: HashMap<String, String>,
}

/// Answers over raw TCP: each stream connection takes the next script, the rest is one answer a target.
#[derive(Clone)]
pub(crate) struct FakeApi {
    url: String,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    requests: Mutex<Vec<Recorded>>,
    streams: Mutex<VecDeque<Vec<Step>>>,
    sessions: Mutex<VecDeque<Vec<Step>>>,
    lists: Mutex<VecDeque<Vec<Step>>>,
    session: Mutex<Option<Value>>,
    thread: Mutex<Option<Value>>,
    run: Mutex<Option<Value>>,
    log: Mutex<Vec<Value>>,
    page: Mutex<Option<usize>>,
    streams_log: AtomicBool,
    /// How many streams of the log were answered badly.
    badly: Mutex<Option<u64>>,
    closed: Mutex<usize>,
    changed: Notify,
}

pub(crate) const STREAM_HEAD: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\n\
                                      request-id: req_stream\r\nconnection: close\r\n\r\n";

/// A script that opens a stream and sends `text`.
pub(crate) fn stream(text: impl AsRef<str>) -> Vec<Step> {
    vec![Step::Send(format!("{STREAM_HEAD}{}", text.as_ref()).into_bytes())]
}

/// A script that answers without a stream.
pub(crate) fn answer(status: u16, headers: &str, body: &str) -> Vec<Step> {
    let length = body.len();
    let text = format!(
        "HTTP/1.1 {status} X\r\ncontent-length: {length}\r\nconnection: close\r\n{headers}\r\n{body}"
    );
    vec![Step::Send(text.into_bytes())]
}

impl FakeApi {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let shared = Arc::new(Shared::default());
        let serving = Arc::clone(&shared);
        tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                tokio::spawn(serve(socket, Arc::clone(&serving)));
            }
        });
        Self { url, shared }
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// A builder of clients with waits of a few milliseconds.
    pub(crate) fn builder(&self) -> ClientBuilder {
        let quick = Backoff::between(Duration::from_millis(1), Duration::from_millis(4));
        Client::builder()
            .base_url(&self.url)
            .api_key("key-of-the-test")
            .retry_policy(RetryPolicy::default().backoff(quick))
            .reconnect_policy(ReconnectPolicy::default().backoff(quick))
    }

    pub(crate) fn client(&self) -> Client {
        self.builder().build().unwrap()
    }

    pub(crate) fn session_id(&self) -> SessionId {
        SessionId::from("sess_1")
    }

    /// What the next stream connection is answered with.
    pub(crate) fn on_stream(&self, script: Vec<Step>) -> &Self {
        self.shared.streams.lock().unwrap().push_back(script);
        self
    }

    /// What the next read of the Session is answered with, before what it is from then on.
    pub(crate) fn on_session(&self, script: Vec<Step>) -> &Self {
        self.shared.sessions.lock().unwrap().push_back(script);
        self
    }

    /// What the next read of the event list is answered with, before it is the log from then on.
    pub(crate) fn on_list(&self, script: Vec<Step>) -> &Self {
        self.shared.lists.lock().unwrap().push_back(script);
        self
    }

    /// What the Session is, from now on.
    pub(crate) fn set_session(&self, session: Value) -> &Self {
        *self.shared.session.lock().unwrap() = Some(session);
        self
    }

    /// What the thread is, from now on.
    pub(crate) fn set_thread(&self, thread: Value) -> &Self {
        *self.shared.thread.lock().unwrap() = Some(thread);
        self
    }

    /// What every Run is, from now on.
    pub(crate) fn set_run(&self, run: Value) -> &Self {
        *self.shared.run.lock().unwrap() = Some(run);
        self
    }

    /// What the event list holds, from now on.
    pub(crate) fn set_log(&self, log: Vec<Value>) -> &Self {
        *self.shared.log.lock().unwrap() = log;
        self
    }

    /// The most events on a page of the list, from now on; 1 before.
    pub(crate) fn set_page(&self, most: usize) -> &Self {
        *self.shared.page.lock().unwrap() = Some(most);
        self
    }

    /// Answers streams without a script with the log above their cursor, and leaves them open.
    pub(crate) fn stream_the_log(&self) -> &Self {
        self.shared.streams_log.store(true, Ordering::SeqCst);
        self
    }

    /// The same, but most connections repeat old events, come in small pieces, and are broken off or closed after a few events
    /// and a half.
    pub(crate) fn stream_the_log_badly(&self) -> &Self {
        *self.shared.badly.lock().unwrap() = Some(0);
        self.stream_the_log()
    }

    /// The query of each read of the list that asked for more than one event.
    pub(crate) fn lists(&self) -> Vec<String> {
        let requests = self.requests().into_iter();
        let queries =
            requests.filter_map(|request| Some(request.target.split_once("/events?")?.1.to_owned()));
        queries.filter(|query| !query.ends_with("limit=1")).collect()
    }

    pub(crate) fn requests(&self) -> Vec<Recorded> {
        self.shared.requests.lock().unwrap().clone()
    }

    /// The cursor that each stream connection was opened with.
    pub(crate) fn stream_cursors(&self) -> Vec<Option<String>> {
        let requests = self.requests();
        let streams = requests
            .iter()
            .filter(|request| request.target.split('?').next().unwrap().ends_with("/stream"));
        streams
            .map(|request| request.headers.get("last-event-id").cloned())
            .collect()
    }

    pub(crate) fn session_reads(&self) -> usize {
        self.requests()
            .iter()
            .filter(|request| request.target == "/v1/sessions/sess_1")
            .count()
    }

    /// Waits until the client has closed this many stream connections that were left hanging.
    pub(crate) async fn hung_up(&self, connections: usize) {
        loop {
            let changed = self.shared.changed.notified();
            if *self.shared.closed.lock().unwrap() >= connections {
                return;
            }
            changed.await;
        }
    }
}

async fn serve(mut socket: TcpStream, shared: Arc<Shared>) {
    while let Some(request) = read_request(&mut socket).await {
        let script = reply(&request, &shared);
        shared.requests.lock().unwrap().push(request);
        if run(&mut socket, script, &shared).await {
            return;
        }
    }
}

/// Runs a script; says whether the connection is over.
async fn run(socket: &mut TcpStream, script: Vec<Step>, shared: &Shared) -> bool {
    for step in script {
        match step {
            Step::Send(bytes) => {
                if socket.write_all(&bytes).await.is_err() {
                    return true;
                }
            }
            Step::Until(signal) => signal.notified().await,
            Step::Hang => {
                while !matches!(socket.read(&mut [0; 64]).await, Ok(0) | Err(_)) {}
                *shared.closed.lock().unwrap() += 1;
                shared.changed.notify_one();
                return true;
            }
            Step::Fill => {
                let comment = format!(": {}\n", "x".repeat(16 * 1024));
                while socket.write_all(comment.as_bytes()).await.is_ok() {}
                return true;
            }
            Step::Reset => {
                socket.set_zero_linger().unwrap();
                return true;
            }
        }
    }
    let _ = socket.shutdown().await;
    true
}

fn reply(request: &Recorded, shared: &Shared) -> Vec<Step> {
    let (path, query) = request.target.split_once('?').unwrap_or((&request.target, ""));
    let body = if path.ends_with("/stream") {
        let script = shared.streams.lock().unwrap().pop_front();
        return script.unwrap_or_else(|| {
            if !shared.streams_log.load(Ordering::SeqCst) {
                return vec![Step::Hang];
            }
            let after = request.headers.get("last-event-id");
            let after = after.map_or(0, |after| after.parse().unwrap());
            let log = shared.log.lock().unwrap();
            if let Some(number) = shared.badly.lock().unwrap().as_mut() {
                *number += 1;
                return badly(&log, after, *number);
            }
            let above = log.iter().filter(|event| event["seq"].as_u64() > Some(after));
            let mut script = stream(frames(above));
            script.push(Step::Hang);
            script
        });
    } else if path.ends_with("/events") {
        if let Some(script) = shared.lists.lock().unwrap().pop_front() {
            return script;
        }
        let number = |name: &str| {
            let mut pairs = query.split('&');
            pairs.find_map(|pair| pair.strip_prefix(name)?.strip_prefix('=')?.parse::<usize>().ok())
        };
        let after = number("after").unwrap_or(0) as u64;
        let most = shared.page.lock().unwrap().unwrap_or(1);
        let most = most.min(number("limit").unwrap_or(100));
        let log = shared.log.lock().unwrap();
        let above: Vec<_> = log
            .iter()
            .filter(|event| event["seq"].as_u64() > Some(after))
            .collect();
        let page = &above[..most.min(above.len())];
        json!({ "data": page, "next_page": (page.len() < above.len() && most > 1).then_some("page_next") })
    } else if path.contains("/runs/") {
        match shared.run.lock().unwrap().clone() {
            Some(run) => run,
            None => return answer(404, "", r#"{"error": {"code": "resource.not_found"}}"#),
        }
    } else {
        if let Some(script) = shared.sessions.lock().unwrap().pop_front() {
            return script;
        }
        let resource = match path.contains("/threads/") {
            true => &shared.thread,
            false => &shared.session,
        };
        match resource.lock().unwrap().clone() {
            Some(resource) => resource,
            None => return answer(404, "", r#"{"error": {"code": "resource.not_found"}}"#),
        }
    };
    answer(200, "content-type: application/json\r\n", &body.to_string())
}

/// The log after `after` as the connection `number` sends it.
fn badly(log: &[Value], after: u64, number: u64) -> Vec<Step> {
    let (repeats, few) = (number % 4, number % 6);
    let from = after.saturating_sub(repeats);
    let events = log.iter().filter(|event| event["seq"].as_u64() > Some(from));
    let count = if few == 0 { 30 } else { repeats + few };
    let text = frames(events.take(count as usize));
    let end = text.len().saturating_sub(if few == 0 { 0 } else { 20 });
    let mut script = stream("");
    let size = 1 + (number * 37 % 211) as usize;
    let parts = text.as_bytes()[..end].chunks(size);
    script.extend(parts.map(|part| Step::Send(part.to_vec())));
    if number.is_multiple_of(2) {
        script.push(Step::Reset);
    }
    script
}

async fn read_request(socket: &mut TcpStream) -> Option<Recorded> {
    let mut bytes = Vec::new();
    let head_end = loop {
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break end;
        }
        if socket.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    };
    let head = String::from_utf8(bytes[..head_end].to_vec()).unwrap();
    let mut lines = head.lines();
    let mut first = lines.next()?.split(' ').map(str::to_owned);
    let (method, target) = (first.next()?, first.next()?);
    let pairs = lines.filter_map(|line| line.split_once(": "));
    let headers: HashMap<_, _> = pairs
        .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
        .collect();
    let length = headers
        .get("content-length")
        .map_or(0, |length| length.parse().unwrap());
    while bytes.len() < head_end + 4 + length {
        if socket.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    }
    Some(Recorded {
        method,
        target,
        headers,
    })
}
