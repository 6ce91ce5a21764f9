//! The README's program is the one that is built and run here.

use std::process::Command;

use checkfu_mock_server::MockServer;
use sqlx::SqlitePool;

const README: &str = include_str!("../../../README.md");
const PROGRAM: &str = include_str!("../../src/bin/follow_into_sqlite.rs");

#[test]
fn the_readme_shows_the_program() {
    let (_, shown) = README.split_once("```rust,no_run\n").unwrap();
    let (shown, _) = shown.split_once("```").unwrap();
    let (_, program) = PROGRAM.split_once("from here on.\n\n").unwrap();
    let program: String = program
        .lines()
        .filter(|line| !line.starts_with("#[rustfmt::skip]"))
        .map(|line| format!("{line}\n"))
        .collect();
    assert_eq!(shown, program);
}

#[test]
fn the_readme_names_the_test_command_and_the_quickstart() {
    for command in ["cargo test --workspace", "cargo run --bin quickstart"] {
        assert!(README.lines().any(|line| line == command), "{command}");
    }
}

/// SDK-2: the program runs as it stands, against a server that is named by the environment alone.
#[tokio::test(flavor = "multi_thread")]
async fn the_program_runs_as_it_stands() {
    let server = MockServer::builder().start().await.unwrap();
    let directory = tempfile::tempdir().unwrap();
    for turn in 1..=2 {
        let output = Command::new(env!("CARGO_BIN_EXE_follow_into_sqlite"))
            .current_dir(directory.path())
            .env("CHECKFU_BASE_URL", server.url())
            .env("CHECKFU_API_KEY", server.api_key())
            .env("CHECKFU_AGENT_DEPLOYMENT_ID", server.deployment_id())
            .env("CHECKFU_PRINCIPAL_ID", server.principal_id())
            .env_remove("CHECKFU_WORKSPACE_ID")
            .output()
            .unwrap();
        assert_eq!(
            String::from_utf8_lossy(&output.stdout),
            "settled: idle (end_turn)\n",
            "{output:?}"
        );
        let database = format!("sqlite:{}", directory.path().join("projection.db").display());
        let pool = SqlitePool::connect(&database).await.unwrap();
        let seen: i64 = sqlx::query_scalar("SELECT count(*) FROM seen")
            .fetch_one(&pool)
            .await
            .unwrap();
        assert_eq!(seen, 12 * turn);
    }
    server.shutdown().await;
}
