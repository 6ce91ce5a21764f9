use checkfu_sdk::cursor::MemoryCursorStore;
use checkfu_sdk::follow::Follower;
use checkfu_sdk::paging::{Items, Pages};
use checkfu_sdk::stream::EventStream;
use checkfu_sdk::{ApiKey, Client, Error, Event, Session};

fn shared<T: Clone + Send + Sync + 'static>() {}
fn owned<T: Send + 'static>() {}
fn pinned_anywhere<T: Unpin>() {}

/// REP-70, REP-74: what goes between tasks can go between tasks, without a lifetime; streams need no pinning.
#[test]
fn types_cross_tasks() {
    shared::<Client>();
    shared::<ApiKey>();
    shared::<Event>();
    shared::<Session>();
    owned::<EventStream>();
    owned::<Follower<MemoryCursorStore>>();
    owned::<Pages<Event>>();
    owned::<Items<Session>>();
    pinned_anywhere::<EventStream>();
    pinned_anywhere::<Items<Event>>();
    fn error<T: std::error::Error + Send + Sync + 'static>() {}
    error::<Error>();
}
