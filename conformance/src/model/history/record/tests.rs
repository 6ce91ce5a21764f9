use super::*;
use crate::model::history::Phase;

const HEADER: &str =
    r#"{"format":1,"suite":"0.1.0","url":"http://127.0.0.1:1","run":"r","seed":1,"history":0}"#;
const INVOKE: &str =
    r#"{"t":1,"process":0,"op":0,"phase":"invoke","call":{"append":{"session":"s","token":"m"}}}"#;
const ENVELOPE: &str = r#"{"envelope":"a","event":{"id":"evt_a","seq":1,"type":"t"}}"#;
const OK: &str = r#"{"t":2,"process":0,"op":0,"phase":"ok","seen":{"accepted":{"event":"a"}}}"#;

fn parse(lines: &[&str]) -> Result<History, InvalidHistory> {
    History::parse(&lines.join("\n"))
}

#[test]
fn a_history_is_read_as_it_was_written() {
    let history = parse(&[HEADER, INVOKE, ENVELOPE, OK]).unwrap();
    assert_eq!(history.to_jsonl(), [HEADER, INVOKE, ENVELOPE, OK, ""].join("\n"));
    let [operation] = history.operations() else {
        panic!("one operation")
    };
    assert_eq!((operation.invoked, operation.completed), (2, Some(4)));
    assert_eq!(operation.phase, Phase::Ok);
}

/// Form 2 has what was sent, and an acknowledgement that names nothing.
#[test]
fn what_was_sent_is_read_as_it_was_written() {
    let header = HEADER.replace("\"format\":1", "\"format\":2");
    let lines = [
        header.as_str(),
        r#"{"t":1,"process":0,"op":0,"phase":"invoke","call":{"append":{"session":"s","token":"m","sent":{"payload":{"a":[1]},"type":"t"}}}}"#,
        r#"{"t":2,"process":0,"op":0,"phase":"ok","seen":{"unnamed":{"status":202}}}"#,
        r#"{"t":3,"process":0,"op":1,"phase":"invoke","call":{"input":{"session":"s","kind":"t","key":"k","sent":{"type":"t"}}}}"#,
        "",
    ];
    assert_eq!(parse(&lines[..4]).unwrap().to_jsonl(), lines.join("\n"));
}

#[test]
fn an_operation_without_an_end_is_unknown() {
    let history = parse(&[HEADER, INVOKE]).unwrap();
    assert_eq!(history.operations()[0].phase, Phase::Info);
}

#[test]
fn a_bad_line_is_named_with_what_would_fit() {
    let end = |text: &'static str| vec![HEADER, INVOKE, ENVELOPE, text];
    let cases: Vec<(Vec<&str>, usize, &str)> = vec![
        (vec![""], 1, "header"),
        (vec![INVOKE], 1, "header"),
        (
            vec![r#"{"format":3,"suite":"9","url":"u","run":"r","seed":1,"history":0}"#],
            1,
            "format 3",
        ),
        (
            vec![r#"{"format":0,"suite":"9","url":"u","run":"r","seed":1,"history":0}"#],
            1,
            "format 0",
        ),
        (vec![HEADER, "{"], 2, "JSON"),
        (vec![HEADER, "", INVOKE], 2, "JSON"),
        (
            vec![r#"{"format":1,"suite":"9","url":"u","run":"r","seed":1,"seed":2,"history":0}"#],
            1,
            "\"seed\" stands twice",
        ),
        (
            vec![
                HEADER,
                INVOKE,
                r#"{"envelope":"a","event":{"id":"i","seq":1,"type":"t","payload":{"x":[{"y":1,"y":2}]}}}"#,
            ],
            3,
            "\"y\" stands twice in one object: take one of them out",
        ),
        (
            end(r#"{"t":2,"process":0,"op":0,"phase":"fail","phase":"ok"}"#),
            4,
            "\"phase\" stands twice",
        ),
        (
            vec![
                HEADER,
                r#"{"t":1,"process":0,"op":0,"phase":"invoke","surprise":1}"#,
            ],
            2,
            "surprise",
        ),
        (
            vec![HEADER, r#"{"t":1,"process":0,"op":0,"phase":"invoke"}"#],
            2,
            "\"call\"",
        ),
        (
            vec![
                HEADER,
                r#"{"envelope":"a","event":{"seq":0,"id":"i","type":"t"}}"#,
            ],
            2,
            "seq",
        ),
        (vec![HEADER, ENVELOPE, ENVELOPE], 3, "twice"),
        (vec![HEADER, INVOKE, OK], 3, "\"a\" is not given"),
        (vec![HEADER, INVOKE, INVOKE], 3, "invoked twice"),
        (vec![HEADER, ENVELOPE, OK], 3, "not invoked"),
        (vec![HEADER, INVOKE, ENVELOPE, OK, OK], 5, "has ended"),
        (end(r#"{"t":0,"process":0,"op":0,"phase":"ok"}"#), 4, "by time"),
        (
            end(r#"{"t":2,"process":1,"op":0,"phase":"ok"}"#),
            4,
            "another process",
        ),
        (
            end(r#"{"t":2,"process":0,"op":0,"phase":"ok","seen":{"session":{"id":"s"}}}"#),
            4,
            "does not fit",
        ),
        (
            end(r#"{"t":2,"process":0,"op":0,"phase":"ok","call":{"create":{"agent":"a"}}}"#),
            4,
            "take it out",
        ),
        (
            end(r#"{"t":2,"process":0,"op":0,"phase":"ok","seen":{"accepted":{"event":"a","x":1}}}"#),
            4,
            "`x`",
        ),
    ];
    for (lines, line, said) in cases {
        let error = parse(&lines).unwrap_err();
        assert_eq!(error.line, line, "{lines:?}: {error}");
        assert!(error.to_string().contains(said), "{lines:?}: {error}");
    }
}

/// What contradicts itself is refused with the field and what to do, since it would be judged by one half of it.
#[test]
fn an_end_that_contradicts_itself_is_refused() {
    const LIST: &str = r#"{"t":1,"process":0,"op":0,"phase":"invoke","call":{"list":{"session":"s","limit":9,"walk":"page"}}}"#;
    const STREAM: &str =
        r#"{"t":1,"process":0,"op":0,"phase":"invoke","call":{"stream":{"session":"s","until":"cut"}}}"#;
    const CREATE: &str = r#"{"t":1,"process":0,"op":0,"phase":"invoke","call":{"create":{"agent":"a"}}}"#;
    for (invoke, end, said) in [
        (
            INVOKE,
            r#"{"t":2,"process":0,"op":0,"phase":"fail","seen":{"accepted":{"event":"a"}}}"#,
            "operation 0 has \"phase\" fail and a \"seen\"",
        ),
        (
            INVOKE,
            r#"{"t":2,"process":0,"op":0,"phase":"info","seen":{"unnamed":{"status":202}}}"#,
            "operation 0 has \"phase\" info and a \"seen\"",
        ),
        (
            LIST,
            r#"{"t":2,"process":0,"op":0,"phase":"ok"}"#,
            "operation 0 has \"phase\" ok and no \"seen\"",
        ),
        (
            STREAM,
            r#"{"t":2,"process":0,"op":0,"phase":"ok"}"#,
            "operation 0 has \"phase\" ok and no \"seen\"",
        ),
        (
            INVOKE,
            r#"{"t":2,"process":0,"op":0,"phase":"ok","why":"status 404"}"#,
            "operation 0 has \"phase\" ok and a \"why\"",
        ),
    ] {
        let error = parse(&[HEADER, invoke, ENVELOPE, end]).unwrap_err();
        assert_eq!(error.line, 4, "{end}: {error}");
        assert!(error.to_string().contains(said), "{end}: {error}");
        assert!(error.to_string().contains(": take "), "{end}: {error}");
    }
    // An acknowledgement need not be written down, nor the body of another success.
    for invoke in [INVOKE, CREATE] {
        parse(&[HEADER, invoke, r#"{"t":2,"process":0,"op":0,"phase":"ok"}"#]).unwrap();
    }
}
