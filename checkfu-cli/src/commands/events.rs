//! `checkfu events …`, and what the events of a Session and of a thread have in common.

use checkfu_sdk::{
    Client, Seq, SessionId, events::ListEvents as Listing, model::LogId, settlement::Settlement,
    stream::StreamEvents as Opening,
};
use futures::TryStreamExt;

use crate::{
    arguments::{EventsCommand, ListEvents, StreamEvents},
    failure::Failure,
    output::{self, Form},
};

/// The most events on one page of a list.
const PAGE: u32 = 1000;

pub(super) async fn run(client: &Client, command: EventsCommand) -> Result<(), Failure> {
    match command {
        EventsCommand::List(arguments) => {
            let listing = client.sessions().events(&arguments.session_id).list();
            list(listing, &arguments).await
        }
        EventsCommand::Stream(StreamEvents {
            session_id,
            from,
            json,
        }) => stream(client, &session_id, from, Form::new(json)).await,
    }
}

/// Prints the events after `after` as they come, until the Session has ended for good.
pub(super) async fn stream(
    client: &Client,
    session_id: &SessionId,
    after: Option<Seq>,
    form: Form,
) -> Result<(), Failure> {
    // A Session that is out of reach is a refusal, and not a stream that ended early.
    client.sessions().retrieve(session_id).await?;
    let log = LogId::of_session(session_id);
    let opening = client.sessions().events(session_id).stream();
    let after = print(opening, &log, after, form).await?;
    let session = client.sessions().retrieve(session_id).await?;
    match Settlement::of_session(&session).filter(|settlement| settlement.outcome.is_terminal()) {
        Some(settlement) => {
            output::note(&format!("the Session ended: {}", settlement.outcome));
            Ok(())
        }
        None => Err(Failure::Unsettled {
            log,
            after,
            cause: None,
        }),
    }
}

/// Prints the events of `log` after `after` as they come, until its stream ends; gives the place of the last one.
pub(super) async fn print(
    opening: Opening,
    log: &LogId,
    after: Option<Seq>,
    form: Form,
) -> Result<Option<Seq>, Failure> {
    let mut stream = match after {
        Some(seq) => opening.after(seq).open(),
        None => opening.open(),
    };
    loop {
        match stream.try_next().await {
            Ok(Some(event)) => form.event(&event)?,
            Ok(None) => return Ok(stream.last_seq()),
            Err(error) if error.is_retryable() => {
                return Err(Failure::Unsettled {
                    log: log.clone(),
                    after: stream.last_seq(),
                    cause: Some(error),
                });
            }
            Err(error) => return Err(error.into()),
        }
    }
}

/// Prints as much of a list as the arguments ask for.
pub(super) async fn list(listing: Listing, arguments: &ListEvents) -> Result<(), Failure> {
    let form = Form::new(arguments.json);
    let mut rest = arguments.limit;
    let listing = listing.limit(arguments.limit.unwrap_or(PAGE).min(PAGE));
    let mut events = match arguments.after {
        Some(seq) => listing.after(seq).items(),
        None => listing.items(),
    };
    while rest != Some(0) {
        let Some(event) = events.try_next().await? else {
            break;
        };
        form.event(&event)?;
        rest = rest.map(|rest| rest - 1);
    }
    Ok(())
}
