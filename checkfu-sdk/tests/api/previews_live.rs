//! Previews of the reference server, whose Agents show their messages piece by piece.

use std::collections::HashMap;
use std::time::Duration;

use checkfu_mock_server::{Fault, MockServer, On, Operation, Preview as PreviewFault, PreviewEdit};
use checkfu_sdk::input::{CustomToolResult, Interrupt, UserMessage};
use checkfu_sdk::model::{EventId, PreviewType};
use checkfu_sdk::previews::PreviewReducer;
use checkfu_sdk::retry::{Backoff, ReconnectPolicy};
use checkfu_sdk::settlement::Settlement;
use checkfu_sdk::stream::{PreviewStream, StreamItem};
use checkfu_sdk::{Client, Event, EventData, Seq};
use futures::{StreamExt, TryStreamExt};

use crate::support::relay::Relay;

const BOTH: [PreviewType; 2] = [PreviewType::AgentMessage, PreviewType::AgentThinking];

const SCENARIO: &str = "
name: writer
roster:
  scribe:
    rules:
      - input: message
        steps:
          - call: {tool: go, input: {}}
          - say: {text: The child writes this slowly., deltas: 10, every: 5ms}
rules:
  - input: message
    contains: spawn
    steps:
      - spawn: {child: scribe, message: Write.}
      - say: {text: The primary writes this., deltas: 10, every: 5ms}
  - input: message
    contains: slow
    steps:
      - say: {text: This takes long and is never finished at all., deltas: 40, every: 500ms}
  - input: message
    steps:
      - think: 5ms
      - say: {text: 'First {input}, then this.', deltas: 8, every: 3ms}
      - say: {text: 'And this 👩‍🚀 at last.', deltas: 8, every: 3ms}
";

async fn server() -> MockServer {
    MockServer::builder()
        .scenario(SCENARIO)
        .unwrap()
        .start()
        .await
        .unwrap()
}

fn client(server: &MockServer, url: &str) -> Client {
    let quick = Backoff::between(Duration::from_millis(1), Duration::from_millis(4));
    let policy = ReconnectPolicy::default().backoff(quick).max_reconnects(1_000);
    Client::builder()
        .base_url(url)
        .api_key(server.api_key())
        .reconnect_policy(policy)
        .build()
        .unwrap()
}

async fn session(client: &Client, server: &MockServer) -> String {
    let deployment = server.deployment("writer").unwrap();
    let create = client
        .sessions()
        .create(deployment.as_str(), server.principal_id());
    create.send().await.unwrap().id().to_string()
}

/// A stream, its fold, and the last partial text of each event.
struct Watch {
    items: PreviewStream,
    previews: PreviewReducer,
    last: HashMap<EventId, String>,
    thoughts: usize,
    opened: usize,
}

impl Watch {
    fn new(items: PreviewStream) -> Self {
        let previews = PreviewReducer::new(items.log_id());
        Self {
            items,
            previews,
            last: HashMap::new(),
            thoughts: 0,
            opened: 0,
        }
    }

    async fn next(&mut self) -> Option<StreamItem> {
        let item = self.items.next().await?.unwrap();
        self.previews.apply(&item);
        for partial in self.previews.partials() {
            assert!(!partial.is_cut());
            self.last.insert(partial.event_id().clone(), partial.text());
        }
        self.opened += usize::from(item == StreamItem::Opened);
        if let StreamItem::Preview(preview) = &item {
            let thinking = |partial: &checkfu_sdk::previews::PartialEvent| {
                *partial.event_type() == PreviewType::AgentThinking
            };
            let partial = preview.event_id().and_then(|id| self.previews.partial(id));
            self.thoughts += usize::from(partial.is_some_and(thinking));
        }
        Some(item)
    }

    /// The next events up to one that `ends`.
    async fn events(&mut self, ends: impl Fn(&Event) -> bool) -> Vec<Event> {
        let mut events = Vec::new();
        loop {
            if let StreamItem::Event(event) = self.next().await.unwrap() {
                let last = ends(&event);
                events.push(event);
                if last {
                    return events;
                }
            }
        }
    }

    /// Waits until a text is under way.
    async fn until_partial(&mut self) -> EventId {
        loop {
            if let Some(partial) = self
                .previews
                .partials()
                .find(|partial| !partial.text().is_empty())
            {
                return partial.event_id().clone();
            }
            self.next().await.unwrap();
        }
    }

    /// The messages among these events, whose partial texts were prefixes of them; how many were shown in part.
    fn check(&self, events: &[Event]) -> (usize, usize) {
        let (mut messages, mut shown) = (0, 0);
        for event in events {
            if let EventData::AgentMessage(message) = event.data() {
                messages += 1;
                let partial = self.last.get(event.id()).map_or("", String::as_str);
                let text = message.content.to_text();
                assert!(text.starts_with(partial), "{partial:?} of {text:?}");
                shown += usize::from(!partial.is_empty());
            }
        }
        (messages, shown)
    }
}

fn settles(event: &Event) -> bool {
    Settlement::of(event).is_some()
}

async fn say(client: &Client, server: &MockServer, session: &str, text: &str) -> Seq {
    let events = client.sessions().events(session);
    let message = UserMessage::new(text).by(server.principal_id());
    events.send(message).await.unwrap().seq()
}

/// PRV-1, PRV-2, PRV-3, A-PRV, SDK-2: what a turn shows before it is there are prefixes of its messages and its thought,
/// each replaced by its event; the events are those of the list.
#[tokio::test]
async fn a_turn_shows_itself_before_it_is_there() {
    let server = server().await;
    let client = client(&server, server.url());
    let session = session(&client, &server).await;
    let events = client.sessions().events(&session[..]);
    let mut watch = Watch::new(events.stream().open_with_previews(BOTH));
    watch.events(|event| event.seq() == Seq::from(1)).await;
    say(&client, &server, &session, "hello").await;
    let streamed = watch.events(settles).await;
    assert_eq!(watch.check(&streamed), (2, 2));
    assert_eq!((watch.thoughts, watch.opened), (1, 1));
    assert_eq!(watch.previews.partials().count(), 0);
    let listed: Vec<Event> = events
        .list()
        .after(Seq::from(1))
        .items()
        .try_collect()
        .await
        .unwrap();
    assert_eq!(streamed, listed);
    server.shutdown().await;
}

/// PRV-4: an interrupted message leaves its partial text until the turn settles, and no event.
#[tokio::test]
async fn an_interrupted_message_is_let_go_of() {
    let server = server().await;
    let client = client(&server, server.url());
    let session = session(&client, &server).await;
    let events = client.sessions().events(&session[..]);
    let mut watch = Watch::new(events.stream().open_with_previews(BOTH));
    watch.events(|event| event.seq() == Seq::from(1)).await;
    say(&client, &server, &session, "slow").await;
    let id = watch.until_partial().await;
    let interrupt = Interrupt::turn().by(server.principal_id());
    events.send(interrupt).await.unwrap();
    let rest = watch.events(settles).await;
    assert_eq!(watch.previews.partials().count(), 0);
    assert!(rest.iter().all(|event| *event.id() != id));
    let listed: Vec<Event> = events.list().items().try_collect().await.unwrap();
    assert!(listed.iter().all(|event| *event.id() != id));
    server.shutdown().await;
}

/// THR-6, A-VIEW: a child's previews come on the stream of the child and on no other, and the primary's not there.
#[tokio::test]
async fn a_childs_previews_stay_on_its_stream() {
    let server = server().await;
    let client = client(&server, server.url());
    let session = session(&client, &server).await;
    let events = client.sessions().events(&session[..]);
    let mut primary = Watch::new(events.stream().open_with_previews(BOTH));
    primary.events(|event| event.seq() == Seq::from(1)).await;
    say(&client, &server, &session, "spawn").await;
    let mut seen = primary
        .events(|event| event.event_type() == "agent.tool_use")
        .await;
    let call = seen.last().unwrap().clone();
    let EventData::AgentToolUse(tool_use) = call.data() else {
        panic!("{call:?}")
    };
    let thread = call.session_thread_id().unwrap();
    let own = client.sessions().threads(&session[..]).events(thread);
    let mut child = Watch::new(own.stream().open_with_previews(BOTH));
    child.events(|event| event.id() == call.id()).await;
    let result = CustomToolResult::new(tool_use.tool_use_id.clone(), "ok").on_thread(thread);
    events.send(result.by(server.principal_id())).await.unwrap();
    let at_rest =
        |event: &Event| event.event_type() == "session.thread_status_idle" && event.seq() > call.seq();
    let made = child.events(|event| at_rest(event) && child_settled(event)).await;
    assert_eq!(child.check(&made), (1, 1));
    assert_eq!(child.previews.partials().count(), 0);
    seen.extend(
        primary
            .events(|event| at_rest(event) && child_settled(event))
            .await,
    );
    if !seen.iter().any(settles) {
        seen.extend(primary.events(settles).await);
    }
    assert!(primary.check(&seen).1 >= 1, "the primary shows its own");
    assert!(primary.last.keys().all(|id| !child.last.contains_key(id)));
    server.shutdown().await;
}

fn child_settled(event: &Event) -> bool {
    event
        .stop_reason()
        .is_some_and(|reason| !reason.is_requires_action())
}

/// PRV-5, PRV-4, STR-2: over a link that breaks again and again, in the middle of messages too, no event is lost or doubled
/// and no text has a gap.
#[tokio::test]
async fn a_link_that_breaks_leaves_no_gaps() {
    let server = server().await;
    let relay = Relay::to(server.url().strip_prefix("http://").unwrap().parse().unwrap()).await;
    let direct = client(&server, server.url());
    let session = session(&direct, &server).await;
    let broken = client(&server, &relay.url);
    relay.cut_after(2_600);
    let items = broken
        .sessions()
        .events(&session[..])
        .stream()
        .open_with_previews(BOTH);
    let mut watch = Watch::new(items);
    watch.events(|event| event.seq() == Seq::from(1)).await;
    let mut streamed = Vec::new();
    for turn in 0..5 {
        say(&direct, &server, &session, &format!("turn {turn}")).await;
        streamed.extend(watch.events(settles).await);
        assert_eq!(watch.previews.partials().count(), 0);
    }
    assert_eq!(watch.check(&streamed).0, 10);
    assert!(watch.opened > 5, "{}", watch.opened);
    let events = direct.sessions().events(&session[..]);
    let listed: Vec<Event> = events
        .list()
        .after(Seq::from(1))
        .items()
        .try_collect()
        .await
        .unwrap();
    assert_eq!(streamed, listed);
    server.shutdown().await;
}

/// PRV-2, PRV-4: previews that no event follows, in a flood, in turn, unknown, with an `id:`, without their start or behind
/// their event: the events are the same, and no partial text outlives the turn.
#[tokio::test]
async fn previews_gone_wrong_change_no_event() {
    for (edit, deltas) in [
        (PreviewEdit::Phantom, 20_000),
        (PreviewEdit::Interleaved, 50),
        (PreviewEdit::UnknownKind, 50),
        (PreviewEdit::WithId, 50),
        (PreviewEdit::DropStarts, 1),
        (PreviewEdit::Late, 1),
        (PreviewEdit::Drop, 1),
    ] {
        let server = server().await;
        let client = client(&server, server.url());
        let session = session(&client, &server).await;
        let preview = PreviewFault {
            deltas,
            ..PreviewFault::new(edit)
        };
        let fault = Fault::new(On::operation(Operation::Stream), preview);
        server.control().faults().plan(fault);
        let events = client.sessions().events(&session[..]);
        let mut items = events.stream().open_with_previews(BOTH);
        let mut previews = PreviewReducer::new(items.log_id());
        let mut streamed = Vec::new();
        while streamed.last().is_none_or(|event| !settles(event)) {
            let item = items.next().await.unwrap().unwrap();
            previews.apply(&item);
            assert!(previews.bytes() <= 4 * 1024 * 1024);
            if let StreamItem::Event(event) = item {
                assert_eq!(previews.partial(event.id()), None, "{edit:?}");
                if streamed.is_empty() {
                    say(&client, &server, &session, "hello").await;
                }
                streamed.push(event);
            }
        }
        assert_eq!(previews.partials().count(), 0, "{edit:?}");
        let listed: Vec<Event> = events.list().items().try_collect().await.unwrap();
        assert_eq!(streamed, listed, "{edit:?}");
        server.shutdown().await;
    }
}
