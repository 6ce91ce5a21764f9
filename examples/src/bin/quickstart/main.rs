//! The main job of a follower, end to end: drive a Session, lose the connection, resume from the durable cursor, apply
//! each event once in the cursor's transaction, and stop when the log itself says that the turn is settled.

mod arguments;
mod failure;
mod gist;
mod projection;
mod relay;
mod target;
mod turn;

use std::{error::Error, process::ExitCode};

use checkfu_sdk::Client;
use clap::Parser;

use crate::{arguments::Arguments, failure::Failure, projection::Projection, relay::Relay, target::Target};

#[tokio::main]
async fn main() -> ExitCode {
    match run(Arguments::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("quickstart: {failure}");
            let mut cause = failure.source();
            while let Some(error) = cause {
                eprintln!("  because: {error}");
                cause = error.source();
            }
            ExitCode::FAILURE
        }
    }
}

async fn run(arguments: Arguments) -> Result<(), Failure> {
    let projection = Projection::open(&arguments.dir).await?;
    let target = Target::start(&arguments).await?;
    projection.bind(target.name()).await?;
    println!("server    {}", target.description());

    let relay = Relay::start().await.map_err(Failure::Relay)?;
    let client = target.client(Client::builder())?.proxy(relay.url()).build()?;
    let session = projection.session(&client, &target).await?;
    println!("session   {session}");

    let events = client.sessions().events(session);
    if let Some(earlier) = projection.unfinished_turn().await? {
        println!(
            "turn {:<4} goes on from an earlier run: {}",
            earlier.number, earlier.text
        );
        turn::drive(&events, &projection, &target, &relay, earlier).await?;
    }
    let next = projection.begin_turn(&arguments.text).await?;
    println!("turn {:<4} {}", next.number, next.text);
    turn::drive(&events, &projection, &target, &relay, next).await?;

    println!(
        "applied   {} events in {}",
        projection.events().await?,
        projection.path().display()
    );
    target.stop().await;
    Ok(())
}
