//! Known failures, through the binary: they excuse themselves and nothing else, and never make a server conformant.

use checkfu_conformance::prove::{Mutant, Relay};
use std::path::PathBuf;

use checkfu_mock_server::MockServer;
use serde_json::Value;
use tempfile::TempDir;

use crate::{
    command::{suite, text},
    server::{fits_schema, reference},
};

const ONLY: [&str; 4] = ["--only", "srv.resume.every-cut", "--only", "srv.stream.framing"];

struct Bench {
    server: MockServer,
    broken: Relay,
    directory: TempDir,
}

impl Bench {
    /// The reference server, and one that resumes a place too early.
    async fn start() -> Self {
        let server = reference().await;
        let inclusive = Mutant::new("inclusive").request(|call| {
            if let Some(cursor) = call.cursor() {
                call.set_header("last-event-id", cursor.saturating_sub(1));
            }
        });
        Self {
            broken: Relay::start(server.url(), inclusive).await.unwrap(),
            server,
            directory: tempfile::tempdir().unwrap(),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// The exit status, what was printed and the report.
    async fn judge(&self, broken: bool, flags: &[&str]) -> (i32, String, Value) {
        let json = self.path("report.json");
        let url = if broken {
            self.broken.url()
        } else {
            self.server.url()
        };
        let flags = [&ONLY, flags, &["--json", json.to_str().unwrap()]].concat();
        let output = suite(&self.server, url, &flags).await;
        let report = std::fs::read_to_string(json).unwrap();
        fits_schema(&report);
        let told = text(&output.stdout) + &text(&output.stderr);
        (
            output.status.code().unwrap(),
            told,
            serde_json::from_str(&report).unwrap(),
        )
    }
}

fn check<'r>(report: &'r Value, id: &str) -> &'r Value {
    let found = report["checks"]
        .as_array()
        .unwrap()
        .iter()
        .find(|check| check["id"] == id);
    found.unwrap()
}

#[tokio::test]
async fn a_written_baseline_excuses_what_failed_and_no_more() {
    let bench = Bench::start().await;
    let path = bench.path("known.toml");
    let file = path.to_str().unwrap();
    let (exit, told, _) = bench.judge(true, &["--write-baseline", file]).await;
    assert_eq!(exit, 1, "{told}");
    let written = std::fs::read_to_string(&path).unwrap();
    assert!(written.contains("check = \"srv.resume.every-cut\""), "{written}");
    assert!(!written.contains("srv.stream.framing"), "{written}");

    let (html, markdown) = (bench.path("known.html"), bench.path("known.md"));
    let forms = [
        "--html",
        html.to_str().unwrap(),
        "--markdown",
        markdown.to_str().unwrap(),
    ];
    let flags = [&["--baseline", file], &forms[..]].concat();
    let (exit, told, report) = bench.judge(true, &flags).await;
    for (path, part) in [(html, "<h2>Known failures</h2>"), (markdown, "## Known failures")] {
        let form = std::fs::read_to_string(path).unwrap();
        assert!(form.contains(part) && form.contains("NONCONFORMANT"), "{form}");
    }
    assert_eq!(exit, 0, "{told}");
    assert!(
        told.contains("NONCONFORMANT") && told.contains("known-fail"),
        "{told}"
    );
    assert_eq!(report["conclusion"], "nonconformant");
    assert_eq!(report["exit"], "known_failures");
    let known = check(&report, "srv.resume.every-cut");
    assert_eq!(known["verdict"], "known_fail");
    assert!(
        known["failure"]["expected"]
            .as_str()
            .unwrap()
            .contains("the stream after")
    );

    // Written anew, an entry keeps what its author said.
    let said = written.replace("issue = \"\"", "issue = \"T-41\"");
    std::fs::write(&path, &said).unwrap();
    let again = bench.path("again.toml");
    let flags = ["--baseline", file, "--write-baseline", again.to_str().unwrap()];
    bench.judge(true, &flags).await;
    assert_eq!(std::fs::read_to_string(again).unwrap(), said);

    let (exit, told, report) = bench.judge(false, &["--baseline", file]).await;
    assert_eq!(exit, 1, "{told}");
    assert!(
        told.contains("STALE srv.resume.every-cut") && told.contains("take the entry out"),
        "{told}"
    );
    assert_eq!(report["conclusion"], "stale_baseline");
    let last = told.lines().find(|line| line.contains("(exit ")).unwrap();
    assert!(
        last.starts_with("STALE BASELINE ") && last.ends_with("(exit 1)"),
        "{last}"
    );
    bench.server.shutdown().await;
}

#[tokio::test]
async fn an_expired_entry_excuses_nothing() {
    let bench = Bench::start().await;
    let path = bench.path("known.toml");
    let entry =
        "[[known]]\ncheck = \"srv.resume.every-cut\"\nreason = \"r\"\nissue = \"i\"\nexpires = 2001-01-01\n";
    std::fs::write(&path, entry).unwrap();
    for broken in [true, false] {
        let (exit, told, _) = bench.judge(broken, &["--baseline", path.to_str().unwrap()]).await;
        assert_eq!(exit, 1, "{told}");
        let word = if broken { "expired on 2001-01-01" } else { "STALE" };
        assert!(told.contains(word), "{told}");
    }
    bench.server.shutdown().await;
}

/// A run of some checks says nothing of the others, so what is known of them stays.
#[tokio::test]
async fn a_baseline_that_is_written_of_a_selection_keeps_what_is_known_of_the_rest() {
    let bench = Bench::start().await;
    let (path, other) = (bench.path("known.toml"), bench.path("other.toml"));
    let (file, other) = (path.to_str().unwrap(), other.to_str().unwrap());
    let entry = |check: &str| {
        format!(
            "[[known]]\ncheck = \"{check}\"\nreason = \"of old\"\nissue = \"T-7\"\nexpires = 2099-01-31\n"
        )
    };
    let standing = entry("srv.fork.of-a-fork") + &entry("srv.stream.framing");
    std::fs::write(other, entry("srv.diff.tails")).unwrap();
    for broken in [true, false] {
        std::fs::write(file, &standing).unwrap();
        let flags = ["--baseline", other, "--write-baseline", file];
        let (_, told, _) = bench.judge(broken, &flags).await;
        let written = std::fs::read_to_string(file).unwrap();
        for check in ["srv.fork.of-a-fork", "srv.diff.tails"] {
            assert!(
                written.contains(&entry(check)),
                "{check} is lost: {written}{told}"
            );
        }
        assert!(
            !written.contains("srv.stream.framing"),
            "it passed, and its entry stays: {written}"
        );
        assert_eq!(written.contains("srv.resume.every-cut"), broken, "{written}");
    }
    std::fs::write(file, "what I know").unwrap();
    let output = suite(&bench.server, bench.server.url(), &["--write-baseline", file]).await;
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stdout));
    assert!(
        text(&output.stderr).contains("is no baseline"),
        "{}",
        text(&output.stderr)
    );
    assert_eq!(std::fs::read_to_string(file).unwrap(), "what I know");
    bench.server.shutdown().await;
}

#[tokio::test]
async fn an_expired_entry_of_a_check_that_is_left_out_is_told_and_changes_nothing() {
    let bench = Bench::start().await;
    let path = bench.path("known.toml");
    let entry =
        "[[known]]\ncheck = \"srv.fork.of-a-fork\"\nreason = \"r\"\nissue = \"i\"\nexpires = 2001-01-01\n";
    std::fs::write(&path, entry).unwrap();
    let (exit, told, report) = bench.judge(false, &["--baseline", path.to_str().unwrap()]).await;
    assert_eq!(exit, 0, "{told}");
    assert!(
        told.contains("srv.fork.of-a-fork on 2001-01-01") && told.contains("renew"),
        "{told}"
    );
    let expected = serde_json::json!([{"check": "srv.fork.of-a-fork", "expires": "2001-01-01"}]);
    assert_eq!(report["expired_baseline"], expected);
    bench.server.shutdown().await;
}

#[tokio::test]
async fn a_baseline_that_cannot_be_meant_exits_2() {
    let bench = Bench::start().await;
    let path = bench.path("known.toml");
    for (entry, part) in [
        (
            "[[known]]\ncheck = \"srv.nothing\"\nreason = \"r\"\nissue = \"\"\n",
            "srv.nothing",
        ),
        ("[[known]]\nchecks = \"srv.resume.every-cut\"\n", "checks"),
    ] {
        std::fs::write(&path, entry).unwrap();
        let output = suite(
            &bench.server,
            bench.server.url(),
            &["--baseline", path.to_str().unwrap()],
        )
        .await;
        let told = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{told}");
        assert!(
            told.contains(part) && told.contains("--baseline") && told.contains("known.toml"),
            "{told}"
        );
    }
    bench.server.shutdown().await;
}
