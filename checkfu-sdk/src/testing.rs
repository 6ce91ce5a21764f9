//! For authors of a [`CursorStore`]: whether it keeps the rules. Needs the feature `testing`.
//!
//! What is checked may grow with any release, so a store that passes now may fail a later one: this module stands outside
//! of the promises of the version number.

mod cancellation;
mod failure;
mod rivals;
mod rules;
mod subject;

pub use failure::SuiteFailure;

use crate::cursor::CursorStore;
use subject::Subject;

/// Checks every rule of a [`CursorStore`] on `store`, and stops at the first one that is broken.
///
/// What is kept comes back as it was, and only if its transaction committed (`FOL-1`, `FOL-3`); keys do not touch each
/// other, whatever they are made of; a cursor moves only from where it was read; the lock of a key keeps rivals out,
/// also while the key has no cursor yet (`FOL-2`); each future may be dropped wherever it waits, and the store stays
/// usable. Where a store has to wait, the suite waits with it, and it gives a rival 200 ms to break a lock.
///
/// The store's table must be there. The suite may run on a database that is in use: its Session has a random id, and
/// what it wrote is removed when it passes. It runs on tokio, with timers.
///
/// ```
/// use checkfu_sdk::cursor::MemoryCursorStore;
/// use checkfu_sdk::testing::cursor_store_suite;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// cursor_store_suite(&MemoryCursorStore::new()).await?;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// [`SuiteFailure`] names the rule.
///
/// # Cancel safety
///
/// Dropped, it leaves its cursors in the store.
pub async fn cursor_store_suite<S: CursorStore>(store: &S) -> Result<(), SuiteFailure<S::Error>> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|_| SuiteFailure::NoRandomness)?;
    let session = format!("sess_cursor_store_suite_{:032x}", u128::from_ne_bytes(bytes));
    let subject = Subject::new(store, session);
    subject
        .may(store.prepare(), "a store whose table is there can be prepared")
        .await?;
    rules::a_new_key_has_no_cursor(&subject).await?;
    rules::what_is_kept_comes_back(&subject).await?;
    rules::a_cursor_moves_only_from_where_it_was_read(&subject).await?;
    rules::a_dropped_transaction_leaves_nothing(&subject).await?;
    rules::keys_do_not_touch(&subject).await?;
    rules::a_cursor_goes_back_and_away(&subject).await?;
    rivals::a_lock_keeps_rivals_out(&subject).await?;
    rivals::rivals_lose_nothing(&subject).await?;
    cancellation::any_future_may_be_dropped(&subject).await?;
    subject.clean_up().await
}
