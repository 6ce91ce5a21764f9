//! Whether the tests that the ledger names exist and passed.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use serde::Deserialize;

use crate::{
    evidence::{Evidence, Test},
    failure::Failure,
};

/// Checks every named test against a list of existing tests and, when given, against a run's output.
pub(crate) fn check(evidence: &Evidence, listed: &Path, ran: Option<&Path>) -> Result<(), Failure> {
    let suites = read_list(listed)?;
    let passed = match ran {
        Some(path) => Some(passed_tests(
            &fs::read_to_string(path).map_err(|source| Failure::io(path, source))?,
        )),
        None => None,
    };
    let mut missing = Vec::new();
    let mut not_passed = Vec::new();
    for test in evidence.all_tests() {
        let binaries = binaries_with(&suites, test);
        if binaries.is_empty() {
            missing.push(format!("{} {}", test.package, test.name));
        } else if let Some(passed) = &passed
            && !binaries
                .iter()
                .any(|binary| passed.contains(&((*binary).to_owned(), test.name.clone())))
        {
            not_passed.push(format!("{} {}", test.package, test.name));
        }
    }
    for (what, tests) in [
        ("tests that no runner lists", missing),
        ("tests that did not pass in the run", not_passed),
    ] {
        if !tests.is_empty() {
            return Err(Failure::Tests { what, tests });
        }
    }
    Ok(())
}

#[derive(Debug, Deserialize)]
struct List {
    #[serde(rename = "rust-suites")]
    suites: BTreeMap<String, Suite>,
}

#[derive(Debug, Deserialize)]
struct Suite {
    #[serde(rename = "package-name")]
    package: String,
    #[serde(rename = "binary-path")]
    binary: String,
    testcases: BTreeMap<String, serde_json::Value>,
}

fn read_list(path: &Path) -> Result<Vec<Suite>, Failure> {
    let text = fs::read_to_string(path).map_err(|source| Failure::io(path, source))?;
    let list: List = serde_json::from_str(&text).map_err(|error| Failure::malformed(path, error))?;
    Ok(list.suites.into_values().collect())
}

fn binaries_with<'suites>(suites: &'suites [Suite], test: &Test) -> Vec<&'suites str> {
    suites
        .iter()
        .filter(|suite| suite.package == test.package && suite.testcases.contains_key(&test.name))
        .map(|suite| file_name(&suite.binary))
        .collect()
}

/// Pairs of test binary and test name that `cargo test` reported as passed.
fn passed_tests(output: &str) -> BTreeSet<(String, String)> {
    let mut passed = BTreeSet::new();
    let mut binary = String::new();
    for line in output.lines() {
        if let Some(rest) = line.trim_start().strip_prefix("Running ")
            && let Some((_, path)) = rest.rsplit_once('(')
        {
            file_name(path.trim_end_matches(')')).clone_into(&mut binary);
        } else if let Some(rest) = line.strip_prefix("test ")
            && let Some(name) = rest.strip_suffix(" ... ok")
        {
            passed.insert((binary.clone(), name.to_owned()));
        }
    }
    passed
}

fn file_name(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A repository whose one requirement is shown by `resume::resumes`, a list and a run.
    fn outcome(listed: &str, ran: &str) -> Result<(), String> {
        let root = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, text).unwrap();
            path
        };
        let requirements = write(
            crate::requirements::PATH,
            "[[requirement]]\nid = 'STR-2'\nlevel = 'D'\nactors = ['client']\nstatement = 'resumes'\n",
        );
        write(
            "checkfu-sdk/tests/api/resume.rs",
            "/// STR-2\n#[test]\nfn resumes() {}\n",
        );
        let requirements = crate::requirements::Requirements::load(&requirements).unwrap();
        let evidence = Evidence::collect(root.path(), &requirements).unwrap();
        let suite = format!(
            r#"{{"rust-suites":{{"checkfu-sdk::api":{{"package-name":"checkfu-sdk",
                "binary-path":"target/debug/deps/api-1f","testcases":{{"{listed}":{{}}}}}}}}}}"#
        );
        let (listed, ran) = (write("listed", &suite), write("ran", ran));
        check(&evidence, &listed, Some(&ran)).map_err(|failure| failure.to_string())
    }

    #[test]
    fn a_named_test_has_to_exist_and_to_have_passed() {
        let running = "     Running tests/api/main.rs (target/debug/deps/api-1f)\n";
        let passed = format!("{running}test resume::resumes ... ok\n");
        assert_eq!(outcome("resume::resumes", &passed), Ok(()));
        let missing = outcome("resume::renamed", &passed).unwrap_err();
        assert!(
            missing.contains("no runner lists") && missing.contains("resume::resumes"),
            "{missing}"
        );
        for ran in [
            format!("{running}test resume::resumes ... FAILED\n"),
            running.to_owned(),
        ] {
            let failed = outcome("resume::resumes", &ran).unwrap_err();
            assert!(failed.contains("did not pass"), "{failed}");
        }
        let elsewhere = passed.replace("api-1f", "other-2e");
        assert!(
            outcome("resume::resumes", &elsewhere).is_err(),
            "another crate's test counted"
        );
    }

    #[test]
    fn only_a_test_that_said_ok_counts() {
        let output = "     Running tests/api/main.rs (target/debug/deps/api-1f)\n\
                      test resume::passes ... ok\ntest resume::breaks ... FAILED\ntest resume::waits ... ignored\n\
                      \u{20}    Running unittests src/lib.rs (target/debug/deps/checkfu_sdk-2e)\ntest ids::fits ... ok\n";
        let expected = [("api-1f", "resume::passes"), ("checkfu_sdk-2e", "ids::fits")];
        assert_eq!(
            passed_tests(output),
            expected
                .map(|(binary, name)| (binary.to_owned(), name.to_owned()))
                .into_iter()
                .collect()
        );
    }
}
