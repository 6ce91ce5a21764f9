use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::{
    clean_up::{CreatedSession, clean_up, is_title_of},
    created::{Created, Made, is_plain},
    expect,
    plan::Plan,
    printable::one_line,
    stimulus::{bench::Bench, title::titled},
    stop::Stop,
    wire::request::Request,
};

/// More pages of Sessions than this are not looked through.
const LONGEST_WALK: usize = 1_000;

/// More Sessions than this are not remembered.
const MOST_SESSIONS: usize = 200_000;

/// Why nothing was swept.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SweepError {
    /// It could be anybody's title.
    #[error("{0:?} is no id of a run: it stands in the report, in hexadecimal digits")]
    Run(String),
    /// The Sessions could not be listed.
    #[error("the Sessions could not be listed: {0}")]
    Unlisted(String),
}

/// Ends what an earlier run left: the Sessions whose title is that of the run, and untitled forks of them. Does to each
/// what [`run`](crate::run) does at its end. Of the plan it takes the target, the limits and the rate.
///
/// # Errors
/// [`SweepError`] where nothing was done.
///
/// # Cancel safety
/// Dropping the future leaves the rest as it is; sweeping again goes on with it.
pub async fn sweep(plan: &Plan, run_id: &str) -> Result<Vec<CreatedSession>, SweepError> {
    let hexadecimal = run_id.bytes().all(|byte| byte.is_ascii_hexdigit());
    if run_id.len() < 6 || !hexadecimal {
        return Err(SweepError::Run(run_id.to_owned()));
    }
    let unlisted = |stop: Stop| SweepError::Unlisted(one_line(&plan.target.key.redact(&stop.told())));
    let bench = plan.bench().map_err(unlisted)?;
    let created = found(&bench, &titled(run_id)).await.map_err(unlisted)?;
    Ok(clean_up(&bench, created).await)
}

/// The Sessions of the run with this title, by the list of the server.
pub(crate) async fn found(bench: &Bench, title: &str) -> Result<Created, Stop> {
    let mut sessions = Vec::new();
    let mut token: Option<String> = None;
    for _ in 0..LONGEST_WALK {
        let mut request = Request::get("/v1/sessions").query("limit", 100);
        if let Some(token) = &token {
            request = request.query("page", token);
        }
        let answer = tokio::select! {
            biased;
            () = bench.clean_up_end.ended() => return Err(Stop::Inconclusive("it was interrupted".to_owned())),
            answer = bench.send(request) => answer?,
        };
        expect::status(&answer, 200)?;
        let page = expect::json(&answer)?;
        let data = expect::member(&answer, &page, "/data")?;
        sessions.extend(
            data.as_array()
                .into_iter()
                .flatten()
                .filter_map(|session| relevant(session, title)),
        );
        if sessions.len() > MOST_SESSIONS {
            let why = format!("more than {MOST_SESSIONS} Sessions could be the run's");
            return Err(Stop::Inconclusive(why));
        }
        bench.client.forget(&answer);
        match page["next_page"].as_str() {
            Some(next) if token.as_deref() != Some(next) => token = Some(next.to_owned()),
            _ => break,
        }
    }
    let made = |id| Made { id, was_known: false };
    Ok(Created {
        title: title.to_owned(),
        sessions: of_run(&sessions, title).into_iter().map(made).collect(),
    })
}

/// What counts of a Session that has the title, or may be an untitled fork of one that has it.
fn relevant(session: &Value, title: &str) -> Option<Value> {
    let own = &session["title"];
    let source = session["forked_from"]["session_id"].as_str();
    let counts = match own.as_str() {
        Some(own) => is_title_of(own, title),
        None => own.is_null() && source.is_some(),
    };
    counts.then(|| json!({"id": session["id"].as_str(), "title": own, "forked_from": {"session_id": source}}))
}

/// The ids of those with the title, and of untitled forks of them, in the order of the list.
fn of_run(sessions: &[Value], title: &str) -> Vec<String> {
    let mut wanted: BTreeSet<&str> = BTreeSet::new();
    loop {
        let before = wanted.len();
        for session in sessions {
            let Some(id) = session["id"].as_str() else {
                continue;
            };
            let source = session["forked_from"]["session_id"].as_str();
            let inherited =
                session["title"].is_null() && source.is_some_and(|source| wanted.contains(source));
            if session["title"]
                .as_str()
                .is_some_and(|own| is_title_of(own, title))
                || inherited
            {
                wanted.insert(id);
            }
        }
        if wanted.len() == before {
            break;
        }
    }
    let ids = sessions.iter().filter_map(|session| session["id"].as_str());
    ids.filter(|id| wanted.contains(id) && is_plain(id))
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_title_and_untitled_forks_count() {
        let fork = |id: &str, of: &str, title: Value| json!({"id": id, "title": title, "forked_from": {"session_id": of}});
        let sessions = [
            fork("sess_3", "sess_2", Value::Null),
            fork("sess_2", "sess_1", Value::Null),
            json!({"id": "sess_1", "title": "conformance run abcdef"}),
            json!({"id": "sess_4", "title": "conformance run abcdef0"}),
            json!({"id": "sess_5", "title": null, "forked_from": null}),
            fork("sess_6", "sess_1", json!("mine")),
            json!({"id": "sess_8", "title": "conformance run abcdef history 3"}),
            json!({"id": "sess_9", "title": "conformance run abcdef of mine"}),
            json!({"id": "sess/7", "title": "conformance run abcdef"}),
        ];
        let found = of_run(&sessions, "conformance run abcdef");
        assert_eq!(found, ["sess_3", "sess_2", "sess_1", "sess_8"]);
    }
}
