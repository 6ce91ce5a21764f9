//! What cannot be written is no success, whichever command it comes from.

use std::{
    fs::{File, OpenOptions},
    path::PathBuf,
    process::Stdio,
};

use checkfu_mock_server::MockServer;

use crate::{
    command::{command, text},
    program::{control_with, prints, script},
    server::reference,
};

/// Takes nothing, as a full disk does.
fn full() -> File {
    OpenOptions::new().write(true).open("/dev/full").unwrap()
}

/// The write end of a pipe that nobody reads.
fn closed() -> Stdio {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    writer.into()
}

/// The exit status and what was told on stderr.
async fn told(server: &MockServer, arguments: &[&str], out: Stdio) -> (i32, String) {
    let child = command(arguments)
        .env("CHECKFU_API_KEY", server.api_key())
        .env("CHECKFU_PRINCIPAL_ID", server.principal_id())
        .stdout(out)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let output = child.wait_with_output().await.unwrap();
    (output.status.code().unwrap(), text(&output.stderr))
}

#[tokio::test]
async fn an_output_that_is_lost_exits_2_whatever_it_would_have_said() {
    let server = reference().await;
    let history = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/histories/lost-write.must-not.jsonl");
    let directory = tempfile::tempdir().unwrap();
    let line = prints(&server, &control_with("any_key").await);
    let program = script(directory.path(), &format!("{line}\nexec sleep 600"));
    let program = program.to_str().unwrap();
    for arguments in [
        &["list"][..],
        &["explain", "STR-2"],
        &["trace"],
        &["schema"],
        &["check-history", "--allow-partial", history.to_str().unwrap()],
        &["server", "--url", server.url(), "--only", "srv.session.create"],
        &[
            "model",
            "--url",
            server.url(),
            "--histories",
            "1",
            "--seed",
            "1",
            "--allow-partial",
        ],
        &["prove", "--server", program, "--only", "accepts-any-key"],
    ] {
        let (exit, errors) = told(&server, arguments, Stdio::null()).await;
        assert_eq!(exit, 0, "{arguments:?}: {errors}");
        for out in [full().into(), closed()] {
            let (exit, errors) = told(&server, arguments, out).await;
            assert_eq!(exit, 2, "{arguments:?}: {errors}");
            assert!(
                errors.contains("the output was not written"),
                "{arguments:?}: {errors}"
            );
        }
    }
    server.shutdown().await;
}

#[tokio::test]
async fn a_file_that_takes_nothing_exits_2_and_names_its_flag() {
    let server = reference().await;
    for flag in [
        "--json",
        "--junit",
        "--markdown",
        "--html",
        "--badge",
        "--write-baseline",
    ] {
        let arguments = ["server", "--url", server.url(), "--only", "srv.session.create"];
        let arguments = [&arguments[..], &[flag, "/dev/full"]].concat();
        let (exit, errors) = told(&server, &arguments, Stdio::null()).await;
        assert_eq!(exit, 2, "{flag}: {errors}");
        assert!(
            errors.contains(&format!("{flag}: the file was not written")),
            "{errors}"
        );
    }
    let (exit, errors) = told(&server, &["trace", "--write", "/dev/full"], Stdio::null()).await;
    assert_eq!(exit, 2, "{errors}");
    assert!(errors.contains("--write: /dev/full"), "{errors}");
    server.shutdown().await;
}
