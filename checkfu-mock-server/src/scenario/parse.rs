//! Reads a scenario file.

mod placement;
mod settings;
mod steps;
mod tools;
mod words;

use std::collections::BTreeMap;

use super::error::ScenarioError;
use super::model::{AgentDraft, Child, InputKind, Rule, Scenario};
use super::reader::{Fields, Node};
use super::tree;
use placement::Place;
pub(crate) use words::check_name;
use words::{name, words};

const MAX_RULES: usize = 200;
const MAX_ROSTER: usize = 16;
const MAX_DESCRIPTION: usize = 2000;
const MAX_CONTAINS: usize = 4000;
const MAX_SLOW_STARTS: u32 = 100;

/// How many steps a file may have, nested ones included.
const MAX_STEPS: usize = 2000;

/// Reads a scenario.
///
/// # Errors
///
/// Anything that is not understood, with its line, its field and the fix.
pub(crate) fn parse(yaml: &str) -> Result<Scenario, ScenarioError> {
    let tree = tree::read(yaml)?;
    let root = Node::root(&tree);
    let fields = root.fields(&["name", "description", "agent", "settings", "roster", "rules"])?;
    let title = name(&fields.required("name")?)?;
    let (behaviour, max_duration_seconds) = settings::settings(fields.optional("settings"))?;
    let roster = roster(fields.optional("roster"))?;
    let names: Vec<&str> = roster.keys().map(String::as_str).collect();
    let rules = rules(&fields.required("rules")?, &Place::primary(&names))?;
    let scenario = Scenario {
        description: description(&fields)?,
        agent: agent(fields.optional("agent"), &title)?,
        name: title,
        behaviour,
        max_duration_seconds,
        roster,
        rules,
    };
    let steps = placement::count(&scenario);
    if steps > MAX_STEPS {
        return Err(root.error(format!("has {steps} steps; at most {MAX_STEPS} are played")));
    }
    Ok(scenario)
}

fn description(fields: &Fields<'_>) -> Result<String, ScenarioError> {
    let text = fields
        .optional("description")
        .map(|node| node.text(MAX_DESCRIPTION));
    Ok(text.transpose()?.unwrap_or_default().to_owned())
}

fn agent(node: Option<Node<'_>>, title: &str) -> Result<AgentDraft, ScenarioError> {
    let Some(node) = node else {
        return Ok(AgentDraft {
            name: title.to_owned(),
            draft: serde_json::Map::new(),
        });
    };
    let fields = node.fields(&["name", "draft"])?;
    let given = fields.optional("name").map(|node| name(&node)).transpose()?;
    Ok(AgentDraft {
        name: given.unwrap_or_else(|| title.to_owned()),
        draft: draft(fields.optional("draft"))?,
    })
}

fn draft(node: Option<Node<'_>>) -> Result<serde_json::Map<String, serde_json::Value>, ScenarioError> {
    let Some(node) = node else {
        return Ok(serde_json::Map::new());
    };
    let draft = node.object()?;
    for own in ["name", "multiagent"] {
        if draft.contains_key(own) {
            return Err(node.error(format!("{own} follows from the scenario; remove it")));
        }
    }
    Ok(draft)
}

fn roster(node: Option<Node<'_>>) -> Result<BTreeMap<String, Child>, ScenarioError> {
    let Some(node) = node else {
        return Ok(BTreeMap::new());
    };
    let mut roster = BTreeMap::new();
    for (title, node) in node.members(MAX_ROSTER)? {
        check_name(title).map_err(|problem| node.error(format!("the name of a child {problem}")))?;
        let fields = node.fields(&["draft", "rules"])?;
        let child = Child {
            agent: AgentDraft {
                name: title.to_owned(),
                draft: draft(fields.optional("draft"))?,
            },
            rules: rules(&fields.required("rules")?, &Place::child())?,
        };
        roster.insert(title.to_owned(), child);
    }
    Ok(roster)
}

fn rules(node: &Node<'_>, place: &Place<'_>) -> Result<Vec<Rule>, ScenarioError> {
    node.list(MAX_RULES)?
        .iter()
        .map(|node| rule(node, place))
        .collect()
}

fn rule(node: &Node<'_>, place: &Place<'_>) -> Result<Rule, ScenarioError> {
    let fields = node.fields(&["input", "contains", "slow_start", "steps"])?;
    let kind = fields.required("input")?;
    let input = if place.is_primary() {
        kind.choice(&InputKind::ALL)?
    } else {
        kind.choice(&InputKind::ALL[..1])?
    };
    let contains = fields.optional("contains").map(|node| words(&node, MAX_CONTAINS));
    let slow_start = fields
        .optional("slow_start")
        .map(|node| node.count(1..=MAX_SLOW_STARTS));
    let list = fields.required("steps")?;
    let steps = steps::steps(&list, &place.of_input(input))?;
    if input == InputKind::Outcome && !placement::ends_in_a_verdict(&steps) {
        return Err(list.error("an outcome needs its grader: add one grade, or a fail"));
    }
    Ok(Rule {
        input,
        contains: contains.transpose()?,
        slow_start: slow_start.transpose()?.unwrap_or(0),
        steps,
    })
}
