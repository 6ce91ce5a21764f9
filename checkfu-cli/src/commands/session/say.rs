//! Sending a message.

use checkfu_sdk::{
    Client, Event, SessionId,
    input::UserMessage,
    model::{Cause, CauseKind, PrincipalId},
};

use crate::failure::Failure;

/// Sends a message; the log tells that it came from the command line.
pub(super) async fn say(
    client: &Client,
    session: &SessionId,
    text: &str,
    principal: &PrincipalId,
) -> Result<Event, Failure> {
    let message = UserMessage::new(text)
        .by(principal)
        .caused_by(Cause::new(CauseKind::Cli));
    Ok(client.sessions().events(session).send(message).await?)
}
