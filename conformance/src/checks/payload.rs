use serde_json::{Value, json, value::RawValue};

use crate::{
    agent::AgentKind,
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::{
        Stimulus,
        event::Event,
        log::Log,
        look,
        session::Session,
        text::{Difference, difference},
        wait,
    },
    stop::Stop,
    wire::request::Request,
};

pub(crate) const CHECKS: &[Check] = &[
    Check {
        id: "srv.payload.authorship-kept",
        title: "Answers, decisions, results and interrupts in the log say who wrote them and what caused them.",
        level: Level::Documented,
        requirements: &["SES-4", "EVT-1"],
        stimulus: Stimulus::Work,
        killed_by: &[
            "answers-lose-their-author",
            "answers-lose-their-cause",
            "server:cause_unlogged",
        ],
        run: |cx| Box::pin(authorship_kept(cx)),
    },
    Check {
        id: "srv.payload.outcome-authorship-kept",
        title: "An Outcome in the log says what was asked for, who asked and what caused it.",
        level: Level::Documented,
        requirements: &["SES-4"],
        stimulus: Stimulus::Create,
        killed_by: &["outcomes-lose-their-author", "outcomes-lose-their-cause"],
        run: |cx| Box::pin(outcome_authorship_kept(cx)),
    },
    Check {
        id: "srv.payload.any-json",
        title: "The result of a tool is any JSON, and stands in the log as it was sent.",
        level: Level::Documented,
        requirements: &["EVT-1"],
        stimulus: Stimulus::Work,
        killed_by: &["results-must-be-objects", "loses-empty-results"],
        run: |cx| Box::pin(any_json(cx)),
    },
    Check {
        id: "srv.payload.numbers-kept",
        title: "Numbers of a result that no float holds stand in the log digit by digit.",
        level: Level::Derived,
        requirements: &["EVT-1"],
        stimulus: Stimulus::Work,
        killed_by: &["numbers-through-floats", "refuses-large-numbers"],
        run: |cx| Box::pin(numbers_kept(cx)),
    },
];

/// Numbers that a reader by way of a float changes or refuses.
const NUMBERS: &str =
    "[1e400,-1e400,1234567890123456789012345678901234567890,9007199254740993,0.1234567890123456789012345]";

async fn authorship_kept(cx: &mut Context<'_>) -> Judgement {
    for kind in [AgentKind::Question, AgentKind::Approval, AgentKind::CustomTool] {
        let session = cx.session_of(kind).await?;
        let parked = cx.parked(&session).await?;
        let body = wait::fitting(cx.bench, parked.action());
        stands_as_sent(cx, &session, &parked.log, &body).await?;
    }
    let session = cx.session_of(AgentKind::Question).await?;
    let parked = cx.parked(&session).await?;
    let body = wait::signed(cx.bench, "user.interrupt", json!({}));
    stands_as_sent(cx, &session, &parked.log, &body).await?;
    cx.pass()
}

async fn outcome_authorship_kept(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session_of(AgentKind::Outcome).await?;
    let log = cx.log(&session.id).await?;
    let rubric = json!({"type": "text", "content": "It greets."});
    let payload = json!({"description": "A greeting.", "rubric": rubric});
    let body = wait::signed(cx.bench, "user.define_outcome", payload);
    stands_as_sent(cx, &session, &log, &body).await?;
    cx.pass()
}

async fn any_json(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session_of(AgentKind::CustomTool).await?;
    let all = json!([
        [], {}, null, true, false, 0, -7, 0.5, 9_007_199_254_740_991_u64, "",
        "quotes \" and \\ and /, a line\nand a tab\t, \u{7f}\u{a0}\u{e9}\u{6f22}\u{1f980}",
        {"": {"a": [{"b": [[null]]}]}, "type": "user.message", "seq": 1, "é": 2},
    ]);
    for result in [Value::Null, Value::from(""), false.into(), all] {
        let parked = cx.parked(&session).await?;
        let body = wait::result(cx.bench, parked.action(), &result);
        let log = stands_as_sent(cx, &session, &parked.log, &body).await?;
        cx.still(&session, log.above(parked.log.head())[0].seq).await?;
    }
    cx.pass()
}

async fn numbers_kept(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session_of(AgentKind::CustomTool).await?;
    let parked = cx.parked(&session).await?;
    let placeholder = cx.bench.fresh_name("numbers");
    let body = wait::result(cx.bench, parked.action(), &Value::from(placeholder.as_str()));
    let text = body.to_string().replace(&format!("\"{placeholder}\""), NUMBERS);
    let request = Request::post(session.events(), &body).raw_body(text);
    let answer = cx
        .send(request.header("idempotency-key", cx.bench.fresh_name("call")))
        .await?;
    expect::success(&answer)?;
    let request = Request::get(session.events()).query("limit", 1000);
    let page = cx.send(request.query("after", parked.log.head())).await?;
    expect::status(&page, 200)?;
    let listed = result_text(page.body());
    let expected = format!("the result as it was sent, {NUMBERS}");
    let found = listed.as_deref().unwrap_or("no result");
    expect::that(found == NUMBERS, &page, expected, found)?;
    cx.saw("every digit of the numbers is in the list", &page);
    cx.pass()
}

/// The first result on a page, as it is written there.
fn result_text(page: &[u8]) -> Option<String> {
    #[derive(serde::Deserialize)]
    struct Page<'p> {
        #[serde(borrow)]
        data: Vec<Envelope<'p>>,
    }
    #[derive(serde::Deserialize)]
    struct Envelope<'p> {
        #[serde(borrow)]
        payload: Payload<'p>,
    }
    #[derive(serde::Deserialize)]
    struct Payload<'p> {
        #[serde(borrow)]
        result: Option<&'p RawValue>,
    }
    let page: Page<'_> = serde_json::from_slice(page).ok()?;
    let result = page.data.iter().find_map(|envelope| envelope.payload.result)?;
    let spaceless = |text: &str| text.split_ascii_whitespace().collect();
    Some(spaceless(result.get()))
}

/// Posts this and expects every member of its payload in the log.
pub(super) async fn stands_as_sent(
    cx: &mut Context<'_>,
    session: &Session,
    before: &Log,
    body: &Value,
) -> Result<Log, Stop> {
    cx.accepted(session, body).await?;
    let sent = |event: &&Event| event.raw.get("type") == body.get("type");
    let listed = |log: &Log| log.above(before.head()).iter().any(|event| sent(&event));
    let log = look::until(cx.bench, &session.id, cx.bench.answer_deadline(), listed).await?;
    let (Ok(log) | Err(log)) = log;
    let Some(event) = log.above(before.head()).iter().find(sent) else {
        let expected = format!("the accepted {} in the list", body["type"]);
        return Err(Stop::fail(expected, "none", &log.evidence));
    };
    for (name, value) in body["payload"].as_object().into_iter().flatten() {
        let found = event.raw["payload"].get(name);
        if found == Some(value) || is_within(value, found) {
            continue;
        }
        let Difference { at, sent, kept } = differing(value, found);
        let place = if at.is_empty() { at } else { format!(" at {at}") };
        let expected = format!("{name} of {}{place} to be {sent}", event.kind);
        return Err(Stop::fail(expected, kept, &log.evidence));
    }
    cx.saw(format!("{} stands as it was sent", event.kind), &log.evidence);
    Ok(log)
}

/// Where the two differ, be it by what one of them has beside the other.
fn differing(sent: &Value, kept: Option<&Value>) -> Difference {
    let found = difference(sent, kept);
    let surplus = || Difference {
        at: String::new(),
        sent: sent.to_string(),
        kept: kept.map_or("no such member".to_owned(), Value::to_string),
    };
    found.unwrap_or_else(surplus)
}

/// A cause may say more than was sent.
fn is_within(sent: &Value, found: Option<&Value>) -> bool {
    let kind = |value: &Value| value.get("kind").cloned();
    sent.get("kind").is_some() && found.is_some_and(|found| kind(found) == kind(sent))
}
