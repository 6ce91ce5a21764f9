//! The judge finds what it should, and says where.

use checkfu_openapi::{Judge, Violations, fixtures};
use serde_json::{Value, json};

const SESSION: &str = "/v1/sessions/sess_5671e737d4c45edae9cd73bd550581b9";

#[test]
fn an_open_judge_takes_what_it_does_not_know_and_a_closed_one_refuses_it() {
    let (open, closed) = (Judge::open().unwrap(), Judge::closed().unwrap());
    let changes = [
        ("Session", "Session", "/weather", json!("fine")),
        ("Session", "Session", "/agent/weather", json!("fine")),
        ("Session", "Session", "/status", json!("hibernating")),
        ("Session", "Session", "/stop_reason", json!("coffee_break")),
        ("Session", "Session", "/id", json!("sess_another-form")),
        ("agent.message", "Event", "/type", json!("agent.daydream")),
        (
            "agent.message",
            "Event",
            "/payload/content/0/type",
            json!("hologram"),
        ),
        (
            "resource.not_found",
            "Error",
            "/error/code",
            json!("runtime.moon_phase"),
        ),
    ];
    for (name, schema, pointer, replacement) in changes {
        let mut value = fixture(name);
        assert!(
            open.accepts(schema, &value) && closed.accepts(schema, &value),
            "{name}"
        );
        let (parent, member) = pointer.rsplit_once('/').unwrap();
        value.pointer_mut(parent).unwrap()[member] = replacement;
        open.check(schema, &value)
            .unwrap_or_else(|violations| panic!("{pointer}: {violations}"));
        let violations = closed.check(schema, &value).unwrap_err();
        let place = violations.iter().next().unwrap();
        assert!(
            pointer.starts_with(&place.pointer),
            "{pointer} is reported at {}",
            place.pointer
        );
        assert!(!closed.accepts(schema, &value), "{pointer}");
    }
}

#[test]
fn a_wrong_event_is_reported_by_its_own_schema_alone() {
    let judge = Judge::open().unwrap();
    let mut event = fixture("agent.tool_use");
    event["payload"]["input"] = json!("text");
    event["payload"].as_object_mut().unwrap().remove("name");
    let violations = judge.check_event(&event).unwrap_err();
    assert_eq!(places(&violations), ["/payload", "/payload/input"]);
    assert!(
        violations.to_string().contains("\"name\" is a required property"),
        "{violations}"
    );

    let mut page = fixture("EventPage");
    page["data"][7]["payload"]["content"][0]["text"] = json!(7);
    assert_eq!(
        places(&judge.check("EventPage", &page).unwrap_err()),
        ["/data/7/payload/content/0/text"]
    );
    let answer = judge.check_response("GET", &format!("{SESSION}/events"), 200, &page);
    assert_eq!(places(&answer.unwrap_err()), ["/data/7/payload/content/0/text"]);
}

#[test]
fn an_unknown_event_type_is_reported_at_the_type() {
    let judge = Judge::closed().unwrap();
    let mut event = fixture("agent.message");
    event["type"] = json!("agent.daydream");
    assert_eq!(places(&judge.check_event(&event).unwrap_err()), ["/type"]);
    event["type"] = json!(7);
    assert_eq!(
        places(&Judge::open().unwrap().check_event(&event).unwrap_err()),
        ["/type"]
    );
}

#[test]
fn a_frame_is_an_event_or_a_preview() {
    let judge = Judge::closed().unwrap();
    for name in ["EventStartPreview", "EventDeltaPreview"] {
        judge.check_frame(&fixture(name)).unwrap();
        assert!(judge.check_event(&fixture(name)).is_err(), "{name} is no event");
    }
    judge.check_frame(&fixture("run.created")).unwrap();
    let mut preview = fixture("EventDeltaPreview");
    preview["payload"]["delta"]["content"]["text"] = json!(7);
    let violations = judge.check_frame(&preview).unwrap_err();
    assert_eq!(places(&violations), ["/payload/delta/content/text"]);
}

#[test]
fn a_response_is_judged_by_path_method_and_status() {
    let judge = Judge::closed().unwrap();
    let (session, gone) = (fixture("Session"), fixture("runtime.cursor_expired"));
    judge.check_response("GET", SESSION, 200, &session).unwrap();
    judge
        .check_response("post", "/v1/sessions", 201, &session)
        .unwrap();
    judge
        .check_response("GET", &format!("{SESSION}/events?after=3&limit=2"), 410, &gone)
        .unwrap();

    let reason = |answer: Result<(), Violations>| answer.unwrap_err().to_string();
    let unknown = reason(judge.check_response("GET", "/v1/sessionz", 200, &session));
    assert!(unknown.contains("no path like /v1/sessionz"), "{unknown}");
    let method = reason(judge.check_response("PATCH", SESSION, 200, &session));
    assert!(
        method.contains("no PATCH on") && method.contains("only GET"),
        "{method}"
    );
    let status = reason(judge.check_response("GET", SESSION, 418, &session));
    assert!(status.contains("retrieveSession documents no 418"), "{status}");
    let other = reason(judge.check_response("GET", SESSION, 200, &fixture("Run")));
    assert!(other.contains("/type"), "{other}");
    let stream = reason(judge.check_response("GET", &format!("{SESSION}/events/stream"), 200, &session));
    assert!(stream.contains("text/event-stream"), "{stream}");
    assert!(
        judge
            .check_response("GET", "/v1/sessions/", 200, &session)
            .is_err(),
        "an empty id is no id"
    );
}

#[test]
fn a_request_is_judged_by_path_and_method() {
    let judge = Judge::open().unwrap();
    let message = fixture("UserEventInput.user.message");
    judge
        .check_request("POST", &format!("{SESSION}/events"), &message)
        .unwrap();
    let batch = judge.check_request(
        "POST",
        &format!("{SESSION}/events"),
        &json!({"events": [message]}),
    );
    assert!(batch.is_err(), "a list of events is refused");
    judge
        .check_request("POST", &format!("{SESSION}/complete"), &Value::Null)
        .unwrap();
    assert!(
        judge
            .check_request("POST", &format!("{SESSION}/complete"), &json!({}))
            .is_err()
    );
    judge
        .check_request("POST", "/v1/hooks/wtok_1", &json!([1, "anything"]))
        .unwrap();
}

#[test]
fn the_lists_name_what_the_document_has() {
    let judge = Judge::open().unwrap();
    assert!(
        judge
            .check("Sesion", &json!({}))
            .unwrap_err()
            .to_string()
            .contains("no schema of this name")
    );
    assert!(!judge.accepts("Sesion", &json!({})));
    let document = judge.document();
    assert_eq!(
        document.event_types()["session.thread_status_idle"],
        "SessionThreadStatusIdleEvent"
    );
    let codes = document.error_codes();
    let stale = codes.iter().find(|it| it.code == "runtime.stale_wait").unwrap();
    assert_eq!(
        (stale.status, stale.error_type.as_str(), stale.retryable),
        (409, "conflict_error", false)
    );
    let fork = judge.operation("POST", &format!("{SESSION}/fork")).unwrap();
    assert_eq!(
        (fork.id.as_str(), fork.capability.as_deref()),
        ("forkSession", Some("forks"))
    );
    assert_eq!(
        document
            .operations()
            .iter()
            .filter(|it| it.id == "forkSession")
            .count(),
        1
    );
}

/// Closing a part of an `allOf` would refuse what the other parts declare, so the document must do without.
#[test]
fn the_document_composes_nothing() {
    fn look(value: &Value) {
        if let Value::Object(members) = value {
            assert!(!members.contains_key("allOf"), "{value}");
            assert!(
                !(members.contains_key("$ref") && members.contains_key("properties")),
                "{value}"
            );
        }
        match value {
            Value::Object(members) => members.values().for_each(look),
            Value::Array(items) => items.iter().for_each(look),
            _ => {}
        }
    }
    look(&Judge::open().unwrap().document().root()["components"]["schemas"]);
}

fn fixture(name: &str) -> Value {
    let found = fixtures()
        .unwrap()
        .documents
        .into_iter()
        .find(|fixture| fixture.name == name);
    found.unwrap_or_else(|| panic!("no fixture {name}")).value
}

fn places(violations: &Violations) -> Vec<&str> {
    let mut places: Vec<&str> = violations.iter().map(|it| it.pointer.as_str()).collect();
    places.sort_unstable();
    places.dedup();
    places
}
