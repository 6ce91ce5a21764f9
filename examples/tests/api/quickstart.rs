//! The main job, end to end.

use std::{collections::BTreeSet, path::Path};

use checkfu_mock_server::MockServer;
use checkfu_sdk::{Client, Event};
use futures::TryStreamExt;
use sqlx::{Row, SqlitePool};

use crate::run::{Finished, Running, finish, quickstart, seqs};

fn directory() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

async fn database(directory: &Path) -> SqlitePool {
    let url = format!("sqlite:{}", directory.join("follower.db").display());
    SqlitePool::connect(&url).await.unwrap()
}

/// `seq`, type and id of every applied event.
async fn applied(directory: &Path) -> Vec<(i64, String, String)> {
    let rows = sqlx::query("SELECT seq, type, id FROM events ORDER BY seq")
        .fetch_all(&database(directory).await)
        .await
        .unwrap();
    rows.iter()
        .map(|row| (row.get("seq"), row.get("type"), row.get("id")))
        .collect()
}

/// The same of every event in the server's log, read from its data directory by another server.
async fn log(directory: &Path) -> Vec<(i64, String, String)> {
    let session: String = sqlx::query_scalar("SELECT id FROM session")
        .fetch_one(&database(directory).await)
        .await
        .unwrap();
    let server = MockServer::builder()
        .data_dir(directory.join("server"))
        .start()
        .await
        .unwrap();
    let client = Client::builder()
        .base_url(server.url())
        .api_key(server.api_key())
        .build()
        .unwrap();
    let events: Vec<Event> = client
        .sessions()
        .events(session)
        .list()
        .items()
        .try_collect()
        .await
        .unwrap();
    server.shutdown().await;
    events
        .iter()
        .map(|event| {
            let seq = event.seq().get().cast_signed();
            (seq, event.event_type().to_owned(), event.id().to_string())
        })
        .collect()
}

fn assert_settled(run: &Finished) {
    assert!(run.success, "{run:#?}");
    assert!(run.line("settled").contains("idle (end_turn)"), "{run:#?}");
}

/// The number in `after seq N`.
fn after(line: &str) -> u64 {
    let (_, rest) = line
        .split_once("after seq ")
        .unwrap_or_else(|| panic!("no seq in {line:?}"));
    rest.split(|character: char| !character.is_ascii_digit())
        .next()
        .unwrap()
        .parse()
        .unwrap()
}

/// STR-2, STR-8, SES-9: the connection is lost half-way, the stream resumes after the event that was
/// applied last, and the follow ends with the settlement in the log.
#[tokio::test]
async fn a_turn_survives_a_cut_and_ends_with_its_settlement() {
    let directory = directory();
    let run = finish(quickstart(directory.path()).arg("What is a Run?"));
    assert_settled(&run);
    let cut = after(run.line("cut"));
    assert_eq!(after(run.line("lost")), cut);
    assert_eq!(after(run.line("resumed")), cut);
    assert!(run.line("resumed").contains("Last-Event-ID"));
    let printed = run.seqs();
    assert!(
        printed.iter().any(|seq| *seq > cut),
        "nothing came after the cut: {run:#?}"
    );
    let table = applied(directory.path()).await;
    assert_eq!(
        printed,
        table
            .iter()
            .map(|(seq, ..)| seq.cast_unsigned())
            .collect::<Vec<_>>()
    );
    assert_eq!(table.last().unwrap().1, "session.status_idle");
    assert!(
        run.lines
            .iter()
            .any(|line| line.contains("You wrote: What is a Run?")),
        "{run:#?}"
    );
}

/// FOL-8: an absent cursor starts at the beginning; the second run on the same directory drives the same Session one turn further, from the stored cursor.
#[tokio::test]
async fn a_second_run_goes_one_turn_further_and_prints_nothing_twice() {
    let directory = directory();
    let first = finish(&mut quickstart(directory.path()));
    let second = finish(quickstart(directory.path()).arg("And now?"));
    assert_settled(&first);
    assert_settled(&second);
    assert_eq!(first.line("session"), second.line("session"));
    let last = *first.seqs().last().unwrap();
    assert!(second.seqs().iter().all(|seq| *seq > last), "{second:#?}");
    assert!(
        second
            .lines
            .iter()
            .any(|line| line.contains("You wrote: And now?")),
        "{second:#?}"
    );
    assert_eq!(
        applied(directory.path()).await.len(),
        first.seqs().len() + second.seqs().len()
    );
}

/// Killed at a random line, a turn is finished by the next run before it begins another; no event is
/// applied or printed twice and no input is sent twice.
#[tokio::test]
async fn a_killed_run_is_finished_first() {
    for _ in 0..6 {
        let directory = directory();
        let lines = 3 + usize::from(getrandom::u32().unwrap().to_le_bytes()[0] % 13);
        println!("seed: killed after {lines} lines");
        let killed = Running::start(quickstart(directory.path()).arg("first")).kill_after(lines);
        let run = finish(quickstart(directory.path()).arg("second"));
        assert!(run.success, "{killed:#?}\n{run:#?}");

        let mut printed = seqs(&killed);
        printed.extend(run.seqs());
        let table = applied(directory.path()).await;
        let distinct: BTreeSet<u64> = printed.iter().copied().collect();
        assert_eq!(
            distinct.len(),
            printed.len(),
            "an event was printed twice: {killed:#?}\n{run:#?}"
        );
        let known: BTreeSet<u64> = table.iter().map(|(seq, ..)| seq.cast_unsigned()).collect();
        assert!(distinct.is_subset(&known));
        assert_eq!(
            table,
            log(directory.path()).await,
            "the table is not the log: {killed:#?}\n{run:#?}"
        );
        let count = |kind: &str| {
            table
                .iter()
                .filter(|(_, event_type, _)| event_type == kind)
                .count()
        };
        let turns = if killed.iter().any(|line| line.starts_with("turn")) {
            2
        } else {
            1
        };
        assert_eq!(count("user.message"), turns, "{killed:#?}\n{run:#?}");
        assert_eq!(count("session.status_idle"), turns, "{killed:#?}\n{run:#?}");
    }
}

/// WIRE-8: the same program drives another server, given by address and key alone; the directory stays bound to it.
#[tokio::test(flavor = "multi_thread")]
async fn another_server_is_named_by_url_and_key() {
    let server = MockServer::builder()
        .step_delay(std::time::Duration::from_millis(50))
        .start()
        .await
        .unwrap();
    let directory = directory();
    let there = |url: &str, key: &str| {
        let mut command = quickstart(directory.path());
        command.args(["--url", url, "--deployment", server.deployment_id()]);
        command
            .args(["--principal", server.principal_id()])
            .env("CHECKFU_API_KEY", key);
        command
    };
    let run = finish(&mut there(server.url(), server.api_key()));
    assert_settled(&run);
    assert_eq!(after(run.line("resumed")), after(run.line("cut")));
    assert!(
        !directory.path().join("server").exists(),
        "a server was started here all the same"
    );

    let slash = finish(&mut there(&format!("{}/", server.url()), server.api_key()));
    assert_settled(&slash);

    let elsewhere = finish(&mut quickstart(directory.path()));
    assert!(!elsewhere.success);
    assert!(elsewhere.errors.contains("give another --dir"), "{elsewhere:#?}");

    let refused = finish(&mut there(server.url(), "wrong-key"));
    assert!(!refused.success && refused.errors.contains("401"), "{refused:#?}");
    assert!(
        !format!("{refused:?}").contains("wrong-key"),
        "the key is printed"
    );

    let nothing = finish(&mut there("http://127.0.0.1:1", server.api_key()));
    assert!(
        nothing.errors.contains("not of http://127.0.0.1:1"),
        "{nothing:#?}"
    );
    server.shutdown().await;
}

/// A mistake is named and leaves a directory that works: no server is bound before it made a Session, and an input that
/// the server refused does not stand in the way of the next.
#[tokio::test(flavor = "multi_thread")]
async fn a_mistake_does_not_spoil_the_directory() {
    let directory = directory();
    let empty = finish(quickstart(directory.path()).arg("  "));
    assert!(empty.errors.contains("the text is empty"), "{empty:#?}");

    let keyless = finish(quickstart(directory.path()).args(["--url", "http://127.0.0.1:1"]));
    assert!(
        keyless.errors.contains("CHECKFU_AGENT_DEPLOYMENT_ID"),
        "{keyless:#?}"
    );
    let there = |url: &str| {
        let mut command = quickstart(directory.path());
        let (deployment, principal) = (format!("adep_{:032x}", 1), format!("prin_{:032x}", 1));
        command.args([
            "--url",
            url,
            "--deployment",
            &deployment,
            "--principal",
            &principal,
        ]);
        command.env("CHECKFU_API_KEY", "key");
        command
    };
    let nobody = finish(&mut there("http://127.0.0.1:1"));
    assert!(
        nobody
            .errors
            .contains("cannot reach 127.0.0.1:1: Connection refused"),
        "{nobody:#?}"
    );
    let password = finish(&mut there("http://user:secret@127.0.0.1:1"));
    assert!(
        !password.success && !format!("{password:?}").contains("secret"),
        "{password:#?}"
    );

    let long = finish(quickstart(directory.path()).arg("x".repeat(100_000)));
    assert_settled(&long);
    let huge = directory.path().join("huge");
    let refused = finish(quickstart(&huge).arg(format!("\u{1b}[31m{}", "y".repeat(9))));
    assert_settled(&refused);
    assert!(
        refused.lines.iter().all(|line| !line.contains('\u{1b}')),
        "{refused:#?}"
    );
}

/// A directory whose server lost its log says so, and one in use keeps a second run out.
#[tokio::test]
async fn a_lost_log_and_a_second_run_are_named() {
    let directory = directory();
    assert_settled(&finish(&mut quickstart(directory.path())));
    let server = directory.path().join("server");
    let old = directory.path().join("old");
    std::fs::rename(&server, &old).unwrap();
    let lost = finish(&mut quickstart(directory.path()));
    assert!(
        lost.errors.contains("the server does not know Session"),
        "{lost:#?}"
    );
    assert!(lost.errors.contains("give another --dir"), "{lost:#?}");

    let lock = std::fs::File::open(directory.path().join("lock")).unwrap();
    lock.lock().unwrap();
    let second = finish(&mut quickstart(directory.path()));
    assert!(
        second.errors.contains("another quickstart works in"),
        "{second:#?}"
    );
}

/// A-ANCHOR: a server that was set back to an earlier state gives numbers out again. The follow stops and says that it
/// cannot go on; it never takes an old settlement for the new turn's.
#[tokio::test]
async fn a_log_that_was_set_back_is_never_followed_in_silence() {
    let directory = directory();
    assert_settled(&finish(&mut quickstart(directory.path())));
    let server = directory.path().join("server");
    let old = directory.path().join("old");
    copy(&server, &old);
    assert_settled(&finish(&mut quickstart(directory.path())));
    std::fs::remove_dir_all(&server).unwrap();
    std::fs::rename(&old, &server).unwrap();
    for _ in 0..2 {
        let run = finish(&mut quickstart(directory.path()));
        assert!(!run.success, "{run:#?}");
        assert!(run.errors.contains("cannot be followed any further"), "{run:#?}");
        assert!(run.lines.iter().all(|line| !line.starts_with("lost")), "{run:#?}");
    }
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        std::fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
}
