//! Views of a log, folded from its events: messages, tool calls, approvals, threads, and what went into the context
//! (`SDK-3`). Pure: without clock and network.

mod apply;
mod approval;
mod context;
mod limits;
mod message;
mod shelf;
mod thread;
mod tool_call;
mod whole;

pub use approval::{Approval, ApprovalState};
pub use context::{ContextChange, ContextEntry};
pub use limits::ViewLimits;
pub use message::{Author, Message};
pub use thread::Thread;
pub use tool_call::{ToolCall, ToolCallState};
pub use whole::Views;
