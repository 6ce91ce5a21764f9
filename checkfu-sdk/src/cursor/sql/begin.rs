use sqlx::{Database, Pool, Transaction};

use super::error::SqlxCursorError;

/// Begins a transaction. A `begin` that is dropped half-way can leave its pooled connection inside a transaction, so a
/// task of its own always brings it to an end: what it began is then rolled back by dropping it.
pub(in crate::cursor) async fn begin<DB: Database>(
    pool: &Pool<DB>,
    statement: &'static str,
) -> Result<Transaction<'static, DB>, SqlxCursorError> {
    let pool = pool.clone();
    let begun = tokio::spawn(async move { pool.begin_with(statement).await }).await;
    match begun {
        Ok(transaction) => Ok(transaction?),
        Err(failure) => match failure.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            Err(_) => Err(SqlxCursorError::RuntimeShutDown),
        },
    }
}
