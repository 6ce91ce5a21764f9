//! The threads of a Session and their events.

use std::time::Duration;

use checkfu_mock_server::MockServer;
use serde_json::{Value, json};
use wiremock::{
    Mock, MockServer as Scripted, ResponseTemplate,
    matchers::{method, path},
};

use crate::support::{Finished, Running, checkfu, command, finish, run, steer};

/// An Agent that spawns a child, which says something and rests.
const PAIR: &str = "
name: pair
roster:
  writer:
    draft: {instructions: Write.}
    rules:
      - input: message
        steps:
          - say: It is written.
rules:
  - input: message
    steps:
      - spawn: {child: writer, message: 'Write: {input}'}
      - say: Another is at work.
";

/// A Session with a primary thread and a child that rests, and the ids of the two.
struct World {
    server: MockServer,
    session: String,
    primary: String,
    child: String,
}

impl World {
    async fn start() -> Self {
        let builder = MockServer::builder().step_delay(Duration::ZERO);
        let server = builder.scenario(PAIR).unwrap().start().await.unwrap();
        let (deployment, principal) = (server.deployment("pair").unwrap(), server.principal_id());
        let create = [
            "session",
            "create",
            "--principal",
            principal,
            "--agent-deployment",
        ];
        let session = run(&server, &[&create[..], &[&deployment]].concat()).await;
        let session = session.line().to_owned();
        let said = steer(&server, &session, "a note").await;
        let follow = [
            "session",
            "follow",
            &session,
            "--until-boundary",
            "--after",
            &said,
        ];
        run(&server, &follow).await.lines();
        let listed = run(&server, &["session", "threads", "list", "--session-id", &session]).await;
        let ids: Vec<String> = listed
            .lines()
            .iter()
            .map(|line| words(line)[0].to_owned())
            .collect();
        let [primary, child] = ids.try_into().unwrap();
        let world = Self {
            server,
            session,
            primary,
            child,
        };
        let stream = world.arguments(&["events", "stream"], &["--thread-id", &world.child]);
        let mut stream = Running::start(command(&world.server, &as_str(&stream)));
        stream.lines_to("session.thread_status_idle").await;
        world
    }

    /// `checkfu session threads WORDS --session-id S OPTIONS`
    fn arguments(&self, words: &[&str], options: &[&str]) -> Vec<String> {
        let session = ["--session-id", &self.session];
        let all = [&["session", "threads"], words, &session, options].concat();
        all.into_iter().map(str::to_owned).collect()
    }

    async fn threads(&self, words: &[&str], options: &[&str]) -> Finished {
        run(&self.server, &as_str(&self.arguments(words, options))).await
    }

    /// The same for the child.
    async fn child(&self, words: &[&str], options: &[&str]) -> Finished {
        let options = [&["--thread-id", &self.child], options].concat();
        self.threads(words, &options).await
    }
}

fn as_str(arguments: &[String]) -> Vec<&str> {
    arguments.iter().map(String::as_str).collect()
}

fn words(line: &str) -> Vec<&str> {
    line.split_whitespace().collect()
}

fn json(line: &str) -> Value {
    serde_json::from_str(line).unwrap()
}

/// CLI-5: the threads are listed, the primary first, up to a limit, and each is read by its id, for people and as JSON.
#[tokio::test]
async fn threads_are_listed_and_read() {
    let world = World::start().await;
    let (primary, child) = (&*world.primary, &*world.child);
    let listed = world.threads(&["list"], &[]).await;
    let rows: Vec<Vec<&str>> = listed.lines().iter().map(|line| words(line)).collect();
    assert_eq!(rows, [[primary, "idle", "primary"], [child, "idle", primary]]);
    let listed = world.threads(&["list"], &["--json"]).await;
    let all: Vec<Value> = listed.lines().iter().map(|line| json(line)).collect();
    assert_eq!((&all[0]["id"], &all[1]["id"]), (&json!(primary), &json!(child)));
    let some = world.threads(&["list"], &["--limit", "1", "--json"]).await;
    assert_eq!(json(some.line())["id"], primary);

    let read = world.child(&["retrieve"], &["--json"]).await;
    assert_eq!(json(read.line())["id"], child);
    let read = world.child(&["retrieve"], &[]).await;
    let members: Vec<Vec<&str>> = read.lines().iter().map(|line| words(line)).collect();
    for member in [
        ["id", child],
        ["status", "idle"],
        ["session", &world.session],
        ["parent", primary],
    ] {
        assert!(members.contains(&member.to_vec()), "{member:?}: {read:?}");
    }

    let unknown = ["--thread-id", "sthr_0"];
    for words in [
        &["retrieve"][..],
        &["archive"],
        &["events", "list"],
        &["events", "stream"],
    ] {
        let refused = world.threads(words, &unknown).await;
        assert_eq!((refused.code, &*refused.stdout), (Some(1), ""), "{refused:?}");
        assert!(refused.stderr.contains("404 resource.not_found"), "{refused:?}");
        let incomplete = world.threads(words, &[]).await;
        assert_eq!(incomplete.code, Some(2), "{incomplete:?}");
        assert!(incomplete.stderr.contains("--thread-id"), "{incomplete:?}");
    }
}

/// CLI-5: the events of a child are listed after a place and streamed from one. A rested child is archived, again with the
/// same answer, and its stream ends with it; the primary is not archived.
#[tokio::test]
async fn a_childs_events_are_printed_and_it_is_archived() {
    let world = World::start().await;
    let listed = world.child(&["events", "list"], &["--json"]).await;
    let before = listed.lines().len();
    let mut live = world.arguments(&["events", "stream"], &["--thread-id", &world.child]);
    live.push("--json".to_owned());
    let mut live = Running::start(command(&world.server, &as_str(&live)));
    let rested = live.lines_to("session.thread_status_idle").await;
    assert_eq!(rested, listed.lines());

    let archived = world.child(&["archive"], &["--json"]).await;
    let archived = json(archived.line());
    assert_eq!(
        (&archived["id"], &archived["status"]),
        (&json!(world.child), &json!("terminated"))
    );
    let again = world.child(&["archive"], &["--json"]).await;
    assert_eq!(json(again.line())["archived_at"], archived["archived_at"]);
    let refused = world
        .threads(&["archive"], &["--thread-id", &world.primary])
        .await;
    assert_eq!(refused.code, Some(1));
    assert!(
        refused.stderr.contains("409 runtime.primary_thread"),
        "{refused:?}"
    );
    let ended = live.finish().await;
    assert_eq!((ended.code, &*ended.stderr), (Some(0), "the thread ended\n"));
    assert!(ended.stdout.contains("session.thread_status_terminated"));

    let listed = world.child(&["events", "list"], &["--json"]).await;
    let all = listed.lines();
    assert!(all.len() > before);
    let place = json(all[1])["seq"].to_string();
    let after = world
        .child(&["events", "list"], &["--after", &place, "--json"])
        .await;
    assert_eq!(after.lines(), all[2..]);
    let some = world
        .child(&["events", "list"], &["--limit", "1", "--json"])
        .await;
    assert_eq!(some.lines(), all[..1]);
    let from = world
        .child(&["events", "stream"], &["--from", &place, "--json"])
        .await;
    assert_eq!(from.lines(), all[2..]);
    let people = world.child(&["events", "stream"], &[]).await;
    let types: Vec<Value> = all.iter().map(|line| json(line)["type"].clone()).collect();
    assert_eq!(people.types(), types);
}

/// CLI-5: a stream that ended before its thread did is no success, whether it failed or not, and the command that goes on is
/// told.
#[tokio::test]
async fn a_stream_that_ends_early_says_how_to_go_on() {
    // A wait that is longer than the client takes spends the reconnects at once, and 204 says that there is no more.
    let overload = ResponseTemplate::new(503).insert_header("retry-after", "3600");
    for (end, has_failed) in [(overload, true), (ResponseTemplate::new(204), false)] {
        let api = Scripted::start().await;
        let thread = json!({"id": "sthr_2", "parent_thread_id": "sthr_1", "status": "running"});
        let event =
            json!({"id": "evt_7", "seq": 7, "type": "agent.message", "payload": {"content": "Hello."}});
        let at = "/v1/sessions/sess_1/threads/sthr_2";
        let on = |end: &str| Mock::given(method("GET")).and(path(format!("{at}{end}")));
        let thread = ResponseTemplate::new(200).set_body_json(thread);
        on("").respond_with(thread).mount(&api).await;
        let frame = format!("id: 7\ndata: {event}\n\n");
        let opened = ResponseTemplate::new(200).set_body_raw(frame, "text/event-stream");
        let once = on("/stream").respond_with(opened).up_to_n_times(1);
        once.mount(&api).await;
        on("/stream").respond_with(end).mount(&api).await;

        let arguments = ["session", "threads", "events", "stream", "--session-id", "sess_1"];
        let arguments = [&arguments[..], &["--thread-id", "sthr_2"]].concat();
        let ended = finish(checkfu(&api.uri(), "k", &arguments)).await;
        assert_eq!(ended.code, Some(3), "{ended:?}");
        assert!(ended.stdout.contains("Hello."), "{ended:?}");
        let further = "checkfu session threads events stream --session-id sess_1 --thread-id sthr_2 --from 7";
        assert!(ended.stderr.contains(further), "{ended:?}");
        assert_eq!(ended.stderr.contains("retryable: yes"), has_failed, "{ended:?}");
    }
}
