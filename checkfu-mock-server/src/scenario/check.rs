//! What tools do with scenarios without a server.

use super::built_in;
use super::error::ScenarioError;
use super::parse::parse;

/// Reads a scenario as a server would that is to publish it.
///
/// ```
/// use checkfu_mock_server::check_scenario;
///
/// let error = check_scenario("name: greeter\nrules:\n  - input: message\n    steps:\n      - say: 5\n").unwrap_err();
/// assert_eq!((error.line, error.field.as_str()), (5, "rules[0].steps[0].say"));
/// ```
///
/// # Errors
///
/// Line, field and fix of the first thing that is refused.
pub fn check_scenario(yaml: &str) -> Result<(), ScenarioError> {
    parse(yaml).map(|_| ())
}

/// A scenario that every server serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct BuiltInScenario {
    /// The name of its deployment.
    pub name: &'static str,
    /// What it is for.
    pub description: &'static str,
    /// Its file, of the latest revision.
    pub yaml: &'static str,
}

/// The built-in scenarios, one for each deployment, in the order of their deployments' identifiers.
///
/// ```
/// use checkfu_mock_server::built_in_scenarios;
///
/// assert!(built_in_scenarios().any(|scenario| scenario.name == "plain"));
/// ```
pub fn built_in_scenarios() -> impl Iterator<Item = BuiltInScenario> {
    let all = built_in::all();
    let latest = all.iter().enumerate().filter(|(index, built_in)| {
        all.get(index + 1)
            .is_none_or(|next| next.number != built_in.number)
    });
    latest.map(|(_, built_in)| BuiltInScenario {
        name: &built_in.scenario.name,
        description: &built_in.scenario.description,
        yaml: built_in.yaml,
    })
}
