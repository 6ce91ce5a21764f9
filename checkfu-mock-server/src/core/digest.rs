//! What makes two answers to a wait the same (A-GEN): everything that was said and who said it; not why it was sent, nor
//! how its thread and generation were named.

use serde_json::json;
use sha2::{Digest, Sha256};

use super::event::EventData;

/// The digest of an answer; the same for every spelling of it.
pub(crate) fn of_answer(answer: &EventData) -> Vec<u8> {
    let said = match answer {
        EventData::UserCustomToolResult(answer) => {
            json!([
                answer.result.canonical(),
                answer.is_error.unwrap_or(false),
                answer.authored_by
            ])
        }
        EventData::UserToolConfirmation(answer) => {
            json!([answer.result, answer.deny_message, answer.authored_by])
        }
        EventData::UserQuestionAnswer(answer) => json!([answer.answer.canonical(), answer.authored_by]),
        _ => json!([]),
    };
    Sha256::digest(format!("{} {said}", answer.type_name())).to_vec()
}
