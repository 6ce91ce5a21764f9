use std::time::Duration;

use futures::future::try_join_all;

use super::failure::SuiteFailure;
use super::subject::{Subject, at, same};
use crate::cursor::{Advance, Cursor, CursorStore};

/// How long a rival may try to get past a lock that is held. A store that keeps the rule only ever costs this time.
const RIVAL: Duration = Duration::from_millis(200);

const RIVALS: u32 = 4;
const STEPS: u32 = 10;

type Verdict<S> = Result<(), SuiteFailure<<S as CursorStore>::Error>>;

/// A lock is held until its transaction ends, whether or not the cursor exists; then the rival reads what was written.
pub(super) async fn a_lock_keeps_rivals_out<S: CursorStore>(subject: &Subject<'_, S>) -> Verdict<S> {
    const RULE: &str = "the lock of a key keeps rivals out until its transaction ends";
    let key = subject.key("locked");
    for (before, after) in [(None, at(1)), (Some(at(1)), at(2))] {
        let store = subject.store;
        let mut transaction = subject.may(store.begin(), RULE).await?;
        let found = subject.may(store.lock(&mut transaction, &key), RULE).await?;
        same(RULE, &found, &before.unwrap_or_default())?;
        let mut rival = Box::pin(subject.read(&key));
        if let Ok(rival) = tokio::time::timeout(RIVAL, rival.as_mut()).await {
            let cursor = rival.map_err(|source| SuiteFailure::Store { rule: RULE, source })?;
            return Err(SuiteFailure::Broken {
                rule: RULE,
                found: format!("a rival read {cursor:?} meanwhile"),
            });
        }
        let advance = store.advance(&mut transaction, &key, found.seq(), &after);
        let advance = subject.may(advance, RULE).await?;
        same(RULE, &advance, &Advance::Moved)?;
        subject.may(store.commit(transaction), RULE).await?;
        let seen = subject.may(rival, RULE).await?;
        same(RULE, &seen, &after)?;
    }
    Ok(())
}

/// Rivals that each read, wait a moment and move on from what they read leave no step out.
pub(super) async fn rivals_lose_nothing<S: CursorStore>(subject: &Subject<'_, S>) -> Verdict<S> {
    const RULE: &str = "rivals that go through the lock never meet a cursor that moved";
    let key = subject.key("rivals");
    let rival = || async {
        let mut moved = 0;
        for _ in 0..STEPS {
            let store = subject.store;
            let mut transaction = store.begin().await?;
            let before = store.lock(&mut transaction, &key).await?;
            tokio::task::yield_now().await;
            let place = before.seq().map_or(0, |seq| seq.get());
            let next = at(u32::try_from(place).unwrap_or(u32::MAX).saturating_add(1));
            let advance = store.advance(&mut transaction, &key, before.seq(), &next).await?;
            store.commit(transaction).await?;
            moved += u32::from(advance == Advance::Moved);
        }
        Ok(moved)
    };
    let rivals = try_join_all((0..RIVALS).map(|_| rival()));
    let moved = subject.may(rivals, RULE).await?;
    same(RULE, &moved.iter().sum(), &(RIVALS * STEPS))?;
    let found: Cursor = subject.may(subject.read(&key), RULE).await?;
    same(RULE, &found, &at(RIVALS * STEPS))
}
