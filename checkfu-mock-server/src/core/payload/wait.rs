//! What a parked Run waits for (A-GEN).

use serde::{Deserialize, Serialize};

use crate::core::id::{OutcomeId, QuestionId, ToolUseId};

/// Kind, key within its thread, and generation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(crate) enum Wait {
    ActionApproval {
        tool_use_id: ToolUseId,
        generation: u32,
    },
    CustomTool {
        tool_use_id: ToolUseId,
        generation: u32,
    },
    Question {
        question_id: QuestionId,
        generation: u32,
    },
    Outcome {
        outcome_id: OutcomeId,
        generation: u32,
    },
}

impl Wait {
    pub(crate) fn generation(&self) -> u32 {
        match self {
            Self::ActionApproval { generation, .. }
            | Self::CustomTool { generation, .. }
            | Self::Question { generation, .. }
            | Self::Outcome { generation, .. } => *generation,
        }
    }

    /// What is waited for, whatever the kind and the generation.
    pub(crate) fn subject(&self) -> Subject {
        match self {
            Self::ActionApproval { tool_use_id, .. } | Self::CustomTool { tool_use_id, .. } => {
                Subject::Tool(tool_use_id.clone())
            }
            Self::Question { question_id, .. } => Subject::Question(question_id.clone()),
            Self::Outcome { outcome_id, .. } => Subject::Outcome(outcome_id.clone()),
        }
    }
}

/// A wait's key within its thread.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Subject {
    Tool(ToolUseId),
    Question(QuestionId),
    Outcome(OutcomeId),
}
