//! What the API sends: sessions, events and the values inside them.
//!
//! Every enum that comes from the wire is open: a value that this version does not know is kept as it came.

mod cause;
mod event;
mod id;
mod json;
mod log_id;
mod open_enum;
mod page;
pub mod payload;
mod seq;
mod session;
mod status;
mod stop_reason;
mod thread;

pub(crate) use json::lenient;
pub(crate) use open_enum::open_enum;

pub use cause::Cause;
pub use event::{Event, EventData, Undecodable};
pub use id::{
    ActionApprovalId, AgentDeploymentId, CheckpointId, EventId, MemoryStoreId, OutcomeId, PrincipalId,
    ProjectId, QuestionId, RequestId, RunId, SessionId, SessionThreadId, ToolUseId, WatchId, WorkspaceId,
};
pub use log_id::LogId;
pub use page::Page;
pub use seq::Seq;
pub use session::{ForkPoint, Session};
pub use status::{CauseKind, SessionStatus, SessionThreadStatus};
pub use stop_reason::StopReason;
pub use thread::{SessionThread, ThreadAgent, ThreadStats};
