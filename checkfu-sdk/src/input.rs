//! What a person, or a program for a person, puts into a Session: the six `user.*` inputs.
//!
//! Each input is made from what it says, then [`by`](UserMessage::by) names its author:
//!
//! ```
//! use checkfu_sdk::input::{ToolConfirmation, UserMessage};
//!
//! let message = UserMessage::new("Draft a release note.").by("prin_1");
//! let refusal = ToolConfirmation::deny("toolu_1").message("Not on a Friday.").on_thread("sthr_1").by("prin_1");
//! ```

mod action;
mod message;
mod turn;
mod user_input;

pub use action::{CustomToolResult, QuestionAnswer, ToolConfirmation};
pub use message::UserMessage;
pub use turn::{DefineOutcome, Interrupt};
pub use user_input::UserInput;
