//! What two Sessions of the same flow have to share: everything but identifiers and times, and, where children work beside
//! each other, the order between Runs.

use std::collections::{BTreeMap, HashMap};

use serde_json::Value;

/// A finished Session.
pub(super) type Trace = Vec<String>;

/// The log in its order, then the resources.
pub(super) fn in_order(log: &[Value], resources: &[Value]) -> Trace {
    let mut names = Names::default();
    log.iter()
        .chain(resources)
        .map(|value| names.plain(value).to_string())
        .collect()
}

/// Run by Run, each in its order, then the resources. What the whole Session says of its rest between Runs, and what is
/// counted up over them, depends on which Run came first.
pub(super) fn by_run(log: &[Value], resources: &[Value]) -> Trace {
    let mut runs: BTreeMap<&str, Vec<&Value>> = BTreeMap::new();
    for event in log.iter().filter(|event| !depends_on_order(event)) {
        let run = event["run_id"].as_str().unwrap_or_default();
        runs.entry(run).or_default().push(event);
    }
    let mut trace: Trace = runs
        .into_values()
        .map(|events| {
            let mut names = Names::default();
            let lines = events.into_iter().map(|event| {
                let mut event = event.clone();
                event["seq"] = Value::Null;
                names.plain(&event).to_string()
            });
            lines.collect::<Vec<_>>().join("\n")
        })
        .collect();
    trace.extend(resources.iter().map(|resource| {
        let mut resource = resource.clone();
        resource["last_seq"] = Value::Null;
        Names::default().plain(&resource).to_string()
    }));
    trace.sort();
    trace
}

fn depends_on_order(event: &Value) -> bool {
    match event["type"].as_str().unwrap() {
        "session.usage" | "session.status_idle" | "session.status_waiting" => true,
        "session.status_pending" => !event["run_id"].is_null(),
        // Not between two Runs of the same child.
        "session.thread_status_idle" => event["payload"]["stop_reason"]["type"] == "end_turn",
        _ => false,
    }
}

/// Identifiers by their first appearance.
#[derive(Debug, Default)]
struct Names(HashMap<String, usize>);

impl Names {
    fn plain(&mut self, value: &Value) -> Value {
        match value {
            Value::String(text) if text.parse::<jiff::Timestamp>().is_ok() => Value::from("(time)"),
            Value::String(text) => Value::from(self.rename(text)),
            Value::Array(items) => items.iter().map(|item| self.plain(item)).collect(),
            Value::Object(members) => members
                .iter()
                // How long something took.
                .filter(|(name, _)| *name != "stats")
                .map(|(name, member)| (name.clone(), self.plain(member)))
                .collect(),
            other => other.clone(),
        }
    }

    /// Every underscore with 32 hexadecimal digits ends the identifier that it is in.
    fn rename(&mut self, text: &str) -> String {
        let mut renamed = String::new();
        let mut rest = text;
        while let Some(at) = rest.find('_') {
            let (before, digits) = rest.split_at(at + 1);
            renamed.push_str(before);
            rest = digits;
            let is_id = digits
                .as_bytes()
                .get(..32)
                .is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit));
            if is_id {
                let (digits, after) = digits.split_at(32);
                let number = self.0.len();
                let number = *self.0.entry(digits.to_owned()).or_insert(number);
                renamed.push_str(&format!("#{number}"));
                rest = after;
            }
        }
        renamed + rest
    }
}
