//! Walks a script from its beginning to the point where its Run's log ends.

use std::ops::ControlFlow;
use std::time::Duration;

use serde_json::Value;
use sha2::{Digest, Sha256};

use super::next::{Next, Planned, Preview, pieces};
use super::price::Bill;
use crate::core::assignment::{AssignedChild, Assignment, Parked, Resolution};
use crate::core::id::{Entropy, EventId, QuestionId, RunId, ThreadId, ToolUseId};
use crate::core::payload::{
    Block, Failure, OutcomeResult, RetryStatus, SessionErrorDetail, Subject, ToolKind,
};
use crate::core::step::{Action, Step as RunStep, ToolCall};
use crate::scenario::step::{Call, ChildName, Fail, Round, Say, Step, StopReason, Trouble};
use crate::scenario::template::{Template, Words};

/// Where a walk stands.
pub(super) struct Walk<'a> {
    run: &'a RunId,
    assignment: &'a Assignment,
    entropy: &'a mut dyn Entropy,
    words: Words,
    bill: Bill,
    /// How many events of the Agent the script has made so far.
    position: u32,
    /// How many things it parked for so far.
    parked: usize,
    /// How many calls it made so far.
    calls: u32,
    /// What passes before the next action.
    pause: Duration,
}

/// Goes on, or has found what is next.
type Found = ControlFlow<Next>;

/// What a blocking call came to.
enum Verdict<'a> {
    Denied(Option<&'a str>),
    Given { is_error: bool },
    Fine,
}

impl<'a> Walk<'a> {
    pub(super) fn new(
        run: &'a RunId,
        assignment: &'a Assignment,
        words: Words,
        entropy: &'a mut dyn Entropy,
    ) -> Self {
        Self {
            run,
            assignment,
            entropy,
            words,
            bill: Bill::default(),
            position: 0,
            parked: 0,
            calls: 0,
            pause: Duration::ZERO,
        }
    }

    /// What is next.
    pub(super) fn play(mut self, steps: &[Step]) -> Next {
        match self.steps(steps) {
            ControlFlow::Break(next) => next,
            ControlFlow::Continue(()) => match self.complete(StopReason::EndTurn) {
                ControlFlow::Break(next) => next,
                ControlFlow::Continue(()) => Next::Nothing,
            },
        }
    }

    fn steps(&mut self, steps: &[Step]) -> Found {
        steps.iter().try_for_each(|step| self.step(step))
    }

    fn step(&mut self, step: &Step) -> Found {
        match step {
            Step::Think(lasts) => self.think(*lasts),
            Step::Say(say) => self.say(say),
            Step::Use(call) | Step::Call(call) if call.blocks() => self.block(std::slice::from_ref(call)),
            Step::Use(call) | Step::Call(call) => self.use_tool(call),
            Step::Together(calls) => self.block(calls),
            Step::Ask { prompt, options } => self.ask(prompt, options),
            Step::Grade(rounds) => self.grade(rounds),
            Step::Spawn { child, message } => self.spawn(child, message),
            Step::Send { to, message } => self.send(to, message),
            Step::Report(message) => {
                let content = self.content(message);
                self.act(1, |_| Action::Report { content })
            }
            Step::Trouble(trouble) => self.trouble(trouble),
            Step::LoseRunner(times) => (0..*times).try_for_each(|_| self.act(1, |_| Action::LoseRunner)),
            Step::Fail(fail) => self.fail(fail),
            Step::Take(duration) => {
                self.pause = self.pause.saturating_add(*duration);
                ControlFlow::Continue(())
            }
            Step::Spend(spend) => {
                self.bill.spend(spend);
                ControlFlow::Continue(())
            }
            Step::Reconcile(settles) => {
                self.act(1, |_| Action::Reconcile)?;
                self.pause = self.pause.saturating_add(*settles);
                ControlFlow::Continue(())
            }
            Step::Stop(reason) => self.complete(*reason),
        }
    }

    fn think(&mut self, lasts: Duration) -> Found {
        self.observe("agent.thinking", Vec::new(), lasts, |event_id| Action::Think {
            event_id,
        })
    }

    fn say(&mut self, say: &Say) -> Found {
        let text = say.text.render(&self.words);
        self.bill.say(&text);
        let pieces = pieces(&text, say.deltas);
        self.observe("agent.message", pieces, say.every, |event_id| Action::Say {
            event_id,
            content: vec![Block::text(text)],
        })
    }

    /// An action that shows itself before it commits.
    fn observe(
        &mut self,
        event_type: &'static str,
        pieces: Vec<String>,
        every: Duration,
        action: impl FnOnce(EventId) -> Action,
    ) -> Found {
        if self.has_happened(1) {
            return ControlFlow::Continue(());
        }
        let event_id = EventId::fresh(self.entropy);
        ControlFlow::Break(Next::Step(Box::new(Planned {
            after: self.pause,
            step: self.acting(action(event_id.clone())),
            preview: Some(Preview {
                event_id,
                event_type,
                pieces,
                every,
            }),
        })))
    }

    /// Goes past an action that the log holds; finds it if it does not.
    fn act(&mut self, weight: u32, action: impl FnOnce(&mut Self) -> Action) -> Found {
        if self.has_happened(weight) {
            return ControlFlow::Continue(());
        }
        let action = action(self);
        debug_assert!(action.weight() == weight);
        ControlFlow::Break(Next::Step(Box::new(Planned {
            after: self.pause,
            preview: None,
            step: self.acting(action),
        })))
    }

    /// Whether the log holds an action of this weight; if so, goes past it.
    fn has_happened(&mut self, weight: u32) -> bool {
        if self.position >= self.assignment.position {
            return false;
        }
        self.position = self.position.saturating_add(weight);
        self.pause = Duration::ZERO;
        true
    }

    fn acting(&self, action: Action) -> RunStep {
        RunStep::Act {
            position: self.assignment.position,
            action,
        }
    }

    fn content(&self, message: &Template) -> Vec<Block> {
        vec![Block::text(message.render(&self.words))]
    }

    /// The identifier of the next call: the script's own, or one that only this call of this Run has.
    fn call_id(&mut self, call: &Call) -> ToolUseId {
        let number = self.calls;
        self.calls += 1;
        match &call.id {
            Some(id) => ToolUseId::new(id.as_str()),
            None => {
                let digest = Sha256::digest(format!("{} call {number}", self.run));
                let digits = data_encoding::HEXLOWER.encode(digest.get(..16).unwrap_or_default());
                ToolUseId::new(format!("toolu_{digits}"))
            }
        }
    }

    fn use_tool(&mut self, call: &Call) -> Found {
        let id = self.call_id(call);
        self.act(1, |_| Action::UseTool(tool_call(call, id.clone())))?;
        self.tool_result(id, call.result.render(&self.words), call.is_error)
    }

    fn tool_result(&mut self, tool_use_id: ToolUseId, text: String, is_error: bool) -> Found {
        self.act(1, |_| Action::ToolResult {
            tool_use_id,
            content: vec![Block::text(text)],
            is_error,
        })
    }

    /// Calls that need somebody (A-PARK), then what follows from the answers, call by call.
    fn block(&mut self, calls: &[Call]) -> Found {
        let ids: Vec<ToolUseId> = calls.iter().map(|call| self.call_id(call)).collect();
        let weight = u32::try_from(calls.len()).unwrap_or(u32::MAX);
        self.act(weight, |_| {
            let calls = calls
                .iter()
                .zip(&ids)
                .map(|(call, id)| tool_call(call, id.clone()));
            Action::Block(calls.collect())
        })?;
        let assignment = self.assignment;
        let entries = assignment.parked.iter().skip(self.parked).take(calls.len());
        self.parked += calls.len();
        let mut resolutions = Vec::new();
        for id in &ids {
            match resolution(entries.clone(), id) {
                Some(resolution) => resolutions.push(resolution),
                None => return ControlFlow::Break(Next::Nothing),
            }
        }
        for ((call, id), resolution) in calls.iter().zip(ids).zip(resolutions) {
            self.follow(call, id, resolution)?;
        }
        ControlFlow::Continue(())
    }

    fn follow(&mut self, call: &Call, id: ToolUseId, resolution: &Resolution) -> Found {
        let verdict = self.learn(resolution);
        match verdict {
            Verdict::Denied(message) => {
                let text = message.unwrap_or("the call was not allowed").to_owned();
                self.tool_result(id, text, true)?;
                self.steps(&call.if_denied)
            }
            Verdict::Given { is_error } => {
                if call.asks {
                    self.words.decision = "allow".to_owned();
                }
                let follows: &[Step] = if is_error { &call.if_error } else { &[] };
                self.steps(follows)
            }
            Verdict::Fine if call.kind == ToolKind::Custom => ControlFlow::Break(Next::Nothing),
            Verdict::Fine => self.tool_result(id, call.result.render(&self.words), call.is_error),
        }
    }

    /// Keeps what came of a wait for the texts that follow.
    fn learn<'r>(&mut self, resolution: &'r Resolution) -> Verdict<'r> {
        match resolution {
            Resolution::Allowed => {
                self.words.decision = "allow".to_owned();
                Verdict::Fine
            }
            Resolution::Denied { message } => {
                self.words.decision = "deny".to_owned();
                Verdict::Denied(message.as_deref())
            }
            Resolution::Expired => {
                self.words.decision = "expired".to_owned();
                Verdict::Denied(Some("nobody decided in time"))
            }
            Resolution::Result { result, is_error } => {
                self.words.result = result.spoken();
                Verdict::Given { is_error: *is_error }
            }
            Resolution::Answer { answer } => {
                self.words.answer = answer.spoken();
                Verdict::Fine
            }
            Resolution::Graded { result } => {
                self.words.grade = verdict(*result).to_owned();
                Verdict::Fine
            }
        }
    }

    fn ask(&mut self, prompt: &Template, options: &[String]) -> Found {
        self.act(1, |walk| Action::Ask {
            question_id: QuestionId::fresh(walk.entropy),
            prompt: prompt.render(&walk.words),
            options: options.to_vec(),
        })?;
        match self.wait() {
            Some(resolution) => {
                self.learn(&resolution);
                ControlFlow::Continue(())
            }
            None => ControlFlow::Break(Next::Nothing),
        }
    }

    /// The next thing that the Run parked for, if it was resolved.
    fn wait(&mut self) -> Option<Resolution> {
        let parked = self.assignment.parked.get(self.parked);
        self.parked += 1;
        parked.and_then(|parked| parked.resolution.clone())
    }

    /// Round after round until the grader wants no other one; the last round is repeated (A-OUT).
    fn grade(&mut self, rounds: &[Round]) -> Found {
        let most = self
            .assignment
            .outcome
            .as_ref()
            .map_or(1, |outcome| outcome.max_iterations);
        let Some(last) = rounds.last() else {
            return ControlFlow::Continue(());
        };
        for iteration in 1..=most.max(1) {
            let round = rounds.get(iteration as usize - 1).unwrap_or(last);
            self.steps(&round.steps)?;
            self.act(1, |_| Action::AwaitGrader)?;
            let result = match round.result {
                OutcomeResult::NeedsRevision if iteration >= most => OutcomeResult::MaxIterationsReached,
                result => result,
            };
            self.pause = round.takes;
            self.act(1, |_| Action::Grade {
                result,
                explanation: round.explanation.clone(),
            })?;
            if let Some(resolution) = self.wait() {
                self.learn(&resolution);
            }
            if result != OutcomeResult::NeedsRevision {
                break;
            }
        }
        ControlFlow::Continue(())
    }

    fn spawn(&mut self, child: &str, message: &Template) -> Found {
        let content = self.content(message);
        self.act(2, |walk| Action::Spawn {
            thread_id: ThreadId::fresh(walk.entropy),
            agent_name: child.to_owned(),
            content,
        })
    }

    /// Writes to a child; says so if there is none to write to.
    fn send(&mut self, to: &ChildName, message: &Template) -> Found {
        let content = self.content(message);
        let name = &to.name;
        self.act(1, |walk| match find(&walk.assignment.children, to) {
            Some(child) => Action::Send {
                to: child.id.clone(),
                content,
            },
            None => Action::Trouble(SessionErrorDetail {
                r#type: "unknown_error".to_owned(),
                message: match to.number {
                    Some(number) => format!("there is no live child {name}#{number} to send to"),
                    None => format!("there is no live child {name} to send to"),
                },
                retry_status: RetryStatus::Terminal,
            }),
        })
    }

    fn trouble(&mut self, trouble: &Trouble) -> Found {
        self.act(1, |_| {
            Action::Trouble(SessionErrorDetail {
                r#type: trouble.kind.clone(),
                message: trouble.message.clone(),
                retry_status: trouble.retry,
            })
        })
    }

    fn complete(&mut self, reason: StopReason) -> Found {
        let (usage, cost) = self.bill.total(&self.words.input);
        self.end(Action::Complete {
            usage,
            cost,
            stop_reason: reason.as_str(),
        })
    }

    fn fail(&mut self, fail: &Fail) -> Found {
        let (usage, cost) = self.bill.total(&self.words.input);
        self.end(Action::Fail {
            error: Failure {
                code: fail.code.clone(),
                message: fail.message.clone(),
                retryable: fail.retryable,
            },
            usage,
            cost,
            terminates: fail.terminates,
        })
    }

    fn end(&mut self, action: Action) -> Found {
        ControlFlow::Break(Next::Step(Box::new(Planned {
            after: self.pause,
            preview: None,
            step: self.acting(action),
        })))
    }
}

fn tool_call(call: &Call, tool_use_id: ToolUseId) -> ToolCall {
    ToolCall {
        tool_use_id,
        name: call.tool.clone(),
        input: Value::Object(call.input.clone()),
        kind: call.kind,
        asks: call.asks,
        expires_after: call.expires,
        mcp_server_name: call.mcp_server.clone(),
    }
}

/// What came of a call, told by the entry that names it.
fn resolution<'a>(mut entries: impl Iterator<Item = &'a Parked>, id: &ToolUseId) -> Option<&'a Resolution> {
    entries
        .find(|entry| matches!(&entry.subject, Subject::Tool(subject) if subject == id))?
        .resolution
        .as_ref()
}

/// The live child that a name means: the latest, or the one with that number.
fn find<'a>(children: &'a [AssignedChild], to: &ChildName) -> Option<&'a AssignedChild> {
    let mut named = children.iter().filter(|child| child.agent_name == to.name);
    match to.number {
        Some(number) => named.nth(number as usize - 1).filter(|child| child.live),
        None => named.rfind(|child| child.live),
    }
}

fn verdict(result: OutcomeResult) -> &'static str {
    match result {
        OutcomeResult::Satisfied => "satisfied",
        OutcomeResult::NeedsRevision => "needs_revision",
        OutcomeResult::MaxIterationsReached => "max_iterations_reached",
        OutcomeResult::Failed => "failed",
        OutcomeResult::Interrupted => "interrupted",
    }
}
