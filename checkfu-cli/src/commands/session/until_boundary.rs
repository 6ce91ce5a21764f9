//! Following to a boundary, with a cursor in memory.

use std::{convert::Infallible, io};

use checkfu_sdk::{
    Client, Event, Seq, SessionId,
    cursor::{Advance, Cursor, CursorKey, CursorStore, MemoryCursorStore, Position},
    follow::FollowError,
    settlement::Settlement,
};

use crate::failure::Failure;

/// Names the cursor, which lives only as long as the command.
const CONSUMER: &str = "checkfu";

/// Hands the events after `after` to `print`, up to the first settlement above `input`. A Session that is settled
/// already, at or above `input`, is followed to its head (`CLI-3`, `SET-1`, `A-HEAD`).
pub(super) async fn until_boundary<P>(
    client: &Client,
    session: &SessionId,
    after: Option<Seq>,
    input: Seq,
    mut print: P,
) -> Result<Settlement, Failure>
where
    P: FnMut(&Event) -> io::Result<()> + Send,
{
    let stopped = |after, error| Failure::of_follow(session, after, error);
    let cursors = cursors_at(session, after)
        .await
        .map_err(|error| stopped(after, error))?;
    let events = client.sessions().events(session);
    let follow = events.follow(CONSUMER, cursors).input(input);
    let mut follower = follow.start().await.map_err(|error| stopped(after, error))?;
    let mut seen = after;
    loop {
        let delivery = match follower.next().await {
            Ok(Some(delivery)) => delivery,
            Ok(None) => break,
            Err(error) => return Err(stopped(seen, error)),
        };
        print(delivery.event())?;
        seen = Some(delivery.commit().await.map_err(|error| stopped(seen, error))?);
    }
    let ended = FollowError::StreamEnded { after: seen };
    follower.settlement().cloned().ok_or_else(|| stopped(seen, ended))
}

async fn cursors_at(
    session: &SessionId,
    after: Option<Seq>,
) -> Result<MemoryCursorStore, FollowError<Infallible>> {
    let cursors = MemoryCursorStore::new();
    let Some(seq) = after else { return Ok(cursors) };
    let key = CursorKey::session(CONSUMER, session);
    let cursor = Cursor::new(Some(Position::new(seq, None)), None);
    let mut transaction = cursors.begin().await.map_err(FollowError::Store)?;
    let advance = cursors.advance(&mut transaction, &key, None, &cursor).await;
    match advance.map_err(FollowError::Store)? {
        Advance::Moved => cursors.commit(transaction).await.map_err(FollowError::Store)?,
        Advance::Superseded => return Err(FollowError::Superseded { seq }),
    }
    Ok(cursors)
}
