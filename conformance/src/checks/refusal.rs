use serde_json::json;

use crate::{
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::{Stimulus, turn},
    wire::request::Request,
};

pub(crate) const CHECKS: &[Check] = &[Check {
    id: "srv.refusal.is-pure",
    title: "A body that is not one whole {type, payload} is refused for good and leaves no trace in the log.",
    level: Level::Derived,
    stimulus: Stimulus::Create,
    requirements: &["EVT-1"],
    killed_by: &["refusal-leaves-a-trace", "takes-anything"],
    run: |cx| Box::pin(is_pure(cx)),
}];

async fn is_pure(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session().await?;
    let before = cx.log(&session.id).await?;
    let message = turn::message(cx.bench, &cx.bench.fresh_name("pure"));
    let mut bodies = vec![
        ("half a JSON text", b"{\"type\": \"user.message\", \"pay".to_vec()),
        ("bytes that are not UTF-8", b"{\"type\": \"\xff\"}".to_vec()),
    ];
    let shapes = [
        ("an array", json!([message])),
        ("no type", json!({"payload": message["payload"]})),
        ("no payload", json!({"type": "user.message"})),
        (
            "a payload that is text",
            json!({"type": "user.message", "payload": "hello"}),
        ),
        (
            "a type that only the server writes",
            json!({"type": "session.status_idle", "payload": message["payload"]}),
        ),
    ];
    bodies.extend(shapes.map(|(what, body)| (what, body.to_string().into_bytes())));
    for (what, body) in bodies {
        let answer = cx
            .send(Request::post(session.events(), &json!({})).raw_body(body))
            .await?;
        expect::refused_for_good(&answer)?;
        cx.saw(format!("{what} answered {}", answer.status()), &answer);
    }
    let now = cx.log(&session.id).await?;
    before.expect_unchanged(&now, "the log after the refusals")?;
    cx.saw("the log is as it was", &now.evidence);
    cx.pass()
}
