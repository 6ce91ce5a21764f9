use super::entry::{FORMAT, OLDEST};

/// A line that is no part of a history.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct InvalidHistory {
    /// Which line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub problem: Problem,
}

/// What is wrong with a line, and what would be right.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// No line at all.
    #[error("the file is empty: a history begins with a header line")]
    Empty,
    /// The first line is no header.
    #[error(
        "no header ({0}): the first line is {{\"format\", \"suite\", \"url\", \"run\", \"seed\", \"history\"}}"
    )]
    Header(String),
    /// A form of another version.
    #[error(
        "format {0}, and this suite reads {OLDEST} to {FORMAT}: judge it with the suite that the header names"
    )]
    Format(u32),
    /// No JSON.
    #[error("no JSON ({0}): every line is one object; a file that was cut off ends before this line")]
    Json(String),
    /// A key twice.
    #[error("the key {0:?} stands twice in one object: take one of them out")]
    RepeatedKey(String),
    /// Neither a phase nor an envelope.
    #[error(
        "{0}: a line is a phase {{\"t\", \"process\", \"op\", \"phase\", …}} or an {{\"envelope\", \"event\"}}"
    )]
    Line(String),
    /// An event that has no place in an order.
    #[error("{0}: an event has \"seq\", \"id\" and \"type\"")]
    Envelope(String),
    /// A name for two envelopes.
    #[error("envelope {0:?} is given twice: give the second one another name")]
    NamedTwice(String),
    /// A name for none.
    #[error("envelope {0:?} is not given above: put its line before the first one that names it")]
    UnknownEnvelope(String),
    /// Lines out of order.
    #[error("\"t\" is below that of a line above: order the lines by time")]
    TimeGoesBack,
    /// An invocation without a call or with a result.
    #[error("an invocation has a \"call\" and no \"seen\"")]
    Invocation,
    /// A call at the end of an operation.
    #[error("only an invocation has a \"call\": take it out")]
    LateCall,
    /// A number for two operations.
    #[error("operation {0} is invoked twice: give the second one another number")]
    InvokedTwice(u32),
    /// An end without a beginning.
    #[error("operation {0} was not invoked above: put its invocation first or take this line out")]
    NeverInvoked(u32),
    /// A second end.
    #[error("operation {0} has ended above: take one of the ends out")]
    EndedTwice(u32),
    /// An end by another process.
    #[error("operation {0} was invoked by another process: a process ends what it began")]
    OtherProcess(u32),
    /// A result of another kind.
    #[error(
        "what operation {0} has seen does not fit its call: a list sees pages, a stream blocks, an append what was accepted or that nothing was named, a creation or a fork a session"
    )]
    Misfit(u32),
    /// A result of what had none, or of which nobody knows.
    #[error(
        "operation {0} has \"phase\" {1} and a \"seen\": take \"phase\" ok, which alone has one, or take \"seen\" out"
    )]
    SeenThough(u32, &'static str),
    /// A read without a result.
    #[error(
        "operation {0} has \"phase\" ok and no \"seen\": take \"phase\" info where a list or a stream shows nothing, or say what it saw"
    )]
    Unseen(u32),
    /// A reason why a success failed.
    #[error(
        "operation {0} has \"phase\" ok and a \"why\": take \"why\" out, or \"phase\" fail or info, which alone have one"
    )]
    WhyThough(u32),
}

impl InvalidHistory {
    pub(super) fn at(line: usize, problem: Problem) -> Self {
        Self { line, problem }
    }
}
