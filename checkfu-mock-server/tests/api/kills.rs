//! SIGKILL after any commit of any built-in scenario: the finished log is the one of a Session that nobody disturbed.

mod driver;
mod flows;
mod life;
mod record;
mod trace;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use checkfu_mock_server::built_in_scenarios;
use serde_json::{Value, json};

use driver::{Move, next};
use flows::{FLOWS, Flow};
use life::Life;
use record::Record;
use trace::Trace;

use crate::support::random::Random;

/// How many servers live at once.
const LANES: usize = 4;

/// More moves than any flow takes.
const MOST_MOVES: usize = 500;

/// What the rules say and nobody ever hears, by scenario: time or a lost Runner is always quicker.
const NEVER_HEARD: [(&str, &str); 4] = [
    ("exhausted", "I am through."),
    ("overtime", "Done."),
    ("overtime_fails", "Done."),
    ("slow_start", "Nobody will read this."),
];

/// SES-1, A-TURN, A-CONT: for every built-in scenario a Session is driven to its end, and others are killed with the
/// program after a commit, or after two, and driven on by the next life. Their logs, Runs, threads and approvals are those
/// of the undisturbed one, identifiers and times aside; a kill costs no attempt, and what was read before it stands.
///
/// Each flow is killed once and twice at points that the seed picks; with `CHECKFU_KILLS=all` once after every commit, and
/// at a third as many pairs.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_kill_after_any_commit_leaves_no_trace() {
    let mut random = Random::seeded("a_kill_after_any_commit_leaves_no_trace");
    let everything = std::env::var("CHECKFU_KILLS").is_ok_and(|kills| kills == "all");
    let tasks: VecDeque<Task> = FLOWS
        .iter()
        .map(|flow| Task {
            flow,
            everything,
            draws: std::iter::repeat_with(|| random.below(1 << 32))
                .take(64)
                .collect(),
        })
        .collect();
    let tasks = Arc::new(Mutex::new(tasks));
    let lanes: Vec<_> = (0..LANES)
        .map(|_| tokio::spawn(lane(Arc::clone(&tasks))))
        .collect();
    let mut heard: BTreeMap<&str, String> = BTreeMap::new();
    let (mut kills, mut points) = (0, 0);
    for lane in lanes {
        for done in lane.await.unwrap() {
            kills += done.kills;
            points += done.points;
            heard.entry(done.flow.scenario).or_default().push_str(&done.log);
        }
    }
    println!("{} flows, {kills} kills, {points} different ones", FLOWS.len());
    check_that_every_rule_was_played(&heard);
}

/// Every built-in scenario is in the table.
#[test]
fn every_built_in_scenario_is_killed() {
    let known: BTreeSet<&str> = built_in_scenarios().map(|scenario| scenario.name).collect();
    let driven: BTreeSet<&str> = FLOWS.iter().map(|flow| flow.scenario).collect();
    assert_eq!(driven, known);
}

#[derive(Debug)]
struct Task {
    flow: &'static Flow,
    everything: bool,
    draws: Vec<u64>,
}

#[derive(Debug)]
struct Done {
    flow: &'static Flow,
    kills: usize,
    /// How many different lengths of the log they left.
    points: usize,
    log: String,
}

async fn lane(tasks: Arc<Mutex<VecDeque<Task>>>) -> Vec<Done> {
    let mut life = Life::begin().await;
    let mut done = Vec::new();
    loop {
        let Some(task) = tasks.lock().unwrap().pop_front() else {
            return done;
        };
        let began = Instant::now();
        let (next, finished) = kill_everywhere(life, &task).await;
        println!(
            "{} {:?}: {} kills at {} points, {:?}",
            finished.flow.scenario,
            finished
                .flow
                .inputs
                .iter()
                .map(|input| &input.what)
                .collect::<Vec<_>>(),
            finished.kills,
            finished.points,
            began.elapsed()
        );
        life = next;
        done.push(finished);
    }
}

/// The undisturbed Session, then the killed ones.
async fn kill_everywhere(life: Life, task: &Task) -> (Life, Done) {
    let flow = task.flow;
    let (mut life, undisturbed) = drive(life, flow, &[]).await;
    let mut draws = task.draws.iter().copied().cycle();
    let stands: Vec<u64> = undisturbed.stands.iter().copied().collect();
    let mut pick = |from: usize| {
        let rest = &stands[from..];
        let index = draws.next().unwrap() as usize % rest.len();
        (from + index, rest[index])
    };
    let mut plans: Vec<Vec<u64>> = Vec::new();
    let pairs = if task.everything {
        plans.extend(stands.iter().map(|stand| vec![*stand]));
        stands.len() / 3
    } else {
        plans.push(vec![pick(0).1]);
        1
    };
    for _ in 0..pairs {
        let (index, first) = pick(0);
        plans.push(vec![first, pick(index).1]);
    }
    let mut kills = 0;
    let mut points = BTreeSet::new();
    let mut seen = undisturbed.stands.clone();
    let mut plans: VecDeque<Vec<u64>> = plans.into();
    let mut spare = stands.len();
    while let Some(plan) = plans.pop_front() {
        let (next, killed) = drive(life, flow, &plan).await;
        life = next;
        compare(flow, &plan, &killed, &undisturbed);
        kills += killed.killed_at.len();
        points.extend(killed.killed_at);
        seen.extend(killed.stands);
        if plans.is_empty() && task.everything && !flow.children {
            // Another commit came before a kill, or two at once when nobody killed: the rest are met in another try.
            let missed: Vec<u64> = seen.difference(&points).copied().collect();
            assert!(
                missed.len() <= spare,
                "{}: never killed at {missed:?}",
                flow.scenario
            );
            spare -= missed.len();
            plans.extend(missed.into_iter().map(|stand| vec![stand]));
        }
    }
    let done = Done {
        flow,
        kills,
        points: points.len(),
        log: undisturbed.log,
    };
    (life, done)
}

fn compare(flow: &Flow, plan: &[u64], killed: &Driven, undisturbed: &Driven) {
    let differs = (0..killed.trace.len().max(undisturbed.trace.len()))
        .find(|index| killed.trace.get(*index) != undisturbed.trace.get(*index));
    if let Some(index) = differs {
        panic!(
            "{} {:?}, to be killed at {plan:?}, killed at {:?}, differs in line {index}:\n{:#?}\nundisturbed:\n{:#?}\nthe whole:\n{}",
            flow.scenario,
            flow.inputs,
            killed.killed_at,
            killed.trace.get(index),
            undisturbed.trace.get(index),
            killed.log,
        );
    }
}

/// A Session at its end.
#[derive(Debug)]
struct Driven {
    trace: Trace,
    /// Every length at which the log stood still.
    stands: BTreeSet<u64>,
    /// How long the log was after each kill.
    killed_at: Vec<u64>,
    log: String,
}

/// Drives a Session to its end and kills the program as soon as its log is as long as the plan says.
async fn drive(mut life: Life, flow: &Flow, plan: &[u64]) -> (Life, Driven) {
    let session = create(&life, flow).await;
    let path = format!("/v1/sessions/{session}/events");
    let mut record = Record::of(&session);
    let mut plan: VecDeque<u64> = plan.iter().copied().collect();
    let mut stands = BTreeSet::new();
    let mut killed_at = Vec::new();
    for _ in 0..MOST_MOVES {
        let mut head = record.head(life.client()).await;
        while plan.front().is_some_and(|length| *length <= head) {
            plan.pop_front();
            life = life.kill().await;
            record.read_again(life.client()).await;
            head = record.head(life.client()).await;
            killed_at.push(head);
        }
        stands.insert(head);
        record.read(life.client()).await;
        match next(flow, &record.log()) {
            Move::Post(type_name, mut payload) => {
                payload["authored_by"] = json!(life.principal());
                payload["caused_by"] = json!({"kind": "api"});
                let body = json!({"type": type_name, "payload": payload});
                life.client().post(&path, &body).await.ok(202);
            }
            Move::Advance(by) => {
                life.advance(by).await;
                until_longer(&record, &life, head, flow.still).await;
            }
            Move::Finished => {
                let log = record.log();
                let resources = record.resources(life.client()).await;
                let trace = if flow.children {
                    trace::by_run(&log, &resources)
                } else {
                    trace::in_order(&log, &resources)
                };
                let log = log.iter().map(|event| format!("{event}\n")).collect();
                let driven = Driven {
                    trace,
                    stands,
                    killed_at,
                    log,
                };
                return (life, driven);
            }
        }
    }
    panic!("{} comes to no end: {:#?}", flow.scenario, record.log());
}

async fn create(life: &Life, flow: &Flow) -> String {
    let client = life.client();
    let deployments = client.get("/v1/agent_deployments?limit=1000").await.ok(200);
    let found = deployments["data"]
        .as_array()
        .unwrap()
        .iter()
        .find(|deployment| deployment["name"] == flow.scenario);
    let mut body = json!({"agent_deployment_id": found.unwrap()["id"], "principal_id": life.principal()});
    if let Some(revision) = flow.revision {
        body["agent_deployment_revision_number"] = json!(revision);
    }
    let created = client.post("/v1/sessions", &body).await.ok(201);
    created["id"].as_str().unwrap().to_owned()
}

/// Waits for a commit; without one the time was not enough, and more has to pass.
async fn until_longer(record: &Record, life: &Life, head: u64, still: Duration) {
    let advanced = Instant::now();
    while record.head(life.client()).await <= head && advanced.elapsed() < still {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

/// What every step of every rule says stands in a log.
fn check_that_every_rule_was_played(heard: &BTreeMap<&str, String>) {
    for scenario in built_in_scenarios() {
        let rules: Value = serde_saphyr::from_str(scenario.yaml).unwrap();
        let mut texts = Vec::new();
        collect_texts(&rules, &mut texts);
        for text in texts {
            let literal = text
                .split(['{', '}'])
                .step_by(2)
                .max_by_key(|part| part.len())
                .unwrap();
            let never = NEVER_HEARD.contains(&(scenario.name, literal));
            let quoted = Value::from(literal).to_string();
            let said = heard[scenario.name].contains(quoted.trim_matches('"'));
            assert_eq!(said, !never, "{}: {text:?}", scenario.name);
        }
    }
}

/// The texts that an Agent or a grader says somewhere in these rules.
fn collect_texts<'a>(rules: &'a Value, texts: &mut Vec<&'a str>) {
    match rules {
        Value::Array(items) => items.iter().for_each(|item| collect_texts(item, texts)),
        Value::Object(members) => {
            for (name, member) in members {
                let spoken = ["say", "text", "report", "ask", "prompt", "explanation", "message"];
                match member {
                    Value::String(text) if spoken.contains(&name.as_str()) => texts.push(text),
                    other => collect_texts(other, texts),
                }
            }
        }
        _ => {}
    }
}
