use std::collections::{HashMap, HashSet};

use super::preview_live::{BOTH, asking, subject, watched};
use crate::{
    check::Check,
    context::{Context, Judgement},
    level::Level,
    stimulus::Stimulus,
    stop::Stop,
};

pub(crate) const CHECKS: &[Check] = &[Check {
    id: "srv.preview.final-id-of-each-type",
    title: "Of each type that a turn both previewed and persisted, an event is persisted under the id of its preview.",
    level: Level::Derived,
    stimulus: Stimulus::Work,
    requirements: &["PRV-3"],
    killed_by: &["messages-under-other-ids", "server:preview_of_other_id"],
    run: |cx| Box::pin(final_id_of_each_type(cx)),
}];

/// Previews are best effort, so one alone may be of an event that never came; not all of a type are.
async fn final_id_of_each_type(cx: &mut Context<'_>) -> Judgement {
    let session = subject(cx).await?;
    let stream = asking(session.stream(), &BOTH);
    let (mut watched, log) = watched(cx, &session, vec![stream]).await?;
    let watched = watched
        .pop()
        .ok_or_else(|| Stop::Error("one stream has one record".to_owned()))?;
    let previews = watched.some_previews()?;
    let ids: HashSet<&str> = log.events.iter().map(|event| event.id.as_str()).collect();
    let mut announced: HashMap<&str, Vec<_>> = HashMap::new();
    for preview in previews.iter().filter(|preview| preview.is_start) {
        let kind = preview.event_type().unwrap_or_default();
        announced.entry(kind).or_default().push(preview);
    }
    for (kind, starts) in announced {
        let kept = |id: Option<&str>| id.is_some_and(|id| ids.contains(id));
        let persisted = log.events.iter().any(|event| event.kind == kind);
        match starts.iter().find(|start| kept(start.event_id())) {
            Some(_) => cx.saw(
                format!(
                    "{} starts of {kind}, and an event under the id of one",
                    starts.len()
                ),
                &watched.evidence,
            ),
            None if persisted => {
                let first = starts
                    .first()
                    .ok_or_else(|| Stop::Error("no start of a type".to_owned()))?;
                let expected = format!("an event of the type {kind} under the id of its preview");
                return Err(watched.fail_at(first, expected));
            }
            None => {}
        }
    }
    cx.pass()
}
