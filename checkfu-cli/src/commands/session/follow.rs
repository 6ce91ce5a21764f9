//! `checkfu session follow`

use checkfu_sdk::Client;

use super::super::events;
use super::until_boundary::until_boundary;
use crate::{
    arguments::Follow,
    failure::Failure,
    output::{self, Form},
};

/// Without a boundary to stop at, the events are printed until the Session has ended for good.
///
/// Which settlement counts (`CLI-3`): with `--after`, the first above that seq. Without, the log is printed from its
/// beginning, and settlements of earlier turns must not end it. A Session that is settled now is so as of its head;
/// one that is not has work whose settlement is still to come. Either way nothing below the present head counts.
pub(super) async fn run(client: &Client, arguments: Follow) -> Result<(), Failure> {
    let form = Form::new(arguments.json);
    let (session, after) = (arguments.session.session, arguments.after);
    if !arguments.until_boundary {
        return events::stream(client, &session, after, form).await;
    }
    let input = match after {
        Some(seq) => seq,
        None => {
            let read = client.sessions().retrieve(&session).await?;
            read.last_seq().unwrap_or_default()
        }
    };
    let settlement = until_boundary(client, &session, after, input, |event| form.event(event)).await?;
    let (seq, outcome) = (settlement.seq, settlement.outcome);
    output::note(&format!("settled at seq {seq}: {outcome}"));
    Ok(())
}
