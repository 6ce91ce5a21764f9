//! `REPORTS.md` and the tests that it names.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The documentation of the test `name`, as in `module::test`; `None` where there is no such test.
fn documentation(name: &str) -> Option<String> {
    let (module, test) = name.rsplit_once("::")?;
    let file = module.replace("::", "/") + ".rs";
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let code = ["tests/api", "src"].map(|folder| fs::read_to_string(root.join(folder).join(&file)));
    let code = code.into_iter().find_map(Result::ok)?;
    let place = code.find(&format!("fn {test}("))?;
    let above: Vec<&str> = code[..place].rsplit_once('\n')?.0.lines().rev().collect();
    let above: Vec<&str> = above
        .into_iter()
        .take_while(|line| line.trim_start().starts_with(['#', '/']))
        .collect();
    let is_test = above
        .iter()
        .any(|line| line.contains("test]") || line.contains("test("));
    is_test.then(|| above.join("\n"))
}

/// The ids of reports that a text names.
fn reports(text: &str) -> BTreeSet<String> {
    let words = text.split(|character: char| !(character.is_ascii_alphanumeric() || character == '-'));
    let ids = words.filter(|word| {
        word.strip_prefix("REP-")
            .is_some_and(|number| number.parse::<u8>().is_ok())
    });
    ids.map(str::to_owned).collect()
}

/// Every test that `REPORTS.md` names is there and names its row, every row but those of a server names one, and no test
/// names a row that is not its own.
#[test]
fn each_report_is_shown_by_its_tests() {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/REPORTS.md")).unwrap();
    let mut named: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut rows = Vec::new();
    for line in text
        .lines()
        .filter(|line| line.starts_with("| ") && !line.starts_with("| ---"))
    {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        let (first, shown_by) = (cells[0], cells[cells.len() - 1]);
        if shown_by == "shown by" || shown_by == "server" {
            rows.extend(reports(first));
            continue;
        }
        let tests: Vec<&str> = shown_by.split('`').skip(1).step_by(2).collect();
        assert!(!tests.is_empty(), "{first} is shown by nothing");
        for test in tests {
            let found = documentation(test).unwrap_or_else(|| panic!("{first}: there is no test {test}"));
            let ids = reports(first);
            assert!(ids.is_subset(&reports(&found)), "{test} does not name {first}");
            named.entry(test.to_owned()).or_default().extend(ids);
        }
        rows.extend(reports(first));
    }
    let expected: Vec<String> = (1..=74).map(|number| format!("REP-{number}")).collect();
    assert_eq!(rows, expected);
    for (test, rows) in named {
        assert_eq!(
            reports(&documentation(&test).unwrap()),
            rows,
            "{test} and its rows"
        );
    }
}
