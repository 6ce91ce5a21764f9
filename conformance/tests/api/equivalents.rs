//! Servers that differ where they may: no verdict changes.

use checkfu_conformance::{Verdict, checks};

use crate::{
    mutant::Mutant,
    relay::Relay,
    server::{judge, plan, reference},
};

#[tokio::test]
async fn what_a_server_may_do_differently_changes_no_verdict() {
    let server = reference().await;
    for equivalent in equivalents() {
        let name = equivalent.name;
        let relay = Relay::start(server.url(), equivalent).await;
        let report = judge(&plan(&relay.url, &server)).await;
        assert_eq!(report.count(Verdict::Pass), checks().count(), "{name}: {report}");
    }
    server.shutdown().await;
}

fn equivalents() -> Vec<Mutant> {
    vec![
        Mutant::new("carriage-returns").encode(|frame| {
            let text = String::from_utf8(frame.bytes()).unwrap();
            vec![text.replace('\n', "\r\n").into_bytes()]
        }),
        Mutant::new("a-few-bytes-at-a-time")
            .encode(|frame| frame.bytes().chunks(7).map(<[u8]>::to_vec).collect()),
        Mutant::new("more-comments").encode(|frame| vec![b": still here\n\n".to_vec(), frame.bytes()]),
        Mutant::new("unknown-members")
            .answer(|call, answer| {
                if call.is_list() && answer.status == 200 {
                    answer.edit_events(|events| {
                        events.iter_mut().for_each(|event| event["novelty"] = true.into())
                    });
                    answer.edit(|page| page["novelty"] = 1.into());
                } else if call.is_append() && answer.status == 202 {
                    answer.edit(|event| event["novelty"] = true.into());
                }
            })
            .frame(|_, _, mut frame| {
                frame.edit(|event| event["novelty"] = true.into());
                vec![frame]
            }),
    ]
}
