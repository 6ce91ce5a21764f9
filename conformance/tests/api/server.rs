//! The reference server in process, and plans against it or against something in front of it.

use std::time::Duration;

use checkfu_conformance::{Limits, Plan, Profile, Report, Target, run};
use checkfu_mock_server::MockServer;

pub(crate) async fn reference() -> MockServer {
    MockServer::builder()
        .step_delay(Duration::from_millis(1))
        .start()
        .await
        .unwrap()
}

/// A plan under the profile `reference` with the default limits.
pub(crate) fn plan(url: &str, server: &MockServer) -> Plan {
    Plan::new(target(url, server)).with_profile(Profile::Reference)
}

/// The server at this address, with the ids of the reference server.
pub(crate) fn target(url: &str, server: &MockServer) -> Target {
    let target = Target::new(url, server.api_key(), server.principal_id()).unwrap();
    target.with_deployment(Some(server.deployment_id().to_owned()))
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
    run(plan, std::future::pending(), |_| {}).await
}
