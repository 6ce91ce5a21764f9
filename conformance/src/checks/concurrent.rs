use std::collections::HashMap;

use futures::stream::{self, StreamExt, TryStreamExt};
use serde_json::Value;

use crate::{
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::{Stimulus, event::Event, log::Log, long::Written, turn},
};

pub(crate) const CHECKS: &[Check] = &[
    Check {
        id: "srv.append.concurrent-kept",
        title: "Of inputs that are sent at the same time each accepted one stands in the log, once.",
        level: Level::Documented,
        stimulus: Stimulus::Create,
        requirements: &["SES-3", "SES-5"],
        killed_by: &[
            "loses-what-comes-at-once",
            "doubles-what-comes-at-once",
            "loses-messages-at-once",
        ],
        run: |cx| Box::pin(kept(cx)),
    },
    Check {
        id: "srv.append.concurrent-answers",
        title: "Inputs that are sent at the same time are each answered with an envelope of their own, which the list shows.",
        level: Level::Assumed,
        stimulus: Stimulus::Create,
        requirements: &["A-POST"],
        killed_by: &["answers-interrupts-with-another-seq", "answers-at-once-alike"],
        run: |cx| Box::pin(answers(cx)),
    },
];

/// How many are sent of each kind.
const MANY: usize = 48;
const MESSAGES: usize = 12;
const AT_A_TIME: usize = 6;

async fn kept(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session().await?;
    let written = match cx.offered("interrupts").await {
        Ok(()) => Some(Written::by(cx.bench, &session, MANY).await?),
        // Messages are left.
        Err(_) => None,
    };
    let log = cx.log(&session.id).await?;
    if let Some(written) = written {
        written.expect_kept(&log)?;
        cx.saw(format!("{MANY} interrupts stand in the list"), &log.evidence);
    }
    let markers: Vec<_> = (0..MESSAGES).map(|_| cx.bench.fresh_name("at-once")).collect();
    let say = |marker: &String| {
        let marker = marker.clone();
        let (bench, id) = (cx.bench, session.id.as_str());
        async move { turn::say(bench, id, &marker).await }
    };
    stream::iter(markers.iter().map(say))
        .buffer_unordered(AT_A_TIME)
        .try_collect::<Vec<_>>()
        .await?;
    let log = cx.log(&session.id).await?;
    for marker in &markers {
        let copies = log
            .events
            .iter()
            .filter(|event| turn::is_marked(event, marker))
            .count();
        let expected = format!("message {marker}, one of {MESSAGES} at once, once in the list");
        expect::that(copies == 1, &log.evidence, expected, format!("{copies} times"))?;
    }
    cx.saw(format!("{MESSAGES} messages stand in the list"), &log.evidence);
    cx.pass()
}

async fn answers(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session().await?;
    cx.offered("interrupts").await?;
    let written = Written::by(cx.bench, &session, MANY).await?;
    let log: Log = cx.log(&session.id).await?;
    let mut listed: HashMap<&str, &Event> = log
        .events
        .iter()
        .map(|event| (event.id.as_str(), event))
        .collect();
    for answer in &written.answers {
        let body = expect::json(answer)?;
        let id = expect::string(answer, &body, "/id")?;
        let own = listed.remove(id).map_or(Value::Null, |event| event.raw.clone());
        let expected = format!("the answer to {id}, which no other answer has,");
        expect::equal(answer, &expected, &own, &body)?;
    }
    cx.saw(
        format!("{MANY} answers are {MANY} listed envelopes"),
        &log.evidence,
    );
    cx.pass()
}
