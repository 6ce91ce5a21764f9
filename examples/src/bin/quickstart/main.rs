//! The main job of a follower, end to end: drive a Session, lose the connection, resume from the durable cursor, apply
//! each event once in the cursor's transaction, and stop when the log itself says that the turn is settled.

mod arguments;
mod failure;
mod gist;
mod output;
mod projection;
mod relay;
mod target;
mod turn;

use std::{error::Error, process::ExitCode};

use clap::Parser;

use crate::{
    arguments::Arguments,
    failure::Failure,
    output::{one_line, say},
    projection::Projection,
    relay::Relay,
    target::Target,
};

#[tokio::main]
async fn main() -> ExitCode {
    match run(Arguments::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("quickstart: {failure}");
            let mut said = failure.to_string();
            let mut cause = failure.source();
            while let Some(error) = cause {
                let reason = error.to_string();
                if !said.contains(&reason) {
                    eprintln!("  because: {reason}");
                    said = reason;
                }
                cause = error.source();
            }
            ExitCode::FAILURE
        }
    }
}

async fn run(arguments: Arguments) -> Result<(), Failure> {
    let projection = Projection::open(&arguments.dir).await?;
    let target = Target::start(&arguments).await?;
    let relay = Relay::start().await.map_err(Failure::Relay)?;
    let client = target.client(&relay)?;
    say(format_args!("server    {}", target.description()));
    let session = projection.session(&client, &target).await?;
    say(format_args!("session   {session}"));

    let events = client.sessions().events(session);
    if let Some(earlier) = projection.unfinished_turn().await? {
        let (number, text) = (earlier.number, one_line(&earlier.text));
        say(format_args!(
            "turn {number:<4} goes on from an earlier run: {text}"
        ));
        if let Some(seq) = projection.last_seq().await? {
            say(format_args!(
                "cursor    everything up to seq {seq} is applied already"
            ));
        }
        turn::drive(&events, &projection, &target, &relay, earlier).await?;
    }
    let next = projection.begin_turn(&arguments.text).await?;
    say(format_args!("turn {:<4} {}", next.number, one_line(&next.text)));
    turn::drive(&events, &projection, &target, &relay, next).await?;

    let path = projection.path().display();
    say(format_args!(
        "applied   {} events in {path}",
        projection.events().await?
    ));
    target.stop().await;
    Ok(())
}
