use std::io::{BufRead, BufReader, Lines, Read};
use std::process::{Child, ChildStdout, Command, Stdio};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

const LISTENS: &str = "listens at ";

/// How many events a connection of `sess_hour` brings before it is closed.
pub(crate) const EVENTS: u64 = 5;

/// A server in a process of its own, until it is dropped.
pub(crate) struct Server {
    pub(crate) url: String,
    process: Child,
    /// What its test runner still writes must find a reader, or it ends.
    _output: Lines<BufReader<ChildStdout>>,
}

impl Server {
    pub(crate) fn start() -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "server::serve", "--ignored", "--nocapture"]);
        let mut process = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let url = lines.find_map(|line| Some(line.ok()?.split_once(LISTENS)?.1.to_owned()));
        Self {
            url: url.unwrap(),
            process,
            _output: lines,
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The server of the other tests; it ends with its input.
#[test]
#[ignore = "a process of the other tests"]
fn serve() {
    std::thread::spawn(|| {
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        std::process::exit(0);
    });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.unwrap().block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        println!("{LISTENS}http://{}", listener.local_addr().unwrap());
        loop {
            let (socket, _) = listener.accept().await.unwrap();
            tokio::spawn(answer(socket));
        }
    });
}

fn event(seq: u64, bytes: usize) -> String {
    let id = format!("evt_{seq:032x}");
    let text = "x".repeat(bytes);
    format!(
        r#"{{"id":"{id}","seq":{seq},"type":"agent.message","payload":{{"content":[{{"type":"text","text":"{text}"}}]}}}}"#
    )
}

fn frame(seq: u64, bytes: usize) -> String {
    format!("id: {seq}\nevent: agent.message\ndata: {}\n\n", event(seq, bytes))
}

/// Answers one request: `sess_idle_N` streams one event of `N` bytes of text and stays open, `sess_hour` a few events after
/// the cursor and is closed; both can be read, and so can the event after a place.
async fn answer(mut socket: TcpStream) -> Option<()> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        if socket.read_buf(&mut head).await.ok()? == 0 {
            return None;
        }
    }
    let head = String::from_utf8(head).ok()?.to_lowercase();
    let target = head.split(' ').nth(1)?;
    if let Some(size) = target.strip_prefix("/v1/sessions/sess_idle_")
        && let Some(size) = size.strip_suffix("/events/stream")
    {
        stream(&mut socket, &frame(1, size.parse().ok()?), false).await?;
        // Until the client hangs up.
        let _ = socket.read(&mut [0; 64]).await;
        return None;
    }
    if target.ends_with("/stream") {
        let after = head.split("last-event-id: ").nth(1);
        let after = after.and_then(|after| after.split("\r\n").next()?.parse().ok());
        let after: u64 = after.unwrap_or(0);
        let frames: String = (after + 1..=after + EVENTS).map(|seq| frame(seq, 500)).collect();
        stream(&mut socket, &frames, true).await?;
        return None;
    }
    let body = match target.split_once("/events?after=") {
        Some((_, query)) => {
            let after: u64 = query.split('&').next()?.parse().ok()?;
            format!(r#"{{"data":[{}],"next_page":null}}"#, event(after + 1, 500))
        }
        None => r#"{"id":"sess_hour","status":"running","stop_reason":null,"last_seq":1}"#.to_owned(),
    };
    let length = body.len();
    let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close";
    let text = format!("{head}\r\ncontent-length: {length}\r\n\r\n{body}");
    socket.write_all(text.as_bytes()).await.ok()
}

/// Sends the head and one chunk, and the end of the body if it `ends`.
async fn stream(socket: &mut TcpStream, text: &str, ends: bool) -> Option<()> {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
    let end = if ends { "0\r\n\r\n" } else { "" };
    let chunk = format!("{head}{:x}\r\n{text}\r\n{end}", text.len());
    socket.write_all(chunk.as_bytes()).await.ok()
}
