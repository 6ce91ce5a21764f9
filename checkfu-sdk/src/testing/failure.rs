use std::error::Error as StdError;

/// What a store failed in [`cursor_store_suite`](super::cursor_store_suite) by.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SuiteFailure<E: StdError + 'static> {
    /// The store broke a rule.
    #[error("the store broke the rule that {rule}: {found}")]
    Broken {
        /// The rule.
        rule: &'static str,
        /// What was found instead.
        found: String,
    },
    /// The store's own error, where it had to succeed.
    #[error("the store failed where {rule}")]
    Store {
        /// The rule that was looked at.
        rule: &'static str,
        /// The store's error.
        #[source]
        source: E,
    },
    /// The system gave no random bytes for the id of the suite's Session.
    #[error("the system gave no random bytes")]
    NoRandomness,
}
