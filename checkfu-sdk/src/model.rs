//! What the API sends: sessions, events and the values inside them.
//!
//! Every enum that comes from the wire is open: a value that this version does not know is kept as it came.

mod action_approval;
mod agent_deployment;
mod capability;
mod cause;
mod checkpoint;
mod event;
mod id;
mod json;
mod log_id;
mod open_enum;
mod page;
pub mod payload;
mod preview;
mod resource;
mod run;
mod seq;
mod session;
mod session_diff;
mod status;
mod stop_reason;
mod thread;

pub(crate) use json::{members, optional, present};
pub(crate) use open_enum::open_enum;
pub(crate) use preview::Halves;
pub(crate) use session::ForkPlace;

pub use action_approval::{ActionApproval, ActionApprovalStatus};
pub use agent_deployment::{
    AgentDeployment, AgentDeploymentRevision, AgentRelease, PinnedSandboxProfile, PinnedSkill, PinnedVersion,
};
pub use capability::Capability;
pub use cause::Cause;
pub use checkpoint::{Checkpoint, CheckpointStatus};
pub use event::{Event, EventData, Undecodable};
pub use id::{
    ActionApprovalId, AgentDeploymentId, CheckpointId, EventId, MemoryStoreId, OutcomeId, PrincipalId,
    ProjectId, QuestionId, RequestId, RunId, SessionId, SessionThreadId, ToolUseId, WatchId, WorkspaceId,
};
pub use log_id::LogId;
pub use page::Page;
pub use preview::{Preview, PreviewData, PreviewDelta, PreviewStarted, PreviewType, UnknownPreview};
pub use run::{Run, RunStatus};
pub use seq::Seq;
pub use session::{ForkPoint, Session};
pub use session_diff::{DiffBase, DiffSide, SessionDiff, UnavailableRange, UnavailableReason};
pub use status::{CauseKind, SessionStatus, SessionThreadStatus};
pub use stop_reason::StopReason;
pub use thread::{SessionThread, ThreadAgent, ThreadStats};
