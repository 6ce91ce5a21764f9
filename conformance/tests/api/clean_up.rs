//! What a run leaves behind: nothing that works, unless it is told to.

use checkfu_conformance::prove::{Answer, Mutant, Relay};
use std::process::Stdio;

use checkfu_conformance::{End, Plan, Profile, Verdict};
use checkfu_mock_server::MockServer;
use serde_json::Value;
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    process::Command,
};

use crate::{
    command::{command, suite, text},
    server::{fits_schema, idle, judge, plan, reference, target},
};

/// Every Session of the server, by the list.
async fn sessions(server: &MockServer) -> Vec<Value> {
    let http = reqwest::Client::new();
    let url = format!("{}/v1/sessions?limit=1000", server.url());
    let answer = http.get(url).bearer_auth(server.api_key()).send().await.unwrap();
    let page: Value = serde_json::from_str(&answer.text().await.unwrap()).unwrap();
    page["data"].as_array().unwrap().clone()
}

fn is_terminal(session: &Value) -> bool {
    matches!(
        session["status"].as_str().unwrap(),
        "completed" | "failed" | "canceled"
    )
}

/// Creates Sessions of several kinds: driven, forked, with children that wait, canceled.
const SOME: [&str; 5] = [
    "srv.turn.settles",
    "srv.fork.of-a-fork",
    "srv.thread.views-agree",
    "srv.child.call-on-the-session",
    "srv.ending.cancel",
];

#[tokio::test]
async fn every_session_of_a_run_is_ended_and_listed() {
    let server = reference().await;
    let report = judge(&plan(server.url(), &server).with_only(SOME).unwrap()).await;
    assert_eq!(report.count(Verdict::Pass), SOME.len(), "{report}");
    let there = sessions(&server).await;
    for session in &there {
        assert!(is_terminal(session), "{session}");
    }
    let mut listed: Vec<_> = report.created.iter().map(|session| session.id.as_str()).collect();
    let mut ids: Vec<_> = there
        .iter()
        .map(|session| session["id"].as_str().unwrap())
        .collect();
    listed.sort_unstable();
    ids.sort_unstable();
    assert_eq!(listed, ids);
    let ends = |end| report.created.iter().filter(|session| session.end == end).count();
    assert!(
        ends(End::Canceled) > 0 && ends(End::Ended) > 0,
        "{:?}",
        report.created
    );
    assert!(report.spent.clean_up_requests > 0);
    server.shutdown().await;
}

/// Where a Session cannot be ended, what works in it is interrupted and its children are archived.
#[tokio::test]
async fn a_session_that_cannot_be_ended_is_quieted() {
    let server = reference().await;
    let mutant = Mutant::new("never-cancels").instead(|call| {
        let ends = call.path.ends_with("/cancel");
        ends.then(|| Answer::new(404, "application/json", "{}"))
    });
    let relay = Relay::start(server.url(), mutant).await.unwrap();
    let only = ["srv.thread.views-agree", "srv.wait.tool-call-settles-nothing"];
    let report = judge(&plan(relay.url(), &server).with_only(only).unwrap()).await;
    assert_eq!(report.count(Verdict::Pass), only.len(), "{report}");
    for session in &report.created {
        assert_eq!(session.end, End::Quieted, "{session:?}");
        assert!(session.done.contains("cancel answered 404"), "{session:?}");
    }
    let archived = report
        .created
        .iter()
        .find(|session| session.done.contains("2 of 2 children archived"));
    assert!(archived.is_some(), "{:?}", report.created);
    for session in sessions(&server).await {
        assert_eq!(session["status"], "idle", "{session}");
        assert_eq!(session["stop_reason"], "end_turn", "{session}");
    }
    server.shutdown().await;
}

/// A server may answer a creation, or a fork, with a Session that is somebody else's, and a list with one that is not of
/// the run: it is left, and said to be.
#[tokio::test]
async fn a_session_of_somebody_else_is_left_alone() {
    let server = reference().await;
    let foreign = foreign(&server).await;
    for at in ["/v1/sessions", "/fork"] {
        let id = foreign.clone();
        let mutant = Mutant::new("hands-out-others").answer(move |call, answer| {
            if call.method == "POST" && call.path.ends_with(at) {
                answer.edit(|body| body["id"] = id.clone().into());
            }
        });
        let relay = Relay::start(server.url(), mutant).await.unwrap();
        for given in [None, Some(foreign.clone())] {
            let mut target = target(relay.url(), &server);
            target = target.with_sessions(given.clone()).unwrap();
            let only = ["srv.session.create", "srv.fork.resource"];
            let plan = Plan::new(target).with_profile(Profile::Reference);
            let report = judge(&plan.with_only(only).unwrap()).await;
            let created = report
                .created
                .iter()
                .find(|session| session.id == foreign)
                .unwrap();
            assert_eq!(created.end, End::Left, "{created:?}");
            let why = if given.is_some() {
                "--session"
            } else {
                "not titled"
            };
            assert!(created.done.contains(why), "{created:?}");
            assert!(
                report.to_string().contains(&format!("left {foreign}")),
                "{report}"
            );
        }
    }
    let (id, title) = (foreign.clone(), "conformance run abcdef");
    let mutant = Mutant::new("lists-others").answer(move |call, answer| {
        if call.path.ends_with("/v1/sessions") {
            answer.edit(|body| body["data"][0] = serde_json::json!({"id": id, "title": title}));
        }
    });
    let relay = Relay::start(server.url(), mutant).await.unwrap();
    let flags = ["--run", "abcdef", "--url", relay.url()];
    let swept = sweep(&server, &flags).output().await.unwrap();
    assert_eq!(swept.status.code(), Some(3), "{}", text(&swept.stderr));
    assert!(
        text(&swept.stdout).contains(&format!("LEFT      {foreign}")),
        "{}",
        text(&swept.stdout)
    );
    let untouched = sessions(&server)
        .await
        .into_iter()
        .find(|session| session["id"] == *foreign);
    assert!(!is_terminal(&untouched.unwrap()));
    server.shutdown().await;
}

/// A Session that no run of the suite made.
async fn foreign(server: &MockServer) -> String {
    let body = serde_json::json!({
        "agent_deployment_id": server.deployment_id(),
        "principal_id": server.principal_id(),
        "title": "somebody's own",
    });
    let request = reqwest::Client::new().post(format!("{}/v1/sessions", server.url()));
    let request = request
        .bearer_auth(server.api_key())
        .header("idempotency-key", "theirs");
    let answer = request
        .header("content-type", "application/json")
        .body(body.to_string());
    let answer = answer.send().await.unwrap().text().await.unwrap();
    let session: Value = serde_json::from_str(&answer).unwrap();
    session["id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn what_is_kept_can_be_swept_later() {
    let server = reference().await;
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("report.json");
    let only = SOME.map(|id| ["--only", id]).concat();
    let keep = [
        &only[..],
        &[
            "--keep",
            "--profile",
            "reference",
            "--json",
            path.to_str().unwrap(),
        ],
    ]
    .concat();
    let output = suite(&server, server.url(), &keep).await;
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stdout));
    let report = std::fs::read_to_string(&path).unwrap();
    fits_schema(&report);
    let report: Value = serde_json::from_str(&report).unwrap();
    assert!(
        report["created"]
            .as_array()
            .unwrap()
            .iter()
            .all(|session| session["end"] == "left")
    );
    let others = suite(&server, server.url(), &["--keep", "--only", "srv.session.create"]).await;
    assert_eq!(others.status.code(), Some(0));
    let before = sessions(&server).await;
    let run = report["run_id"].as_str().unwrap();
    let title = format!("conformance run {run}");
    assert!(
        before
            .iter()
            .any(|session| !is_terminal(session) && session["title"] == *title)
    );

    let swept = sweep(&server, &["--run", run]).output().await.unwrap();
    let told = text(&swept.stdout);
    assert_eq!(swept.status.code(), Some(0), "{told}{}", text(&swept.stderr));
    let mut left = 0;
    for session in sessions(&server).await {
        let of_run = session["title"] == *title;
        assert_eq!(is_terminal(&session), of_run, "{session}");
        assert_eq!(told.contains(session["id"].as_str().unwrap()), of_run, "{told}");
        left += usize::from(!of_run);
    }
    assert_eq!(left, 2, "another run's Sessions stay");
    let again = text(&sweep(&server, &["--run", run]).output().await.unwrap().stdout);
    assert!(
        again.contains("was canceled") && again.contains("left as they are: 0"),
        "{again}"
    );
    server.shutdown().await;
}

#[tokio::test]
async fn a_sweep_names_what_is_wrong() {
    let server = reference().await;
    for (flags, code, part) in [
        (&["--run", "%"][..], 2, "--run"),
        (&["--run", "abcdef", "--timeout", "0"], 2, "--timeout"),
        (
            &["--run", "abcdef", "--url", "http://127.0.0.1:1"],
            4,
            "no connection",
        ),
        (&["--run", "abcdef"], 0, ""),
    ] {
        let output = sweep(&server, flags).output().await.unwrap();
        let told = text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{flags:?}: {told}");
        assert!(told.contains(part), "{flags:?}: {told}");
    }
    server.shutdown().await;
}

/// A run that is interrupted in the middle of a turn still ends what it created.
#[tokio::test]
async fn an_interrupted_run_cleans_up_and_exits_130() {
    let server = idle().await;
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("report.json");
    let only = ["--only", "srv.session.create", "--only", "srv.turn.settles"];
    let flags = [
        "server",
        "--url",
        server.url(),
        "--progress",
        "ndjson",
        "--json",
        path.to_str().unwrap(),
    ];
    let mut run = with_key(&server, &[&flags[..], &only].concat())
        .stderr(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(run.stderr.take().unwrap()).lines();
    let begun = lines.next_line().await.unwrap().unwrap();
    assert!(begun.contains("run_id"), "{begun}");
    let first = lines.next_line().await.unwrap().unwrap();
    assert!(first.contains("srv.session.create"), "{first}");
    // The next check waits for a turn that never settles.
    while !sessions(&server)
        .await
        .iter()
        .any(|session| session["last_seq"].as_u64() > Some(1))
    {
        tokio::task::yield_now().await;
    }
    let id = run.id().unwrap().to_string();
    let signal = Command::new("kill").args(["-INT", &id]).status().await.unwrap();
    assert!(signal.success());
    assert_eq!(run.wait().await.unwrap().code(), Some(130));
    let report = std::fs::read_to_string(&path).unwrap();
    fits_schema(&report);
    let report: Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report["exit"], "interrupted");
    assert_eq!(report["created"].as_array().unwrap().len(), 3);
    for session in sessions(&server).await {
        assert_eq!(session["status"], "canceled", "{session}");
    }
}

/// A clean-up that a server holds up ends at the second signal, with a report of what is left.
#[tokio::test(flavor = "multi_thread")]
async fn a_clean_up_can_be_ended() {
    let server = reference().await;
    let (asked, mut cancels) = tokio::sync::mpsc::unbounded_channel();
    let (release, held) = std::sync::mpsc::channel::<()>();
    let held = std::sync::Mutex::new(held);
    let mutant = Mutant::new("holds-cancels").instead(move |call| {
        if call.path.ends_with("/cancel") {
            let _ = asked.send(());
            // A thread that only blocks may be the one that would hear of everything else.
            let _ = tokio::task::block_in_place(|| held.lock().unwrap().recv());
        }
        None
    });
    let relay = Relay::start(server.url(), mutant).await.unwrap();
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("report.json");
    let flags = [
        "server",
        "--quiet",
        "--answer-timeout",
        "600",
        "--url",
        relay.url(),
    ];
    let more = ["--only", "srv.session.create", "--json", path.to_str().unwrap()];
    let run = with_key(&server, &[&flags[..], &more].concat())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    cancels.recv().await.unwrap();
    let id = run.id().unwrap().to_string();
    for signal in ["-INT", "-TERM"] {
        let sent = Command::new("kill").args([signal, &id]).status().await.unwrap();
        assert!(sent.success());
    }
    let output = run.wait_with_output().await.unwrap();
    drop(release);
    let told = text(&output.stdout);
    assert_eq!(output.status.code(), Some(130), "{told}");
    assert!(told.contains("the cleaning up was ended"), "{told}");
    let report = std::fs::read_to_string(&path).unwrap();
    fits_schema(&report);
    let report: Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report["exit"], "interrupted");
    assert_eq!(report["created"][0]["end"], "left", "{told}");
    assert_eq!(
        report["created"][0]["done"], "the cleaning up was ended",
        "{told}"
    );
    server.shutdown().await;
}

/// A server that answers nothing does not keep a run from being ended before its first check or its first history.
#[tokio::test]
async fn a_run_can_be_ended_before_it_begins() {
    let server = reference().await;
    for (command, interrupted) in [
        ("server", "\"exit\": \"interrupted\""),
        ("model", "\"cut\": \"interrupted"),
    ] {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("report.json");
        let flags = [command, "--url", &url, "--answer-timeout", "600"];
        let flags = [&flags[..], &["--json", path.to_str().unwrap()]].concat();
        let mut run = with_key(&server, &flags).stdout(Stdio::null()).spawn().unwrap();
        let connected = listener.accept().await.unwrap();
        let id = run.id().unwrap().to_string();
        let sent = Command::new("kill").args(["-TERM", &id]).status().await.unwrap();
        assert!(sent.success());
        assert_eq!(run.wait().await.unwrap().code(), Some(130), "{command}");
        drop(connected);
        let report = std::fs::read_to_string(&path).unwrap();
        if command == "server" {
            fits_schema(&report);
        }
        assert!(report.contains(interrupted), "{report}");
        assert!(report.contains("\"conclusion\": \"not_judged\""), "{report}");
    }
    server.shutdown().await;
}

fn sweep(server: &MockServer, flags: &[&str]) -> Command {
    let url: &[&str] = if flags.contains(&"--url") {
        &[]
    } else {
        &["--url", server.url()]
    };
    with_key(server, &[&["sweep"], url, flags].concat())
}

fn with_key(server: &MockServer, arguments: &[&str]) -> Command {
    let mut command = command(arguments);
    command
        .env("CHECKFU_API_KEY", server.api_key())
        .env("CHECKFU_PRINCIPAL_ID", server.principal_id());
    command
}
