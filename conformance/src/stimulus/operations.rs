use std::sync::LazyLock;

use checkfu_openapi::{Document, Operation};
use serde_json::{Value, json};

use super::{
    bench::Bench,
    session::{self, Session},
    turn,
};
use crate::{stop::Stop, wire::request::Request};

/// An operation of the contract, and a request that asks for it.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) operation: &'static Operation,
    pub(crate) request: Request,
}

/// What the parameters of paths stand for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place<'p> {
    pub(crate) session_id: &'p str,
    pub(crate) thread_id: &'p str,
    pub(crate) deployment_id: &'p str,
}

// Reading the document takes longer than many a run.
static WITH_A_KEY: LazyLock<Result<Vec<Operation>, String>> =
    LazyLock::new(|| with_a_key().map_err(|error| error.to_string()));

impl Asked {
    pub(crate) fn reads(&self) -> bool {
        self.operation.method == "GET"
    }

    pub(crate) fn streams(&self) -> bool {
        self.reads() && self.operation.path.ends_with("/stream")
    }

    /// Whether it is about one Session, named in its path.
    pub(crate) fn is_of_a_session(&self) -> bool {
        self.operation.path.contains("{session_id}")
    }

    /// The method and the template of the path.
    pub(crate) fn name(&self) -> String {
        format!("{} {}", self.operation.method, self.operation.path)
    }
}

/// A request for every operation of the contract that takes a key. A Session is named where one has to be; of a Run, a
/// Watch and an approval the ids are unknown. Each mutation has an idempotency key, so that it can be sent again where its
/// connection breaks.
pub(crate) fn every(bench: &Bench, place: Place<'_>) -> Result<Vec<Asked>, Stop> {
    let operations = WITH_A_KEY.as_ref();
    let operations = operations.map_err(|error| Stop::Error(error.clone()))?;
    let asked = |operation| Asked {
        operation,
        request: request(bench, operation, place),
    };
    Ok(operations.iter().map(asked).collect())
}

/// The deployment of a Session.
pub(crate) fn deployment_of(session: &Session) -> &str {
    let named = session.resource["agent_deployment_id"].as_str();
    named.unwrap_or("adep_00000000000000000000000000000000")
}

fn with_a_key() -> Result<Vec<Operation>, checkfu_openapi::DocumentError> {
    let document = Document::parse()?;
    let takes_a_key = |operation: &Operation| {
        let item = &document.root()["paths"][&operation.path][operation.method.to_lowercase()];
        item["security"] != json!([])
    };
    let all = document.operations();
    Ok(all.into_iter().filter(takes_a_key).collect())
}

fn request(bench: &Bench, operation: &Operation, place: Place<'_>) -> Request {
    let path = path(&operation.path, place);
    let request = match operation.method.as_str() {
        "GET" if operation.id == "diffSessions" => Request::get(path).query("other", place.session_id),
        "GET" => Request::get(path),
        "DELETE" => Request::delete(path),
        _ => match body(bench, &operation.id, place) {
            Some(body) => Request::post(path, &body),
            None => Request::post_empty(path),
        },
    };
    match operation.method.as_str() {
        "GET" => request,
        _ => request.header("idempotency-key", bench.fresh_name("refused")),
    }
}

fn path(template: &str, place: Place<'_>) -> String {
    let unknown = |prefix: &str| format!("{prefix}_00000000000000000000000000000000");
    let filled = template.split('/').map(|part| match part {
        "{session_id}" => place.session_id.to_owned(),
        "{thread_id}" => place.thread_id.to_owned(),
        "{agent_deployment_id}" => place.deployment_id.to_owned(),
        "{action_approval_id}" => unknown("appr"),
        part => match part.strip_prefix('{').and_then(|part| part.strip_suffix("_id}")) {
            Some(what) => unknown(what),
            None => part.to_owned(),
        },
    });
    filled.collect::<Vec<_>>().join("/")
}

/// A body that the operation would act on.
fn body(bench: &Bench, id: &str, place: Place<'_>) -> Option<Value> {
    match id {
        "createSession" => Some(session::creation_of(bench, place.deployment_id)),
        "postEvent" => Some(turn::message(bench, &bench.fresh_name("refused"))),
        "forkSession" => Some(json!({})),
        "createWatch" => Some(json!({
            "source": {"type": "http", "url": "https://ci.example.com/builds/1"},
            "condition": {"type": "changed", "pointer": "/0/name"},
            "prompt": "The build ended.",
        })),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_parameter_is_left_in_a_path_and_no_method_is_unknown() {
        let place = Place {
            session_id: "sess_1",
            thread_id: "sthr_1",
            deployment_id: "adep_1",
        };
        let operations = with_a_key().unwrap();
        assert!(operations.len() > 25, "{}", operations.len());
        for operation in operations {
            let filled = path(&operation.path, place);
            assert!(!filled.contains(['{', '}']), "{filled}");
            let known = ["GET", "POST", "DELETE"].contains(&operation.method.as_str());
            assert!(known, "{} {}", operation.method, operation.path);
        }
    }

    #[test]
    fn every_body_that_the_contract_asks_for_is_sent() {
        let document = Document::parse().unwrap();
        let with_body = ["createSession", "postEvent", "forkSession", "createWatch"];
        for operation in with_a_key().unwrap() {
            let item = &document.root()["paths"][&operation.path][operation.method.to_lowercase()];
            let asked = !item["requestBody"].is_null();
            assert_eq!(
                asked,
                with_body.contains(&operation.id.as_str()),
                "{}",
                operation.id
            );
        }
    }
}
