use std::{collections::BTreeMap, sync::Arc};

use serde_json::{Value, json};

use super::{
    Stimulus,
    bench::{Bench, Opened},
    session::{self, Session},
    thread,
};
use crate::{
    capability::{CAPABILITIES, Claim, Probe},
    expect,
    stop::Stop,
    wire::{exchange::Exchange, request::Request},
};

/// What the server lists: each capability, and whether it is enabled.
#[derive(Debug, Clone)]
pub(crate) struct Listed {
    entries: BTreeMap<String, bool>,
    answer: Arc<Exchange>,
}

/// A request for a capability, and how it was answered.
#[derive(Debug, Clone)]
pub(crate) struct Probed {
    pub(crate) capability: &'static str,
    pub(crate) answer: Arc<Exchange>,
    pub(crate) outcome: Probe,
}

/// One look at every capability that the run may ask for.
#[derive(Debug, Clone)]
pub(crate) struct Survey {
    session: Session,
    own: bool,
    pub(crate) probed: Vec<Probed>,
}

impl Listed {
    /// A server that lists none, or lists nothing, says nothing of any.
    pub(crate) async fn read(bench: &Bench) -> Result<Self, Stop> {
        let answer = bench.send(Request::get("/v1/capabilities")).await?;
        let listed = match expect::json(&answer) {
            Ok(body) if answer.status() == 200 => body["data"].as_array().cloned().unwrap_or_default(),
            _ => Vec::new(),
        };
        let entry = |entry: &Value| Some((entry["id"].as_str()?.to_owned(), entry["enabled"].as_bool()?));
        Ok(Self {
            entries: listed.iter().filter_map(entry).collect(),
            answer,
        })
    }

    /// The list itself.
    pub(crate) fn answer(&self) -> &Exchange {
        &self.answer
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub(crate) fn says(&self, id: &str) -> Option<bool> {
        self.entries.get(id).copied()
    }
}

impl Survey {
    /// Asks for everything, reading this Session; writes only to one of the suite's own.
    pub(crate) async fn take(bench: &Bench, session: Session, own: bool) -> Result<Self, Stop> {
        let mut survey = Self {
            session,
            own,
            probed: Vec::new(),
        };
        for capability in CAPABILITIES {
            survey.probed.extend(survey.ask(bench, capability).await?);
        }
        Ok(survey)
    }

    /// Asks for one capability once more.
    pub(crate) async fn ask(&self, bench: &Bench, capability: &'static str) -> Result<Vec<Probed>, Stop> {
        let mut probed = Vec::new();
        for request in probes(bench, capability, &self.session, self.own) {
            let answer = match bench.open_any(request).await? {
                Opened::Answer(answer) => answer,
                Opened::Stream(reading) => bench.close(*reading),
            };
            probed.push(Probed {
                capability,
                outcome: outcome(&answer),
                answer,
            });
        }
        Ok(probed)
    }

    /// All answers together: one refusal makes it refused, otherwise one success makes it work.
    pub(crate) fn outcome(&self, capability: &str) -> Probe {
        let of_it = || {
            self.probed
                .iter()
                .filter(|probed| probed.capability == capability)
        };
        let any = |outcome| of_it().any(|probed| probed.outcome == outcome);
        let ranked = [Probe::Refused, Probe::Works, Probe::Forbidden, Probe::Unclear];
        ranked
            .into_iter()
            .find(|outcome| any(*outcome))
            .unwrap_or(Probe::NotProbed)
    }
}

/// Stops a check whose capability the server does not have, by the operator's word or its own; how it refuses is the
/// matter of other checks. A server that says nothing is asked, without touching a Session.
pub(crate) async fn offered(bench: &Bench, listed: &Listed, id: &str) -> Result<(), Stop> {
    let absent = match (bench.claim(id), listed.says(id)) {
        (Claim::Off, _) => {
            return Err(off(claimed_off(id)));
        }
        (_, Some(false)) => Some("is disabled"),
        (_, Some(true)) => None,
        (_, None) => refused_unasked(bench, id)
            .await?
            .then_some("is refused as a disabled one is"),
    };
    let Some(absent) = absent else { return Ok(()) };
    Err(missing(bench, id, format!("the capability {id} {absent}")))
}

/// Why a check does not apply whose capability the operator says to be off.
pub(crate) fn claimed_off(id: &str) -> String {
    format!("the capability {id} is claimed off (--capability {id}=off)")
}

/// Why a check ends whose request was refused as a disabled capability is.
pub(crate) fn disabled(bench: &Bench, listed: &Listed, refusal: &Value, answer: &Exchange) -> Stop {
    let details = refusal.pointer("/error/details").and_then(Value::as_object);
    let named = details
        .into_iter()
        .flat_map(|details| details.values())
        .filter_map(Value::as_str);
    let known = named
        .into_iter()
        .find_map(|name| CAPABILITIES.into_iter().find(|id| *id == name));
    // A server cannot have a capability for those alone who do not look closely.
    if let Some(id) = known.filter(|id| listed.says(id) == Some(true) && bench.claim(id) != Claim::Off) {
        let expected = format!("{id} to be offered, as it is listed");
        return Stop::fail(expected, "403 capability.disabled", answer);
    }
    missing(
        bench,
        known.unwrap_or_default(),
        "the server has this disabled".to_owned(),
    )
}

fn missing(bench: &Bench, id: &str, why: String) -> Stop {
    match bench.claim(id) {
        Claim::On => Stop::Blocked {
            by: "srv.capability.claimed-but-refused",
            why,
            contradiction: None,
        },
        _ => off(why),
    }
}

/// Whether reading it on a Session that does not exist is refused as a disabled capability is.
async fn refused_unasked(bench: &Bench, id: &str) -> Result<bool, Stop> {
    let path = session::path(session::UNKNOWN_SESSION);
    let request = match id {
        "threads" => Request::get(format!("{path}/threads")),
        "diffs" => Request::get(format!("{path}/diff")).query("other", session::UNKNOWN_SESSION),
        "waits" => Request::get(format!("{path}/action_approvals")),
        "previews" => Request::get(format!("{path}/events/stream")).query("event_deltas", "agent.message"),
        _ => return Ok(false),
    };
    let answer = match bench.open_any(request).await? {
        Opened::Answer(answer) => answer,
        Opened::Stream(reading) => bench.close(*reading),
    };
    Ok(outcome(&answer) == Probe::Refused)
}

fn off(why: String) -> Stop {
    Stop::NotApplicable(why)
}

fn outcome(answer: &Exchange) -> Probe {
    let code = expect::json(answer).ok();
    let code = code
        .as_ref()
        .and_then(|body| body.pointer("/error/code")?.as_str());
    match (answer.status(), code) {
        (200..300, _) => Probe::Works,
        (403, Some("capability.disabled")) => Probe::Refused,
        (403, Some(_)) => Probe::Forbidden,
        // What has the capability may refuse this one request of it.
        (400 | 409 | 422, Some(_)) => Probe::Works,
        (404, Some(code)) if code.starts_with("runtime.") => Probe::Works,
        _ => Probe::Unclear,
    }
}

/// Requests that a server with the capability would act on: those that read, and where it may be written to, the others.
pub(crate) fn probes(bench: &Bench, capability: &str, session: &Session, writes: bool) -> Vec<Request> {
    let below = |tail: &str| format!("{}/{tail}", session.path());
    let mut requests = match capability {
        "threads" => {
            let unknown = thread::path(&session.id, thread::UNKNOWN_THREAD);
            let events = format!("{unknown}/events");
            [below("threads"), unknown, events].map(Request::get).to_vec()
        }
        "waits" => vec![Request::get(below("action_approvals"))],
        "previews" => vec![Request::get(session.stream()).query("event_deltas", "agent.message")],
        "diffs" => vec![Request::get(below("diff")).query("other", &session.id)],
        "checkpoints" => vec![Request::get(below("checkpoints"))],
        "watches" => ["watches", "watches/watch_00000000000000000000000000000000"]
            .map(|tail| Request::get(below(tail)))
            .to_vec(),
        _ => Vec::new(),
    };
    if writes && bench.stimulus >= Stimulus::Create {
        requests.extend(writing(bench, capability, session));
    }
    requests
}

fn writing(bench: &Bench, capability: &str, session: &Session) -> Vec<Request> {
    let signed = |kind: &str, mut payload: Value| {
        payload["authored_by"] = bench.target.principal.as_str().into();
        payload["caused_by"] = json!({"kind": "api"});
        Request::post(session.events(), &json!({"type": kind, "payload": payload}))
    };
    let mounted = |name: &str, mount: Value| {
        let mut body = json!({"principal_id": bench.target.principal});
        body["title"] = super::title::title(bench).into();
        body["agent_deployment_id"] = session.resource["agent_deployment_id"].clone();
        body[name] = json!([mount]);
        Request::post("/v1/sessions", &body)
    };
    match capability {
        "interrupts" => vec![signed("user.interrupt", json!({}))],
        "waits" => vec![
            signed(
                "user.question_answer",
                json!({"question_id": "question_1", "answer": "yes"}),
            ),
            signed(
                "user.custom_tool_result",
                json!({"tool_use_id": "toolu_1", "result": {}}),
            ),
            signed(
                "user.tool_confirmation",
                json!({"tool_use_id": "toolu_1", "result": "allow"}),
            ),
        ],
        // Where it is there, it starts a Run.
        "outcomes" if bench.stimulus >= Stimulus::Work => vec![signed(
            "user.define_outcome",
            json!({"description": "Say hello.", "rubric": "It greets."}),
        )],
        "forks" => vec![Request::post(format!("{}/fork", session.path()), &json!({}))],
        "project_mounts" => {
            let id = "proj_00000000000000000000000000000001";
            let mount =
                json!({"project_id": id, "mount_path": "/workspace/app", "revision": {"type": "latest"}});
            vec![mounted(capability, mount)]
        }
        "memory_mounts" => {
            let id = "mems_00000000000000000000000000000001";
            vec![mounted(
                capability,
                json!({"memory_store_id": id, "access": "read_only"}),
            )]
        }
        _ => Vec::new(),
    }
}
