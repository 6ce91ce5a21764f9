//! The flags that bound a run, through the binary: stimulus, budgets, rate, progress, identity, schema.

use checkfu_conformance::prove::{Mutant, Relay};
use std::{
    path::Path,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use checkfu_conformance::REPORT_SCHEMA_JSON;
use checkfu_mock_server::MockServer;
use serde_json::Value;

use crate::{
    command::{command, suite, text},
    server::{fits_schema, reference},
};

/// A relay that changes nothing and writes down the methods that go through.
async fn recorder(server: &MockServer) -> (Relay, Arc<Mutex<Vec<String>>>) {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let record = Arc::clone(&seen);
    let mutant = Mutant::new("records").request(move |call| {
        let line = format!("{} {}", call.method, call.path);
        record.lock().unwrap().push(line);
    });
    (Relay::start(server.url(), mutant).await.unwrap(), seen)
}

fn report(path: &Path) -> Value {
    let text = std::fs::read_to_string(path).unwrap();
    fits_schema(&text);
    serde_json::from_str(&text).unwrap()
}

#[tokio::test]
async fn a_run_that_reads_takes_its_sessions_from_flags_or_the_environment() {
    let server = reference().await;
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("report.json");
    let json = path.to_str().unwrap();
    let made = suite(
        &server,
        server.url(),
        &["--keep", "--only", "srv.stream.equals-list", "--json", json],
    )
    .await;
    assert_eq!(made.status.code(), Some(0), "{}", text(&made.stdout));
    let id = report(&path)["created"][0]["id"].as_str().unwrap().to_owned();
    let (relay, seen) = recorder(&server).await;
    let flags = ["--stimulus", "read", "--only", "srv.stream.*", "--json", json];
    for by_flag in [true, false] {
        let given: &[&str] = if by_flag { &["--session", &id] } else { &[] };
        let arguments = [&["server", "--url", relay.url()], given, &flags].concat();
        let mut command = command(&arguments);
        if !by_flag {
            command.env("CHECKFU_SESSION_IDS", format!(" {id},"));
        }
        let output = command
            .env("CHECKFU_API_KEY", server.api_key())
            .env("CHECKFU_PRINCIPAL_ID", server.principal_id())
            .output()
            .await
            .unwrap();
        let table = text(&output.stdout);
        assert_eq!(output.status.code(), Some(3), "{table}{}", text(&output.stderr));
        assert!(
            table.contains("PARTIAL") && table.contains("--stimulus work allows it"),
            "{table}"
        );
        let report = report(&path);
        assert_eq!(report["stimulus"], "read");
        assert_eq!(report["sessions"], serde_json::json!([id]));
        assert!(report["counts"]["pass"].as_u64().unwrap() >= 2, "{table}");
    }
    let seen = seen.lock().unwrap().clone();
    assert!(
        !seen.is_empty() && seen.iter().all(|line| line.starts_with("GET ")),
        "{seen:?}"
    );
    server.shutdown().await;
}

#[tokio::test]
async fn a_spent_budget_leaves_the_rest_undecided_and_exits_5() {
    let server = reference().await;
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("report.json");
    for (flag, limit, counted) in [
        ("--budget-requests", 60, "requests"),
        ("--budget-events", 3, "events"),
    ] {
        let (relay, seen) = recorder(&server).await;
        let limit_text = limit.to_string();
        let flags = [flag, &limit_text, "--json", path.to_str().unwrap()];
        let output = suite(&server, relay.url(), &flags).await;
        let table = text(&output.stdout);
        assert_eq!(output.status.code(), Some(5), "{table}{}", text(&output.stderr));
        let report = report(&path);
        let cut = report["cut"].as_str().unwrap();
        assert!(cut.contains(flag) && cut.contains(&limit_text), "{cut}");
        assert!(table.contains(cut), "{table}");
        assert_eq!(report["budget"][counted], limit);
        assert_eq!(report["spent"][counted], limit);
        assert_eq!(report["exit"], "exhausted");
        assert!(report["counts"]["pass"].as_u64().unwrap() > 0, "{table}");
        let blamed =
            |check: &&Value| matches!(check["verdict"].as_str().unwrap(), "fail" | "blocked" | "error");
        let blamed = report["checks"].as_array().unwrap().iter().find(blamed);
        assert!(blamed.is_none(), "{blamed:?}");
        let seen = seen.lock().unwrap().clone();
        let spent = &report["spent"];
        let all = spent["requests"].as_u64().unwrap() + spent["clean_up_requests"].as_u64().unwrap();
        assert_eq!(seen.len() as u64, all, "every request is counted");
        // What cleans up is not bounded by the budget.
        let created = report["created"].as_array().unwrap();
        assert!(
            !created.is_empty() && created.iter().all(|session| session["end"] != "left"),
            "{created:?}"
        );
    }
    server.shutdown().await;
}

#[tokio::test]
async fn requests_keep_to_the_rate() {
    let server = reference().await;
    let arrivals = Arc::new(Mutex::new(Vec::new()));
    let arrived = Arc::clone(&arrivals);
    let mutant = Mutant::new("clocks").request(move |_| arrived.lock().unwrap().push(Instant::now()));
    let relay = Relay::start(server.url(), mutant).await.unwrap();
    let flags = ["--rps", "20", "--only", "srv.session.create"];
    let output = suite(&server, relay.url(), &flags).await;
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stdout));
    let arrivals = arrivals.lock().unwrap().clone();
    let sent = arrivals.len();
    // The first one may be held up by what comes before a connection.
    let least = Duration::from_millis(50) * u32::try_from(sent - 2).unwrap();
    let took = arrivals[sent - 1] - arrivals[0];
    assert!(sent > 5 && took >= least, "{sent} requests in {took:?}");
    server.shutdown().await;
}

#[tokio::test]
async fn progress_is_told_in_lines_for_people_or_for_programs() {
    let server = reference().await;
    let only = ["--only", "srv.auth.*"];
    let programs = suite(
        &server,
        server.url(),
        &[&only[..], &["--progress", "ndjson"]].concat(),
    )
    .await;
    let mut lines: Vec<Value> = text(&programs.stderr)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let begun = lines.remove(0);
    assert!(
        text(&programs.stdout).contains(begun["run_id"].as_str().unwrap()),
        "{begun}"
    );
    let checks: Vec<_> = checkfu_conformance::checks()
        .filter(|check| check.id().starts_with("srv.auth."))
        .collect();
    assert_eq!(lines.len(), checks.len());
    for (place, (line, check)) in lines.iter().zip(&checks).enumerate() {
        assert_eq!(line["id"], check.id());
        assert_eq!(line["n"], place + 1);
        assert_eq!(line["total"], checks.len());
        assert_eq!(line["verdict"], "pass");
        assert!(
            line["elapsed_ms"].as_u64() >= line["duration_ms"].as_u64(),
            "{line}"
        );
    }
    let people = text(&suite(&server, server.url(), &only).await.stderr);
    assert!(
        people.starts_with("run ") && people.contains("`sweep --run "),
        "{people}"
    );
    let first = people.lines().nth(1).unwrap();
    assert!(first.starts_with(&format!("[1/{}]", checks.len())), "{first}");
    assert!(
        first.contains(" s  pass ") && first.ends_with(checks[0].id()),
        "{first}"
    );
    let quiet = suite(&server, server.url(), &[&only[..], &["--quiet"]].concat()).await;
    assert!(quiet.stderr.is_empty(), "{}", text(&quiet.stderr));
    server.shutdown().await;
}

#[tokio::test]
async fn every_form_says_who_was_judged() {
    let server = reference().await;
    let directory = tempfile::tempdir().unwrap();
    let files = ["--json", "--html", "--markdown", "--junit"].map(|form| (form, directory.path().join(form)));
    let mut flags = vec![
        "--only",
        "srv.session.create",
        "--name",
        "Acme <1.2>",
        "--contact",
        "ops@acme.example",
    ];
    for (form, path) in &files {
        flags.extend([*form, path.to_str().unwrap()]);
    }
    let output = suite(&server, server.url(), &flags).await;
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stdout));
    assert!(
        text(&output.stdout).contains("Acme <1.2>"),
        "{}",
        text(&output.stdout)
    );
    for (form, path) in &files {
        let written = std::fs::read_to_string(path).unwrap();
        assert!(
            written.contains("ops@acme.example") || written.contains("ops@acme\\.example"),
            "{form}"
        );
    }
    let json = report(&files[0].1);
    assert_eq!(
        (&json["name"], &json["contact"]),
        (&"Acme <1.2>".into(), &"ops@acme.example".into())
    );
    let html = std::fs::read_to_string(&files[1].1).unwrap();
    assert!(html.contains("Acme &lt;1.2&gt;"));
    server.shutdown().await;
}

#[tokio::test]
async fn the_schema_is_printed_as_published() {
    let output = command(&["schema"]).output().await.unwrap();
    assert_eq!(text(&output.stdout), REPORT_SCHEMA_JSON);
    let listed = command(&["list"]).output().await.unwrap();
    let explained = command(&["explain", "srv.list.after-is-exclusive"])
        .output()
        .await
        .unwrap();
    let capability = text(&command(&["explain", "threads"]).output().await.unwrap().stdout);
    assert!(capability.contains("--capability threads=off"), "{capability}");
    assert!(text(&listed.stdout).contains("D  read   srv.list.after-is-exclusive"));
    assert!(
        text(&explained.stdout).contains("stimulus read: it only reads"),
        "{}",
        text(&explained.stdout)
    );
}

#[tokio::test]
async fn a_flag_that_cannot_be_meant_exits_2_and_is_named() {
    let server = reference().await;
    for (flags, parts) in [
        (&["--stimulus", "none"][..], &["--stimulus", "\"create\""][..]),
        (&["--session", "run_1"], &["run_1", "--session"]),
        (&["--budget-requests", "0"], &["--budget-requests"]),
        (&["--budget-events", "many"], &["--budget-events"]),
        (&["--rps", "0"], &["--rps", "unlimited"]),
        (&["--capability", "threads"], &["--capability", "threads=off"]),
        (&["--capability", "threads=yes"], &["--capability", "\"auto\""]),
        (&["--capability", "thread=on"], &["--capability", "threads"]),
        (
            &["--baseline", "/nowhere/known.toml"],
            &["--baseline", "/nowhere/known.toml"],
        ),
        (
            &["--write-baseline", "/nowhere/known.toml"],
            &["--write-baseline", "/nowhere"],
        ),
        (&["--progress", "xml"], &["--progress", "ndjson"]),
    ] {
        let output = suite(&server, server.url(), flags).await;
        assert_eq!(output.status.code(), Some(2), "{flags:?}");
        for part in parts {
            assert!(
                text(&output.stderr).contains(part),
                "{flags:?}: {}",
                text(&output.stderr)
            );
        }
    }
    server.shutdown().await;
}
