//! One short line about an event.

use checkfu_sdk::{Event, EventData};

/// The longest gist, in characters.
const WIDTH: usize = 96;

/// What an event says, cut to one line.
pub(super) fn gist(event: &Event) -> String {
    let text = match event.data() {
        EventData::UserMessage(message) => message.content.to_text(),
        EventData::UserToolConfirmation(answer) => format!("{} {}", answer.result, answer.tool_use_id),
        EventData::UserQuestionAnswer(answer) => answer.answer.to_string(),
        EventData::UserDefineOutcome(outcome) => outcome.description.clone(),
        EventData::AgentMessage(message) => message.content.to_text(),
        EventData::AgentQuestion(question) => question.prompt.clone(),
        EventData::AgentToolUse(call) => format!("{} {}", call.name, call.tool_use_id),
        EventData::AgentToolResult(result) => result.tool_use_id.to_string(),
        EventData::SessionStatusIdle(idle) => idle
            .stop_reason
            .as_ref()
            .map_or_else(String::new, ToString::to_string),
        EventData::RunStarted(started) => format!("attempt {}", started.attempt),
        EventData::RunCompleted(ended) | EventData::RunFailed(ended) | EventData::RunCanceled(ended) => {
            let cost = ended
                .cost
                .as_ref()
                .map(|cost| format!("{} {}", cost.amount, cost.currency));
            ended.reason.clone().or(cost).unwrap_or_default()
        }
        EventData::SessionUsage(report) => report.usage.as_ref().map_or_else(String::new, |usage| {
            format!("{} tokens in, {} out", usage.input_tokens, usage.output_tokens)
        }),
        EventData::Unknown => "(a type that this version does not know)".to_owned(),
        EventData::Undecodable(undecodable) => format!("({})", undecodable.reason),
        _ => String::new(),
    };
    one_line(&text)
}

fn one_line(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(WIDTH) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_to_one_line_between_characters() {
        assert_eq!(one_line("two\n words"), "two words");
        assert_eq!(
            one_line(&"é".repeat(WIDTH + 1)),
            format!("{}…", "é".repeat(WIDTH))
        );
    }
}
