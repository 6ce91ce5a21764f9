//! What the sources of the library may and may not name.

use std::fs;
use std::path::{Path, PathBuf};

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// The files beneath `src` whose code, comments aside, holds `text`.
fn files_with(text: &str) -> Vec<PathBuf> {
    let source = source();
    let (mut folders, mut found) = (vec![source.clone()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let code = fs::read_to_string(&path).unwrap();
            let mut lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
            if lines.any(|line| line.contains(text)) {
                found.push(path.strip_prefix(&source).unwrap().to_owned());
            }
        }
    }
    found.sort();
    found
}

/// A-CLI: every timer asks the injected clock. The suite for authors of stores has none: it waits for their database, not
/// for a server.
#[test]
fn time_comes_from_the_clock_alone() {
    for timer in [
        "tokio::time",
        "thread::sleep",
        "Instant::now",
        "SystemTime::now",
        "Timestamp::now",
        "read_timeout(",
        ".timeout(",
    ] {
        let found = files_with(timer);
        let others = found
            .iter()
            .filter(|file| !file.ends_with("clock.rs") && !file.ends_with("testing/rivals.rs"));
        let others: Vec<_> = others.collect();
        assert!(others.is_empty(), "{timer}: {others:?}");
    }
    assert_eq!(
        files_with("connect_timeout("),
        [Path::new("client/transport/http_client.rs")]
    );
}

/// REP-71: the crates that send requests and that make the waits are named in one private module each, so no type of them
/// can be part of the API.
#[test]
fn foreign_crates_stay_behind_one_module() {
    let sending = files_with("reqwest::");
    let transport =
        |file: &PathBuf| file.starts_with("client/transport") || file.ends_with("client/transport.rs");
    assert!(
        !sending.is_empty() && sending.iter().all(transport),
        "{sending:?}"
    );
    assert_eq!(files_with("backoff::"), [Path::new("retry/schedule.rs")]);
    for (module, line) in [("client.rs", "mod transport;"), ("retry.rs", "mod schedule;")] {
        let code = fs::read_to_string(source().join(module)).unwrap();
        assert!(code.lines().any(|found| found == line), "{line} is public");
    }
}
