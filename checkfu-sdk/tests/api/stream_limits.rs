//! How much of a stream a client takes that was given no limits of its own.

use checkfu_sdk::sse::BlockTooLarge;
use checkfu_sdk::{Error, EventData};
use futures::StreamExt;
use serde_json::json;

use crate::support::event::{event, frame};
use crate::support::fake_api::{FakeApi, Step, stream};

const MOST: usize = 16 * 1024 * 1024;

/// A-CLI: a frame may hold 16 MiB, its type and its id included; one with a byte more is a typed error that names the cap,
/// and is not tried again.
#[tokio::test]
async fn a_frame_may_hold_16_mebibytes() {
    // What is held beside the text: the rest of the JSON, the type, the id, and the name of the longest line.
    let empty = event(1, "agent.message", json!({"content": ""}));
    let held = empty.to_string().len() + "agent.message".len() + "1".len() + "data: ".len();
    for (length, fits) in [(MOST - held, true), (MOST - held + 1, false)] {
        let long = event(1, "agent.message", json!({"content": "x".repeat(length)}));
        let api = FakeApi::start().await;
        let mut script = stream(frame(&long));
        script.push(Step::Hang);
        api.on_stream(script);
        let mut events = api.client().sessions().events("sess_1").stream().open();
        match events.next().await.unwrap() {
            Ok(event) => {
                let EventData::AgentMessage(message) = event.data() else {
                    panic!("{:?}", event.event_type())
                };
                assert!(fits && message.content.to_text().len() == length);
            }
            Err(Error::Protocol(error)) => {
                assert!(!fits, "{error:?}");
                assert_eq!(error.frame_too_large(), Some(BlockTooLarge { limit: MOST }));
            }
            Err(error) => panic!("{error:?}"),
        }
        assert_eq!(api.stream_cursors().len(), 1);
    }
}
