//! Writes a scenario as the file that it could have been read from. What has its default value is left out.

mod out;
mod steps;

use super::model::{AgentDraft, DEFAULT_MAX_DURATION_SECONDS, Rule, Scenario};
use crate::core::admission::{Behaviour, OnDeadline, Overlap, WaitStyle};
use out::{Map, Out};

/// The file.
pub(crate) fn write(scenario: &Scenario) -> String {
    let mut map = Map::default();
    map.text("name", &scenario.name);
    if !scenario.description.is_empty() {
        map.text("description", &scenario.description);
    }
    map.map("agent", agent(&scenario.agent, &scenario.name));
    map.map(
        "settings",
        settings(&scenario.behaviour, scenario.max_duration_seconds),
    );
    let mut roster = Map::default();
    for (name, child) in &scenario.roster {
        let mut member = Map::default();
        member.map("draft", Map::of_json(&child.agent.draft));
        member.put("rules", rules(&child.rules));
        roster.map(name, member);
    }
    map.map("roster", roster);
    map.put("rules", rules(&scenario.rules));
    Out::Map(map).to_yaml()
}

fn agent(agent: &AgentDraft, title: &str) -> Map {
    let mut map = Map::default();
    if agent.name != title {
        map.text("name", &agent.name);
    }
    map.map("draft", Map::of_json(&agent.draft));
    map
}

fn settings(behaviour: &Behaviour, seconds: u64) -> Map {
    let mut map = Map::default();
    let usual = Behaviour::default();
    match behaviour.overlap {
        Overlap::Queue => {}
        Overlap::Parallel => map.text("overlap", "parallel"),
    }
    match behaviour.wait_style {
        WaitStyle::Both => {}
        WaitStyle::Waiting => map.text("wait_style", "waiting"),
        WaitStyle::Idle => map.text("wait_style", "idle"),
    }
    match behaviour.on_deadline {
        OnDeadline::Idle => {}
        OnDeadline::Failed => map.text("on_deadline", "failed"),
    }
    if seconds != DEFAULT_MAX_DURATION_SECONDS {
        map.number("max_duration_seconds", seconds);
    }
    if behaviour.max_retries != usual.max_retries {
        map.number("max_retries", u64::from(behaviour.max_retries));
    }
    if behaviour.max_startups != usual.max_startups {
        map.number("max_startups", u64::from(behaviour.max_startups));
    }
    map
}

fn rules(rules: &[Rule]) -> Out {
    let rules = rules.iter().map(|rule| {
        let mut map = Map::default();
        map.text("input", rule.input.as_str());
        if let Some(part) = &rule.contains {
            map.text("contains", part);
        }
        if rule.slow_start > 0 {
            map.number("slow_start", u64::from(rule.slow_start));
        }
        map.put("steps", steps::steps(&rule.steps));
        Out::Map(map)
    });
    Out::List(rules.collect())
}

#[cfg(test)]
mod tests {
    use crate::scenario::built_in;
    use crate::scenario::parse::parse;

    use super::*;

    /// What is written is read back the same, whatever a scenario says.
    #[test]
    fn what_is_written_is_read_back() {
        let all = include_str!("tests/everything.yaml");
        let everything = parse(all).unwrap();
        for scenario in built_in::all()
            .iter()
            .map(|built_in| &*built_in.scenario)
            .chain([&everything])
        {
            let written = write(scenario);
            let read = parse(&written).unwrap_or_else(|error| panic!("{error}\n{written}"));
            assert_eq!(&read, scenario, "{written}");
        }
    }
}
