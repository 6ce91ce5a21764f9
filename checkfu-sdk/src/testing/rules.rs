use super::failure::SuiteFailure;
use super::subject::{Subject, at, same};
use crate::cursor::{Advance, Cursor, CursorKey, CursorStore, Position};
use crate::model::{Seq, StopReason};
use crate::settlement::{Outcome, Settlement};

type Verdict<S> = Result<(), SuiteFailure<<S as CursorStore>::Error>>;

pub(super) async fn a_new_key_has_no_cursor<S: CursorStore>(subject: &Subject<'_, S>) -> Verdict<S> {
    const RULE: &str = "a key that was never used has no cursor";
    let key = subject.key("new");
    for _ in 0..2 {
        let cursor = subject.may(subject.read(&key), RULE).await?;
        same(RULE, &cursor, &Cursor::default())?;
    }
    Ok(())
}

pub(super) async fn what_is_kept_comes_back<S: CursorStore>(subject: &Subject<'_, S>) -> Verdict<S> {
    const RULE: &str = "a cursor comes back as it was kept";
    let outcomes = [
        Outcome::Idle { stop_reason: None },
        Outcome::Idle {
            stop_reason: Some(StopReason::from("a reason of \"tomorrow\" ☃")),
        },
        Outcome::Completed,
        Outcome::Failed,
        Outcome::Canceled,
    ];
    let key = subject.key("kept");
    let mut cursors = vec![at(1), Cursor::new(Some(Position::new(Seq::from(2), None)), None)];
    cursors.extend(outcomes.into_iter().map(|outcome| {
        let settlement = Settlement {
            outcome,
            seq: Seq::from(2),
            event_id: Some("evt_2".into()),
        };
        Cursor::new(at(3).position, Some(settlement))
    }));
    cursors.push(Cursor::new(
        Some(Position::new(Seq::MAX, Some("evt_'\"☃".into()))),
        None,
    ));
    for cursor in cursors {
        subject.put(&key, &cursor, RULE).await?;
        let found = subject.may(subject.read(&key), RULE).await?;
        same(RULE, &found, &cursor)?;
    }
    Ok(())
}

pub(super) async fn a_cursor_moves_only_from_where_it_was_read<S: CursorStore>(
    subject: &Subject<'_, S>,
) -> Verdict<S> {
    const RULE: &str = "a cursor moves only from where it was read";
    let key = subject.key("from");
    let work = async {
        let store = subject.store;
        let mut transaction = store.begin().await?;
        let mut moved = Vec::new();
        store.lock(&mut transaction, &key).await?;
        let attempts = [
            (Some(1), at(5)),
            (None, at(5)),
            (None, at(6)),
            (Some(4), at(6)),
            (Some(6), at(7)),
            (Some(5), at(6)),
        ];
        for (from, to) in attempts {
            let from = from.map(Seq::from);
            moved.push(store.advance(&mut transaction, &key, from, &to).await? == Advance::Moved);
        }
        let cursor = store.lock(&mut transaction, &key).await?;
        store.commit(transaction).await?;
        Ok((moved, cursor))
    };
    let (moved, cursor) = subject.may(work, RULE).await?;
    same(RULE, &moved, &vec![false, true, false, false, false, true])?;
    same(RULE, &cursor, &at(6))
}

pub(super) async fn a_dropped_transaction_leaves_nothing<S: CursorStore>(
    subject: &Subject<'_, S>,
) -> Verdict<S> {
    const RULE: &str = "a transaction that is dropped leaves nothing";
    let (new, old) = (subject.key("dropped new"), subject.key("dropped old"));
    subject.put(&old, &at(3), RULE).await?;
    for (key, before) in [(&new, Cursor::default()), (&old, at(3))] {
        let work = async {
            let store = subject.store;
            let mut transaction = store.begin().await?;
            store.lock(&mut transaction, key).await?;
            let advance = store.advance(&mut transaction, key, before.seq(), &at(9)).await?;
            let seen = store.lock(&mut transaction, key).await?;
            drop(transaction);
            let mut transaction = store.begin().await?;
            store.lock(&mut transaction, key).await?;
            store.forget(&mut transaction, key).await?;
            drop(transaction);
            Ok((advance, seen))
        };
        let (advance, seen) = subject.may(work, RULE).await?;
        same("a cursor moves in its transaction", &advance, &Advance::Moved)?;
        same("a transaction sees what it wrote", &seen, &at(9))?;
        let found = subject.may(subject.read(key), RULE).await?;
        same(RULE, &found, &before)?;
    }
    Ok(())
}

pub(super) async fn keys_do_not_touch<S: CursorStore>(subject: &Subject<'_, S>) -> Verdict<S> {
    const RULE: &str = "the cursors of different keys do not touch";
    let session = subject.key("").session_id;
    let other = format!("{session}'; --");
    let long = "l".repeat(500);
    let mut keys: Vec<CursorKey> = ["", "a", "A", " a", "a'b", "a\"b", "a%b", "a_b", "ä", "☃", &long]
        .into_iter()
        .map(|consumer| subject.key(consumer))
        .collect();
    keys.extend(
        ["sthr_1", "sthr_2", "sthr_'"].map(|thread| subject.used(CursorKey::thread("a", &session, thread))),
    );
    keys.push(subject.used(CursorKey::session("a", other.as_str())));
    let numbered = |number: usize| at(u32::try_from(number).unwrap_or(u32::MAX).saturating_add(1));
    for (number, key) in keys.iter().enumerate() {
        subject.put(key, &numbered(number), RULE).await?;
    }
    for (number, key) in keys.iter().enumerate() {
        let found = subject.may(subject.read(key), RULE).await?;
        same(RULE, &found, &numbered(number))?;
    }
    Ok(())
}

pub(super) async fn a_cursor_goes_back_and_away<S: CursorStore>(subject: &Subject<'_, S>) -> Verdict<S> {
    const BACK: &str = "a cursor can be moved back";
    const AWAY: &str = "a cursor can be removed";
    let (key, beside) = (subject.key("back"), subject.key("beside"));
    let settlement = Settlement {
        outcome: Outcome::Completed,
        seq: Seq::from(8),
        event_id: None,
    };
    let settled = Cursor::new(at(9).position, Some(settlement.clone()));
    subject.put(&key, &settled, BACK).await?;
    subject.put(&beside, &at(2), BACK).await?;
    let place = |seq: u32, settlement| Cursor::new(Some(Position::new(Seq::from(seq), None)), settlement);
    let work = async {
        let store = subject.store;
        let mut transaction = store.begin().await?;
        let mut found = Vec::new();
        for to in [10, 8, 7] {
            found.push(store.rewind(&mut transaction, &key, Seq::from(to)).await?);
        }
        found.push(store.rebuild(&mut transaction, &key).await?);
        found.push(store.lock(&mut transaction, &key).await?);
        store.commit(transaction).await?;
        Ok(found)
    };
    let found = subject.may(work, BACK).await?;
    let expected = vec![
        settled,
        place(8, Some(settlement)),
        place(7, None),
        place(7, None),
        Cursor::default(),
    ];
    same(BACK, &found, &expected)?;
    subject.put(&key, &at(1), BACK).await?;
    let work = async {
        let store = subject.store;
        let mut transaction = store.begin().await?;
        let forgotten = [
            store.forget(&mut transaction, &key).await?,
            store.forget(&mut transaction, &key).await?,
        ];
        store.commit(transaction).await?;
        Ok(forgotten)
    };
    let forgotten = subject.may(work, AWAY).await?;
    same(AWAY, &forgotten, &[true, false])?;
    let left = subject.may(subject.read(&key), AWAY).await?;
    same(AWAY, &left, &Cursor::default())?;
    let left = subject.may(subject.read(&beside), AWAY).await?;
    same(AWAY, &left, &at(2))
}
