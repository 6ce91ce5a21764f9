use std::process::Command;

/// Runs one test of this binary, an ignored one too, in a process of its own with other variables.
pub(crate) fn run_alone(test: &str, variables: &[(&str, &str)]) {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", test, "--include-ignored", "--nocapture"]);
    for name in ["CHECKFU_API_KEY", "CHECKFU_BASE_URL", "CHECKFU_WORKSPACE_ID"] {
        command.env_remove(name);
    }
    let output = command.envs(variables.iter().copied()).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        output.status.success() && text.contains("1 passed"),
        "{text}{errors}"
    );
}

/// Runs a test of this binary again, in a process of its own, where this says `true` and does nothing.
pub(crate) fn is_alone(test: &str) -> bool {
    const ALONE: &str = "CHECKFU_TEST_ALONE";
    if std::env::var_os(ALONE).is_some() {
        return true;
    }
    run_alone(test, &[(ALONE, "1")]);
    false
}

/// Runs a test of this binary again, in a process of its own that may open this many files.
pub(crate) fn run_with_open_files(test: &str, files: u64) {
    let script = format!("ulimit -n {files} && exec \"$0\" --exact {test} --nocapture");
    let mut command = Command::new("sh");
    let output = command
        .args(["-c", &script])
        .arg(std::env::current_exe().unwrap())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        output.status.success() && text.contains("1 passed"),
        "{text}{errors}"
    );
}

/// How many files this process may open.
pub(crate) fn open_files() -> u64 {
    let limits = std::fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let line = limits
        .lines()
        .find_map(|line| line.strip_prefix("Max open files"));
    let soft = line.and_then(|line| line.split_whitespace().next());
    soft.and_then(|soft| soft.parse().ok()).unwrap_or(u64::MAX)
}
