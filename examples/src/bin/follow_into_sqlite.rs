//! Sends one message and applies every event of its turn to a SQLite table, in the cursor's transaction.
//! The README shows this program from here on.

use checkfu_sdk::{Client, cursor::SqliteCursorStore, input::UserMessage};
use sqlx::SqlitePool;
use std::env::var;

#[rustfmt::skip] // one step a line, as the README shows it
#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (client, principal) = (Client::from_env()?, var("CHECKFU_PRINCIPAL_ID")?);
    let deployment = var("CHECKFU_AGENT_DEPLOYMENT_ID")?;
    let session = client.sessions().create(deployment, principal.as_str()).send().await?;
    let events = client.sessions().events(session.id());
    let input = events.send(UserMessage::new("Draft a release note.").by(principal)).await?;

    let pool = SqlitePool::connect("sqlite:projection.db?mode=rwc").await?;
    sqlx::query("CREATE TABLE IF NOT EXISTS seen (id TEXT PRIMARY KEY, type TEXT)").execute(&pool).await?;
    let cursors = SqliteCursorStore::new(pool);
    cursors.migrate().await?;
    let mut follower = events.follow("release-notes", cursors).input(input.seq()).start().await?;
    while let Some(mut delivery) = follower.next().await? {
        let (event, transaction) = delivery.parts();
        let insert = sqlx::query("INSERT INTO seen VALUES (?, ?)").bind(event.id().as_str());
        insert.bind(event.event_type()).execute(&mut **transaction).await?;
        delivery.commit().await?; // the row and the cursor, or neither
    }
    println!("settled: {}", follower.settlement().ok_or("not settled")?.outcome);
    Ok(())
}
