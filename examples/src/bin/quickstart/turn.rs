//! One turn: send the input, follow it to its settlement, and lose the connection on the way.

use checkfu_sdk::{
    Error, Event, Seq,
    client::{Interruption, StreamChange},
    events::SessionEvents,
    input::UserMessage,
    model::LogId,
    settlement::{Outcome, Settlement},
};

use crate::{
    failure::Failure,
    gist::gist,
    output::say,
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
    let follow = events
        .follow(CONSUMER, projection.cursors())
        .input(input)
        .observer(narrate);
    let mut follower = follow.start().await.map_err(Failure::follow)?;
    let mut applied = 0;
    while let Some(mut delivery) = follower.next().await.map_err(Failure::follow)? {
        let (event, transaction) = delivery.parts();
        Projection::apply(transaction, event).await?;
        let (line, settles) = (line(event), Settlement::of(event).is_some());
        let seq = delivery.commit().await.map_err(Failure::follow)?;
        say(line);
        applied += 1;
        if applied == CUT_AFTER && !settles {
            say(format_args!(
                "cut       the relay cuts the connection after seq {seq}"
            ));
            relay.cut();
        }
    }
    let settlement = follower.settlement().ok_or(Failure::NotSettled)?;
    projection.settled(&turn, settlement.seq).await?;
    say(format_args!("settled   {}", reason(settlement)));
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
    let accepted = match events.send(message).await {
        Ok(accepted) => accepted,
        Err(error) => {
            if is_final(&error) {
                projection.refused(turn, &error.to_string()).await?;
            }
            return Err(Failure::call(events.session_id(), error));
        }
    };
    projection.accepted(turn, accepted.seq()).await?;
    say(format_args!(
        "accepted  seq {}; that is not finished yet",
        accepted.seq()
    ));
    Ok(accepted.seq())
}

/// Whether the input itself was refused. A wrong key can be mended and the same input sent again.
fn is_final(error: &Error) -> bool {
    let status = error.status().map(|status| status.as_u16());
    !error.is_retryable() && matches!(status, Some(400 | 404 | 409 | 410 | 413 | 422))
}

fn line(event: &Event) -> String {
    let line = format!("{:>6}    {:<28} {}", event.seq(), event.event_type(), gist(event));
    line.trim_end().to_owned()
}

fn narrate(_: &LogId, change: &StreamChange<'_>) {
    let place = |after: &Option<Seq>| after.map_or("the beginning".to_owned(), |seq| format!("seq {seq}"));
    match change {
        StreamChange::Interrupted {
            cause: Interruption::Failed(error),
            ..
        } if !error.is_retryable() => {}
        StreamChange::Interrupted { after, cause } => {
            let cause = match cause {
                Interruption::Failed(error) => error.to_string(),
                _ => "closed".to_owned(),
            };
            say(format_args!(
                "lost      the connection after {}: {cause}",
                place(after)
            ));
        }
        StreamChange::Waiting { wait, reconnect } if *reconnect > 1 => {
            say(format_args!(
                "waiting   {} ms before reconnect {reconnect}",
                wait.as_millis()
            ));
        }
        StreamChange::Opened { after, reconnects } if *reconnects > 0 => {
            say(format_args!("resumed   after {} (Last-Event-ID)", place(after)));
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
