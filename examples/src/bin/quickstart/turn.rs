//! One turn: send the input, follow it to its settlement, and lose the connection on the way.

use checkfu_sdk::{
    Seq, SessionId,
    client::{Interruption, StreamChange},
    events::SessionEvents,
    input::UserMessage,
    settlement::{Outcome, Settlement},
};

use crate::{
    failure::Failure,
    gist::gist,
    projection::{Projection, Turn},
    relay::Relay,
    target::Target,
};

/// Names the cursor. Another program that follows the same Session takes another name.
const CONSUMER: &str = "quickstart";

/// After how many events of a turn the relay cuts the connection: about half of a plain turn.
const CUT_AFTER: usize = 6;

/// Drives `turn` to its settlement. Each event is applied once, however often this runs and wherever it is killed.
pub(crate) async fn drive(
    events: &SessionEvents,
    projection: &Projection,
    target: &Target,
    relay: &Relay,
    turn: Turn,
) -> Result<(), Failure> {
    let input = input_seq(events, projection, target, &turn).await?;
    let mut follower = events
        .follow(CONSUMER, projection.cursors())
        .input(input)
        .observer(narrate)
        .start()
        .await
        .map_err(Failure::Follow)?;
    let mut applied = 0;
    while let Some(mut delivery) = follower.next().await.map_err(Failure::Follow)? {
        let (event, transaction) = delivery.parts();
        Projection::apply(transaction, event).await?;
        let line = format!("{:>6}    {:<28} {}", event.seq(), event.event_type(), gist(event));
        let seq = delivery.commit().await.map_err(Failure::Follow)?;
        println!("{}", line.trim_end());
        applied += 1;
        if applied == CUT_AFTER {
            println!("cut       the relay cuts the connection after seq {seq}");
            relay.cut();
        }
    }
    if let Some(settlement) = follower.settlement() {
        projection.settled(&turn, settlement.seq).await?;
        println!("settled   {}", reason(settlement));
    }
    Ok(())
}

/// Where the turn's input stands in the log. It is sent under the key that was stored with the turn, so it stands there
/// once even when an earlier run was killed before it saw the answer.
async fn input_seq(
    events: &SessionEvents,
    projection: &Projection,
    target: &Target,
    turn: &Turn,
) -> Result<Seq, Failure> {
    if let Some(seq) = turn.input_seq {
        return u64::try_from(seq)
            .ok()
            .and_then(Seq::new)
            .ok_or(Failure::Seq { seq });
    }
    let message = UserMessage::new(turn.text.as_str())
        .by(target.principal())
        .idempotency_key(&turn.input_key);
    let accepted = events.send(message).await?;
    projection.accepted(turn, accepted.seq()).await?;
    println!("accepted  seq {}; that is not finished yet", accepted.seq());
    Ok(accepted.seq())
}

fn narrate(_: &SessionId, change: &StreamChange<'_>) {
    let place = |after: &Option<Seq>| after.map_or("the beginning".to_owned(), |seq| format!("seq {seq}"));
    match change {
        StreamChange::Interrupted { after, cause } => {
            let cause = match cause {
                Interruption::Failed(error) => error.to_string(),
                _ => "closed".to_owned(),
            };
            println!("lost      the connection after {}: {cause}", place(after));
        }
        StreamChange::Opened { after, reconnects } if *reconnects > 0 => {
            println!("resumed   after {} (Last-Event-ID)", place(after));
        }
        _ => {}
    }
}

fn reason(settlement: &Settlement) -> String {
    let meaning = match &settlement.outcome {
        Outcome::Idle { .. } => "the turn ended and the Session can be driven again",
        Outcome::Completed => "the Session ended in success",
        Outcome::Failed => "the Session ended in failure",
        Outcome::Canceled => "the Session was canceled",
        _ => "the Session is settled",
    };
    format!("at seq {}: {}; {meaning}", settlement.seq, settlement.outcome)
}
