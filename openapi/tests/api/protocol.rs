//! The exchanges of PROTOCOL.md are real: every message in it is judged by the document.

use std::collections::BTreeSet;

use checkfu_openapi::Judge;
use serde_json::Value;

use crate::sse::decode;

const PROTOCOL: &str = include_str!("../../PROTOCOL.md");

#[test]
fn every_request_of_the_page_is_valid() {
    let judge = Judge::closed().unwrap();
    for exchange in exchanges() {
        let request = &exchange.request;
        let [method, path, "HTTP/1.1"] = request.words()[..] else {
            panic!("{}", request.start)
        };
        let body = if request.body.is_empty() {
            Value::Null
        } else {
            request.json()
        };
        if let Err(violations) = judge.check_request(method, path, &body) {
            panic!("{}: {violations}", exchange.section);
        }
        assert!(
            request.header("Authorization").starts_with("Bearer "),
            "{}",
            exchange.section
        );
        assert_eq!(
            request.header("Checkfu-Version"),
            judge.document().root()["info"]["version"]
        );
        assert_eq!(
            request.has("Idempotency-Key"),
            method != "GET",
            "{} {path}",
            exchange.section
        );
        assert_eq!(
            request.has("Content-Type"),
            !request.body.is_empty(),
            "{} {path}",
            exchange.section
        );
    }
}

#[test]
fn every_response_of_the_page_is_valid() {
    let judge = Judge::closed().unwrap();
    let mut streams = 0;
    for exchange in exchanges() {
        let (request, response) = (&exchange.request, &exchange.response);
        let status: u16 = response.words()[1].parse().unwrap();
        assert!(
            response.header("request-id").starts_with("req_"),
            "{}",
            exchange.section
        );
        if response.header("Content-Type").starts_with("text/event-stream") {
            streams += 1;
            for frame in decode(response.body.as_bytes()).frames {
                let data: Value = serde_json::from_str(&frame.data).unwrap();
                judge
                    .check_frame(&data)
                    .unwrap_or_else(|violations| panic!("{violations}"));
                assert_eq!(data["type"], frame.event.as_str());
                let seq = data.get("seq").map(Value::to_string);
                assert_eq!(frame.has_id_line.then_some(frame.id), seq, "{}", frame.data);
            }
            continue;
        }
        let body = response.json();
        if let Err(violations) = judge.check_response(request.words()[0], request.words()[1], status, &body) {
            panic!("{}: {violations}", exchange.section);
        }
        if status >= 400 {
            assert_eq!(
                body["request_id"],
                response.header("request-id"),
                "{}",
                exchange.section
            );
        }
    }
    assert!(streams >= 3, "only {streams} streams");
}

#[test]
fn every_section_has_an_exchange() {
    let sections: BTreeSet<&str> = PROTOCOL.lines().filter(|line| line.starts_with("## ")).collect();
    let shown: BTreeSet<&str> = exchanges().iter().map(|exchange| exchange.section).collect();
    assert_eq!(shown, sections);
    assert!(sections.len() >= 9);
}

#[test]
fn every_link_within_the_page_leads_somewhere() {
    let slug = |heading: &str| {
        heading
            .trim_start_matches("## ")
            .to_lowercase()
            .replace('.', "")
            .replace(' ', "-")
    };
    let slugs: BTreeSet<String> = PROTOCOL
        .lines()
        .filter(|line| line.starts_with("## "))
        .map(slug)
        .collect();
    let links: Vec<&str> = PROTOCOL
        .split("](#")
        .skip(1)
        .filter_map(|rest| rest.split(')').next())
        .collect();
    assert!(links.len() > 3);
    for link in links {
        assert!(slugs.contains(link), "#{link}");
    }
}

#[test]
fn the_error_codes_of_the_page_are_those_of_the_document_with_their_status() {
    let judge = Judge::open().unwrap();
    let mut named = 0;
    for code in judge.document().error_codes() {
        for (at, _) in PROTOCOL.match_indices(&format!("{}`", code.code)) {
            let before = &PROTOCOL[..at];
            let opened = &before[before.rfind('`').unwrap() + 1..];
            assert_eq!(opened.trim(), code.status.to_string(), "{}", code.code);
            named += 1;
        }
    }
    assert!(named > 15, "only {named} codes");
}

struct Exchange {
    section: &'static str,
    request: Message,
    response: Message,
}

struct Message {
    start: &'static str,
    headers: Vec<(&'static str, &'static str)>,
    body: String,
}

impl Message {
    fn parse(text: &[&'static str]) -> Self {
        let (start, rest) = text.split_first().expect("an empty block");
        let blank = rest.iter().position(|line| line.is_empty()).unwrap_or(rest.len());
        let headers = rest[..blank]
            .iter()
            .map(|line| line.split_once(": ").expect("a header"))
            .collect();
        let body = rest[blank..]
            .iter()
            .skip(1)
            .map(|line| format!("{line}\n"))
            .collect();
        Self { start, headers, body }
    }

    fn words(&self) -> Vec<&'static str> {
        self.start.split(' ').collect()
    }

    fn has(&self, name: &str) -> bool {
        self.headers.iter().any(|(it, _)| *it == name)
    }

    fn header(&self, name: &str) -> &'static str {
        let found = self.headers.iter().find(|(it, _)| *it == name);
        found.unwrap_or_else(|| panic!("no {name} in {}", self.start)).1
    }

    fn json(&self) -> Value {
        assert_eq!(self.header("Content-Type"), "application/json");
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{}: {error}", self.start))
    }
}

/// The blocks of the page that hold HTTP, two and two.
fn exchanges() -> Vec<Exchange> {
    let (mut section, mut block) = ("", None::<Vec<&'static str>>);
    let mut messages: Vec<(&'static str, Message)> = Vec::new();
    for line in PROTOCOL.lines() {
        match (&mut block, line) {
            (None, "```http") => block = Some(Vec::new()),
            (None, other) => {
                assert!(!other.starts_with("```"), "a block that is no HTTP: {other}");
                section = if other.starts_with("## ") { other } else { section };
            }
            (Some(lines), "```") => {
                messages.push((section, Message::parse(lines)));
                block = None;
            }
            (Some(lines), inner) => lines.push(inner),
        }
    }
    let mut messages = messages.into_iter();
    let mut found = Vec::new();
    while let Some((section, request)) = messages.next() {
        let (_, response) = messages.next().expect("a request without a response");
        assert!(
            response.start.starts_with("HTTP/1.1 "),
            "{} has no response",
            request.start
        );
        found.push(Exchange {
            section,
            request,
            response,
        });
    }
    assert!(found.len() >= 12, "only {} exchanges", found.len());
    found
}
