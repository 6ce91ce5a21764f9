use std::collections::BTreeMap;

use crate::{
    agent::AgentKind,
    control::Control,
    secret::{InvalidSecret, Secret},
};

/// The server under test and what the suite needs to know of it.
#[derive(Debug, Clone)]
pub struct Target {
    pub(crate) url: String,
    pub(crate) key: Secret,
    pub(crate) principal: String,
    pub(crate) deployment: Option<String>,
    pub(crate) workspace: Option<String>,
    pub(crate) agents: BTreeMap<AgentKind, String>,
    pub(crate) disturbed: bool,
    pub(crate) control: Option<Control>,
    pub(crate) sessions: Vec<String>,
    pub(crate) name: Option<String>,
    pub(crate) contact: Option<String>,
}

/// A target that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidTarget {
    /// The origin does not parse.
    #[error(
        "url {url:?} is not usable: {reason}; give an absolute http or https URL such as https://api.checkfu.com"
    )]
    Url {
        /// What was given.
        url: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The key cannot be sent.
    #[error("{0}: set CHECKFU_API_KEY to a key of the server")]
    Key(#[from] InvalidSecret),
    /// The key is so short that it could stand in any text.
    #[error(
        "the API key has fewer than {SHORTEST_KEY} characters, and could not be masked in a report without harm to it"
    )]
    ShortKey,
    /// No principal.
    #[error(
        "{0:?} is no id of a principal, such as prin_0123: set CHECKFU_PRINCIPAL_ID to the one that the key acts as"
    )]
    Principal(String),
    /// What was named as a Session has no id of one.
    #[error("{0:?} is no id of a Session: --session and CHECKFU_SESSION_IDS take ids such as sess_0123")]
    Session(String),
}

impl Target {
    /// A server at `url` (scheme, host, optional port and path prefix), the key to call it with, and the
    /// principal that writes the suite's events.
    ///
    /// # Errors
    /// [`InvalidTarget`] for a URL that is not absolute http(s), or has credentials, a query or a fragment; for a
    /// key that no header can carry; for an empty principal.
    ///
    /// ```
    /// use checkfu_conformance::Target;
    /// assert!(Target::new("http://127.0.0.1:4010", "ck_test_0123456789", "prin_1").is_ok());
    /// assert!(Target::new("127.0.0.1:4010", "ck_test_0123456789", "prin_1").is_err());
    /// ```
    pub fn new(url: &str, key: &str, principal: &str) -> Result<Self, InvalidTarget> {
        let refuse = |shown: &str, reason: &str| InvalidTarget::Url {
            url: shown.to_owned(),
            reason: reason.to_owned(),
        };
        let parsed = reqwest::Url::parse(url).map_err(|error| refuse(url, &error.to_string()))?;
        if !parsed.username().is_empty() || parsed.password().is_some() {
            return Err(refuse(
                "(hidden)",
                "it has credentials, and the key belongs in CHECKFU_API_KEY",
            ));
        }
        if !matches!(parsed.scheme(), "http" | "https") {
            return Err(refuse(url, "its scheme is neither http nor https"));
        }
        if parsed.query().is_some() || parsed.fragment().is_some() {
            return Err(refuse(url, "it has a query or a fragment"));
        }
        let key = Secret::new(key)?;
        if key.expose().len() < SHORTEST_KEY {
            return Err(InvalidTarget::ShortKey);
        }
        if !is_id(principal, "prin_") {
            return Err(InvalidTarget::Principal(principal.to_owned()));
        }
        let url = parsed.as_str().trim_end_matches('/').to_owned();
        if url.ends_with("/v1") {
            return Err(refuse(&url, "the suite puts /v1 behind it itself"));
        }
        Ok(Self {
            url,
            key,
            principal: principal.to_owned(),
            deployment: None,
            workspace: None,
            agents: BTreeMap::new(),
            disturbed: false,
            control: None,
            sessions: Vec::new(),
            name: None,
            contact: None,
        })
    }

    /// Uses this agent deployment instead of the first one that the server lists.
    #[must_use]
    pub fn with_deployment(self, deployment: Option<String>) -> Self {
        Self {
            deployment: deployment.filter(|id| !id.is_empty()),
            ..self
        }
    }

    /// Takes this agent deployment for an Agent of this kind, instead of the one that has the kind's name.
    #[must_use]
    pub fn with_agent(mut self, kind: AgentKind, deployment: impl Into<String>) -> Self {
        self.agents.insert(kind, deployment.into());
        self
    }

    /// Sends this workspace id with every request.
    #[must_use]
    pub fn with_workspace(self, workspace: Option<String>) -> Self {
        Self {
            workspace: workspace.filter(|id| !id.is_empty()),
            ..self
        }
    }

    /// Uses the control side of the server for the checks that need it; it is restarted, its time passes and logs of the
    /// run are trimmed.
    #[must_use]
    pub fn with_control(self, control: Option<Control>) -> Self {
        Self { control, ..self }
    }

    /// Says that something changes on purpose how things arrive, within what a client has to cope with: pages are shorter,
    /// events come twice, frames are laid out in another way. What the reference server promises of the exact form is
    /// not judged then.
    #[must_use]
    pub fn with_disturbance(self, disturbed: bool) -> Self {
        Self { disturbed, ..self }
    }

    /// Reads these Sessions where a check only reads, instead of one that the suite makes. Nothing is written to them.
    ///
    /// # Errors
    /// [`InvalidTarget::Session`] for what is no id of a Session.
    pub fn with_sessions<S: Into<String>>(
        self,
        ids: impl IntoIterator<Item = S>,
    ) -> Result<Self, InvalidTarget> {
        let mut sessions: Vec<String> = Vec::new();
        for id in ids.into_iter().map(Into::into) {
            if !is_id(&id, "sess_") {
                return Err(InvalidTarget::Session(id));
            }
            if !sessions.contains(&id) {
                sessions.push(id);
            }
        }
        Ok(Self { sessions, ..self })
    }

    /// Says in the report what the server is and whom to ask about it.
    #[must_use]
    pub fn with_identity(self, name: Option<String>, contact: Option<String>) -> Self {
        Self {
            name,
            contact,
            ..self
        }
    }

    /// Whether the server is on this machine, by the address alone.
    pub(crate) fn is_local(&self) -> bool {
        let host = reqwest::Url::parse(&self.url).ok();
        match host.as_ref().and_then(|url| url.host_str()) {
            Some("localhost") => true,
            Some(host) => {
                let bare = host.trim_start_matches('[').trim_end_matches(']');
                bare.parse::<std::net::IpAddr>()
                    .is_ok_and(|address| address.is_loopback())
            }
            None => false,
        }
    }

    /// The origin, without a trailing slash.
    pub fn url(&self) -> &str {
        &self.url
    }
}

/// A shorter key could be a part of any word.
const SHORTEST_KEY: usize = 8;

fn is_id(text: &str, prefix: &str) -> bool {
    let rest = text.strip_prefix(prefix).unwrap_or_default();
    !rest.is_empty()
        && rest
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_of_this_machine_is_told_from_others() {
        for (url, local) in [
            ("http://127.0.0.1:4010", true),
            ("http://127.1.2.3", true),
            ("http://[::1]:4010", true),
            ("http://localhost:4010/v0", true),
            ("https://api.checkfu.com", false),
            ("http://10.0.0.1", false),
            ("http://127.0.0.1.example.com", false),
        ] {
            let target = Target::new(url, "ck_0123456789", "prin_1").unwrap();
            assert_eq!(target.is_local(), local, "{url}");
        }
    }

    #[test]
    fn only_ids_of_sessions_are_taken_for_sessions() {
        let target = Target::new("http://host", "ck_0123456789", "prin_1").unwrap();
        let kept = target
            .clone()
            .with_sessions(["sess_1", "sess_2", "sess_1"])
            .unwrap();
        assert_eq!(kept.sessions, ["sess_1", "sess_2"]);
        for bad in ["", "sess_", "run_1", "sess_1/../x", "sess_1?x"] {
            let error = target.clone().with_sessions([bad]).unwrap_err().to_string();
            assert!(error.contains("--session"), "{error}");
        }
    }

    #[test]
    fn a_bad_url_names_its_fault_and_hides_credentials() {
        let error = |url| {
            Target::new(url, "ck_0123456789", "prin_1")
                .unwrap_err()
                .to_string()
        };
        assert!(error("ftp://host").contains("scheme"));
        assert!(error("http://host/?a=b").contains("query"));
        let hidden = error("http://user:hunter2@host/");
        assert!(
            hidden.contains("CHECKFU_API_KEY") && !hidden.contains("hunter2"),
            "{hidden}"
        );
        assert_eq!(
            Target::new("http://host", "ck_0123456789", "nobody").unwrap_err(),
            InvalidTarget::Principal("nobody".to_owned())
        );
        assert_eq!(
            Target::new("http://host", "short", "prin_1").unwrap_err(),
            InvalidTarget::ShortKey
        );
        assert!(error("http://host/v1").contains("/v1"));
    }
}
