use super::*;

const HEADER: &str =
    r#"{"format":1,"suite":"0.1.0","url":"http://127.0.0.1:1","run":"r","seed":1,"history":0}"#;

/// Two lists that contradict each other, among many that do not.
fn history() -> History {
    let mut lines = vec![HEADER.to_owned()];
    for seq in 1..=3 {
        lines.push(format!(
            r#"{{"envelope":"e{seq}","event":{{"seq":{seq},"id":"evt_{seq}","type":"t"}}}}"#
        ));
    }
    for op in 0..30 {
        let page = if op == 17 {
            r#"["e1","e3"]"#
        } else {
            r#"["e1","e2","e3"]"#
        };
        lines.push(format!(
            r#"{{"t":{op},"process":{},"op":{op},"phase":"invoke","call":{{"list":{{"session":"s","limit":100,"walk":"page"}}}}}}"#,
            op % 3
        ));
        lines.push(format!(
            r#"{{"t":{op},"process":{},"op":{op},"phase":"ok","seen":{{"pages":{{"pages":[{page}],"end":"last"}}}}}}"#,
            op % 3
        ));
    }
    History::parse(&lines.join("\n")).unwrap()
}

#[test]
fn what_is_left_are_the_operations_that_show_it() {
    let history = history();
    let findings = check(&history).findings;
    let [finding] = &findings[..] else {
        panic!("{findings:?}")
    };
    assert_eq!(
        (finding.anomaly, &finding.operations[..]),
        ("vanished", &[0, 17][..])
    );
    let shrunk = shrunk(&history, finding).unwrap();
    let left: Vec<u32> = shrunk
        .operations()
        .iter()
        .map(|operation| operation.number)
        .collect();
    assert_eq!(left, [0, 17]);
    let again = check(&shrunk).findings;
    assert_eq!(again.len(), 1);
    assert_eq!(again[0].actual, finding.actual);
}

#[test]
fn what_cannot_be_shrunk_stays() {
    let history = history();
    let finding = check(&history).findings.remove(0);
    let smallest = shrunk(&history, &finding).unwrap();
    let finding = check(&smallest).findings.remove(0);
    assert!(shrunk(&smallest, &finding).is_none());
}
