//! Servers that do nothing right get no praise: no pass at all, and an exit status other than 0.

use std::time::Duration;

use checkfu_conformance::{Conclusion, Limits, Plan, Profile, Target, Verdict, checks};
use futures::future::join_all;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};

use crate::{
    mutant::Mutant,
    relay::Relay,
    server::{impatient, judge, plan, reference},
    traffic::Answer,
};

/// Reads a request and gives back the response bytes; `None` never answers.
type Respond = fn(&[u8]) -> Option<Vec<u8>>;

const NULL_SERVERS: [(&str, Respond); 8] = [
    ("200 and {} to all", |_| {
        Some(response("200 OK", "application/json", b"{}"))
    }),
    ("200 and nothing to all", |_| {
        Some(response("200 OK", "application/json", b""))
    }),
    ("204 to all", |_| {
        Some(b"HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n".to_vec())
    }),
    ("404 to all", |_| {
        Some(response("404 Not Found", "application/json", ERROR))
    }),
    ("500 to all", |_| {
        Some(response("500 Internal Server Error", "application/json", b"{}"))
    }),
    ("an HTML page to all", |_| {
        Some(response(
            "200 OK",
            "text/html",
            b"<html><body>Welcome</body></html>",
        ))
    }),
    ("an echo", |request| {
        Some(response("200 OK", "application/json", body_of(request)))
    }),
    ("no answer at all", |_| None),
];

const ERROR: &[u8] =
    br#"{"type":"error","error":{"type":"not_found_error","code":"resource.not_found","message":"no"}}"#;

#[tokio::test]
async fn a_null_server_passes_nothing() {
    for (name, respond) in NULL_SERVERS {
        let url = start(respond).await;
        let target = Target::new(&url, "ck_test_0123456789", "prin_1").unwrap();
        let mut plans = Vec::new();
        for profile in [Profile::Published, Profile::Reference] {
            for deployment in [None, Some("adep_1".to_owned())] {
                let plan = Plan::new(target.clone().with_deployment(deployment)).with_profile(profile);
                plans.push(plan.with_limits(short()));
            }
        }
        for report in join_all(plans.iter().map(judge)).await {
            assert_eq!(report.count(Verdict::Pass), 0, "{name}: {report}");
            assert_eq!(report.conclusion, Conclusion::Nonconformant, "{name}: {report}");
            assert_eq!(report.exit.code(), 1, "{name}");
            let creation = report
                .check("srv.session.create")
                .unwrap()
                .failure
                .as_ref()
                .unwrap();
            assert!(
                !creation.expected.is_empty() && !creation.actual.is_empty(),
                "{name}"
            );
        }
    }
}

#[tokio::test]
async fn a_set_up_that_fails_blocks_and_names_its_check() {
    let url = start(NULL_SERVERS[0].1).await;
    let plan = Plan::new(Target::new(&url, "ck_test_0123456789", "prin_1").unwrap())
        .with_profile(Profile::Reference);
    let report = judge(&plan.with_limits(short())).await;
    for check in report
        .checks
        .iter()
        .filter(|check| check.id != "srv.session.create")
    {
        assert_eq!(check.verdict, Verdict::Blocked, "{}: {report}", check.id);
        assert!(
            check.reason.as_ref().unwrap().contains("srv.session.create"),
            "{}",
            check.id
        );
    }
}

/// Even where Sessions are created properly, a server that does nothing more passes nothing.
#[tokio::test]
async fn a_server_that_only_creates_sessions_passes_nothing() {
    let server = reference().await;
    let nothing: [fn() -> Answer; 4] = [
        || Answer::new(200, "application/json", "{}"),
        || Answer::new(404, "application/json", ERROR),
        || Answer::new(500, "application/json", "{}"),
        || Answer::new(200, "text/event-stream", ": nothing\n\n"),
    ];
    for answer in nothing {
        let mutant = Mutant::new("creates-only").instead(move |call| (!call.is_creation()).then(answer));
        let relay = Relay::start(server.url(), mutant).await;
        let report = judge(&plan(&relay.url, &server).with_limits(impatient())).await;
        assert_eq!(report.count(Verdict::Pass), 0, "{report}");
        assert_eq!(report.exit.code(), 1, "{report}");
        let undecided = [Verdict::Blocked, Verdict::Inconclusive].map(|verdict| report.count(verdict));
        let judged = report.count(Verdict::Fail) + undecided.iter().sum::<usize>();
        assert_eq!(judged, checks().count(), "{report}");
    }
    server.shutdown().await;
}

fn short() -> Limits {
    Limits {
        answer: Duration::from_millis(150),
        turn: Duration::from_millis(300),
        ..Limits::default()
    }
}

fn response(status: &str, content_type: &str, body: &[u8]) -> Vec<u8> {
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: {content_type}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}

fn body_of(request: &[u8]) -> &[u8] {
    let end = request
        .windows(4)
        .position(|window| window == b"\r\n\r\n")
        .unwrap();
    &request[end + 4..]
}

/// Starts a server of raw bytes; it ends with the test's runtime.
async fn start(respond: Respond) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((mut connection, _)) = listener.accept().await {
            tokio::spawn(async move {
                let mut request = Vec::new();
                while !is_whole(&request) {
                    let mut chunk = [0; 4096];
                    match connection.read(&mut chunk).await {
                        Ok(0) | Err(_) => return,
                        Ok(length) => request.extend_from_slice(&chunk[..length]),
                    }
                }
                match respond(&request) {
                    Some(bytes) => drop(connection.write_all(&bytes).await),
                    None => drop(connection.read_to_end(&mut Vec::new()).await),
                }
            });
        }
    });
    url
}

fn is_whole(request: &[u8]) -> bool {
    let Some(end) = request.windows(4).position(|window| window == b"\r\n\r\n") else {
        return false;
    };
    let head = String::from_utf8_lossy(&request[..end]).to_ascii_lowercase();
    let length = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length: ")?.parse::<usize>().ok());
    request.len() >= end + 4 + length.unwrap_or(0)
}
