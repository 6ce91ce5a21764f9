use serde_json::{Map, Value, json};

use crate::{
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::{
        Stimulus, session,
        text::{DELICATE, difference},
    },
    stop::Stop,
    wire::{exchange::Exchange, request::Request},
};

pub(crate) const CHECKS: &[Check] = &[Check {
    id: "srv.session.labels-kept",
    title: "A Session keeps its title and sixteen labels as they came, to the last character.",
    level: Level::Assumed,
    stimulus: Stimulus::Create,
    requirements: &["A-EP"],
    killed_by: &[
        "trims-titles",
        "labels-in-lower-case",
        "cuts-labels",
        "forgets-empty-labels",
        "keeps-ten-labels",
    ],
    run: |cx| Box::pin(labels_kept(cx)),
}];

/// The longest that a label may be.
const LONGEST_NAME: usize = 64;
const LONGEST_VALUE: usize = 512;
/// How many there may be.
const MOST: usize = 16;

async fn labels_kept(cx: &mut Context<'_>) -> Judgement {
    // One without labels is no matter of this check.
    cx.session().await?;
    let asked = session::labelled_creation(cx.bench, DELICATE, labels())
        .await
        .map_err(|stop| stop.blocking("srv.session.create"))?;
    let created = session::created(cx.bench.mutate(Request::post("/v1/sessions", &asked)).await?)?;
    are_kept(&created.answer, &asked, &created.resource)?;
    cx.saw("the creation is answered with them", &created.answer);
    let answer = cx.send(Request::get(created.path())).await?;
    expect::status(&answer, 200)?;
    are_kept(&answer, &asked, &expect::json(&answer)?)?;
    cx.saw("the Session is retrieved with them", &answer);
    cx.pass()
}

fn labels() -> Value {
    let mut labels = Map::new();
    let mut label = |name: String, value: String| labels.insert(name, value.into());
    label("Team".to_owned(), DELICATE.to_owned());
    label("team".to_owned(), String::new());
    label("a b.c/d:\u{e9}\u{6f22}\u{1f980}".to_owned(), "\u{20}".to_owned());
    label("n".repeat(LONGEST_NAME), "v".repeat(LONGEST_VALUE));
    for number in labels.len()..MOST {
        labels.insert(format!("label {number}"), number.to_string().into());
    }
    Value::Object(labels)
}

fn are_kept(answer: &Exchange, asked: &Value, shown: &Value) -> Result<(), Stop> {
    let own = json!({"title": asked["title"], "metadata": asked["metadata"]});
    if let Some(differing) = difference(&own, Some(shown)) {
        let expected = format!("{} to be {}", differing.at, differing.sent);
        return Err(Stop::fail(expected, differing.kept, answer));
    }
    let count = |session: &Value| session["metadata"].as_object().map_or(0, Map::len);
    let actual = format!("{} labels", count(shown));
    let expected = format!("no more than {} labels", count(asked));
    expect::that(count(shown) == count(asked), answer, expected, actual)
}
