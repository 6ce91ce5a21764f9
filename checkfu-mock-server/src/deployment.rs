//! AgentDeployments and their immutable revisions (SES-11, SES-12).

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use crate::core::admission::{AgentSnapshot, ThreadAgent};
use crate::core::id::{DeploymentId, WorkspaceId};
use crate::core::moment::Moment;
use crate::scenario::model::{AgentDraft, Scenario};

/// A deployed Agent.
#[derive(Debug, Clone)]
pub(crate) struct Deployment {
    pub(crate) id: DeploymentId,
    pub(crate) name: String,
    pub(crate) workspace_id: WorkspaceId,
    pub(crate) created_at: Moment,
    /// Oldest first, never empty once published, numbered from 1.
    pub(crate) revisions: Vec<Revision>,
}

/// One immutable revision of a deployment.
#[derive(Debug, Clone)]
pub(crate) struct Revision {
    pub(crate) number: u32,
    /// What its Agent does.
    pub(crate) scenario: Arc<Scenario>,
    pub(crate) agent: AgentSnapshot,
    /// The Agent of the primary thread (THR-12).
    pub(crate) thread_agent: ThreadAgent,
    /// The Agents of children, by name (THR-2).
    pub(crate) roster: BTreeMap<String, ThreadAgent>,
    pub(crate) created_at: Moment,
}

impl Deployment {
    /// One without a revision yet.
    pub(crate) fn new(id: DeploymentId, name: String, workspace_id: WorkspaceId, created_at: Moment) -> Self {
        Self {
            id,
            name,
            workspace_id,
            created_at,
            revisions: Vec::new(),
        }
    }

    /// Adds the next revision.
    pub(crate) fn publish(&mut self, scenario: Arc<Scenario>, created_at: Moment) {
        let number = self.next_number();
        let profile = self.sandbox_profile_version(&scenario);
        let digits = self.digits();
        let agent = AgentSnapshot {
            release: object(json!({"agent_id": format!("agnt_{digits}"), "version": number})),
            harness_profile: object(json!({"id": format!("hprf_{digits}"), "version": 1})),
            model_routing: object(json!({"id": format!("mrte_{digits}"), "version": 1})),
            sandbox_profile: object(json!({
                "id": format!("sprf_{digits}"),
                "version": profile,
                "max_duration_seconds": scenario.max_duration_seconds,
            })),
            skills: Vec::new(),
        };
        let children = scenario.roster.iter().map(|(name, child)| {
            let digest = Sha256::digest(format!("{} {name}", self.id));
            let digits = data_encoding::HEXLOWER.encode(digest.get(..16).unwrap_or_default());
            (name.clone(), self.thread_agent(&digits, number, &child.agent))
        });
        let revision = Revision {
            number,
            agent,
            thread_agent: self.thread_agent(digits, number, &scenario.agent),
            roster: children.collect(),
            created_at,
            scenario,
        };
        self.revisions.push(revision);
    }

    /// The number that the next revision gets.
    pub(crate) fn next_number(&self) -> u32 {
        self.revisions
            .last()
            .map_or(1, |latest| latest.number.saturating_add(1))
    }

    /// The revision that a new Session gets when it names none.
    pub(crate) fn current(&self) -> Option<&Revision> {
        self.revisions.last()
    }

    /// The revision with this number.
    pub(crate) fn revision(&self, number: u32) -> Option<&Revision> {
        self.revisions.iter().find(|revision| revision.number == number)
    }

    /// A SandboxProfile whose time limit changes is another version of it.
    fn sandbox_profile_version(&self, scenario: &Scenario) -> usize {
        let limits = self
            .revisions
            .iter()
            .map(|revision| revision.scenario.max_duration_seconds);
        let limits: Vec<u64> = limits.chain([scenario.max_duration_seconds]).collect();
        1 + limits
            .windows(2)
            .filter(|pair| pair.first() != pair.last())
            .count()
    }

    fn thread_agent(&self, digits: &str, number: u32, agent: &AgentDraft) -> ThreadAgent {
        let mut draft = agent.draft.clone();
        draft.insert("name".to_owned(), Value::from(agent.name.as_str()));
        ThreadAgent {
            id: format!("agnt_{digits}"),
            workspace_id: self.workspace_id.clone(),
            version: number,
            source_draft_revision: number,
            draft,
        }
    }

    /// The part of the identifier that tells it from others.
    fn digits(&self) -> &str {
        let id = self.id.as_str();
        id.strip_prefix(DeploymentId::PREFIX).unwrap_or(id)
    }
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}
