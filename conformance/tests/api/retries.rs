//! What a server or the way to it cannot take for now is sent again, within bounds and only where that is safe.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use checkfu_conformance::{
    Report, Verdict,
    prove::{Answer, Call, Mutant, Relay},
};

use crate::server::{impatient, judge, plan, reference};

/// How often each request was seen, by method, path, key and body.
#[derive(Debug, Clone, Default)]
struct Seen(Arc<Mutex<HashMap<String, usize>>>);

impl Seen {
    fn count(&self, call: &Call) -> usize {
        let key = call.header("idempotency-key").unwrap_or_default();
        let name = format!("{} {} {key} {:?}", call.method, call.path, call.body);
        let mut seen = self.0.lock().unwrap();
        let count = seen.entry(name).or_default();
        *count += 1;
        *count
    }

    fn most(&self) -> usize {
        self.0.lock().unwrap().values().copied().max().unwrap_or(0)
    }
}

const AREAS: [&str; 4] = ["srv.append.*", "srv.list.*", "srv.resume.*", "srv.terminal.*"];

#[tokio::test]
async fn a_server_that_is_busy_at_first_is_asked_again() {
    for (status, name) in [
        (429, "busy"),
        (503, "down"),
        (502, "gateway"),
        (504, "slow gateway"),
    ] {
        let seen = Seen::default();
        let report = judged(move |call| {
            // Nobody knows what a 502 or a 504 did, so only what is safe is sent again.
            let safe = status == 429 || status == 503 || call.method == "GET" || is_keyed(call);
            (safe && seen.count(call) == 1).then(|| refusal(status))
        })
        .await;
        for check in &report.checks {
            assert_eq!(check.verdict, Verdict::Pass, "{name}: {}: {report}", check.id);
        }
    }
}

#[tokio::test]
async fn a_server_that_stays_busy_is_given_up() {
    let seen = Seen::default();
    let counted = seen.clone();
    let report = judged(move |call| {
        let creation = call.is_creation();
        creation.then(|| {
            counted.count(call);
            refusal(503)
        })
    })
    .await;
    assert_eq!(report.count(Verdict::Pass), 0, "{report}");
    assert!(report.count(Verdict::Blocked) > 10, "{report}");
    assert!((2..=12).contains(&seen.most()), "{} tries", seen.most());
}

#[tokio::test]
async fn a_post_without_a_key_is_never_sent_again_where_nobody_knows_what_it_did() {
    let seen = Seen::default();
    let counted = seen.clone();
    judged(move |call| {
        (call.method == "POST" && !is_keyed(call)).then(|| {
            counted.count(call);
            refusal(502)
        })
    })
    .await;
    assert_eq!(seen.most(), 1);
}

#[tokio::test]
async fn what_the_server_asks_to_wait_is_waited() {
    let times: Arc<Mutex<Vec<Instant>>> = Arc::default();
    let noted = Arc::clone(&times);
    let report = judged(move |call| {
        let mut times = noted.lock().unwrap();
        if !call.is_creation() || times.len() > 1 {
            return None;
        }
        times.push(Instant::now());
        let mut answer = refusal(429);
        answer.headers.insert("retry-after", "1".parse().unwrap());
        (times.len() == 1).then_some(answer)
    })
    .await;
    assert_eq!(report.count(Verdict::Fail), 0, "{report}");
    let times = times.lock().unwrap();
    assert!(times[1] - times[0] >= Duration::from_secs(1), "{times:?}");
}

/// However long a server asks to wait, the run goes on.
#[tokio::test]
async fn an_absurd_wait_is_not_waited() {
    let report = judged(move |call| {
        let mut answer = refusal(503);
        let absurd = u64::MAX.to_string().parse().unwrap();
        answer.headers.insert("retry-after", absurd);
        (call.is_list() && !call.path.contains("sess_0000")).then_some(answer)
    })
    .await;
    assert!(report.count(Verdict::Pass) < report.checks.len(), "{report}");
    assert_eq!(report.count(Verdict::Error), 0, "{report}");
}

/// Media types are compared without regard to case.
#[tokio::test]
async fn a_stream_is_one_however_its_media_type_is_written() {
    let server = reference().await;
    let loud = Mutant::new("loud").answer(|call, answer| {
        if call.is_stream() && answer.status == 200 {
            let kind = "Text/Event-Stream; Charset=UTF-8".parse().unwrap();
            answer.headers.insert("content-type", kind);
        }
    });
    let relay = Relay::start(server.url(), loud).await.unwrap();
    let plan = plan(relay.url(), &server)
        .with_only(["srv.resume.every-cut"])
        .unwrap();
    let report = judge(&plan).await;
    assert_eq!(report.count(Verdict::Pass), 1, "{report}");
    server.shutdown().await;
}

async fn judged(instead: impl Fn(&Call) -> Option<Answer> + Send + Sync + 'static) -> Report {
    let server = reference().await;
    let relay = Relay::start(server.url(), Mutant::new("busy").instead(instead))
        .await
        .unwrap();
    let plan = plan(relay.url(), &server).with_limits(impatient());
    let report = judge(&plan.with_only(AREAS).unwrap()).await;
    server.shutdown().await;
    report
}

fn is_keyed(call: &Call) -> bool {
    call.header("idempotency-key").is_some()
}

fn refusal(status: u16) -> Answer {
    let mut answer = Answer::new(status, "text/html", "<html>later</html>");
    answer.headers.insert("retry-after", "0".parse().unwrap());
    answer
}
