use std::process::Command;

/// Runs one test of this binary that is ignored by default, in a process of its own with other variables.
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
