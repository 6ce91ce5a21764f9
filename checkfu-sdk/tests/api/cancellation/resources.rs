use std::time::Duration;

use checkfu_mock_server::MockServer;
use checkfu_sdk::input::UserMessage;
use checkfu_sdk::{Client, Error, Session, SessionStatus};
use futures::TryStreamExt;

use super::Cuts;
use crate::support::random::cancel_after;

async fn started() -> (MockServer, Client) {
    let builder = MockServer::builder().step_delay(Duration::ZERO);
    let server = builder.start().await.unwrap();
    let builder = Client::builder().base_url(server.url());
    let client = builder.api_key(server.api_key()).build().unwrap();
    (server, client)
}

async fn created(server: &MockServer, client: &Client) -> Session {
    let create = client
        .sessions()
        .create(server.deployment_id(), server.principal_id());
    create.send().await.unwrap()
}

/// A-IDEM, FRK-1: a fork that was dropped may have been made, once, and with a key of the caller's own the same call finds
/// out.
#[tokio::test]
async fn a_dropped_fork_is_made_once() {
    let (server, client) = started().await;
    let source = created(&server, &client).await;
    let mut cuts = Cuts::of(&["ForkSession::send"]);
    while let Some(waits) = cuts.place() {
        let count = async || {
            let all: Result<Vec<Session>, Error> = client.sessions().list().items().try_collect().await;
            all.unwrap().len()
        };
        let before = count().await;
        let key = format!("cut-{}", cuts.run());
        let fork = || client.sessions().fork(source.id()).idempotency_key(&*key).send();
        let made = cuts.cut(cancel_after(waits, fork()).await);
        let again = fork().await.unwrap();
        assert_eq!(count().await, before + 1, "{key}");
        assert!(made.is_none_or(|made| made.unwrap().id() == again.id()));
    }
    cuts.waited();
    server.shutdown().await;
}

/// SES-8: an end that was dropped may be done; the Session says so, and if it was not, the same call does it.
#[tokio::test]
async fn a_dropped_end_is_found_out() {
    let (server, client) = started().await;
    let sessions = client.sessions();
    let complete = async |session: &Session| sessions.complete(session.id()).await;
    let cancel = async |session: &Session| sessions.cancel(session.id()).await;
    let mut cuts = Cuts::of(&["Sessions::complete"]);
    while let Some(waits) = cuts.place() {
        let session = created(&server, &client).await;
        let ended = cuts.cut(cancel_after(waits, complete(&session)).await);
        has_ended(
            &client,
            &session,
            ended,
            complete(&session).await,
            SessionStatus::Completed,
        )
        .await;
    }
    cuts.waited();
    let mut cuts = Cuts::of(&["Sessions::cancel"]);
    while let Some(waits) = cuts.place() {
        let session = created(&server, &client).await;
        let ended = cuts.cut(cancel_after(waits, cancel(&session)).await);
        has_ended(
            &client,
            &session,
            ended,
            cancel(&session).await,
            SessionStatus::Canceled,
        )
        .await;
    }
    cuts.waited();
    server.shutdown().await;
}

/// A request on its way may still arrive, so whichever of both ends it is the first; the other one is refused.
async fn has_ended(
    client: &Client,
    session: &Session,
    first: Option<Result<Session, Error>>,
    second: Result<Session, Error>,
    status: SessionStatus,
) {
    let refused = |error: &Error| error.status() == Some(http::StatusCode::CONFLICT);
    assert!(second.as_ref().is_ok_and(|_| first.is_none()) || second.is_err_and(|error| refused(&error)));
    assert!(first.is_none_or(|ended| ended.unwrap().status() == Some(&status)));
    let read = client.sessions().retrieve(session.id()).await.unwrap();
    assert_eq!(read.status(), Some(&status));
}

/// A read that was dropped changes nothing, and the client goes on.
#[tokio::test]
async fn dropped_reads_of_resources_change_nothing() {
    let (server, client) = started().await;
    let session = created(&server, &client).await;
    let message = UserMessage::new("deploy").by(server.principal_id());
    let said = client
        .sessions()
        .events(session.id())
        .send(message)
        .await
        .unwrap();
    let fork = client.sessions().fork(session.id()).send().await.unwrap();
    let run = said.run_id().unwrap();
    let sessions = client.sessions();
    let runs = sessions.runs(session.id());
    let diff = async || sessions.diff(session.id(), fork.id()).await.map(drop);
    reads(Cuts::of(&["Sessions::diff"]), diff).await;
    let retrieve = async || runs.retrieve(run).await.map(drop);
    reads(Cuts::of(&["SessionRuns::retrieve"]), retrieve).await;
    let (approvals, unknown) = (sessions.action_approvals(session.id()), "appr_1".into());
    let retrieve = async || {
        let error = approvals.retrieve(&unknown).await.unwrap_err();
        assert_eq!(error.status(), Some(http::StatusCode::NOT_FOUND));
        Ok(())
    };
    reads(Cuts::of(&["SessionActionApprovals::retrieve"]), retrieve).await;
    let (deployments, id) = (client.agent_deployments(), server.deployment_id().into());
    let retrieve = async || deployments.retrieve(&id).await.map(drop);
    reads(Cuts::of(&["AgentDeployments::retrieve"]), retrieve).await;
    let capabilities = async || client.capabilities().await.map(drop);
    reads(Cuts::of(&["Client::capabilities"]), capabilities).await;
    server.shutdown().await;
}

/// Drops the read wherever it waits, and reads again.
async fn reads(mut cuts: Cuts, read: impl AsyncFn() -> Result<(), Error>) {
    while let Some(waits) = cuts.place() {
        let cut = cancel_after(waits, read()).await;
        cuts.cut(cut);
        read().await.unwrap();
    }
    cuts.waited();
}
