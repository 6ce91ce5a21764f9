//! Names and texts.

use crate::scenario::error::ScenarioError;
use crate::scenario::reader::Node;
use crate::scenario::template::Template;

/// The longest text that a scenario may say, in characters.
pub(super) const MAX_TEXT: usize = 16_000;

const MAX_NAME: usize = 64;
const MAX_LABEL: usize = 128;

/// A name: letters, digits, `_`, `-`, `.`, at most 64.
pub(super) fn name(node: &Node<'_>) -> Result<String, ScenarioError> {
    let text = node.text(MAX_NAME)?;
    check_name(text).map_err(|problem| node.error(problem))?;
    Ok(text.to_owned())
}

/// What others named: a tool, a server, a code. Any text, at most 128 characters.
pub(super) fn label(node: &Node<'_>) -> Result<String, ScenarioError> {
    node.text(MAX_LABEL).map(str::to_owned)
}

/// What is wrong with a name.
pub(crate) fn check_name(text: &str) -> Result<(), String> {
    let fits = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-' | '.');
    if text.is_empty() || text.len() > MAX_NAME || !text.chars().all(fits) {
        return Err(format!(
            "must be 1 to {MAX_NAME} letters, digits, _, - or ., not {text:?}"
        ));
    }
    Ok(())
}

/// Text that stands for itself.
pub(super) fn words(node: &Node<'_>, longest: usize) -> Result<String, ScenarioError> {
    node.text(longest).map(str::to_owned)
}

/// Text with placeholders.
pub(super) fn template(node: &Node<'_>) -> Result<Template, ScenarioError> {
    Template::parse(node.text(MAX_TEXT)?).map_err(|problem| node.error(problem))
}
