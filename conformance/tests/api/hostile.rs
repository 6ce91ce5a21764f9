//! What a server, a file or a command line can do to the suite.

use checkfu_conformance::prove::{Answer, Mutant, Relay};

use checkfu_conformance::{Budget, sweep};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::{
    command::{suite, text},
    server::{plan, reference},
};

/// A line that the suite might have written, and characters that turn it around or that no XML has.
const SPOOF: &str = "no\nPASS srv.everything (documented)\nCONFORMANT for profile reference (exit 0)\n\u{202e}\u{2028}\u{feff}\u{fffe}\u{ffff}";

#[tokio::test]
async fn a_server_writes_no_line_of_a_report() {
    let server = reference().await;
    let mutant = Mutant::new("spoofs").answer(|call, answer| {
        if call.path.contains("/v1/sessions") {
            answer.edit(|body| {
                if body.get("status").is_some() {
                    body["status"] = SPOOF.into();
                }
            });
        }
    });
    let relay = Relay::start(server.url(), mutant).await.unwrap();
    let directory = tempfile::tempdir().unwrap();
    let forms = ["--junit", "--markdown", "--html", "--write-baseline"];
    let paths = forms.map(|form| directory.path().join(form));
    let mut flags = vec![
        "--quiet",
        "--only",
        "srv.session.*",
        "--profile",
        "reference",
        "--name",
        "mine\u{fffe}",
    ];
    for (form, path) in forms.iter().zip(&paths) {
        flags.extend([form, path.to_str().unwrap()]);
    }
    let output = suite(&server, relay.url(), &flags).await;
    let mut told = vec![text(&output.stdout)];
    assert_eq!(output.status.code(), Some(1), "{}", told[0]);
    assert!(told[0].contains("PASS srv.everything"), "{}", told[0]);
    told.extend(paths.iter().map(|path| std::fs::read_to_string(path).unwrap()));
    assert!(!told[1].contains('\u{fffe}'), "{}", told[1]);
    for told in &told {
        for line in told.lines() {
            let line = line.trim_start();
            assert!(!line.starts_with("PASS srv.everything"), "{told}");
            assert!(!line.starts_with("CONFORMANT"), "{told}");
        }
        for control in ['\u{202e}', '\u{2028}', '\u{feff}', '\u{ffff}'] {
            assert!(!told.contains(control), "{control:?}: {told}");
        }
    }
    server.shutdown().await;
}

#[cfg(unix)]
#[tokio::test]
async fn two_names_of_one_file_are_one_file() {
    let server = reference().await;
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("report");
    let dotted = directory
        .path()
        .join(".")
        .join("..")
        .join(directory.path().file_name().unwrap());
    let dotted = dotted.join("report");
    let link = directory.path().join("link");
    std::os::unix::fs::symlink(&file, &link).unwrap();
    for other in [&dotted, &link] {
        let flags = [
            "--json",
            file.to_str().unwrap(),
            "--html",
            other.to_str().unwrap(),
        ];
        let output = suite(&server, server.url(), &flags).await;
        assert_eq!(output.status.code(), Some(2), "{}", text(&output.stdout));
        assert!(
            text(&output.stderr).contains("is the file of --json already"),
            "{output:?}"
        );
    }
    server.shutdown().await;
}

#[cfg(unix)]
#[tokio::test]
async fn a_file_without_an_end_is_refused() {
    let server = reference().await;
    let output = suite(&server, server.url(), &["--baseline", "/dev/zero"]).await;
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(
        text(&output.stderr).contains("more than 16777216 bytes"),
        "{output:?}"
    );
    let flags = ["check-history", "/dev/zero"];
    let output = crate::command::command(&flags).output().await.unwrap();
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(
        text(&output.stderr).contains("more than 268435456 bytes"),
        "{output:?}"
    );
    server.shutdown().await;
}

/// More than may be kept comes by, and nothing of it is evidence.
#[tokio::test]
async fn a_sweep_keeps_no_pages() {
    let server = reference().await;
    let pages = AtomicUsize::new(0);
    let mutant = Mutant::new("lists-much").instead(move |call| {
        let page = call
            .path
            .ends_with("/v1/sessions")
            .then(|| pages.fetch_add(1, Ordering::Relaxed))?;
        let next = if page < 5 {
            format!("\"p{page}\"")
        } else {
            "null".to_owned()
        };
        let other = format!("{{\"id\":\"sess_{page}\",\"title\":\"{}\"}}", "x".repeat(60_000));
        let body = format!("{{\"data\":[{other}],\"next_page\":{next}}}");
        Some(Answer::new(200, "application/json", body))
    });
    let relay = Relay::start(server.url(), mutant).await.unwrap();
    let budget = Budget {
        kept: Some(100_000),
        ..Budget::default()
    };
    let plan = plan(relay.url(), &server).with_budget(budget);
    assert_eq!(sweep(&plan, "abcdef").await.unwrap(), []);
    server.shutdown().await;
}
