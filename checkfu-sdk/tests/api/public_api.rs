//! What the public API promises in its signatures and its documentation, read from the sources.

use std::collections::BTreeMap;

use crate::support::public_api::{Function, Mention, PublicApi};

/// Crates that are named by the public API, with the first number of the version that the workspace asks for.
fn dependencies() -> BTreeMap<String, u64> {
    let own = include_str!("../../Cargo.toml").parse::<toml::Table>().unwrap();
    let all = include_str!("../../../Cargo.toml")
        .parse::<toml::Table>()
        .unwrap();
    let of_workspace = all["workspace"]["dependencies"].as_table().unwrap();
    let names = own["dependencies"].as_table().unwrap().keys();
    names
        .map(|name| {
            let wanted = &of_workspace[name];
            let version = wanted.as_str().or_else(|| wanted["version"].as_str()).unwrap();
            let major = version.split('.').next().unwrap().parse().unwrap();
            (name.replace('-', "_"), major)
        })
        .collect()
}

/// Whether a name of the public API may stand there.
fn is_lasting(mention: &Mention, dependencies: &BTreeMap<String, u64>) -> bool {
    let path: Vec<&str> = mention.path.iter().map(String::as_str).collect();
    match dependencies.get(path[0]) {
        None | Some(1..) => true,
        // It is the one of `futures_core`.
        Some(0) if path == ["futures", "Stream"] => true,
        Some(0) => path[0] == "sqlx" && mention.gate.contains("\"sqlx-"),
    }
}

fn without<'a>(functions: impl Iterator<Item = &'a Function>, section: &str) -> Vec<&'a str> {
    let heading = format!("# {section}");
    let lacks = |function: &&Function| !function.documentation.lines().any(|line| line == heading);
    functions.filter(lacks).map(|function| &*function.name).collect()
}

/// A public function that gives a `Result` says in a section of its documentation when that is an error; one that gives a
/// future, and each stream, what happens where it is dropped. The compiler denies what has no documentation at all.
#[test]
fn functions_document_errors_and_cancellation() {
    let api = PublicApi::of_this_crate();
    assert!(
        api.functions.len() > 150 && api.streams.len() == 4,
        "the sources were read"
    );
    let fallible = api.functions.iter().filter(|function| function.gives_result);
    assert_eq!(without(fallible, "Errors"), [""; 0]);
    let futures = api.functions.iter().filter(|function| function.is_future);
    assert_eq!(without(futures.chain(&api.streams), "Cancel safety"), [""; 0]);
    assert_eq!(
        api.unseen, [""; 0],
        "a macro writes a public function that needs a section"
    );

    let workspace = include_str!("../../../Cargo.toml")
        .parse::<toml::Table>()
        .unwrap();
    let lints = &workspace["workspace"]["lints"]["rust"];
    assert_eq!(lints["missing_docs"].as_str(), Some("deny"));
    assert_eq!(lints["unreachable_pub"].as_str(), Some("deny"));
    let own = include_str!("../../Cargo.toml").parse::<toml::Table>().unwrap();
    assert_eq!(own["lints"]["workspace"].as_bool(), Some(true));
}

/// No type or trait of a crate before its version 1 stands in the public API but `Stream`, and sqlx under its own features:
/// a new version of such a crate would break every caller.
#[test]
fn the_api_names_no_crate_that_may_break_it() {
    let api = PublicApi::of_this_crate();
    let dependencies = dependencies();
    let named: Vec<_> = api
        .mentions
        .iter()
        .filter(|mention| mention.path.len() > 1 && dependencies.contains_key(&mention.path[0]))
        .collect();
    for lasting in ["http", "serde", "jiff", "futures", "sqlx"] {
        assert!(
            named.iter().any(|mention| mention.path[0] == lasting),
            "{lasting} is named"
        );
    }
    let fleeting: Vec<_> = named
        .iter()
        .filter(|mention| !is_lasting(mention, &dependencies))
        .map(|mention| format!("{}: {}", mention.place, mention.path.join("::")))
        .collect();
    assert_eq!(fleeting, [""; 0]);
}
