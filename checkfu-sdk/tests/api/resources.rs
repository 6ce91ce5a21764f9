//! Forks, diffs, ends, Runs, approvals and deployed Agents, against the reference server and on the wire.

use std::time::Duration;

use checkfu_mock_server::MockServer;
use checkfu_sdk::input::{ToolConfirmation, UserMessage};
use checkfu_sdk::model::payload::TriggerKind;
use checkfu_sdk::model::{
    ActionApprovalStatus, AgentDeployment, Checkpoint, CheckpointStatus, Page, RunStatus, UnavailableReason,
};
use checkfu_sdk::{Client, Error, Event, EventData, Seq, Session, SessionId, SessionStatus};
use futures::TryStreamExt;
use http::StatusCode;
use serde_json::{Value, json};

use crate::support::fake_api::FakeApi;

/// A server whose Agents work at once, and a client of it.
struct World {
    server: MockServer,
    client: Client,
}

impl World {
    async fn start() -> Self {
        let builder = MockServer::builder().step_delay(Duration::ZERO);
        let server = builder.start().await.unwrap();
        let client = Client::builder().base_url(server.url()).api_key(server.api_key());
        let client = client.build().unwrap();
        Self { server, client }
    }

    async fn deployment(&self, name: &str) -> AgentDeployment {
        let mut all = self.client.agent_deployments().list().limit(2).items();
        while let Some(deployment) = all.try_next().await.unwrap() {
            if deployment.name() == Some(name) {
                return deployment;
            }
        }
        panic!("no deployment {name}")
    }

    async fn session_of(&self, name: &str) -> Session {
        let deployment = self.deployment(name).await;
        let create = self
            .client
            .sessions()
            .create(deployment.id(), self.server.principal_id());
        create.send().await.unwrap()
    }

    async fn say(&self, session: &SessionId, text: &str) -> Event {
        let message = UserMessage::new(text).by(self.server.principal_id());
        self.client
            .sessions()
            .events(session)
            .send(message)
            .await
            .unwrap()
    }

    /// Reads the live stream up to the first event of this type.
    async fn until(&self, session: &SessionId, after: Seq, event_type: &str) -> Event {
        let mut events = self
            .client
            .sessions()
            .events(session)
            .stream()
            .after(after)
            .open();
        loop {
            let event = events.try_next().await.unwrap().unwrap();
            if event.event_type() == event_type {
                return event;
            }
        }
    }

    async fn turn(&self, session: &SessionId, text: &str) -> Seq {
        let said = self.say(session, text).await;
        self.until(session, said.seq(), "session.status_idle").await.seq()
    }

    async fn log(&self, session: &SessionId) -> Vec<Event> {
        let list = self.client.sessions().events(session).list();
        list.items().try_collect().await.unwrap()
    }
}

fn places(events: &[Event]) -> Vec<(String, u64)> {
    let place = |event: &Event| (event.id().to_string(), event.seq().get());
    events.iter().map(place).collect()
}

fn refusal(error: &Error) -> (StatusCode, String) {
    let Error::Api(refusal) = error else {
        panic!("{error:?}")
    };
    (refusal.status(), refusal.code().unwrap().to_string())
}

/// FRK-1, FRK-2: a fork from the head, a place or an event has the prefix with ids and places, then its own mark; neither
/// log changes the other, and the fork can be driven.
#[tokio::test]
async fn a_fork_has_the_prefix_and_goes_its_own_way() {
    let world = World::start().await;
    let source = world.session_of("plain").await;
    let settled = world.turn(source.id(), "first").await;
    let log = world.log(source.id()).await;
    let sessions = world.client.sessions();
    let third = log[2].clone();
    let whole = sessions.fork(source.id()).send().await.unwrap();
    let by_seq = sessions
        .fork(source.id())
        .from_seq(third.seq())
        .send()
        .await
        .unwrap();
    let by_event = sessions
        .fork(source.id())
        .from_event(third.id())
        .send()
        .await
        .unwrap();
    for (fork, length) in [(&whole, log.len()), (&by_seq, 3), (&by_event, 3)] {
        let copies = world.log(fork.id()).await;
        assert_eq!(places(&copies[..length]), places(&log[..length]));
        assert!(matches!(copies[length].data(), EventData::SessionForked(_)));
        let point = fork.forked_from().unwrap();
        assert_eq!(
            (&point.session_id, point.seq),
            (source.id(), log[length - 1].seq())
        );
    }
    assert_eq!(whole.forked_from().unwrap().seq, settled);
    world.turn(whole.id(), "second").await;
    assert_eq!(world.log(source.id()).await.len(), log.len());
    world.server.shutdown().await;
}

/// A-IDEM: the same key gives the same fork, and a key that no header can carry is refused before anything is sent.
#[tokio::test]
async fn a_fork_is_made_once_under_its_key() {
    let world = World::start().await;
    let source = world.session_of("plain").await;
    let fork = || {
        world
            .client
            .sessions()
            .fork(source.id())
            .idempotency_key("fork-1")
    };
    let (one, two) = (fork().send().await.unwrap(), fork().send().await.unwrap());
    assert_eq!(one.id(), two.id());
    let bad = world.client.sessions().fork(source.id()).idempotency_key("a b");
    assert!(matches!(bad.send().await, Err(Error::Config(_))));
    let unknown = world
        .client
        .sessions()
        .fork("sess_00000000000000000000000000000000");
    assert_eq!(
        refusal(&unknown.send().await.unwrap_err()).0,
        StatusCode::NOT_FOUND
    );
    let checkpoint = fork().idempotency_key("fork-2").checkpoint("ckpt_1").send().await;
    assert!(matches!(checkpoint, Err(Error::Api(_))), "{checkpoint:?}");
    world.server.shutdown().await;
}

/// DIF-1, A-DIFF: each side has what came after the common event; what is trimmed is said to be missing and not guessed;
/// strangers have no diff.
#[tokio::test]
async fn a_diff_has_both_tails_and_says_what_is_missing() {
    let world = World::start().await;
    let source = world.session_of("plain").await;
    let base = world.turn(source.id(), "first").await;
    let sessions = world.client.sessions();
    let fork = sessions.fork(source.id()).send().await.unwrap();
    world.turn(fork.id(), "in the fork").await;
    world.turn(source.id(), "in the source").await;
    let diff = sessions.diff(source.id(), fork.id()).await.unwrap();
    assert_eq!((&diff.base.session_id, diff.base.seq), (source.id(), base));
    for (side, session) in [(&diff.left, source.id()), (&diff.right, fork.id())] {
        let log = world.log(session).await;
        let above = log.iter().position(|event| event.seq() > base).unwrap();
        assert_eq!(places(&side.events), places(&log[above..]));
        assert!(!side.truncated);
    }
    assert_eq!(diff.unavailable, []);

    let head = world.log(source.id()).await.last().unwrap().seq();
    let control = world.server.control();
    control.trim(source.id().as_str(), head.get()).await.unwrap();
    let diff = sessions.diff(source.id(), fork.id()).await.unwrap();
    let [missing] = &diff.unavailable[..] else {
        panic!("{diff:?}")
    };
    assert_eq!(&missing.session_id, source.id());
    assert!(missing.from_seq > base && missing.to_seq < head, "{missing:?}");
    assert_eq!(missing.reason, UnavailableReason::Expired);

    let stranger = world.session_of("plain").await;
    let error = sessions.diff(source.id(), stranger.id()).await.unwrap_err();
    assert_eq!(
        refusal(&error),
        (StatusCode::CONFLICT, "runtime.no_common_history".to_owned())
    );
    world.server.shutdown().await;
}

/// SES-8, A-END: complete and cancel end a Session for good; doing it again is refused and not tried again.
#[tokio::test]
async fn a_session_is_ended_for_good() {
    let world = World::start().await;
    let sessions = world.client.sessions();
    let (one, two) = (world.session_of("plain").await, world.session_of("plain").await);
    let completed = sessions.complete(one.id()).await.unwrap();
    assert_eq!(completed.status(), Some(&SessionStatus::Completed));
    let canceled = sessions.cancel(two.id()).await.unwrap();
    assert_eq!(canceled.status(), Some(&SessionStatus::Canceled));
    let error = sessions.complete(two.id()).await.unwrap_err();
    assert_eq!(refusal(&error).0, StatusCode::CONFLICT);
    assert!(!error.is_retryable());
    let events: Vec<Event> = sessions
        .events(one.id())
        .stream()
        .open()
        .try_collect()
        .await
        .unwrap();
    assert_eq!(events.last().unwrap().event_type(), "session.status_completed");
    world.server.shutdown().await;
}

/// RUN-1, RUN-2: the Runs are listed with trigger, status, cost and what they received, and each can be read.
#[tokio::test]
async fn runs_are_listed_and_read() {
    let world = World::start().await;
    let session = world.session_of("plain").await;
    let mut said = Vec::new();
    for text in ["first", "second"] {
        said.push(world.say(session.id(), text).await);
        let last = said.last().unwrap();
        world.until(session.id(), last.seq(), "session.status_idle").await;
    }
    let runs = world.client.sessions().runs(session.id());
    let pages: Vec<Page<_>> = runs.list().limit(1).pages().try_collect().await.unwrap();
    let listed: Vec<_> = pages.into_iter().flat_map(|page| page.data).collect();
    assert_eq!(listed.len(), 2);
    for event in &said {
        let run = runs.retrieve(event.run_id().unwrap()).await.unwrap();
        assert!(listed.contains(&run));
        assert_eq!(run.status(), Some(&RunStatus::Completed));
        assert!(run.status().unwrap().is_settled());
        let trigger = run.trigger().unwrap();
        assert_eq!(
            (&trigger.kind, trigger.event_id.as_ref()),
            (&TriggerKind::Message, Some(event.id()))
        );
        assert_eq!((run.attempt(), run.continuation()), (Some(1), Some(0)));
        assert_eq!(run.session_id(), Some(session.id()));
        assert!(run.cost().is_some() && run.usage().is_some() && run.resolved().is_some());
        assert!(run.settled_at() >= run.started_at() && run.started_at() >= run.created_at());
        assert_eq!((run.deadline_at(), run.error()), (None, None));
    }
    let error = runs
        .retrieve(&"run_00000000000000000000000000000000".into())
        .await;
    assert_eq!(refusal(&error.unwrap_err()).0, StatusCode::NOT_FOUND);
    world.server.shutdown().await;
}

/// WAIT-1, WAIT-5: an approval is pending until it is decided, and then says by whom.
#[tokio::test]
async fn an_approval_is_read_before_and_after_its_decision() {
    let world = World::start().await;
    let session = world.session_of("approval").await;
    let said = world.say(session.id(), "deploy").await;
    world
        .until(session.id(), said.seq(), "session.status_waiting")
        .await;
    let approvals = world.client.sessions().action_approvals(session.id());
    let pending: Vec<_> = approvals.list().items().try_collect().await.unwrap();
    let [pending] = &pending[..] else {
        panic!("{pending:?}")
    };
    assert_eq!(pending.status(), Some(&ActionApprovalStatus::Pending));
    assert_eq!((pending.run_id(), pending.decided_by()), (said.run_id(), None));
    assert_eq!(pending.generation(), Some(1));
    let allow = ToolConfirmation::allow(pending.tool_use_id().unwrap()).by(world.server.principal_id());
    let decided = world
        .client
        .sessions()
        .events(session.id())
        .send(allow)
        .await
        .unwrap();
    let approval = approvals.retrieve(pending.id()).await.unwrap();
    assert_eq!(approval.status(), Some(&ActionApprovalStatus::Allowed));
    assert_eq!(
        approval.decided_by().unwrap().as_str(),
        world.server.principal_id()
    );
    assert!(approval.decided_at().is_some());
    assert_eq!(approval.name(), pending.name());
    assert!(decided.seq() > said.seq());
    world.server.shutdown().await;
}

/// SES-11, SES-12, A-CAP: a deployed Agent names its current revision and what that pins; the capabilities say what is on.
#[tokio::test]
async fn deployed_agents_and_capabilities_are_read() {
    let builder = MockServer::builder().without(["forks"]).unwrap();
    let server = builder.start().await.unwrap();
    let client = Client::builder().base_url(server.url()).api_key(server.api_key());
    let client = client.build().unwrap();
    let id = server.deployment_id().into();
    let deployment = client.agent_deployments().retrieve(&id).await.unwrap();
    let current = deployment.current_revision_number().unwrap();
    let revisions = deployment.revisions().unwrap();
    let revision = revisions
        .iter()
        .find(|revision| revision.number == current)
        .unwrap();
    assert!(revision.release.is_some() && revision.model_routing.is_some());
    assert!(revision.sandbox_profile.as_ref().unwrap().max_duration_seconds > Some(0));
    let capabilities = client.capabilities().await.unwrap();
    let says = |id: &str| {
        capabilities
            .iter()
            .find(|capability| capability.id == id)
            .unwrap()
            .enabled
    };
    assert!(says("threads") && !says("forks"));
    let session = client
        .sessions()
        .create(server.deployment_id(), server.principal_id());
    let session = session.send().await.unwrap();
    let error = client.sessions().fork(session.id()).send().await.unwrap_err();
    assert_eq!(
        refusal(&error),
        (StatusCode::FORBIDDEN, "capability.disabled".to_owned())
    );
    server.shutdown().await;
}

/// FRK-3, WIRE-5: Checkpoints are read as they come; a deployment without them says so.
#[tokio::test]
async fn checkpoints_are_read() {
    let world = World::start().await;
    let session = world.session_of("plain").await;
    let checkpoints = world.client.sessions().checkpoints(session.id());
    let listed: Result<Vec<Checkpoint>, Error> = checkpoints.items().try_collect().await;
    let code = refusal(&listed.unwrap_err());
    assert_eq!(code, (StatusCode::FORBIDDEN, "capability.disabled".to_owned()));
    let page = json!({
        "data": [{"id": "ckpt_1", "seq": 10, "run_id": null, "status": "available", "expires_at": null}],
        "next_page": null,
    });
    let page: Page<Checkpoint> = serde_json::from_value(page).unwrap();
    let checkpoint = &page.data[0];
    assert_eq!(
        (checkpoint.seq(), checkpoint.run_id()),
        (Some(Seq::from(10)), None)
    );
    assert_eq!(checkpoint.status(), Some(&CheckpointStatus::Available));
    world.server.shutdown().await;
}

/// A-CLI: members that are missing, of another kind or new fail no resource, and its JSON is kept; an id that would
/// reach out of its place in the path is refused before anything is sent.
#[tokio::test]
async fn resources_are_read_leniently() {
    let run = json!({"id": "run_1", "attempt": "two", "status": "resting", "cost": [], "new": 1});
    let api = FakeApi::start().await;
    api.set_run(run.clone());
    let runs = api.client().sessions().runs("sess_1");
    let read = runs.retrieve(&"run_1".into()).await.unwrap();
    assert_eq!((read.attempt(), read.cost()), (None, None));
    assert_eq!(read.status(), Some(&RunStatus::Other("resting".into())));
    assert!(!read.status().unwrap().is_settled());
    let kept: Value = serde_json::from_str(read.raw_json()).unwrap();
    assert_eq!(kept, run);
    assert_eq!(serde_json::to_value(&read).unwrap(), run);

    let sent = api.requests().len();
    let client = api.client();
    let sessions = client.sessions();
    let bad = SessionId::from("..");
    assert!(matches!(
        sessions.runs(&bad).retrieve(&"run_1".into()).await,
        Err(Error::Config(_))
    ));
    assert!(matches!(sessions.complete(&bad).await, Err(Error::Config(_))));
    assert!(matches!(
        sessions.diff(&bad, &"sess_1".into()).await,
        Err(Error::Config(_))
    ));
    assert!(matches!(sessions.fork(&bad).send().await, Err(Error::Config(_))));
    let listed: Result<Vec<_>, Error> = sessions.checkpoints(&bad).items().try_collect().await;
    assert!(matches!(listed, Err(Error::Config(_))));
    assert_eq!(api.requests().len(), sent);
}
