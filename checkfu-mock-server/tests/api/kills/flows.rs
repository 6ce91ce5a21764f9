//! The table: what every built-in scenario is given, and how what it asks is answered.

use std::time::Duration;

use serde_json::Value;

/// One Session of a scenario, from its creation to its end.
#[derive(Debug)]
pub(super) struct Flow {
    pub(super) scenario: &'static str,
    /// The current one without a number.
    pub(super) revision: Option<u32>,
    pub(super) inputs: &'static [Input],
    /// How an approval is decided; nobody decides without one.
    pub(super) decision: Option<&'static str>,
    /// Whether what the application executes goes wrong.
    pub(super) goes_wrong: bool,
    /// Whether children work beside the primary thread, so that the order between threads is free.
    pub(super) children: bool,
    /// After how long without an event the clock is advanced once more. Where inputs depend on the latest event, one step too
    /// many would miss it.
    pub(super) still: Duration,
    /// By how much the clock is advanced while this is the log.
    pub(super) pace: fn(&[Value]) -> Duration,
}

/// Something a person sends.
#[derive(Debug)]
pub(super) struct Input {
    pub(super) when: When,
    pub(super) what: What,
}

/// What the log has to show before an input is sent.
#[derive(Debug)]
pub(super) enum When {
    /// Every Run has settled.
    Settled,
    /// The latest event has this in it.
    Latest(&'static str),
}

#[derive(Debug)]
pub(super) enum What {
    Message(&'static str),
    /// Its description and the most tries.
    Outcome(&'static str, u32),
    Interrupt,
}

/// Longer than every pause of a scenario that is none of its points, far shorter than every deadline.
const USUAL: Duration = Duration::from_millis(51);

/// Longer than a commit takes on a machine that is busy.
const PATIENT: Duration = Duration::from_secs(2);

/// Where steps show nothing in the log's length, and one too many does no harm.
const IMPATIENT: Duration = Duration::from_millis(25);

const fn says(text: &'static str) -> Input {
    Input {
        when: When::Settled,
        what: What::Message(text),
    }
}

const fn outcome(description: &'static str, tries: u32) -> Input {
    Input {
        when: When::Settled,
        what: What::Outcome(description, tries),
    }
}

const fn after(latest: &'static str, what: What) -> Input {
    Input {
        when: When::Latest(latest),
        what,
    }
}

const fn flow(scenario: &'static str, inputs: &'static [Input]) -> Flow {
    Flow {
        scenario,
        revision: None,
        inputs,
        decision: Some("allow"),
        goes_wrong: false,
        children: false,
        still: PATIENT,
        pace: |_| USUAL,
    }
}

const fn denied(scenario: &'static str, inputs: &'static [Input]) -> Flow {
    Flow {
        decision: Some("deny"),
        ..flow(scenario, inputs)
    }
}

const fn wrong(scenario: &'static str, inputs: &'static [Input]) -> Flow {
    Flow {
        goes_wrong: true,
        ..flow(scenario, inputs)
    }
}

const fn family(scenario: &'static str, inputs: &'static [Input]) -> Flow {
    Flow {
        children: true,
        still: IMPATIENT,
        ..flow(scenario, inputs)
    }
}

const fn paced(scenario: &'static str, inputs: &'static [Input], pace: fn(&[Value]) -> Duration) -> Flow {
    Flow {
        pace,
        ..flow(scenario, inputs)
    }
}

/// Shows itself piece by piece.
const fn slow(inputs: &'static [Input]) -> Flow {
    Flow {
        still: IMPATIENT,
        ..paced("slow", inputs, through_a_long_turn)
    }
}

/// Every rule of every scenario is reached by one of them, and every branch of a rule.
pub(super) const FLOWS: &[Flow] = &[
    Flow {
        revision: Some(1),
        ..flow("plain", &[says("one"), says("two")])
    },
    flow(
        "plain",
        &[
            says("one"),
            // Its Run is queued: it starts when the first one settles.
            after("Hello, I am the plain agent.", What::Message("two")),
            says("three"),
        ],
    ),
    flow(
        "plain",
        &[
            says("one"),
            after("session.status_provisioning", What::Interrupt),
            says("two"),
        ],
    ),
    Flow {
        still: IMPATIENT,
        ..flow("previews", &[says("hello")])
    },
    flow("tools", &[says("hello"), says("a broken one")]),
    flow("custom_tool", &[says("hello")]),
    wrong("custom_tool", &[says("hello")]),
    flow(
        "custom_tool",
        &[
            says("hello"),
            after("session.status_waiting", What::Interrupt),
            says("again"),
        ],
    ),
    flow("approval", &[says("deploy"), says("quick")]),
    denied("approval", &[says("deploy"), says("quick")]),
    Flow {
        decision: None,
        ..paced("approval", &[says("quick")], until_the_approval_expires)
    },
    flow("governed_tool", &[says("send")]),
    denied("governed_tool", &[says("send")]),
    wrong("governed_tool", &[says("send")]),
    flow("several_actions", &[says("measure")]),
    denied("several_actions", &[says("measure")]),
    flow("question", &[says("ask me"), says("ask me twice")]),
    flow(
        "question",
        &[
            says("ask me"),
            after("session.status_paused", What::Interrupt),
            says("twice"),
        ],
    ),
    flow("outcome", &[outcome("a note", 3), says("and now?")]),
    flow("outcome", &[outcome("a hopeless note", 2)]),
    flow("outcome", &[outcome("something impossible", 5)]),
    flow(
        "outcome",
        &[
            outcome("a note", 3),
            after("session.status_waiting", What::Interrupt),
            outcome("a note", 1),
        ],
    ),
    family("coordinator", &[says("checkfu")]),
    family("twins", &[says("go")]),
    flow("flaky", &[says("go")]),
    flow("exhausted", &[says("go"), says("again")]),
    family("exhausted", &[says("a child"), says("again")]),
    flow("broken", &[says("go"), says("the session")]),
    family("broken", &[says("a child")]),
    paced("slow_start", &[says("go")], until_the_start_up_times_out),
    paced("slow_start", &[says("never")], until_the_start_up_times_out),
    paced("overtime", &[says("go")], until_the_deadline),
    paced("overtime_fails", &[says("go")], until_the_deadline),
    flow("reconcile", &[says("go")]),
    flow("budget", &[says("go")]),
    flow("refusal", &[says("go")]),
    paced(
        "parallel",
        &[says("slow"), after("This takes a while.", What::Message("fast"))],
        until_the_slow_one_is_alone,
    ),
    slow(&[says("go")]),
    slow(&[says("go"), after("I begin.", What::Interrupt)]),
    slow(&[says("go"), after("Please be patient.", What::Interrupt)]),
    flow("waiting_style", &[says("go")]),
    flow("idle_style", &[says("go")]),
];

fn latest_has(log: &[Value], part: &str) -> bool {
    log.last().is_some_and(|event| event.to_string().contains(part))
}

fn count(log: &[Value], type_name: &str) -> usize {
    log.iter().filter(|event| event["type"] == type_name).count()
}

fn until_the_approval_expires(log: &[Value]) -> Duration {
    if latest_has(log, "session.status_waiting") {
        Duration::from_secs(2)
    } else {
        USUAL
    }
}

/// "never" never gets ready, the other one at its second start-up.
fn until_the_start_up_times_out(log: &[Value]) -> Duration {
    let never = log
        .iter()
        .any(|event| event["payload"]["content"][0]["text"] == "never");
    let ready = !never && count(log, "run.requeued") > 0;
    if latest_has(log, "session.status_provisioning") && !ready {
        Duration::from_secs(60)
    } else {
        USUAL
    }
}

fn until_the_deadline(log: &[Value]) -> Duration {
    if latest_has(log, "This takes an hour.") {
        Duration::from_secs(61)
    } else {
        USUAL
    }
}

/// The fast Run is over long before the slow one goes on.
fn until_the_slow_one_is_alone(log: &[Value]) -> Duration {
    if count(log, "run.completed") == 0 {
        Duration::from_millis(2)
    } else {
        Duration::from_millis(301)
    }
}

fn through_a_long_turn(log: &[Value]) -> Duration {
    if latest_has(log, "I begin.") {
        Duration::from_millis(1001)
    } else if latest_has(log, "agent.thinking") {
        Duration::from_millis(101)
    } else if latest_has(log, "Please be patient.") {
        Duration::from_secs(601)
    } else {
        USUAL
    }
}
