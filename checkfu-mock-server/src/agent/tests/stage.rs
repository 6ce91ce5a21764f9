//! A stage for one Run: it keeps what an Assignment says of a log, and answers what the Run parks for.

use serde_json::{Value, json};

use crate::agent::next::Next;
use crate::core::assignment::{AssignedChild, AssignedOutcome, Assignment, Parked, Resolution};
use crate::core::id::{DeploymentId, Entropy, OutcomeId, RunId, ThreadId};
use crate::core::payload::{Block, Subject, ToolKind, TriggerKind};
use crate::core::status::RunStatus;
use crate::core::step::{Action, Step, ToolCall};
use crate::scenario::model::{InputKind, Scenario};

/// How what a Run parks for is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Answers {
    Friendly,
    Denied,
    Expired,
    Errors,
}

/// A Run that was played.
#[derive(Debug)]
pub(super) struct Played {
    pub(super) actions: Vec<Action>,
    /// The log before each of them.
    pub(super) before: Vec<Log>,
}

impl Played {
    /// What the grader said.
    pub(super) fn results(&self) -> Vec<Value> {
        let results = self.actions.iter().filter_map(|action| match action {
            Action::Grade { result, .. } => Some(json!(result)),
            _ => None,
        });
        results.collect()
    }
}

/// What is known of a Run.
#[derive(Debug, Clone)]
pub(super) struct Log {
    pub(super) assignment: Assignment,
    /// The calls that block.
    calls: Vec<ToolCall>,
}

#[derive(Debug)]
pub(super) struct Stage<'a> {
    scenario: &'a Scenario,
    child: Option<&'a str>,
    trigger: TriggerKind,
    input: String,
    tries: u32,
    children: Vec<AssignedChild>,
}

struct Counter(u128);

impl Entropy for Counter {
    fn next(&mut self) -> [u8; 16] {
        self.0 += 1 << 64;
        self.0.to_be_bytes()
    }
}

const RUN: u128 = 9;

impl<'a> Stage<'a> {
    pub(super) fn new(
        scenario: &'a Scenario,
        child: Option<&'a str>,
        trigger: TriggerKind,
        input: &str,
    ) -> Self {
        Self {
            scenario,
            child,
            trigger,
            input: input.to_owned(),
            tries: 3,
            children: Vec::new(),
        }
    }

    /// One for each rule of the Agent and of its children.
    pub(super) fn of_every_rule(scenario: &'a Scenario) -> Vec<Self> {
        let children = scenario
            .roster
            .iter()
            .map(|(name, child)| (Some(name.as_str()), &child.rules));
        let all = std::iter::once((None, &scenario.rules)).chain(children);
        let stages = all.flat_map(|(child, rules)| {
            rules.iter().map(move |rule| {
                let trigger = match rule.input {
                    InputKind::Message => TriggerKind::Message,
                    InputKind::Outcome => TriggerKind::Outcome,
                    InputKind::Report => TriggerKind::ChildReport,
                };
                Self::new(
                    scenario,
                    child,
                    trigger,
                    rule.contains.as_deref().unwrap_or("something"),
                )
            })
        });
        stages.collect()
    }

    pub(super) fn tries(&mut self, tries: u32) {
        self.tries = tries;
    }

    pub(super) fn children(&mut self, children: &[(&str, u128, bool)]) {
        let children = children.iter().map(|(name, number, live)| AssignedChild {
            id: ThreadId::from_number(*number),
            agent_name: (*name).to_owned(),
            live: *live,
        });
        self.children = children.collect();
    }

    /// A Run that nobody took yet.
    pub(super) fn assignment(&self) -> Assignment {
        Assignment {
            deployment: DeploymentId::from_number(1),
            revision: 1,
            child: self.child.map(str::to_owned),
            trigger: self.trigger,
            input: vec![Block::text(self.input.as_str())],
            outcome: (self.trigger == TriggerKind::Outcome).then(|| AssignedOutcome {
                id: OutcomeId::from_number(1),
                max_iterations: self.tries,
            }),
            status: RunStatus::Queued,
            lost_attempts: 0,
            startup_timeouts: 0,
            position: 0,
            parked: Vec::new(),
            children: self.children.clone(),
        }
    }

    pub(super) fn next(&self, assignment: &Assignment) -> Next {
        crate::agent::next(
            self.scenario,
            &RunId::from_number(RUN),
            assignment,
            &mut Counter(1),
        )
    }

    pub(super) fn play(&self, answers: Answers, seed: u128) -> Played {
        self.play_as(RUN, answers, seed)
    }

    pub(super) fn play_as(&self, run: u128, answers: Answers, seed: u128) -> Played {
        self.drive(run, self.log(), Some(answers), seed).0
    }

    /// Goes on after a cut.
    pub(super) fn go_on(&self, log: Log, answers: Answers, seed: u128) -> Played {
        self.drive(RUN, log, Some(answers), seed).0
    }

    /// Up to the first thing that somebody has to answer.
    pub(super) fn until_parked(&self) -> Assignment {
        self.drive(RUN, self.log(), None, 1).1.assignment
    }

    fn log(&self) -> Log {
        Log {
            assignment: self.assignment(),
            calls: Vec::new(),
        }
    }

    fn drive(&self, run: u128, mut log: Log, answers: Option<Answers>, seed: u128) -> (Played, Log) {
        let mut entropy = Counter(seed);
        let run = RunId::from_number(run);
        let mut played = Played {
            actions: Vec::new(),
            before: Vec::new(),
        };
        for _ in 0..10_000 {
            let assignment = &mut log.assignment;
            match crate::agent::next(self.scenario, &run, assignment, &mut entropy) {
                Next::NeverReady => {
                    assignment.startup_timeouts += 1;
                    assignment.status = RunStatus::Queued;
                }
                Next::Nothing => match answers {
                    Some(answers) if answer(&mut log, answers) => {}
                    _ => return (played, log),
                },
                Next::Step(planned) => match planned.step {
                    Step::Claim => assignment.status = RunStatus::Provisioning,
                    Step::Start => assignment.status = RunStatus::Running,
                    Step::Act { position, action } => {
                        assert_eq!(position, assignment.position);
                        played.before.push(log.clone());
                        take(&mut log, &action);
                        played.actions.push(action);
                    }
                },
            }
        }
        panic!("the Run never ends");
    }
}

/// What an action does to the Run, as far as its Agent can see.
fn take(log: &mut Log, action: &Action) {
    let assignment = &mut log.assignment;
    assignment.position += action.weight();
    let park = |subject| Parked {
        subject,
        resolution: None,
    };
    match action {
        Action::Block(calls) => {
            assert!(!calls.is_empty());
            for call in calls {
                assert!(call.asks || call.kind == ToolKind::Custom);
                assignment
                    .parked
                    .push(park(Subject::Tool(call.tool_use_id.clone())));
                log.calls.push(call.clone());
            }
            assignment.status = RunStatus::Waiting;
        }
        Action::Ask { question_id, .. } => {
            assignment
                .parked
                .push(park(Subject::Question(question_id.clone())));
            assignment.status = RunStatus::Waiting;
        }
        Action::AwaitGrader => {
            let outcome = assignment.outcome.as_ref().unwrap().id.clone();
            assignment.parked.push(park(Subject::Outcome(outcome)));
            assignment.status = RunStatus::Waiting;
        }
        Action::Grade { result, .. } => {
            let open = assignment.parked.last_mut().unwrap();
            open.resolution = Some(Resolution::Graded { result: *result });
            assignment.status = RunStatus::Running;
        }
        Action::LoseRunner => {
            assignment.lost_attempts += 1;
            assignment.status = RunStatus::Queued;
        }
        Action::Spawn {
            thread_id,
            agent_name,
            ..
        } => assignment.children.push(AssignedChild {
            id: thread_id.clone(),
            agent_name: agent_name.clone(),
            live: true,
        }),
        Action::Reconcile => assignment.status = RunStatus::Reconciling,
        Action::Complete { .. } => assignment.status = RunStatus::Completed,
        Action::Fail { .. } => assignment.status = RunStatus::Failed,
        _ => {}
    }
}

/// Answers the first thing that is open, or goes on after the last; false if the Run is not parked.
fn answer(log: &mut Log, answers: Answers) -> bool {
    let Log { assignment, calls } = log;
    if assignment.status != RunStatus::Waiting {
        return false;
    }
    let call = |parked: &Parked| {
        calls
            .iter()
            .rfind(|call| parked.subject == Subject::Tool(call.tool_use_id.clone()))
    };
    let custom = |parked: &Parked| call(parked).is_some_and(|call| call.kind == ToolKind::Custom);
    let open = assignment
        .parked
        .iter_mut()
        .find(|parked| match parked.resolution {
            None => true,
            Some(Resolution::Allowed) => custom(parked),
            Some(_) => false,
        });
    let Some(parked) = open else {
        assignment.status = RunStatus::Running;
        return true;
    };
    let asks = call(parked).is_some_and(|call| call.asks) && parked.resolution.is_none();
    parked.resolution = Some(match (&parked.subject, answers) {
        (Subject::Question(_), _) => Resolution::Answer {
            answer: json!("blue").into(),
        },
        (Subject::Outcome(_), _) => panic!("the grader did not answer"),
        (Subject::Tool(_), Answers::Denied) if asks => Resolution::Denied {
            message: Some("not today".to_owned()),
        },
        (Subject::Tool(_), Answers::Expired) if asks => Resolution::Expired,
        (Subject::Tool(_), _) if asks => Resolution::Allowed,
        (Subject::Tool(_), Answers::Errors) => Resolution::Result {
            result: json!("no").into(),
            is_error: true,
        },
        (Subject::Tool(_), _) => Resolution::Result {
            result: json!({"ok": true}).into(),
            is_error: false,
        },
    });
    true
}

/// The actions without the identifiers that nothing refers to.
pub(super) fn without_made_up(actions: &[Action]) -> Vec<String> {
    let text = actions.iter().map(|action| {
        let text = format!("{action:?}");
        let mut kept = String::new();
        let mut rest = text.as_str();
        while let Some(at) = ["evt_", "qst_", "sthr_"]
            .iter()
            .filter_map(|prefix| rest.find(prefix))
            .min()
        {
            let (before, id) = rest.split_at(at);
            kept.push_str(before);
            kept.push('*');
            rest = id.trim_start_matches(|letter: char| letter.is_ascii_alphanumeric() || letter == '_');
        }
        kept + rest
    });
    text.collect()
}
