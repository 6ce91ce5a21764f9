//! The reference server in process, and plans against it or against something in front of it.

use std::{
    net::{IpAddr, Ipv4Addr},
    sync::LazyLock,
    time::Duration,
};

use checkfu_conformance::{Claim, Control, Limits, Plan, Profile, REPORT_SCHEMA_JSON, Report, Target, run};
use checkfu_mock_server::MockServer;
use jsonschema::Validator;
use serde_json::Value;

pub(crate) async fn reference() -> MockServer {
    MockServer::builder()
        .step_delay(Duration::from_millis(1))
        .control(IpAddr::from(Ipv4Addr::LOCALHOST), 0)
        .start()
        .await
        .unwrap()
}

/// One whose Agents never do anything.
pub(crate) async fn idle() -> MockServer {
    MockServer::builder()
        .step_delay(Duration::from_secs(3600))
        .start()
        .await
        .unwrap()
}

/// A plan under the profile `reference` with the default limits, for a server of which threads are claimed.
pub(crate) fn claiming(url: &str, server: &MockServer) -> Plan {
    plan(url, server).with_claim("threads", Claim::On).unwrap()
}

/// A plan under the profile `reference` with the default limits.
pub(crate) fn plan(url: &str, server: &MockServer) -> Plan {
    Plan::new(target(url, server)).with_profile(Profile::Reference)
}

/// The server at this address, with the ids of the reference server.
pub(crate) fn target(url: &str, server: &MockServer) -> Target {
    let target = Target::new(url, server.api_key(), server.principal_id()).unwrap();
    let control = server.control_url().zip(server.control_token());
    target
        .with_deployment(Some(server.deployment_id().to_owned()))
        .with_control(control.map(|(url, token)| Control::new(url, token).unwrap()))
}

/// For servers that are bound to keep the suite waiting.
pub(crate) fn impatient() -> Limits {
    Limits {
        answer: Duration::from_secs(3),
        turn: Duration::from_secs(4),
        ..Limits::default()
    }
}

pub(crate) async fn judge(plan: &Plan) -> Report {
    let report = run(plan, std::future::pending(), |_| {}).await;
    fits_schema(&report.to_json().unwrap());
    report
}

static SCHEMA: LazyLock<Validator> = LazyLock::new(|| {
    let schema = serde_json::from_str(REPORT_SCHEMA_JSON).unwrap();
    jsonschema::draft202012::meta::validate(&schema).unwrap();
    jsonschema::draft202012::new(&schema).unwrap()
});

/// Holds a report against the published schema.
pub(crate) fn fits_schema(json: &str) {
    let document: Value = serde_json::from_str(json).unwrap();
    assert_eq!(document["format"], Report::FORMAT);
    let faults: Vec<String> = SCHEMA
        .iter_errors(&document)
        .map(|fault| format!("{}: {fault}", fault.instance_path()))
        .collect();
    assert!(faults.is_empty(), "{faults:#?}");
}
