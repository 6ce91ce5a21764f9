use std::{fmt, sync::LazyLock};

use checkfu_openapi::Judge;
use serde_json::Value;

/// The published contract as a judge of bodies, open to members and types that it does not know.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Contract(&'static Judge);

/// The contract of this crate's own build cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the contract in this build is unusable: {0}")]
pub(crate) struct UnusableContract(String);

// Reading the document takes longer than many a run.
static JUDGE: LazyLock<Result<Judge, String>> =
    LazyLock::new(|| Judge::open().map_err(|error| error.to_string()));

impl Contract {
    pub(crate) fn load() -> Result<Self, UnusableContract> {
        JUDGE
            .as_ref()
            .map(Self)
            .map_err(|fault| UnusableContract(fault.clone()))
    }

    /// What is wrong with a request of the suite itself.
    pub(crate) fn request(&self, method: &str, path: &str, body: &Value) -> Option<String> {
        text(self.0.check_request(method, path, body))
    }

    /// What is wrong with an answer's JSON body.
    pub(crate) fn response(&self, method: &str, path: &str, status: u16, body: &Value) -> Option<String> {
        text(self.0.check_response(method, path, status, body))
    }

    /// What is wrong with the data of a stream frame.
    pub(crate) fn frame(&self, data: &Value) -> Option<String> {
        text(self.0.check_frame(data))
    }

    /// Whether the contract has this path and method at all.
    pub(crate) fn knows(&self, method: &str, path: &str) -> bool {
        self.0.operation(method, path).is_some()
    }
}

fn text(judgement: Result<(), impl fmt::Display>) -> Option<String> {
    judgement.err().map(|violations| violations.to_string())
}
