//! `checkfu events …`

use checkfu_sdk::{Client, Seq, SessionId, events::SessionEvents, settlement::Settlement};
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
        EventsCommand::List(arguments) => list(client, arguments).await,
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
    let mut stream = client.sessions().events(session_id).stream();
    if let Some(seq) = after {
        stream = stream.after(seq);
    }
    let mut stream = stream.open();
    loop {
        match stream.try_next().await {
            Ok(Some(event)) => form.event(&event)?,
            Ok(None) => break,
            Err(error) if error.is_retryable() => {
                return Err(Failure::Unsettled {
                    session: session_id.clone(),
                    after: stream.last_seq(),
                    cause: Some(error),
                });
            }
            Err(error) => return Err(error.into()),
        }
    }
    let session = client.sessions().retrieve(session_id).await?;
    match Settlement::of_session(&session).filter(|settlement| settlement.outcome.is_terminal()) {
        Some(settlement) => {
            output::note(&format!("the Session ended: {}", settlement.outcome));
            Ok(())
        }
        None => Err(Failure::Unsettled {
            session: session_id.clone(),
            after: stream.last_seq(),
            cause: None,
        }),
    }
}

async fn list(client: &Client, arguments: ListEvents) -> Result<(), Failure> {
    let form = Form::new(arguments.json);
    let mut rest = arguments.limit;
    let mut events = listed(&client.sessions().events(&arguments.session_id), &arguments);
    while rest != Some(0) {
        let Some(event) = events.try_next().await? else {
            break;
        };
        form.event(&event)?;
        rest = rest.map(|rest| rest - 1);
    }
    Ok(())
}

fn listed(events: &SessionEvents, arguments: &ListEvents) -> checkfu_sdk::paging::Items<checkfu_sdk::Event> {
    let mut list = events.list().limit(arguments.limit.unwrap_or(PAGE).min(PAGE));
    if let Some(seq) = arguments.after {
        list = list.after(seq);
    }
    list.items()
}
