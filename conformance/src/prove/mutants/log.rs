use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

use crate::prove::{lock::locked, mutant::Mutant, traffic::Edit};

pub(super) fn mutants() -> Vec<Mutant> {
    let appends: Arc<Mutex<HashMap<String, usize>>> = Arc::default();
    vec![
        Mutant::new("swaps-two-in-list")
            .answer(|call, answer| {
                if call.is_list() {
                    answer.edit_events(|events| {
                        if events.len() > 3 {
                            events.swap(1, 2);
                        }
                    });
                }
            })
            .kills("srv.order.strictly-increasing", "a seq above"),
        Mutant::new("repeats-a-seq")
            .answer(|call, answer| {
                if call.is_list() {
                    answer.edit_events(|events| {
                        if let [_, second, third, _, ..] = events.as_mut_slice() {
                            third.put("/seq", second["seq"].clone());
                        }
                    });
                }
            })
            .kills("srv.order.strictly-increasing", "a seq above"),
        Mutant::new("stream-swaps-two")
            .frame(|_, _, mut frame| {
                let other = if frame.seq() == 2 { 3 } else { 2 };
                if frame.seq() == 2 || frame.seq() == 3 {
                    frame.set("id", other);
                    frame.edit(|event| event.put("/seq", other.into()));
                }
                vec![frame]
            })
            .kills("srv.order.strictly-increasing", "a seq above"),
        // A reader that waits for the last seq waits in vain.
        Mutant::new("stream-gives-a-seq-twice")
            .frame(|_, _, mut frame| {
                if frame.seq() % 6 == 0 && frame.seq() > 0 {
                    let before = frame.seq() - 1;
                    frame.set("id", before);
                    frame.edit(|event| event.put("/seq", before.into()));
                }
                vec![frame]
            })
            .kills("srv.order.strictly-increasing", "a seq above"),
        Mutant::new("rewrites-history")
            .instead({
                let appends = Arc::clone(&appends);
                move |call| {
                    if call.is_append() {
                        *locked(&appends).entry(call.path.clone()).or_default() += 1;
                    }
                    None
                }
            })
            .answer(move |call, answer| {
                let appends = locked(&appends).get(&call.path).copied().unwrap_or_default();
                if call.is_list() && appends > 1 {
                    answer.edit_events(|events| {
                        for event in events.iter_mut().filter(|event| event["seq"] == 3) {
                            event.put("/payload/rewritten", true.into());
                        }
                    });
                }
            })
            .kills("srv.order.append-only", "the log after the first turn"),
        Mutant::new("listed-event-without-created-at")
            .answer(|call, answer| {
                if call.is_list() {
                    answer.edit_events(|events| {
                        events.iter_mut().for_each(|event| {
                            event.drop_at("/created_at");
                        });
                    });
                }
            })
            .kills("srv.contract.bodies", "fits the contract"),
        Mutant::new("streamed-event-without-created-at")
            .frame(|_, _, mut frame| {
                frame.edit(|event| {
                    event.drop_at("/created_at");
                });
                vec![frame]
            })
            .kills("srv.contract.frames", "fits the contract"),
    ]
}
