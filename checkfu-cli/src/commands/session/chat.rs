//! `checkfu session chat`

use std::io::{self, IsTerminal};

use checkfu_sdk::{Client, Event, EventData};
use tokio::io::{AsyncBufReadExt, BufReader};

use super::{say::say, until_boundary::until_boundary};
use crate::{arguments::Chat, failure::Failure, output};

/// Sends each line that is not blank, follows it to its boundary and prints what the Agent says; at the end of the
/// input it is done (`CLI-4`).
pub(super) async fn run(client: &Client, arguments: Chat) -> Result<(), Failure> {
    let (session, principal) = (arguments.session.session, arguments.principal.principal);
    let interactive = io::stdin().is_terminal();
    let mut lines = BufReader::new(tokio::io::stdin()).lines();
    loop {
        if interactive {
            output::prompt();
        }
        let Some(line) = lines.next_line().await.map_err(Failure::Input)? else {
            return Ok(());
        };
        if line.trim().is_empty() {
            continue;
        }
        let input = say(client, &session, &line, &principal).await?.seq();
        let settlement = until_boundary(client, &session, Some(input), input, print).await?;
        if settlement.outcome.is_terminal() {
            output::note(&format!("the Session ended: {}", settlement.outcome));
        }
    }
}

fn print(event: &Event) -> io::Result<()> {
    match event.data() {
        EventData::AgentMessage(message) => output::text(&message.content.to_text())?,
        EventData::AgentQuestion(question) => {
            output::text(&question.prompt)?;
            output::note("the Agent waits for an answer to its question");
        }
        EventData::AgentToolUse(call) => output::note(&format!("the Agent uses {}", call.name)),
        EventData::SessionStatusWaiting(_) => output::note("the Session waits for an action"),
        EventData::RunFailed(_) => output::note("the Run failed"),
        _ => {}
    }
    Ok(())
}
