//! One short line about an event.

use checkfu_sdk::{Event, EventData};

use crate::output::one_line;

/// What an event says, cut to one line.
pub(crate) fn gist(event: &Event) -> String {
    let text = match event.data() {
        EventData::UserMessage(message) => message.content.to_text(),
        EventData::AgentMessage(message) => message.content.to_text(),
        EventData::SessionStatusIdle(idle) => match &idle.stop_reason {
            Some(reason) => format!("stop_reason {reason}"),
            None => String::new(),
        },
        EventData::RunStarted(started) => format!("attempt {}", started.attempt),
        EventData::RunCompleted(ended) => match &ended.cost {
            Some(cost) => format!("cost {} {}", cost.amount, cost.currency),
            None => String::new(),
        },
        EventData::SessionUsage(report) => match &report.usage {
            Some(usage) => format!("{} tokens in, {} out", usage.input_tokens, usage.output_tokens),
            None => String::new(),
        },
        EventData::Unknown => "a type that this version does not know".to_owned(),
        EventData::Undecodable(undecodable) => undecodable.reason.clone(),
        _ => String::new(),
    };
    one_line(&text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(json: &str) -> Event {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn an_idle_says_why_and_an_unknown_type_says_so() {
        let idle = r#"{"id":"e","seq":1,"type":"session.status_idle","payload":{"stop_reason":"end_turn"}}"#;
        assert_eq!(gist(&event(idle)), "stop_reason end_turn");
        let unknown = r#"{"id":"e","seq":1,"type":"agent.sang","payload":{}}"#;
        assert_eq!(gist(&event(unknown)), "a type that this version does not know");
    }
}
