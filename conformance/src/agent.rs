use std::{fmt, str::FromStr};

/// A kind of Agent that some checks need: what it does on a message.
///
/// A deployment whose `name` is the kind's name is taken for one, as those of the reference server are; elsewhere the
/// operator names one with `--agent`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum AgentKind {
    /// Asks one Question and goes on with the answer.
    Question,
    /// Makes one call of a builtin or MCP tool that needs a decision, and goes on with or without it. With "quick" in the
    /// message the decision has to come within seconds, which matters where time can be let pass.
    Approval,
    /// Makes one call of an application-executed tool and goes on with its result.
    CustomTool,
    /// Makes one call of an application-executed tool that needs a decision first.
    GovernedTool,
    /// Makes at least two calls at once that block.
    SeveralActions,
    /// Works for an Outcome until a grader is satisfied, at the second try at the latest.
    Outcome,
    /// Spawns at least one child, whose report starts a new turn of the primary thread.
    Coordinator,
    /// Spawns two children that wait for a call with the same `tool_use_id`.
    Twins,
    /// Works for seconds, so that it can be interrupted.
    Slow,
    /// Writes a message piece by piece, so that previews of it can be had.
    Previews,
    /// Works on every message at once.
    Parallel,
    /// Fails its Run, and its whole Session if the message has "session" in it; asked for a child, spawns one that its error terminates.
    Broken,
    /// Asked for a child, spawns one that loses its Runner until its retries are spent.
    Exhausted,
    /// Has output that settles after its compute is done.
    Reconcile,
    /// Has a first start-up that never gets ready, and a second one that does.
    SlowStart,
    /// Works for longer than a Run may take.
    Overtime,
}

impl AgentKind {
    /// Every kind.
    pub const ALL: [Self; 16] = [
        Self::Question,
        Self::Approval,
        Self::CustomTool,
        Self::GovernedTool,
        Self::SeveralActions,
        Self::Outcome,
        Self::Coordinator,
        Self::Twins,
        Self::Slow,
        Self::Previews,
        Self::Parallel,
        Self::Broken,
        Self::Exhausted,
        Self::Reconcile,
        Self::SlowStart,
        Self::Overtime,
    ];

    /// The name on the command line, and that of a deployment that is taken for one.
    pub fn name(self) -> &'static str {
        match self {
            Self::Question => "question",
            Self::Approval => "approval",
            Self::CustomTool => "custom_tool",
            Self::GovernedTool => "governed_tool",
            Self::SeveralActions => "several_actions",
            Self::Outcome => "outcome",
            Self::Coordinator => "coordinator",
            Self::Twins => "twins",
            Self::Slow => "slow",
            Self::Previews => "previews",
            Self::Parallel => "parallel",
            Self::Broken => "broken",
            Self::Exhausted => "exhausted",
            Self::Reconcile => "reconcile",
            Self::SlowStart => "slow_start",
            Self::Overtime => "overtime",
        }
    }

    /// The capabilities without which its turns cannot be taken part in.
    pub(crate) fn needs(self) -> &'static [&'static str] {
        match self {
            Self::Question
            | Self::Approval
            | Self::CustomTool
            | Self::GovernedTool
            | Self::SeveralActions => &["waits"],
            Self::Outcome => &["outcomes"],
            Self::Coordinator => &["threads"],
            Self::Twins => &["threads", "waits"],
            Self::Slow
            | Self::Previews
            | Self::Parallel
            | Self::Broken
            | Self::Exhausted
            | Self::Reconcile
            | Self::SlowStart
            | Self::Overtime => &[],
        }
    }

    /// What such an Agent does, as the end of "an Agent that …".
    pub fn does(self) -> &'static str {
        match self {
            Self::Question => "asks a Question",
            Self::Approval => "makes a call that needs approval",
            Self::CustomTool => "calls an application-executed tool",
            Self::GovernedTool => "calls an application-executed tool that needs approval",
            Self::SeveralActions => "makes several blocking calls at once",
            Self::Outcome => "works for an Outcome and satisfies it",
            Self::Coordinator => "spawns children",
            Self::Twins => "spawns two children that wait under one tool_use_id",
            Self::Slow => "works for seconds",
            Self::Previews => "writes a message piece by piece",
            Self::Parallel => "works on every message at once",
            Self::Broken => "fails",
            Self::Exhausted => "loses its Runner until its retries are spent",
            Self::Reconcile => "has output that settles after its compute is done",
            Self::SlowStart => "gets ready at the second start-up alone",
            Self::Overtime => "works for longer than a Run may take",
        }
    }
}

impl fmt::Display for AgentKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// A name that is no kind of Agent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown kind of agent {0:?}: use one of {known}", known = AgentKind::ALL.map(AgentKind::name).join(", "))]
pub struct UnknownAgentKind(String);

impl FromStr for AgentKind {
    type Err = UnknownAgentKind;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|kind| kind.name() == text)
            .ok_or_else(|| UnknownAgentKind(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_read_by_its_name() {
        for kind in AgentKind::ALL {
            assert_eq!(kind.name().parse(), Ok(kind));
        }
        let error = "questions".parse::<AgentKind>().unwrap_err().to_string();
        assert!(error.contains("question, approval"), "{error}");
    }
}
