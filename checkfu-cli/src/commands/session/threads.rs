//! `checkfu session threads …`

use checkfu_sdk::{
    Client,
    model::{LogId, SessionThreadStatus},
};
use futures::TryStreamExt;

use super::super::events;
use crate::{
    arguments::{ListThreads, StreamThreadEvents, Thread, ThreadEventsCommand, ThreadsCommand},
    failure::Failure,
    output::{self, Form},
};

/// Threads come from the Agent: they are observed and archived, and what one waits for is answered at its Session
/// (`CLI-5`).
pub(super) async fn run(client: &Client, command: ThreadsCommand) -> Result<(), Failure> {
    match command {
        ThreadsCommand::List(arguments) => list(client, arguments).await,
        ThreadsCommand::Retrieve(arguments) => retrieve(client, arguments).await,
        ThreadsCommand::Archive(arguments) => archive(client, arguments).await,
        ThreadsCommand::Events(ThreadEventsCommand::List(arguments)) => {
            let threads = client.sessions().threads(&arguments.list.session_id);
            let thread = threads.events(arguments.thread.thread_id);
            events::list(thread.list(), &arguments.list).await
        }
        ThreadsCommand::Events(ThreadEventsCommand::Stream(arguments)) => stream(client, arguments).await,
    }
}

async fn list(client: &Client, arguments: ListThreads) -> Result<(), Failure> {
    let form = Form::new(arguments.json);
    let mut rest = arguments.limit;
    let mut list = client.sessions().threads(arguments.session_id).list();
    if let Some(limit) = arguments.limit {
        list = list.limit(limit);
    }
    let mut threads = list.items();
    while rest != Some(0) {
        let Some(thread) = threads.try_next().await? else {
            break;
        };
        form.thread(&thread)?;
        rest = rest.map(|rest| rest - 1);
    }
    Ok(())
}

async fn retrieve(client: &Client, arguments: Thread) -> Result<(), Failure> {
    let threads = client.sessions().threads(arguments.session_id);
    let thread = threads.retrieve(&arguments.thread.thread_id).await?;
    Form::new(arguments.json).whole_thread(&thread)?;
    Ok(())
}

async fn archive(client: &Client, arguments: Thread) -> Result<(), Failure> {
    let threads = client.sessions().threads(arguments.session_id);
    let thread = threads.archive(&arguments.thread.thread_id).await?;
    Form::new(arguments.json).whole_thread(&thread)?;
    Ok(())
}

/// Prints the events of a thread as they come, until the thread has ended for good.
async fn stream(client: &Client, arguments: StreamThreadEvents) -> Result<(), Failure> {
    let (stream, thread_id) = (arguments.stream, arguments.thread.thread_id);
    let threads = client.sessions().threads(&stream.session_id);
    // A thread that is out of reach is a refusal, and not a stream that ended early.
    threads.retrieve(&thread_id).await?;
    let log = LogId::of_thread(stream.session_id, &thread_id);
    let opening = threads.events(&thread_id).stream();
    let after = events::print(opening, &log, stream.from, Form::new(stream.json)).await?;
    let thread = threads.retrieve(&thread_id).await?;
    if thread.status() == Some(&SessionThreadStatus::Terminated) {
        output::note("the thread ended");
        return Ok(());
    }
    Err(Failure::Unsettled {
        log,
        after,
        cause: None,
    })
}
