use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::*;
use crate::model::{History, checker::preview::is_preview, dice::Dice};

/// What is missing, event by event and read by read: slow and plain.
fn plainly(view: &View<'_>) -> BTreeSet<(&'static str, String)> {
    let mut found = BTreeSet::new();
    for read in &view.reads {
        for (seq, missing) in &view.logs[read.session] {
            let shows =
                |event: &&crate::stimulus::event::Event| event.seq == *seq || event.id == missing.event.id;
            let covers = *seq > read.after && *seq <= read.head;
            if !covers || read.events.iter().any(shows) || is_preview(&missing.event.kind) {
                continue;
            }
            let place = read.events.iter().position(|event| event.seq > *seq).unwrap();
            let name = match &read.source {
                Source::Stream { previews: true, .. } if missing.plain_stream => "preview-hides-event",
                Source::Stream { .. }
                    if read.after > 0 && read.events.iter().all(|event| event.seq > *seq) =>
                {
                    "resume-gap"
                }
                Source::Stream { .. } => "missing-in-stream",
                Source::List { pages, .. } => {
                    let ends: Vec<usize> = (0..pages.len()).map(|page| pages[..=page].iter().sum()).collect();
                    match missing.list {
                        _ if place > 0 && ends.contains(&place) => "page-gap",
                        None => "missing-in-list",
                        Some(list) if list.is_before(read.operation) => "vanished",
                        Some(_) => "inserted",
                    }
                }
            };
            found.insert((name, format!("{} seq {seq}", read.session)));
        }
    }
    found
}

/// Reads of a log of twelve events that leave some out, repeat some, mix some up and overlap.
fn random(dice: &mut Dice) -> History {
    let mut lines = vec![json!({"format": 2, "suite": "0", "url": "u", "run": "r", "seed": 0, "history": 0})];
    for seq in 1..=12 {
        let kind = if seq == 7 { "event_delta" } else { "t" };
        let event = json!({"seq": seq, "id": format!("evt_{seq}"), "type": kind});
        lines.push(json!({"envelope": format!("e{seq}"), "event": event}));
    }
    lines.push(json!({"envelope": "e13", "event": {"seq": 9, "id": "evt_3", "type": "t"}}));
    let mut open: Vec<(usize, Value)> = Vec::new();
    for op in 0..dice.between(2, 9) as usize {
        let after = dice.between(0, 4);
        let mut names: Vec<String> = (1..=13)
            .filter(|_| dice.percent(60))
            .map(|name| format!("e{name}"))
            .collect();
        if dice.percent(20) && names.len() > 2 {
            let place = dice.between(0, names.len() as u64 - 2) as usize;
            names.swap(place, place + 1);
        }
        let (call, seen) = if dice.percent(50) {
            let pages: Vec<&[String]> = names.chunks(dice.between(1, 5) as usize).collect();
            let call = json!({"list": {"session": "s", "after": after, "limit": 5, "walk": "page"}});
            (call, json!({"pages": {"pages": pages, "end": "last"}}))
        } else {
            let previews = dice.percent(50);
            let blocks: Vec<Value> = names.iter().map(|name| json!({"event": name})).collect();
            let call =
                json!({"stream": {"session": "s", "after": after, "previews": previews, "until": "cut"}});
            (call, json!({"blocks": {"blocks": blocks, "end": "cut"}}))
        };
        lines.push(json!({"t": 0, "process": 0, "op": op, "phase": "invoke", "call": call}));
        open.push((op, seen));
        while dice.percent(60) && !open.is_empty() {
            let (op, seen) = open.remove(dice.between(0, open.len() as u64 - 1) as usize);
            lines.push(json!({"t": 0, "process": 0, "op": op, "phase": "ok", "seen": seen}));
        }
    }
    for (op, seen) in open {
        lines.push(json!({"t": 0, "process": 0, "op": op, "phase": "ok", "seen": seen}));
    }
    let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
    History::parse(&lines.join("\n")).unwrap()
}

/// To look at each event once for each kind of stretch finds what looking at all of them for each read finds.
#[test]
fn what_is_missing_is_found_as_by_looking_at_everything() {
    let seed = crate::model::fresh_seed().unwrap();
    println!("seed {seed}");
    let mut names = BTreeSet::new();
    for number in 0..3_000 {
        let history = random(&mut Dice::of_history(seed, number));
        let view = View::of(&history);
        let mut docket = Docket::default();
        judge(&view, &mut docket);
        let findings = docket.into_judgement().findings;
        let found: BTreeSet<_> = findings
            .iter()
            .map(|finding| (finding.anomaly, finding.subject.clone()))
            .collect();
        assert_eq!(found, plainly(&view), "{}", history.to_jsonl());
        names.extend(found.into_iter().map(|(name, _)| name));
    }
    assert_eq!(names.len(), 7, "{names:?}");
}
