//! Scenario files that are refused, by the parser with line, field and fix, and by the schema where it can tell.

use serde_json::Value;

use super::built_in;
use super::parse::parse;
use super::schema::SCENARIO_SCHEMA;

/// A file that is refused.
struct Bad {
    /// The file; `@` marks the place that the error names, if it names one.
    yaml: &'static str,
    field: &'static str,
    /// Part of what is said.
    says: &'static str,
    /// Whether a schema can tell.
    by_schema: bool,
}

const fn bad(yaml: &'static str, field: &'static str, says: &'static str) -> Bad {
    Bad {
        yaml,
        field,
        says,
        by_schema: true,
    }
}

/// What only the parser knows.
const fn subtle(yaml: &'static str, field: &'static str, says: &'static str) -> Bad {
    Bad {
        yaml,
        field,
        says,
        by_schema: false,
    }
}

/// A rule with these steps on the third line and on.
macro_rules! steps {
    ($steps:literal) => {
        concat!("name: x\nrules:\n- input: message\n  steps:\n", $steps)
    };
}

macro_rules! outcome {
    ($steps:literal) => {
        concat!("name: x\nrules:\n- input: outcome\n  steps:\n", $steps)
    };
}

const STEP: &str = "rules[0].steps[0]";

const ALL: &[Bad] = &[
    subtle("name: x\n@name: y\nrules: []", "", "twice; remove"),
    subtle("name: [x\nrules@: 1", "", ""),
    subtle("name: &a x\nrules: *a", "", "anchors"),
    subtle("name: x\n--- \nname: y", "", "one scenario"),
    bad("@", "", "must be a map with name, description"),
    bad("@- a", "", "not a list"),
    bad("@name: x", "", "rules is missing; add it"),
    bad(
        "@rules: [{input: message, steps: [{take: 1s}]}]",
        "",
        "name is missing",
    ),
    bad(
        "name: x\n@rulez: []\nrules: []",
        "rulez",
        "unknown; name, description",
    ),
    bad(
        "name: @5\nrules: []",
        "name",
        "must be text, not a number; put it in quotes",
    ),
    bad("name: @a b\nrules: []", "name", "letters, digits"),
    bad("name: x\nrules: @[ ]", "rules", "1 to 200 items"),
    bad(
        "name: x\nsettings: {overlap: @both}\nrules: []",
        "settings.overlap",
        "one of queue, parallel",
    ),
    bad(
        "name: x\nsettings: {max_retries: @101}\nrules: []",
        "settings.max_retries",
        "0 to 100",
    ),
    bad(
        "name: x\nsettings: {max_duration_seconds: @0}\nrules: []",
        "settings.max_duration_seconds",
        "1 to 604800",
    ),
    bad(
        "name: x\nsettings: {@retries: 1}\nrules: []",
        "settings.retries",
        "unknown; overlap",
    ),
    bad(
        "name: x\nagent: {draft: @{multiagent: 1}}\nrules: []",
        "agent.draft",
        "remove it",
    ),
    bad("name: x\nroster: @{}\nrules: []", "roster", "1 to 16"),
    bad(
        "name: x\nroster:\n  c:\n    rules:\n    - input: @report\n      steps: [{take: 1s}]\nrules: []",
        "roster.c.rules[0].input",
        "one of message",
    ),
    bad(
        "name: x\nroster:\n  c:\n    rules:\n    - input: message\n      steps:\n      - spawn: {child: @c, message: x}\nrules: []",
        "roster.c.rules[0].steps[0].spawn.child",
        "only the primary has children",
    ),
    bad(
        "name: x\nroster:\n  c:\n    rules:\n    - input: message\n      steps:\n      - @reconcile: 1s\nrules: []",
        "roster.c.rules[0].steps[0]",
        "only the primary reconciles",
    ),
    bad(
        "name: x\nrules: [{input: @watch, steps: [{take: 1s}]}]",
        "rules[0].input",
        "one of message, outcome, report",
    ),
    bad(
        "name: x\nrules:\n- @input: message",
        "rules[0]",
        "steps is missing",
    ),
    bad(
        "name: x\nrules: [{input: message, contains: @'', steps: [{take: 1s}]}]",
        "rules[0].contains",
        "1 to 4000",
    ),
    bad(
        "name: x\nrules: [{input: message, slow_start: @0, steps: [{take: 1s}]}]",
        "rules[0].slow_start",
        "1 to 100",
    ),
    bad(steps!("  - @say"), STEP, "must be one step, such as say: Hello"),
    bad(steps!("  - @say: a\n    think: 1s"), STEP, "its own dash"),
    bad(
        steps!("  - speak: @a"),
        "rules[0].steps[0].speak",
        "unknown step; there are think, say",
    ),
    bad(steps!("  - say: @5"), "rules[0].steps[0].say", "put it in quotes"),
    bad(
        steps!("  - say: @Hello {name}"),
        "rules[0].steps[0].say",
        "{input_characters}",
    ),
    bad(
        steps!("  - say:\n      @txt: a"),
        "rules[0].steps[0].say.txt",
        "unknown; text, deltas, every",
    ),
    bad(
        steps!("  - say: {text: a, deltas: @0}"),
        "rules[0].steps[0].say.deltas",
        "1 to 1000",
    ),
    bad(
        steps!("  - say: {text: a, every: @20}"),
        "rules[0].steps[0].say.every",
        "such as 250ms",
    ),
    bad(
        steps!("  - think: @2 s"),
        "rules[0].steps[0].think",
        "such as 250ms",
    ),
    subtle(steps!("  - take: @25h"), "rules[0].steps[0].take", "at most 24h"),
    bad(
        steps!("  - use: @{input: {}}"),
        "rules[0].steps[0].use",
        "tool is missing",
    ),
    bad(
        steps!("  - use: {tool: a, input: @[1]}"),
        "rules[0].steps[0].use.input",
        "must be a map",
    ),
    bad(
        steps!("  - use: {tool: a, asks: @yes}"),
        "rules[0].steps[0].use.asks",
        "true or false",
    ),
    bad(
        steps!("  - use: {tool: a, expires: @1s}"),
        "rules[0].steps[0].use.expires",
        "add asks: true",
    ),
    bad(
        steps!("  - call: {tool: a, if_denied: @[{take: 1s}]}"),
        "rules[0].steps[0].call.if_denied",
        "add asks: true",
    ),
    bad(
        steps!("  - call: {tool: a, @result: b}"),
        "rules[0].steps[0].call.result",
        "unknown",
    ),
    bad(
        steps!("  - together:\n    - @use: {tool: a}"),
        "rules[0].steps[0].together[0]",
        "needs nobody",
    ),
    bad(
        steps!("  - together:\n    - @ask: a"),
        "rules[0].steps[0].together[0].ask",
        "unknown; use, call",
    ),
    subtle(
        steps!("  - together:\n    - call: {tool: a, id: i}\n    - @call: {tool: b, id: i}"),
        "rules[0].steps[0].together[1]",
        "give it its own",
    ),
    bad(
        steps!("  - ask: {prompt: a, options: @[]}"),
        "rules[0].steps[0].ask.options",
        "1 to 32",
    ),
    bad(steps!("  - @grade: [satisfied]"), STEP, "under input: outcome"),
    subtle(
        steps!("  - spawn: {child: @c, message: x}"),
        "rules[0].steps[0].spawn.child",
        "there is no roster",
    ),
    bad(
        steps!("  - send: {child: @c#0, message: x}"),
        "rules[0].steps[0].send.child",
        "1 to 1000",
    ),
    bad(steps!("  - @report: a"), STEP, "use say"),
    bad(
        steps!("  - lose_runner: @0"),
        "rules[0].steps[0].lose_runner",
        "1 to 100",
    ),
    bad(
        steps!("  - trouble: {type: a, message: b, retry: @maybe}"),
        "rules[0].steps[0].trouble.retry",
        "one of retrying",
    ),
    bad(
        steps!("  - fail: @{code: a}"),
        "rules[0].steps[0].fail",
        "message is missing",
    ),
    bad(
        steps!("  - spend: {cost: @0.5}"),
        "rules[0].steps[0].spend.cost",
        "put it in quotes",
    ),
    bad(
        steps!("  - spend: {cost: @'0.1234567'}"),
        "rules[0].steps[0].spend.cost",
        "six decimals",
    ),
    bad(
        steps!("  - spend: {cost: @'1.'}"),
        "rules[0].steps[0].spend.cost",
        "six decimals",
    ),
    bad(
        steps!("  - spend: {input_tokens: @-1}"),
        "rules[0].steps[0].spend.input_tokens",
        "0 to",
    ),
    bad(
        steps!("  - stop: @now"),
        "rules[0].steps[0].stop",
        "one of end_turn",
    ),
    subtle(
        steps!("  - stop: refusal\n  - @say: a"),
        "rules[0].steps[1]",
        "never reached",
    ),
    subtle(
        steps!("  - reconcile: 1s\n  - @say: a"),
        "rules[0].steps[1]",
        "only spend and stop may",
    ),
    bad(outcome!("  - @say: a"), "rules[0].steps", "needs its grader"),
    bad(
        "name: x\nrules:\n- input: outcome\n  steps:\n  - grade: [@maybe]",
        "rules[0].steps[0].grade[0]",
        "one of satisfied",
    ),
    subtle(
        "name: x\nrules:\n- input: outcome\n  steps:\n  - grade: [satisfied]\n  - @grade: [satisfied]",
        "rules[0].steps[1]",
        "a round of the first",
    ),
    subtle(
        "name: x\nrules:\n- input: outcome\n  steps:\n  - grade:\n    - result: failed\n      steps:\n      - @grade: [failed]",
        "rules[0].steps[0].grade[0].steps[0]",
        "a rule's own steps",
    ),
];

/// The file, and the line and column of the mark.
fn unmarked(yaml: &str) -> (String, Option<(u64, u64)>) {
    let Some((before, after)) = yaml.split_once('@') else {
        return (with_rules(yaml), None);
    };
    let line = before.matches('\n').count() as u64 + 1;
    let column = before.rsplit('\n').next().unwrap().chars().count() as u64 + 1;
    (with_rules(&format!("{before}{after}")), Some((line, column)))
}

/// A file whose fault is elsewhere has a rule.
fn with_rules(yaml: &str) -> String {
    yaml.replace("\nrules: []", "\nrules: [{input: message, steps: [{take: 1s}]}]")
}

#[test]
fn a_bad_file_is_refused_with_line_field_and_fix() {
    for Bad {
        yaml, field, says, ..
    } in ALL
    {
        let (yaml, place) = unmarked(yaml);
        let error = parse(&yaml).expect_err(&yaml);
        assert_eq!(error.field, *field, "{yaml}\n{error}");
        assert!(error.problem.contains(says), "{yaml}\n{error}");
        if let Some(place) = place {
            assert_eq!((error.line, error.column), place, "{yaml}\n{error}");
        }
    }
}

fn validator() -> jsonschema::Validator {
    let schema: Value = serde_json::from_str(SCENARIO_SCHEMA).unwrap();
    jsonschema::draft202012::new(&schema).unwrap()
}

fn document(yaml: &str) -> Value {
    let options = serde_saphyr::options! { strict_booleans: true };
    serde_saphyr::from_str_with_options(yaml, options).unwrap()
}

/// The schema accepts what the parser accepts, and refuses what it refuses where a schema can tell.
#[test]
fn the_schema_agrees_with_the_parser() {
    let validator = validator();
    for built_in in built_in::all() {
        let document = document(built_in.yaml);
        let errors: Vec<String> = validator
            .iter_errors(&document)
            .map(|error| error.to_string())
            .collect();
        assert!(errors.is_empty(), "{}: {errors:?}", built_in.scenario.name);
    }
    for bad in ALL.iter().filter(|bad| bad.by_schema) {
        let (yaml, _) = unmarked(bad.yaml);
        assert!(!validator.is_valid(&document(&yaml)), "{yaml}");
    }
    for bad in ALL.iter().filter(|bad| !bad.by_schema && !bad.field.is_empty()) {
        let (yaml, _) = unmarked(bad.yaml);
        assert!(
            validator.is_valid(&document(&yaml)),
            "the schema can tell: {yaml}"
        );
    }
}

/// No file is read that is large, deep or long enough to hang the server.
#[test]
fn what_a_file_may_ask_for_is_bounded() {
    let large = format!("name: x\n# {}\n", "x".repeat(300_000));
    assert!(
        parse(&large)
            .unwrap_err()
            .problem
            .contains("at most 262144 are read")
    );
    let deep = format!("name: {}{}", "[".repeat(200), "]".repeat(200));
    assert!(parse(&deep).unwrap_err().line >= 1);
    let deepest = format!("name: {}", "{a: ".repeat(40));
    assert!(parse(&deepest).is_err());
    let rule = |steps: &str| format!("name: x\nrules:\n- input: message\n  steps:\n{steps}");
    assert!(parse(&rule(&"  - take: 1s\n".repeat(1000))).is_ok());
    let many = parse(&rule(&"  - take: 1s\n".repeat(1001))).unwrap_err();
    assert!(many.problem.contains("1 to 1000 items"), "{many}");
    let rules = |count: usize| {
        let steps = "  - take: 1s\n".repeat(1000);
        format!(
            "name: x\nrules:\n{}",
            format!("- input: message\n  steps:\n{steps}").repeat(count)
        )
    };
    assert!(parse(&rules(2)).is_ok());
    let many = parse(&rules(3)).unwrap_err();
    assert!(many.problem.contains("at most 2000"), "{many}");
    let mut nested = "[{take: 1s}]".to_owned();
    for _ in 0..4 {
        nested = format!("[{{call: {{tool: a, if_error: {nested}}}}}]");
    }
    assert!(parse(&format!("name: x\nrules: [{{input: message, steps: {nested}}}]")).is_ok());
    let nested = format!("[{{call: {{tool: a, if_error: {nested}}}}}]");
    let error = parse(&format!("name: x\nrules: [{{input: message, steps: {nested}}}]")).unwrap_err();
    assert!(error.problem.contains("nested too deep"), "{error}");
}

#[test]
fn an_error_reads_as_one_line() {
    let error = parse("name: x\nrules:\n  - input: message\n    steps:\n      - say: 5\n").unwrap_err();
    assert_eq!(
        error.to_string(),
        "line 5, column 14: rules[0].steps[0].say: must be text, not a number; put it in quotes"
    );
}
