use std::collections::BTreeSet;

use serde_json::Value;

use crate::created::Made;

/// What stands behind the title of a run in that of a history's Session.
const HISTORY: &str = " history ";

/// Whether this is the title of the run, or of one of its histories.
pub(crate) fn is_title_of(own: &str, title: &str) -> bool {
    own.strip_prefix(title)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(HISTORY))
}

/// Why each of these, as it was read, is not to be touched: a server may answer a creation with somebody else's Session.
/// Nothing of those that carry the title of the run, and of untitled forks of such.
pub(super) fn others(
    read: &[(Made, Result<Value, String>)],
    title: &str,
    given: &[String],
) -> Vec<Option<String>> {
    let carries = |session: &Value| {
        session["title"]
            .as_str()
            .is_some_and(|own| is_title_of(own, title))
    };
    let mut owned: BTreeSet<&str> = BTreeSet::new();
    loop {
        let before = owned.len();
        for (made, session) in read {
            let Ok(session) = session else { continue };
            let source = session["forked_from"]["session_id"].as_str();
            let inherited = session["title"].is_null()
                && !made.was_known
                && source.is_some_and(|source| source != made.id && owned.contains(source));
            let is_itself = session["id"] == *made.id && !given.contains(&made.id);
            if is_itself && (carries(session) || inherited) {
                owned.insert(&made.id);
            }
        }
        if owned.len() == before {
            break;
        }
    }
    let why = |(made, session): &(Made, Result<Value, String>)| match session {
        Err(why) => Some(why.clone()),
        Ok(_) if owned.contains(&*made.id) => None,
        Ok(_) if given.contains(&made.id) => Some("it was given to the run (--session)".to_owned()),
        Ok(session) if session["id"] != *made.id => Some("reading it showed another Session".to_owned()),
        Ok(_) if made.was_known => Some(format!("it was there before, and is not titled {title:?}")),
        Ok(_) => Some(format!(
            "it is not titled {title:?}, and no untitled fork of such a Session"
        )),
    };
    read.iter().map(why).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_the_title_and_new_untitled_forks_are_the_runs() {
        let titled = |id: &str, title: &str| json!({"id": id, "title": title, "forked_from": null});
        let fork = |id: &str, of: &str, title: Value| json!({"id": id, "title": title, "forked_from": {"session_id": of}});
        let cases = [
            ("sess_3", false, fork("sess_3", "sess_2", Value::Null), None),
            ("sess_2", false, fork("sess_2", "sess_1", Value::Null), None),
            ("sess_1", true, titled("sess_1", "run a"), None),
            ("sess_h", false, titled("sess_h", "run a history 1"), None),
            ("sess_4", false, titled("sess_4", "run ab"), Some("not titled")),
            (
                "sess_5",
                false,
                json!({"id": "sess_5", "title": null}),
                Some("not titled"),
            ),
            (
                "sess_6",
                false,
                fork("sess_6", "sess_1", json!("mine")),
                Some("not titled"),
            ),
            (
                "sess_7",
                true,
                fork("sess_7", "sess_1", Value::Null),
                Some("there before"),
            ),
            (
                "sess_8",
                false,
                fork("sess_8", "sess_4", Value::Null),
                Some("not titled"),
            ),
            (
                "sess_9",
                false,
                fork("sess_9", "sess_9", Value::Null),
                Some("not titled"),
            ),
            ("sess_10", false, titled("sess_10", "run a"), Some("--session")),
            (
                "sess_11",
                false,
                titled("sess_1", "run a"),
                Some("another Session"),
            ),
        ];
        let read: Vec<_> = cases
            .iter()
            .map(|(id, was_known, session, _)| {
                let made = Made {
                    id: (*id).to_owned(),
                    was_known: *was_known,
                };
                (made, Ok(session.clone()))
            })
            .collect();
        let others = others(&read, "run a", &["sess_10".to_owned()]);
        for ((id, _, _, expected), why) in cases.iter().zip(others) {
            match expected {
                None => assert_eq!(why, None, "{id}"),
                Some(part) => assert!(
                    why.as_ref().is_some_and(|why| why.contains(part)),
                    "{id}: {why:?}"
                ),
            }
        }
    }
}
