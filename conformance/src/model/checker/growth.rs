//! A judgement takes as long as its history is long, give or take a logarithm: twice the history, twice the steps.

use serde_json::{Value, json};

use super::{check, work};
use crate::model::history::History;

/// A history of about this many entries.
type Shape = fn(u64) -> Long;

/// A history that is written line by line.
struct Long {
    lines: Vec<Value>,
    operations: u32,
}

impl Long {
    fn new() -> Self {
        let header = json!({"format": 2, "suite": "0", "url": "u", "run": "r", "seed": 0, "history": 0});
        Self {
            lines: vec![header],
            operations: 0,
        }
    }

    /// Envelopes with these numbers, named by them.
    fn envelopes(&mut self, last: u64, kind: &str) {
        for seq in 1..=last {
            let event = json!({"seq": seq, "id": format!("evt_{seq}"), "type": kind});
            self.lines
                .push(json!({"envelope": seq.to_string(), "event": event}));
        }
    }

    fn operation(&mut self, call: Value, phase: &str, seen: Value) {
        let op = self.operations;
        self.operations += 1;
        self.lines
            .push(json!({"t": 0, "process": 0, "op": op, "phase": "invoke", "call": call}));
        let mut end = json!({"t": 0, "process": 0, "op": op, "phase": phase});
        if !seen.is_null() {
            end["seen"] = seen;
        }
        self.lines.push(end);
    }

    fn list(&mut self, session: &str, pages: &[Vec<u64>]) {
        let pages: Vec<Vec<String>> = pages
            .iter()
            .map(|page| page.iter().map(u64::to_string).collect())
            .collect();
        let call = json!({"list": {"session": session, "limit": 1000, "walk": "page"}});
        self.operation(call, "ok", json!({"pages": {"pages": pages, "end": "last"}}));
    }

    fn stream(&mut self, session: &str, after: u64, until: &str, end: &str, seqs: &[u64]) {
        let blocks: Vec<Value> = seqs.iter().map(|seq| json!({"event": seq.to_string()})).collect();
        let call = json!({"stream": {"session": session, "after": after, "until": until}});
        self.operation(call, "ok", json!({"blocks": {"blocks": blocks, "end": end}}));
    }

    fn history(&self) -> History {
        let lines: Vec<String> = self.lines.iter().map(Value::to_string).collect();
        History::parse(&lines.join("\n")).unwrap()
    }
}

/// One list of many pages that leaves out every second event.
fn pages_with_holes(size: u64) -> Long {
    let mut long = Long::new();
    long.envelopes(size, "t");
    long.list("s", &[(1..=size).collect()]);
    long.list(
        "s",
        &(1..=size / 2).map(|page| vec![page * 2]).collect::<Vec<_>>(),
    );
    long
}

/// Many lists and streams of the two ends of a long log.
fn reads_with_holes(size: u64) -> Long {
    let mut long = Long::new();
    long.envelopes(size, "t");
    long.list("s", &[(1..=size).collect()]);
    for read in 0..size / 4 {
        long.list("s", &[vec![1, size]]);
        long.list("s", &[vec![1], vec![size]]);
        long.stream("s", read % 3, "cut", "cut", &[3, size]);
    }
    long
}

/// Messages, inputs and refused calls, each with lists around it.
fn calls(size: u64) -> Long {
    let mut long = Long::new();
    long.envelopes(2, "user.interrupt");
    for number in 0..size / 4 {
        long.list("s", &[vec![1, 2]]);
        long.operation(
            json!({"append": {"session": "s", "token": format!("{number}")}}),
            "ok",
            Value::Null,
        );
        long.operation(
            json!({"append": {"session": "s", "token": "again"}}),
            "info",
            Value::Null,
        );
        long.operation(
            json!({"input": {"session": "s", "kind": "user.interrupt"}}),
            "ok",
            Value::Null,
        );
        long.operation(
            json!({"wrong": {"session": "s", "what": "w"}}),
            "fail",
            Value::Null,
        );
    }
    long.list("s", &[vec![1, 2]]);
    long
}

/// Many refused calls between two lists of a long log.
fn refusals(size: u64) -> Long {
    let mut long = Long::new();
    long.envelopes(size, "t");
    long.list("s", &[(1..=size).collect()]);
    for _ in 0..size / 2 {
        long.operation(
            json!({"wrong": {"session": "s", "what": "w"}}),
            "fail",
            Value::Null,
        );
    }
    long.list("s", &[(1..=size).collect()]);
    long
}

/// Many streams that wait for a settlement of a long log.
fn waits(size: u64) -> Long {
    let mut long = Long::new();
    long.envelopes(size, "run.completed");
    long.list("s", &[(1..=size).collect()]);
    for _ in 0..size / 2 {
        long.stream("s", 0, "rest", "deadline", &[]);
    }
    long
}

/// Many Sessions with a few reads each.
fn sessions(size: u64) -> Long {
    let mut long = Long::new();
    long.envelopes(2, "t");
    for session in 0..size / 4 {
        let session = format!("s{session}");
        long.operation(
            json!({"append": {"session": session, "token": session}}),
            "ok",
            Value::Null,
        );
        long.list(&session, &[vec![1, 2]]);
        long.stream(&session, 0, "rest", "cut", &[1, 2]);
    }
    long
}

/// Many forks of a long log, without an event in them.
fn forks(size: u64) -> Long {
    let mut long = Long::new();
    long.envelopes(size, "t");
    for fork in 0..size / 200 {
        let id = format!("f{fork}");
        long.operation(
            json!({"fork": {"session": "s", "at": size}}),
            "ok",
            json!({"session": {"id": id}}),
        );
        long.list(&id, &[vec![1]]);
    }
    long.list("s", &[(1..=size).collect()]);
    long
}

#[test]
fn twice_the_history_takes_twice_the_steps() {
    let shapes: [(&str, Shape); 7] = [
        ("pages with holes", pages_with_holes),
        ("reads with holes", reads_with_holes),
        ("calls", calls),
        ("refusals", refusals),
        ("waits", waits),
        ("sessions", sessions),
        ("forks", forks),
    ];
    for (name, shape) in shapes {
        let [once, twice] = [2_000, 4_000].map(|size| work::of(|| check(&shape(size).history())).0);
        assert!(once > 1_000, "{name}: {once} steps say nothing");
        assert!(twice < once * 5 / 2, "{name}: {once} steps, then {twice}");
    }
}

/// A history of 20,000 reads of a log of as many events, in which nothing is where it should be.
#[test]
fn a_long_history_with_holes_is_judged() {
    let history = reads_with_holes(27_000).history();
    assert!(history.operations().len() > 20_000);
    let (steps, judgement) = work::of(|| check(&history));
    assert!(judgement.findings.len() > 50_000);
    assert!(steps < 1_000_000, "{steps} steps");
}
