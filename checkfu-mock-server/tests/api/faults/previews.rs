//! Faults in previews: made up, and so independent of whether the server has any.

use checkfu_mock_server::{Fault, On, Operation, Preview, PreviewEdit};
use checkfu_sdk::sse::Decoder;
use serde_json::Value;

use super::bytes::{finished, stream};
use crate::support::world::World;

/// PRV-2, PRV-4: previews are made up that no event follows, in any number, in turn, of an unknown kind, or with an `id:`
/// that no cursor may take; the durable events stay as they are.
#[tokio::test]
async fn previews_are_made_up() {
    let world = World::new().await;
    let (session, log) = finished(&world).await;
    for (edit, deltas) in [
        (PreviewEdit::Phantom, 3),
        (PreviewEdit::Phantom, 20_000),
        (PreviewEdit::Interleaved, 3),
        (PreviewEdit::UnknownKind, 3),
        (PreviewEdit::WithId, 3),
    ] {
        let preview = Preview {
            deltas,
            ..Preview::new(edit)
        };
        let on = On::operation(Operation::Stream);
        let id = world.server.control().faults().plan(Fault::new(on, preview));
        let body = stream(&world, &session, &[]).await.body();
        assert_eq!(world.server.control().faults().status(&id).unwrap().fired, 1);
        let (mut durable, mut previews) = (Vec::new(), Vec::new());
        let (mut decoder, mut input) = (Decoder::new(), &body[..]);
        while let Some(block) = decoder.next_block(&mut input).unwrap() {
            if block.data().is_empty() {
                continue;
            }
            let data: Value = serde_json::from_str(block.data()).unwrap();
            if matches!(block.event(), "event_start" | "event_delta") {
                assert_eq!(block.has_id_line(), edit == PreviewEdit::WithId);
                assert_eq!(data["type"], block.event());
                previews.push(data);
            } else {
                durable.push(data);
            }
        }
        assert_eq!(durable, log, "{edit:?}");
        let kinds = if edit == PreviewEdit::Interleaved { 2 } else { 1 };
        assert_eq!(previews.len() as u64, kinds * (deltas + 1));
        let delta = &previews[previews.len() - 1]["payload"];
        let kind = if edit == PreviewEdit::UnknownKind {
            "unheard_of"
        } else {
            "content_delta"
        };
        assert_eq!(delta["delta"]["type"], kind);
        assert!(log.iter().all(|event| event["id"] != delta["event_id"]));
        if kinds == 2 {
            let ids: Vec<&Value> = previews[2..]
                .iter()
                .map(|preview| &preview["payload"]["event_id"])
                .collect();
            assert!(ids.windows(2).all(|pair| pair[0] != pair[1]), "{ids:?}");
        }
    }
}
