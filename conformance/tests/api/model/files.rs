//! The reports of `model` and `check-history` as files.

use checkfu_conformance::model::MODEL_REPORT_SCHEMA_JSON;
use serde_json::Value;
use std::path::Path;

use super::command::model;
use crate::{
    command::{command, text},
    server::reference,
};

/// What is shown is in every form, and the JSON fits its published schema.
#[tokio::test]
async fn a_report_of_histories_is_written_in_every_form() {
    let server = reference().await;
    let directory = tempfile::tempdir().unwrap();
    let files = ["json", "junit", "markdown"].map(|form| directory.path().join(form));
    let [json, junit, markdown] = files.each_ref().map(|file| file.to_str().unwrap());
    let forms = ["--json", json, "--junit", junit, "--markdown", markdown];
    let flags = ["--seed", "3", "--histories", "2", "--budget-requests", "100000"];
    let output = model(&server, server.url(), &[&flags[..], &forms].concat())
        .output()
        .await
        .unwrap();
    let report = read(&files[0]);
    assert_eq!(report["exit"], "conformant", "{}", text(&output.stdout));
    assert_eq!((&report["seed"], &report["histories"]), (&3.into(), &2.into()));
    assert_eq!(report["budget"]["requests"], 100_000);
    assert!(report["spent"]["requests"].as_u64().unwrap() > 20, "{report}");
    server.shutdown().await;

    let forged = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/histories/lost-write.must.jsonl");
    let output = command(&[&["check-history", forged.to_str().unwrap()][..], &forms].concat())
        .output()
        .await
        .unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let report = read(&files[0]);
    assert_eq!(
        (&report["conclusion"], &report["seed"]),
        (&"nonconformant".into(), &Value::Null)
    );
    let finding = &report["cases"][0]["findings"][0];
    assert_eq!(finding["anomaly"], "lost-write");
    assert_eq!(
        (
            &report["properties"][3]["id"],
            &report["properties"][3]["verdict"]
        ),
        (&"P04".into(), &"fail".into())
    );
    for file in &files[1..] {
        let form = std::fs::read_to_string(file).unwrap();
        assert!(form.contains("lost-write") && form.contains("P04"), "{form}");
    }
    let junit = std::fs::read_to_string(&files[1]).unwrap();
    assert!(
        junit.contains("tests=\"17\"") && junit.contains("failures=\"1\""),
        "{junit}"
    );
}

/// A file that cannot be written is found out before anything is played.
#[tokio::test]
async fn a_report_that_cannot_be_written_is_refused_first() {
    let server = reference().await;
    let output = model(&server, server.url(), &["--json", "/no/such/directory/report"])
        .output()
        .await
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(
        text(&output.stderr).contains("--json: "),
        "{}",
        text(&output.stderr)
    );
    assert_eq!(text(&output.stdout), "");
    server.shutdown().await;
}

#[tokio::test]
async fn the_schema_of_histories_is_printed_as_published() {
    let output = command(&["schema", "model"]).output().await.unwrap();
    assert_eq!(text(&output.stdout), MODEL_REPORT_SCHEMA_JSON);
}

/// A report that fits the published schema.
fn read(file: &Path) -> Value {
    let schema = serde_json::from_str(MODEL_REPORT_SCHEMA_JSON).unwrap();
    jsonschema::draft202012::meta::validate(&schema).unwrap();
    let schema = jsonschema::draft202012::new(&schema).unwrap();
    let report: Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    let faults: Vec<String> = schema
        .iter_errors(&report)
        .map(|fault| format!("{}: {fault}", fault.instance_path()))
        .collect();
    assert!(faults.is_empty(), "{faults:#?}");
    report
}
