//! What a server in memory costs: the resident memory of 100 servers beside that of 100 bare hyper listeners in the same
//! process. Linux only.
//!
//! `cargo run -p checkfu-mock-server --example memory`

use std::convert::Infallible;
use std::error::Error;
use std::fs;
use std::time::Duration;

use bytes::Bytes;
use checkfu_mock_server::MockServer;
use http_body_util::Full;
use hyper::Response;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

const COUNT: usize = 100;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    // What the process has once, however many there are, is there before the first measurement.
    let first = MockServer::builder().step_delay(Duration::ZERO).start().await?;
    turn(&first).await?;
    let (warm, address) = listen().await?;
    call(&address, "GET", "/", "", "").await?;

    let start = resident()?;
    let mut listeners = Vec::new();
    for _ in 0..COUNT {
        let (task, address) = listen().await?;
        call(&address, "GET", "/", "", "").await?;
        listeners.push(task);
    }
    let bare = resident()?;
    let mut servers = Vec::new();
    for _ in 0..COUNT {
        servers.push(MockServer::builder().step_delay(Duration::ZERO).start().await?);
    }
    let started = resident()?;
    for server in &servers {
        turn(server).await?;
    }
    let used = resident()?;
    let each = |from: u64, to: u64| to.saturating_sub(from) as f64 / COUNT as f64;
    let listener = each(start, bare);
    println!("resident memory each, of {COUNT}:");
    println!("  bare hyper listener, used once {listener:8.1} KiB");
    for (what, memory) in [
        ("started", each(bare, started)),
        ("after one turn", each(bare, used)),
    ] {
        println!(
            "  server, {what:<22} {memory:8.1} KiB, {:.0} listeners",
            memory / listener
        );
    }
    for server in servers {
        server.shutdown().await;
    }
    first.shutdown().await;
    listeners.into_iter().chain([warm]).for_each(|task| task.abort());
    Ok(())
}

/// A listener that answers everything with an empty object.
async fn listen() -> Result<(JoinHandle<()>, String), Box<dyn Error>> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?.to_string();
    let task = tokio::spawn(async move {
        while let Ok((socket, _)) = listener.accept().await {
            let answer =
                service_fn(async |_| Ok::<_, Infallible>(Response::new(Full::new(Bytes::from("{}")))));
            tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(socket), answer));
        }
    });
    Ok((task, address))
}

/// One Session, one message, one answer.
async fn turn(server: &MockServer) -> Result<(), Box<dyn Error>> {
    let (address, key) = (server.address().to_string(), server.api_key());
    let session =
        json!({"agent_deployment_id": server.deployment_id(), "principal_id": server.principal_id()});
    let session = call(&address, "POST", "/v1/sessions", key, &session.to_string()).await?;
    let id = session["id"].as_str().ok_or("no Session was created")?;
    let message = json!({
        "type": "user.message",
        "payload": {"content": "hello", "authored_by": server.principal_id(), "caused_by": {"kind": "api"}},
    });
    let path = format!("/v1/sessions/{id}/events");
    call(&address, "POST", &path, key, &message.to_string()).await?;
    server.until_settled(id, Duration::from_secs(60)).await?;
    Ok(())
}

/// A request on a connection of its own, without a client that would need memory.
async fn call(
    address: &str,
    method: &str,
    path: &str,
    key: &str,
    body: &str,
) -> Result<Value, Box<dyn Error>> {
    let mut socket = TcpStream::connect(address).await?;
    let length = body.len();
    let request = format!(
        "{method} {path} HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {key}\r\nconnection: close\r\n\
         content-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
    );
    socket.write_all(request.as_bytes()).await?;
    let mut answer = String::new();
    socket.read_to_string(&mut answer).await?;
    let (_, body) = answer.split_once("\r\n\r\n").ok_or("no answer")?;
    Ok(serde_json::from_str(body)?)
}

/// In KiB.
fn resident() -> Result<u64, Box<dyn Error>> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let number = line.and_then(|line| line.split_whitespace().next());
    Ok(number.ok_or("no VmRSS in /proc/self/status")?.parse()?)
}
