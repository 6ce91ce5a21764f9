//! `checkfu session …`

mod chat;
mod follow;
mod say;
mod threads;
mod until_boundary;

use checkfu_sdk::Client;
use futures::TryStreamExt;

use self::say::say;
use crate::{
    arguments::{Create, ListSessions, Retrieve, SessionCommand, Steer},
    failure::Failure,
    output::{self, Form},
};

pub(super) async fn run(client: &Client, command: SessionCommand) -> Result<(), Failure> {
    match command {
        SessionCommand::Create(arguments) => create(client, arguments).await,
        SessionCommand::Steer(arguments) => steer(client, arguments).await,
        SessionCommand::Follow(arguments) => follow::run(client, arguments).await,
        SessionCommand::Chat(arguments) => chat::run(client, arguments).await,
        SessionCommand::List(arguments) => list(client, arguments).await,
        SessionCommand::Retrieve(arguments) => retrieve(client, arguments).await,
        SessionCommand::Threads(command) => threads::run(client, command).await,
    }
}

/// The id stands alone on standard output, ready for a variable of the shell (`CLI-1`).
async fn create(client: &Client, arguments: Create) -> Result<(), Failure> {
    let principal = arguments.principal.principal;
    let mut call = client.sessions().create(arguments.agent_deployment, principal);
    if let Some(title) = arguments.title {
        call = call.title(title);
    }
    if let Some(number) = arguments.revision {
        call = call.revision(number);
    }
    let session = call.send().await?;
    match Form::new(arguments.json) {
        Form::Text => output::line(session.id())?,
        form => form.session(&session)?,
    }
    Ok(())
}

/// Prints where the message was accepted, for `follow --after` (`CLI-2`).
async fn steer(client: &Client, arguments: Steer) -> Result<(), Failure> {
    let principal = arguments.principal.principal;
    let event = say(client, &arguments.session, &arguments.text, &principal).await?;
    match Form::new(arguments.json) {
        Form::Text => output::line(event.seq())?,
        form => form.event(&event)?,
    }
    Ok(())
}

async fn list(client: &Client, arguments: ListSessions) -> Result<(), Failure> {
    let form = Form::new(arguments.json);
    let mut list = client.sessions().list();
    if let Some(status) = &arguments.status {
        list = list.status(status);
    }
    let mut sessions = list.items();
    while let Some(session) = sessions.try_next().await? {
        form.session(&session)?;
    }
    Ok(())
}

async fn retrieve(client: &Client, arguments: Retrieve) -> Result<(), Failure> {
    let session = client.sessions().retrieve(&arguments.session.session).await?;
    Form::new(arguments.json).whole_session(&session)?;
    Ok(())
}
