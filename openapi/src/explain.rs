//! Violations in words: of a union that no branch fits, the branch that the value was meant for.

use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind;

use crate::violation::Violation;

/// The violations behind one error of the validator.
pub(crate) fn explain(error: &ValidationError<'_>) -> Vec<Violation> {
    let place = error.instance_path().to_string();
    let meant =
        alternatives(error).and_then(|branches| branches.iter().min_by_key(|branch| distance(branch)));
    let Some(meant) = meant else {
        return vec![Violation::new(place, error.to_string())];
    };
    match meant.iter().find(|error| is_tag(error)) {
        None => meant.iter().flat_map(explain).collect(),
        Some(union) if alternatives(union).is_some() => explain(union),
        Some(tag) => {
            let reason = "its value selects none of the forms that are allowed here";
            vec![Violation::new(tag.instance_path().to_string(), reason)]
        }
    }
}

/// The errors of each branch, if this error says that none of them fits.
fn alternatives<'a>(error: &'a ValidationError<'_>) -> Option<&'a [Vec<ValidationError<'static>>]> {
    match error.kind() {
        ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } => {
            Some(context)
        }
        _ => None,
    }
}

/// How far a branch is from the value: first by the constants that tell branches apart, then by the number of errors.
fn distance(branch: &[ValidationError<'_>]) -> (usize, usize) {
    let mut total = (0, 0);
    for error in branch {
        let (tags, errors) = match alternatives(error) {
            Some(nested) => nested
                .iter()
                .map(|branch| distance(branch))
                .min()
                .unwrap_or_default(),
            None => (usize::from(is_tag(error)), 1),
        };
        total = (total.0 + tags, total.1 + errors);
    }
    total
}

fn is_tag(error: &ValidationError<'_>) -> bool {
    match alternatives(error) {
        Some(nested) => nested.iter().all(|branch| branch.iter().any(is_tag)),
        None => matches!(
            error.kind(),
            ValidationErrorKind::Constant { .. } | ValidationErrorKind::Not { .. }
        ),
    }
}
