//! What each command does.

mod events;
mod session;

use checkfu_sdk::{
    Client,
    client::{Interruption, StreamChange},
    model::LogId,
};

use crate::{
    arguments::{Arguments, Command},
    failure::Failure,
    output,
};

/// Runs the command, with the key, the base URL and the workspace from the environment (`CLI-6`).
pub(crate) async fn run(arguments: Arguments) -> Result<(), Failure> {
    let client = Client::builder().environment()?.observer(narrate).build()?;
    match arguments.command {
        Command::Session(command) => session::run(&client, command).await,
        Command::Events(command) => events::run(&client, command).await,
    }
}

/// Tells of trouble with a stream; a connection that was closed in good order is none.
fn narrate(_: &LogId, change: &StreamChange<'_>) {
    match change {
        StreamChange::Interrupted {
            cause: Interruption::Failed(error),
            ..
        } => output::note(&format!("connection lost: {error}")),
        StreamChange::Waiting { wait, .. } => {
            output::note(&format!("connecting again in {:.1} s", wait.as_secs_f64()));
        }
        _ => {}
    }
}
