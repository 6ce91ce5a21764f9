//! Every built-in scenario, played to its end by a log that keeps only what an Assignment says.

mod stage;

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;

use super::next::{Next, Planned};
use crate::core::assignment::Resolution;
use crate::core::payload::{Block, TriggerKind};
use crate::core::step::{Action, Step};
use crate::scenario::built_in;
use crate::scenario::model::Scenario;
use crate::scenario::parse::parse;
use stage::{Answers, Played, Stage};

fn named(name: &str) -> Arc<Scenario> {
    Arc::clone(&built_in::named(name).unwrap().scenario)
}

fn script(steps: &str) -> Scenario {
    parse(&format!("name: x\nrules:\n- input: message\n  steps: {steps}\n")).unwrap()
}

fn said(played: &Played) -> Vec<String> {
    let said = played.actions.iter().filter_map(|action| match action {
        Action::Say { content, .. } => match content.as_slice() {
            [Block::Text { text }] => Some(text.clone()),
            other => panic!("{other:?}"),
        },
        _ => None,
    });
    said.collect()
}

/// WAIT-1: a Run that is cut off before any of its actions goes on exactly there: whatever it still does is what it would
/// have done, made-up identifiers aside, in every rule of every built-in scenario and of its children, whether the answers
/// are friendly or not.
#[test]
fn a_run_goes_on_where_it_was_cut_off() {
    let mut cuts = 0;
    for built_in in built_in::all() {
        for stage in Stage::of_every_rule(&built_in.scenario) {
            for answers in [
                Answers::Friendly,
                Answers::Denied,
                Answers::Expired,
                Answers::Errors,
            ] {
                let whole = stage.play(answers, 1);
                for (cut, log) in whole.before.iter().enumerate() {
                    let rest = stage.go_on(log.clone(), answers, 1000 + cut as u128);
                    let expected = whole.actions.get(cut..).unwrap();
                    assert_eq!(
                        stage::without_made_up(&rest.actions),
                        stage::without_made_up(expected),
                        "{} cut before action {cut}, {answers:?}",
                        built_in.scenario.name
                    );
                    cuts += 1;
                }
            }
        }
    }
    assert!(cuts > 500, "{cuts}");
}

/// Each result names a call that was made before it, and only once.
#[test]
fn results_name_their_calls() {
    for built_in in built_in::all() {
        for stage in Stage::of_every_rule(&built_in.scenario) {
            for answers in [Answers::Friendly, Answers::Denied] {
                let mut open = Vec::new();
                for action in stage.play(answers, 7).actions {
                    match action {
                        Action::UseTool(call) => open.push(call.tool_use_id),
                        Action::Block(calls) => open.extend(calls.into_iter().map(|call| call.tool_use_id)),
                        Action::ToolResult { tool_use_id, .. } => {
                            let at = open.iter().position(|id| *id == tool_use_id).unwrap();
                            open.remove(at);
                        }
                        _ => {}
                    }
                }
            }
        }
    }
}

/// Two Runs never make up the same identifier for a call; what the script says is kept.
#[test]
fn made_up_calls_differ_and_given_ones_do_not() {
    let scenario = script("[{use: {tool: a}}, {use: {tool: a}}, {use: {tool: b, id: toolu_given}}]");
    let stage = Stage::new(&scenario, None, TriggerKind::Message, "x");
    let ids = |run: u128| -> Vec<String> {
        let played = stage.play_as(run, Answers::Friendly, 1);
        let ids = played.actions.iter().filter_map(|action| match action {
            Action::UseTool(call) => Some(call.tool_use_id.as_str().to_owned()),
            _ => None,
        });
        ids.collect()
    };
    let (first, second) = (ids(1), ids(2));
    assert_eq!(first[2], "toolu_given");
    assert_eq!(second[2], "toolu_given");
    assert_ne!(first[0], first[1]);
    assert_ne!(first[0], second[0]);
    assert_eq!(ids(1), first);
}

#[test]
fn the_plain_agent_says_and_costs_what_it_always_did() {
    let input = "How are you?";
    let latest = Stage::new(&named("plain"), None, TriggerKind::Message, input).play(Answers::Friendly, 1);
    assert_eq!(
        said(&latest),
        [
            "Hello, I am the plain agent.",
            "You wrote: How are you?",
            "That is 12 characters. Anything else?"
        ]
    );
    let Some(Action::Complete {
        usage,
        cost,
        stop_reason,
    }) = latest.actions.last()
    else {
        panic!("{:?}", latest.actions);
    };
    assert_eq!((usage.input_tokens, usage.output_tokens), (3, 7 + 6 + 10));
    assert_eq!(
        (cost.amount.as_str(), cost.currency.as_str()),
        ("0.000354", "USD")
    );
    assert_eq!(*stop_reason, "end_turn");
    let first = &built_in::all()[0].scenario;
    let first = Stage::new(first, None, TriggerKind::Message, input).play(Answers::Friendly, 1);
    assert_eq!(said(&first), said(&latest)[..2]);
}

#[test]
fn an_input_that_no_rule_fits_is_told_the_rules() {
    let scenario = parse(
        "name: x\nrules:\n- {input: message, contains: deploy, steps: [{say: a}]}\n- {input: report, steps: [{say: b}]}\n",
    )
    .unwrap();
    let played = Stage::new(&scenario, None, TriggerKind::Message, "hello").play(Answers::Friendly, 1);
    assert_eq!(
        said(&played),
        ["No rule of mine fits this message. I know: message with \"deploy\", any report."]
    );
    let outcome = Stage::new(&scenario, None, TriggerKind::Outcome, "hello").play(Answers::Friendly, 1);
    assert_eq!(outcome.results(), ["failed"]);
}

#[test]
fn the_first_rule_that_fits_is_played() {
    let played = |input: &str| {
        let scenario = named("approval");
        Stage::new(&scenario, None, TriggerKind::Message, input).play(Answers::Friendly, 1)
    };
    let expiry = |played: &Played| {
        played.actions.iter().find_map(|action| match action {
            Action::Block(calls) => Some(calls[0].expires_after),
            _ => None,
        })
    };
    assert_eq!(
        expiry(&played("be quick about it")),
        Some(Some(Duration::from_secs(2)))
    );
    assert_eq!(expiry(&played("deploy")), Some(None));
}

/// A-OUT: the last round is repeated until the Outcome's tries are used up.
#[test]
fn rounds_end_with_the_tries() {
    let results = |input: &str, tries: u32| {
        let scenario = named("outcome");
        let mut stage = Stage::new(&scenario, None, TriggerKind::Outcome, input);
        stage.tries(tries);
        stage.play(Answers::Friendly, 1).results()
    };
    assert_eq!(results("a note", 5), ["needs_revision", "satisfied"]);
    assert_eq!(results("a note", 1), ["max_iterations_reached"]);
    assert_eq!(
        results("a hopeless note", 3),
        ["needs_revision", "needs_revision", "max_iterations_reached"]
    );
    assert_eq!(results("an impossible note", 3), ["failed"]);
}

/// WAIT-5: a governed custom tool waits for its decision, then for its result; a denial is a result with an error.
#[test]
fn answers_lead_where_the_script_says() {
    let said_after = |name: &str, answers: Answers| {
        said(&Stage::new(&named(name), None, TriggerKind::Message, "go").play(answers, 1))
    };
    assert_eq!(
        said_after("governed_tool", Answers::Friendly),
        ["It is sent: {\"ok\":true}"]
    );
    assert_eq!(
        said_after("governed_tool", Answers::Denied),
        ["Then I do not send it."]
    );
    assert_eq!(
        said_after("governed_tool", Answers::Errors),
        ["It could not be sent: no"]
    );
    assert_eq!(said_after("approval", Answers::Friendly), ["It is deployed."]);
    assert_eq!(said_after("approval", Answers::Denied), ["I leave it: deny."]);
    assert_eq!(said_after("approval", Answers::Expired), ["I leave it: expired."]);
    assert_eq!(said_after("question", Answers::Friendly), ["blue it is."]);
    let denied =
        Stage::new(&named("governed_tool"), None, TriggerKind::Message, "go").play(Answers::Denied, 1);
    let result = denied
        .actions
        .iter()
        .find(|action| matches!(action, Action::ToolResult { .. }));
    let Some(Action::ToolResult {
        content, is_error, ..
    }) = result
    else {
        panic!("{:?}", denied.actions);
    };
    assert!(is_error);
    assert_eq!(content, &[Block::text("not today")]);
}

/// Of several blockers some may be answered: nothing goes on before the last one.
#[test]
fn a_run_with_an_open_blocker_stays_parked() {
    let scenario = named("several_actions");
    let stage = Stage::new(&scenario, None, TriggerKind::Message, "go");
    let mut assignment = stage.until_parked();
    assert_eq!(assignment.parked.len(), 3);
    for index in [2, 0] {
        assignment.parked[index].resolution = Some(match index {
            2 => Resolution::Allowed,
            _ => Resolution::Result {
                result: json!(1).into(),
                is_error: false,
            },
        });
        assert_eq!(stage.next(&assignment), Next::Nothing);
    }
    assignment.parked[1].resolution = Some(Resolution::Result {
        result: json!(2).into(),
        is_error: false,
    });
    assignment.status = crate::core::status::RunStatus::Running;
    assert!(matches!(stage.next(&assignment), Next::Step(_)));
}

/// DLN-1: so many start-ups hang as the rule says, and the next one is ready.
#[test]
fn slow_starts_hang() {
    let scenario = named("slow_start");
    let stage = Stage::new(&scenario, None, TriggerKind::Message, "go");
    let mut assignment = stage.assignment();
    assignment.status = crate::core::status::RunStatus::Provisioning;
    assert_eq!(stage.next(&assignment), Next::NeverReady);
    assignment.startup_timeouts = 1;
    assert_eq!(stage.next(&assignment), Planned::at_once(Step::Start));
}

/// PRV-3: the preview names the event that follows, and its pieces are the text.
#[test]
fn previews_show_what_commits() {
    let scenario = script("[{take: 1s}, {say: {text: abcdef, deltas: 3, every: 20ms}}]");
    let stage = Stage::new(&scenario, None, TriggerKind::Message, "x");
    let mut assignment = stage.assignment();
    assignment.status = crate::core::status::RunStatus::Running;
    let Next::Step(planned) = stage.next(&assignment) else {
        panic!("nothing");
    };
    let preview = planned.preview.unwrap();
    assert_eq!(planned.after, Duration::from_secs(1));
    assert_eq!(
        (preview.pieces.concat().as_str(), preview.pieces.len()),
        ("abcdef", 3)
    );
    assert_eq!(
        (preview.event_type, preview.every),
        ("agent.message", Duration::from_millis(20))
    );
    let Step::Act {
        action: Action::Say { event_id, .. },
        position: 0,
    } = planned.step
    else {
        panic!("{:?}", planned.step);
    };
    assert_eq!(event_id, preview.event_id);
    assignment.position = 1;
    let Next::Step(end) = stage.next(&assignment) else {
        panic!("nothing");
    };
    assert_eq!(
        end.after,
        Duration::ZERO,
        "the time before a step that happened is over"
    );
}

/// What several `spend` steps say adds up; what they do not say follows from the tokens.
#[test]
fn spending_adds_up() {
    let scenario = script(
        "[{spend: {input_tokens: 10, cost: '1.5'}}, {say: much text}, {spend: {output_tokens: 2, cache_read_input_tokens: 5}}]",
    );
    let played = Stage::new(&scenario, None, TriggerKind::Message, "x").play(Answers::Friendly, 1);
    let Some(Action::Complete { usage, cost, .. }) = played.actions.last() else {
        panic!("{:?}", played.actions);
    };
    assert_eq!(
        (
            usage.input_tokens,
            usage.output_tokens,
            usage.cache_read_input_tokens
        ),
        (10, 2, 5)
    );
    assert_eq!(cost.amount, "1.500030");
}

/// A child that is not there is told as trouble; a name means the latest live child, a number that very one.
#[test]
fn messages_reach_the_child_that_is_meant() {
    let scenario = parse(
        "name: x\nroster: {a: {rules: [{input: message, steps: [{take: 1s}]}]}}\nrules:\n- input: message\n  steps: \
         [{send: {child: a, message: hi}}, {send: {child: 'a#1', message: hi}}, {send: {child: 'a#4', message: hi}}]\n",
    )
    .unwrap();
    let mut stage = Stage::new(&scenario, None, TriggerKind::Message, "x");
    stage.children(&[("a", 1, true), ("b", 2, true), ("a", 3, true), ("a", 4, false)]);
    let played = stage.play(Answers::Friendly, 1);
    let targets: Vec<String> = played
        .actions
        .iter()
        .filter_map(|action| match action {
            Action::Send { to, .. } => Some(to.to_string()),
            Action::Trouble(trouble) => Some(trouble.message.clone()),
            _ => None,
        })
        .collect();
    assert_eq!(
        targets,
        [
            "sthr_00000000000000000000000000000003",
            "sthr_00000000000000000000000000000001",
            "there is no live child a#4 to send to"
        ]
    );
}
