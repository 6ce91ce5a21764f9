//! Whether a refusal is the operator's matter: an id that he gave, and that the server does not know.

use serde_json::Value;

use crate::{
    agent::AgentKind,
    created::created,
    json,
    stimulus::bench::Bench,
    stop::Stop,
    wire::{exchange::Exchange, request::Request},
};

/// Lists that carry none of the operator's ids; a server that takes one of them does not refuse everything.
const OPEN_LISTS: [&str; 3] = ["/v1/agent_deployments", "/v1/capabilities", "/v1/sessions"];

/// What the operator gave.
struct Given<'t> {
    /// The member of a creation that has it.
    member: &'static str,
    flag: &'static str,
    variable: &'static str,
    id: Option<&'t str>,
    fix: &'static str,
}

/// Notes that the first creation of a run was refused for an id that the operator gave, if that is what the answer says.
///
/// Only a refusal that the contract has counts (400, 403 or 404 with its body), and only if it names the id or its member
/// and the server takes a request without it. A server that refuses everything, in whatever form, is to be judged.
pub(crate) async fn note_refused_creation(bench: &Bench, answer: &Exchange) {
    let Some(refusal) = Refusal::read(bench, answer) else {
        return;
    };
    let target = &bench.target;
    let given = [
        Given {
            member: "principal_id",
            flag: "--principal",
            variable: "CHECKFU_PRINCIPAL_ID",
            id: Some(&target.principal),
            fix: "give the id of a Principal that the key may act for",
        },
        Given {
            member: "agent_deployment_id",
            flag: "--agent-deployment",
            variable: "CHECKFU_AGENT_DEPLOYMENT_ID",
            id: target.deployment.as_deref(),
            fix: "give the id of a deployment that GET /v1/agent_deployments lists, or none to take the first",
        },
    ];
    let named = given
        .iter()
        .find_map(|given| Some((given, given.id.filter(|id| refusal.names(given.member, id))?)));
    let Some((given, id)) = named else {
        return;
    };
    if created(bench).sessions.is_empty() && takes_another(bench).await {
        bench.note_misconfiguration(refusal.told(given.flag, given.variable, id, given.fix));
    }
}

/// Why the server cannot be judged under the Workspace that the operator gave: it shows deployments without it, and under it
/// none, or it refuses the list with a refusal that the contract has. `without` makes the means to ask without one.
pub(crate) async fn refused_workspace(
    bench: &Bench,
    without: impl FnOnce() -> Result<Bench, Stop>,
) -> Option<String> {
    let id = bench.target.workspace.as_deref()?;
    let list = || Request::get(OPEN_LISTS[0]).query("limit", 1);
    let answer = bench.send(list()).await.ok()?;
    let fix = "give the id of the key's Workspace, or none";
    let (flag, variable) = ("--workspace", "CHECKFU_WORKSPACE_ID");
    let told = match Refusal::read(bench, &answer) {
        Some(refusal) => refusal.told(flag, variable, id, fix),
        None if listed(&answer)? == 0 => format!(
            "the server has no deployment under {flag} {id} ({variable}), and has some without it: {fix}; nothing was judged"
        ),
        None => return None,
    };
    let without = without().ok()?.send(list()).await.ok()?;
    (listed(&without)? > 0).then_some(told)
}

/// Why no Session of the operator's deployment for this kind of Agent can be made, if he named one that the server does not
/// know: only by a refusal that the contract has and that names it.
pub(crate) fn refused_agent(bench: &Bench, kind: AgentKind, answer: &Exchange) -> Option<String> {
    let id = bench.target.agents.get(&kind)?;
    let refusal = Refusal::read(bench, answer)?;
    let Refusal {
        status,
        code,
        message,
        ..
    } = &refusal;
    refusal.names("agent_deployment_id", id).then(|| {
        format!(
            "the server refuses --agent {kind}={id} with {status} {code}, {message:?}: give the id of a deployment that \
             GET /v1/agent_deployments lists"
        )
    })
}

async fn takes_another(bench: &Bench) -> bool {
    for path in OPEN_LISTS {
        let answer = bench.send(Request::get(path)).await;
        if answer.is_ok_and(|answer| listed(&answer).is_some()) {
            return true;
        }
    }
    false
}

/// How many entries this page of a list has, if it is one.
fn listed(answer: &Exchange) -> Option<usize> {
    let body = json::read(answer.body()).ok()?;
    let data = body.get("data").and_then(Value::as_array)?;
    (answer.status() == 200).then_some(data.len())
}

/// A refusal as the contract has it.
struct Refusal {
    status: u16,
    code: String,
    message: String,
    param: Option<String>,
}

impl Refusal {
    fn read(bench: &Bench, answer: &Exchange) -> Option<Self> {
        let status = answer.status();
        if ![400, 403, 404].contains(&status) || !answer.is_complete() {
            return None;
        }
        let body = json::read(answer.body()).ok()?;
        let path = answer.path().split('?').next().unwrap_or_default();
        let fault = bench.contract.response(answer.method(), path, status, &body);
        let text = |pointer: &str| body.pointer(pointer)?.as_str().map(str::to_owned);
        if fault.is_some() || text("/type")? != "error" {
            return None;
        }
        Some(Self {
            status,
            code: text("/error/code")?,
            message: text("/error/message")?,
            param: text("/error/param"),
        })
    }

    fn names(&self, member: &str, id: &str) -> bool {
        let param = self.param.as_deref().map(|param| param.trim_start_matches('/'));
        param == Some(member) || (param.is_none() && !id.is_empty() && self.message.contains(id))
    }

    fn told(&self, flag: &str, variable: &str, id: &str, fix: &str) -> String {
        let Self {
            status,
            code,
            message,
            ..
        } = self;
        format!(
            "the server refuses {flag} {id} ({variable}) with {status} {code}, {message:?}: {fix}; nothing was judged"
        )
    }
}
