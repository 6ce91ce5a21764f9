use super::{
    list::Walking,
    setting::Stage,
    stream::{Stretch, To},
};
use crate::model::script::Finale;

/// The process that drains, apart from all that the script knows.
const DRAIN: u32 = 1_000;

impl Stage<'_> {
    /// Reads every Session to its end in every way, once nobody writes any more.
    pub(super) async fn drain(&self, finale: &Finale) {
        let sessions = self.sessions.ids();
        for session in &sessions {
            self.until_rest(DRAIN, session).await;
        }
        for session in &sessions {
            Box::pin(self.drain_one(session, finale)).await;
        }
    }

    async fn drain_one(&self, session: &str, finale: &Finale) {
        let [before, after] = finale.limits;
        self.list(DRAIN, session, Walking::whole(before, false)).await;
        self.wrong(DRAIN, session, finale.wrong).await;
        self.list(DRAIN, session, Walking::whole(after, true)).await;
        let events = self.list(DRAIN, session, Walking::whole(1000, false)).await;
        let Some(head) = events.iter().map(|event| event.seq).max() else {
            return;
        };
        let stretch = |after, previews| Stretch {
            after,
            previews,
            to: To::Seq(head),
        };
        let whole = self.stream(DRAIN, session, stretch(0, true)).await;
        for cursor in &finale.cursors {
            let place = cursor.checked_rem(events.len() as u64).unwrap_or(0) as usize;
            let after = events.get(place).map_or(0, |event| event.seq);
            if after < head {
                self.stream(DRAIN, session, stretch(after, cursor % 2 == 0)).await;
            }
        }
        let byte = finale.cut.checked_rem(whole.bytes as u64).unwrap_or(0) as usize;
        let cut = Stretch {
            after: 0,
            previews: false,
            to: To::Byte(byte),
        };
        let left = self.stream(DRAIN, session, cut).await;
        if left.cursor < head {
            self.stream(DRAIN, session, stretch(left.cursor, false)).await;
        }
    }
}
