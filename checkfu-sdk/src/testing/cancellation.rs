use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;

use super::failure::SuiteFailure;
use super::subject::{Subject, at, same};
use crate::cursor::{Advance, CursorStore};

/// More places than any step waits at.
const PLACES: u32 = 1_000;

/// A step that is dropped where it waits for the first time, for the second time and so on leaves the cursor where it was
/// or moves it whole, and the store goes on working.
pub(super) async fn any_future_may_be_dropped<S: CursorStore>(
    subject: &Subject<'_, S>,
) -> Result<(), SuiteFailure<S::Error>> {
    const RULE: &str = "a future may be dropped wherever it waits";
    let key = subject.key("dropped futures");
    let mut place = 0;
    for waits in 0..PLACES {
        let next = at(place + 1);
        let step = dropped_after(waits, subject.step(&key, &next)).await;
        let found = subject.may(subject.read(&key), RULE).await?;
        if let Some(done) = step {
            let advance = subject.may(std::future::ready(done), RULE).await?;
            same(RULE, &advance, &Advance::Moved)?;
            return same(RULE, &found, &next);
        }
        if found == next {
            place += 1;
        } else if place > 0 {
            same(RULE, &found, &at(place))?;
        } else {
            same(RULE, &found.seq(), &None)?;
        }
    }
    Err(SuiteFailure::Broken {
        rule: "a step comes to an end",
        found: format!("it waited {PLACES} times"),
    })
}

/// Drops `work` when it waits for the `waits`-th time, from 0.
async fn dropped_after<T>(waits: u32, work: impl Future<Output = T> + Send) -> Option<T> {
    let mut work = pin!(work);
    let mut left = waits;
    poll_fn(|context| match work.as_mut().poll(context) {
        Poll::Ready(done) => Poll::Ready(Some(done)),
        Poll::Pending if left == 0 => Poll::Ready(None),
        Poll::Pending => {
            left -= 1;
            Poll::Pending
        }
    })
    .await
}
