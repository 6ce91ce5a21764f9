use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

const REACHED: &str = "REACHED";

/// Says where this process is, and stays there if that is the place to be killed at, `CHECKFU_TEST_STOP_AT`.
pub(crate) async fn pass(place: &str) {
    if std::env::var("CHECKFU_TEST_STOP_AT").is_ok_and(|stop_at| stop_at == place) {
        println!("{REACHED}");
        std::future::pending::<()>().await;
    }
}

/// Starts this binary again as this test of its own, and kills it at the place `stop_at`.
pub(crate) async fn kill_at(alone: &str, stop_at: &str, variables: &[(&str, &str)]) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", alone, "--include-ignored", "--nocapture"])
        .env("CHECKFU_TEST_STOP_AT", stop_at)
        .envs(variables.iter().copied())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let stdout = child.stdout.take().unwrap();
    let reached = tokio::task::spawn_blocking(move || {
        let mut lines = BufReader::new(stdout).lines().map_while(Result::ok);
        lines.any(|line| line.contains(REACHED))
    });
    assert!(reached.await.unwrap(), "{alone} never reached {stop_at}");
    child.kill().unwrap();
    child.wait().unwrap();
}
