//! The steps of a script.

use std::time::Duration;

use super::placement::{Place, check_order};
use super::tools;
use super::words::{MAX_TEXT, label, name, template, words};
use crate::core::payload::{OutcomeResult, RetryStatus};
use crate::scenario::error::ScenarioError;
use crate::scenario::reader::Node;
use crate::scenario::step::{ChildName, Fail, Round, Say, Spend, Step, StopReason, Trouble};

const MAX_STEPS: usize = 1000;
const MAX_DELTAS: u32 = 1000;
const MAX_LOSSES: u32 = 100;
const MAX_ROUNDS: usize = 20;
const MAX_OPTIONS: usize = 32;
const MAX_OPTION: usize = 200;
const MAX_CHILDREN: u32 = 1000;
const MAX_TOKENS: u64 = 1_000_000_000_000;

/// The names that a step may have.
const NAMES: &str = "think, say, use, call, together, ask, grade, spawn, send, report, trouble, lose_runner, fail, take, \
                     spend, reconcile, stop";

/// A list of steps that makes sense where it stands.
pub(super) fn steps(node: &Node<'_>, place: &Place<'_>) -> Result<Vec<Step>, ScenarioError> {
    let mut steps = Vec::new();
    for node in node.list(MAX_STEPS)? {
        let step = step(&node, place)?;
        place.check(&step).map_err(|problem| node.error(problem))?;
        check_order(&steps, &step).map_err(|problem| node.error(problem))?;
        steps.push(step);
    }
    Ok(steps)
}

fn step(node: &Node<'_>, place: &Place<'_>) -> Result<Step, ScenarioError> {
    if !node.is_map() {
        return Err(node.error(format!("must be one step, such as say: Hello. There are {NAMES}")));
    }
    let members = node.members(usize::MAX)?;
    let [(kind, node)] = members.as_slice() else {
        return Err(node.error("must be one step; begin each with its own dash"));
    };
    Ok(match *kind {
        "think" => Step::Think(node.duration()?),
        "say" => Step::Say(say(node)?),
        "use" => Step::Use(tools::used(node, place, inner_steps)?),
        "call" => Step::Call(tools::called(node, place, inner_steps)?),
        "together" => Step::Together(tools::together(node, place, inner_steps)?),
        "ask" => ask(node)?,
        "grade" => Step::Grade(rounds(node, place)?),
        "spawn" => spawn(node, place)?,
        "send" => send(node, place)?,
        "report" => Step::Report(template(node)?),
        "trouble" => Step::Trouble(trouble(node)?),
        "lose_runner" => Step::LoseRunner(node.count(1..=MAX_LOSSES)?),
        "fail" => Step::Fail(fail(node)?),
        "take" => Step::Take(node.duration()?),
        "spend" => Step::Spend(spend(node)?),
        "reconcile" => Step::Reconcile(node.duration()?),
        "stop" => Step::Stop(node.choice(&StopReason::ALL)?),
        _ => return Err(node.error(format!("unknown step; there are {NAMES}"))),
    })
}

/// Steps inside a step.
fn inner_steps(node: Option<Node<'_>>, place: &Place<'_>) -> Result<Vec<Step>, ScenarioError> {
    let Some(node) = node else {
        return Ok(Vec::new());
    };
    let place = place
        .inside()
        .ok_or_else(|| node.error("is nested too deep; make it a rule of its own"))?;
    steps(&node, &place)
}

fn say(node: &Node<'_>) -> Result<Say, ScenarioError> {
    if !node.is_map() {
        return Ok(Say {
            text: template(node)?,
            deltas: 1,
            every: Duration::ZERO,
        });
    }
    let fields = node.fields(&["text", "deltas", "every"])?;
    let deltas = fields.optional("deltas").map(|node| node.count(1..=MAX_DELTAS));
    let every = fields.optional("every").map(|node| node.duration());
    Ok(Say {
        text: template(&fields.required("text")?)?,
        deltas: deltas.transpose()?.unwrap_or(1),
        every: every.transpose()?.unwrap_or_default(),
    })
}

fn ask(node: &Node<'_>) -> Result<Step, ScenarioError> {
    if !node.is_map() {
        return Ok(Step::Ask {
            prompt: template(node)?,
            options: Vec::new(),
        });
    }
    let fields = node.fields(&["prompt", "options"])?;
    let options = match fields.optional("options") {
        Some(node) => node.list(MAX_OPTIONS)?,
        None => Vec::new(),
    };
    Ok(Step::Ask {
        prompt: template(&fields.required("prompt")?)?,
        options: options
            .iter()
            .map(|option| words(option, MAX_OPTION))
            .collect::<Result<_, _>>()?,
    })
}

fn rounds(node: &Node<'_>, place: &Place<'_>) -> Result<Vec<Round>, ScenarioError> {
    node.list(MAX_ROUNDS)?
        .iter()
        .map(|node| round(node, place))
        .collect()
}

fn round(node: &Node<'_>, place: &Place<'_>) -> Result<Round, ScenarioError> {
    let results = [
        ("satisfied", OutcomeResult::Satisfied),
        ("needs_revision", OutcomeResult::NeedsRevision),
        ("failed", OutcomeResult::Failed),
    ];
    if !node.is_map() {
        return Ok(Round {
            steps: Vec::new(),
            takes: Duration::ZERO,
            result: node.choice(&results)?,
            explanation: None,
        });
    }
    let fields = node.fields(&["steps", "takes", "result", "explanation"])?;
    let takes = fields.optional("takes").map(|node| node.duration());
    let explanation = fields.optional("explanation").map(|node| words(&node, MAX_TEXT));
    Ok(Round {
        steps: inner_steps(fields.optional("steps"), place)?,
        takes: takes.transpose()?.unwrap_or_default(),
        result: fields.required("result")?.choice(&results)?,
        explanation: explanation.transpose()?,
    })
}

fn spawn(node: &Node<'_>, place: &Place<'_>) -> Result<Step, ScenarioError> {
    let fields = node.fields(&["child", "message"])?;
    let child = fields.required("child")?;
    let title = name(&child)?;
    place
        .check_child(&title)
        .map_err(|problem| child.error(problem))?;
    Ok(Step::Spawn {
        child: title,
        message: template(&fields.required("message")?)?,
    })
}

fn send(node: &Node<'_>, place: &Place<'_>) -> Result<Step, ScenarioError> {
    let fields = node.fields(&["child", "message"])?;
    let child = fields.required("child")?;
    let text = child.text(MAX_OPTION)?;
    let (title, number) = match text.split_once('#') {
        None => (text, None),
        Some((title, digits)) => {
            let number = digits
                .parse::<u32>()
                .ok()
                .filter(|number| (1..=MAX_CHILDREN).contains(number));
            let number = number
                .ok_or_else(|| child.error(format!("after # must be 1 to {MAX_CHILDREN}, not {digits:?}")))?;
            (title, Some(number))
        }
    };
    place.check_child(title).map_err(|problem| child.error(problem))?;
    Ok(Step::Send {
        to: ChildName {
            name: title.to_owned(),
            number,
        },
        message: template(&fields.required("message")?)?,
    })
}

fn trouble(node: &Node<'_>) -> Result<Trouble, ScenarioError> {
    let fields = node.fields(&["type", "message", "retry"])?;
    let retry = fields.optional("retry").map(|node| {
        node.choice(&[
            ("retrying", RetryStatus::Retrying),
            ("exhausted", RetryStatus::Exhausted),
            ("terminal", RetryStatus::Terminal),
        ])
    });
    Ok(Trouble {
        kind: label(&fields.required("type")?)?,
        message: words(&fields.required("message")?, MAX_TEXT)?,
        retry: retry.transpose()?.unwrap_or(RetryStatus::Retrying),
    })
}

fn fail(node: &Node<'_>) -> Result<Fail, ScenarioError> {
    let fields = node.fields(&["code", "message", "retryable", "terminates"])?;
    let retryable = fields.optional("retryable").map(|node| node.flag());
    let terminates = fields.optional("terminates").map(|node| node.flag());
    Ok(Fail {
        code: label(&fields.required("code")?)?,
        message: words(&fields.required("message")?, MAX_TEXT)?,
        retryable: retryable.transpose()?,
        terminates: terminates.transpose()?.unwrap_or(false),
    })
}

fn spend(node: &Node<'_>) -> Result<Spend, ScenarioError> {
    let fields = node.fields(&[
        "input_tokens",
        "output_tokens",
        "cache_read_input_tokens",
        "cache_creation_input_tokens",
        "cost",
    ])?;
    let tokens = |name| {
        let number = fields.optional(name).map(|node| node.whole(0..=MAX_TOKENS));
        number.transpose().map(Option::unwrap_or_default)
    };
    let cost = fields.optional("cost").map(|node| {
        let text = node.text(MAX_OPTION)?;
        Spend::micros(text).ok_or_else(|| {
            node.error(format!(
                "must be dollars with at most six decimals, such as \"0.0125\", not {text:?}"
            ))
        })
    });
    Ok(Spend {
        input_tokens: tokens("input_tokens")?,
        output_tokens: tokens("output_tokens")?,
        cache_read_input_tokens: tokens("cache_read_input_tokens")?,
        cache_creation_input_tokens: tokens("cache_creation_input_tokens")?,
        cost_micros: cost.transpose()?,
    })
}
