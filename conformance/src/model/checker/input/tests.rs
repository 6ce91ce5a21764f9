use serde_json::{Value, json};

use crate::model::{Finding, History, check};

const INTERRUPT: &str = "user.interrupt";

/// A history of one Session, written line by line.
struct Told {
    lines: Vec<Value>,
    operations: u32,
}

impl Told {
    fn new() -> Self {
        let header = json!({"format": 2, "suite": "0.1.0", "url": "u", "run": "r", "seed": 0, "history": 0});
        Self {
            lines: vec![header],
            operations: 0,
        }
    }

    /// An operation from its call to its end.
    fn operation(mut self, call: Value, phase: &str, seen: Option<Value>) -> Self {
        let op = self.operations;
        self.operations += 1;
        self.lines
            .push(json!({"t": 0, "process": 0, "op": op, "phase": "invoke", "call": call}));
        let mut end = json!({"t": 0, "process": 0, "op": op, "phase": phase});
        if let Some(seen) = seen {
            end["seen"] = seen;
        }
        self.lines.push(end);
        self
    }

    /// An input that was acknowledged without an envelope.
    fn input(self, kind: &str, key: &str, payload: Value) -> Self {
        self.ended(kind, key, payload, "ok")
    }

    fn ended(self, kind: &str, key: &str, payload: Value, phase: &str) -> Self {
        let sent = json!({"type": kind, "payload": payload});
        let call = json!({"input": {"session": "s", "kind": kind, "key": key, "sent": sent}});
        self.operation(call, phase, None)
    }

    /// A whole list of these events.
    fn list(mut self, events: &[(u64, &str, Value)]) -> Self {
        let pages = events.iter().map(|(seq, kind, payload)| {
            let name = format!("{}-{seq}", self.lines.len());
            let event = json!({"seq": seq, "id": format!("evt_{seq}"), "type": kind, "payload": payload});
            (name.clone(), json!({"envelope": name, "event": event}))
        });
        let (names, envelopes): (Vec<String>, Vec<Value>) = pages.unzip();
        self.lines.extend(envelopes);
        let call = json!({"list": {"session": "s", "limit": 100, "walk": "page"}});
        self.operation(
            call,
            "ok",
            Some(json!({"pages": {"pages": [names], "end": "last"}})),
        )
    }

    fn findings(&self) -> Vec<Finding> {
        let text: Vec<String> = self.lines.iter().map(Value::to_string).collect();
        check(&History::parse(&text.join("\n")).unwrap()).findings
    }

    fn lost(&self) -> usize {
        let findings = self.findings();
        assert!(
            findings.iter().all(|finding| finding.anomaly == "lost-write"),
            "{findings:?}"
        );
        findings.len()
    }
}

fn by(author: &str) -> Value {
    json!({"authored_by": author, "caused_by": {"kind": "api"}})
}

fn pending() -> (u64, &'static str, Value) {
    (1, "session.status_pending", json!({}))
}

/// Proves SES-1, SES-5: an acknowledgement promises an event, whatever its body says.
#[test]
fn an_interrupt_that_was_acknowledged_and_thrown_away_is_missed() {
    let told = || Told::new().list(&[pending()]).input(INTERRUPT, "k1", by("p"));
    assert_eq!(told().list(&[pending()]).lost(), 1);
    assert_eq!(told().list(&[pending(), (2, INTERRUPT, by("p"))]).lost(), 0);
    // Without a list behind it nothing is known.
    assert_eq!(told().lost(), 0);
}

#[test]
fn so_many_as_were_acknowledged_are_there() {
    let three = || {
        let told = Told::new()
            .input(INTERRUPT, "k1", by("p"))
            .input(INTERRUPT, "k2", by("p"));
        told.input(INTERRUPT, "k3", by("p"))
    };
    let shown = |count: u64| {
        (1..=count)
            .map(|seq| (seq, INTERRUPT, by("p")))
            .collect::<Vec<_>>()
    };
    for (there, lost) in [(0, 3), (1, 2), (2, 1), (3, 0), (4, 0)] {
        assert_eq!(three().list(&shown(there)).lost(), lost, "{there} of three");
    }
}

/// One that was read before an input was sent is another one.
#[test]
fn what_was_there_before_does_not_stand_for_it() {
    let before = [pending(), (2, INTERRUPT, by("p"))];
    let told = Told::new()
        .list(&before)
        .input(INTERRUPT, "k1", by("p"))
        .list(&before);
    assert_eq!(told.lost(), 1);
}

#[test]
fn only_an_event_of_its_kind_and_author_stands_for_it() {
    let told = || Told::new().input(INTERRUPT, "k1", by("p"));
    assert_eq!(told().list(&[(1, INTERRUPT, by("q"))]).lost(), 1);
    assert_eq!(told().list(&[(1, "user.message", by("p"))]).lost(), 1);
}

/// A retry under one key is one input, and so is the same answer once more.
#[test]
fn what_is_sent_again_is_one_input() {
    let again = Told::new()
        .input(INTERRUPT, "k1", by("p"))
        .input(INTERRUPT, "k1", by("p"));
    assert_eq!(again.list(&[(1, INTERRUPT, by("p"))]).lost(), 0);
    let (kind, answer) = (
        "user.question_answer",
        json!({"question_id": "q", "answer": "yes"}),
    );
    let told = || {
        Told::new()
            .input(kind, "k1", answer.clone())
            .input(kind, "k2", answer.clone())
    };
    assert_eq!(told().list(&[(1, kind, answer.clone())]).lost(), 0);
    let other = json!({"question_id": "other", "answer": "yes"});
    assert_eq!(told().list(&[(1, kind, other)]).lost(), 1);
}

/// One whose fate is unknown may be there or not, and a refused one is none.
#[test]
fn only_what_was_acknowledged_has_to_be_there() {
    for phase in ["info", "fail"] {
        let told = Told::new().ended(INTERRUPT, "k1", by("p"), phase);
        assert_eq!(told.list(&[pending()]).lost(), 0, "{phase}");
        let told = Told::new()
            .ended(INTERRUPT, "k1", by("p"), phase)
            .input(INTERRUPT, "k1", by("p"));
        assert_eq!(told.list(&[pending()]).lost(), 1, "{phase} and then acknowledged");
    }
}

/// The events that acknowledgements name stand for those inputs alone.
#[test]
fn a_named_event_stands_for_no_other_input() {
    let mut told = Told::new();
    told.lines.push(
        json!({"envelope": "a", "event": {"seq": 1, "id": "evt_1", "type": INTERRUPT, "payload": by("p")}}),
    );
    let call = json!({"input": {"session": "s", "kind": INTERRUPT, "key": "k1"}});
    let told = told.operation(call, "ok", Some(json!({"accepted": {"event": "a"}})));
    let told = told
        .input(INTERRUPT, "k2", by("p"))
        .list(&[(1, INTERRUPT, by("p"))]);
    assert_eq!(told.lost(), 1);
}

/// A form without what was sent counts the inputs of a kind.
#[test]
fn inputs_of_the_first_form_are_counted_by_their_kind() {
    let call = || json!({"input": {"session": "s", "kind": INTERRUPT}});
    let told = || {
        Told::new()
            .operation(call(), "ok", None)
            .operation(call(), "ok", None)
    };
    assert_eq!(told().list(&[(1, INTERRUPT, by("p"))]).lost(), 1);
    assert_eq!(
        told()
            .list(&[(1, INTERRUPT, by("p")), (2, INTERRUPT, by("q"))])
            .lost(),
        0
    );
}

/// What a fork has from its source is none of its own inputs.
#[test]
fn a_copy_in_a_fork_stands_for_no_input_of_the_fork() {
    let mut told = Told::new().list(&[(1, INTERRUPT, by("p"))]);
    told = told.operation(
        json!({"fork": {"session": "s", "at": 1}}),
        "ok",
        Some(json!({"session": {"id": "f"}})),
    );
    let call = json!({"input": {"session": "f", "kind": INTERRUPT}});
    told = told.operation(call, "ok", None).list(&[(1, INTERRUPT, by("p"))]);
    let name = told
        .lines
        .iter()
        .rev()
        .find_map(|line| line.get("envelope").cloned())
        .unwrap();
    let call = json!({"list": {"session": "f", "limit": 100, "walk": "page"}});
    told = told.operation(
        call,
        "ok",
        Some(json!({"pages": {"pages": [[name]], "end": "last"}})),
    );
    assert_eq!(told.lost(), 1);
}
