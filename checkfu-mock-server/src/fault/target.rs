//! Which requests a fault meets.

use serde::{Serialize, Serializer};

use super::operation::Operation;

/// Which requests a fault meets; what is not said fits every request. One meets once unless it says otherwise.
///
/// ```
/// use checkfu_mock_server::{On, Operation};
///
/// let third_and_fourth_stream = On::operation(Operation::Stream).skip(2).times(2);
/// let one_answer_in_ten = On::any().always().probability(0.1);
/// # let _ = (third_and_fourth_stream, one_answer_in_ten);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct On {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) operation: Option<Operation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) method: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) session: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) keyed: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) resumed: Option<bool>,
    pub(super) skip: u64,
    #[serde(serialize_with = "times_or_always")]
    pub(super) times: Option<u64>,
    pub(super) probability: f64,
}

impl On {
    /// The next request, whatever it is; not a connection.
    pub fn any() -> Self {
        Self {
            operation: None,
            method: None,
            path: None,
            session: None,
            keyed: None,
            resumed: None,
            skip: 0,
            times: Some(1),
            probability: 1.0,
        }
    }

    /// The next request that asks for this.
    pub fn operation(operation: Operation) -> Self {
        Self {
            operation: Some(operation),
            ..Self::any()
        }
    }

    /// Only requests of this method.
    #[must_use]
    pub fn method(mut self, method: impl Into<String>) -> Self {
        self.method = Some(method.into());
        self
    }

    /// Only requests of this path, in which `*` stands for one segment.
    #[must_use]
    pub fn path(mut self, pattern: impl Into<String>) -> Self {
        self.path = Some(pattern.into());
        self
    }

    /// Only requests about this Session.
    #[must_use]
    pub fn session(mut self, id: impl Into<String>) -> Self {
        self.session = Some(id.into());
        self
    }

    /// Only requests with an idempotency key, or only those without.
    #[must_use]
    pub fn keyed(mut self, keyed: bool) -> Self {
        self.keyed = Some(keyed);
        self
    }

    /// Only requests with a `Last-Event-ID`, or only those without.
    #[must_use]
    pub fn resumed(mut self, resumed: bool) -> Self {
        self.resumed = Some(resumed);
        self
    }

    /// Passes over so many requests that fit.
    #[must_use]
    pub fn skip(mut self, requests: u64) -> Self {
        self.skip = requests;
        self
    }

    /// Meets so many requests.
    #[must_use]
    pub fn times(mut self, requests: u64) -> Self {
        self.times = Some(requests);
        self
    }

    /// Meets every request that fits.
    #[must_use]
    pub fn always(mut self) -> Self {
        self.times = None;
        self
    }

    /// Meets a request that fits with this probability, from 0 to 1, as the server's seed decides.
    #[must_use]
    pub fn probability(mut self, probability: f64) -> Self {
        self.probability = probability.clamp(0.0, 1.0);
        self
    }

    pub(crate) fn fits(&self, facts: &Facts<'_>) -> bool {
        // A connection is no request: it is met only by what asks for it.
        let operation = match self.operation {
            Some(operation) => operation == facts.operation,
            None => facts.operation != Operation::Connect,
        };
        operation
            && self
                .method
                .as_deref()
                .is_none_or(|method| method.eq_ignore_ascii_case(facts.method))
            && self
                .path
                .as_deref()
                .is_none_or(|pattern| path_fits(pattern, facts.path))
            && self
                .session
                .as_deref()
                .is_none_or(|session| Some(session) == facts.session)
            && self.keyed.is_none_or(|keyed| keyed == facts.keyed)
            && self.resumed.is_none_or(|resumed| resumed == facts.resumed)
    }
}

/// What is known of a request before it is answered.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Facts<'a> {
    pub(crate) operation: Operation,
    pub(crate) method: &'a str,
    pub(crate) path: &'a str,
    pub(crate) session: Option<&'a str>,
    pub(crate) keyed: bool,
    pub(crate) resumed: bool,
}

fn path_fits(pattern: &str, path: &str) -> bool {
    let mut segments = path.split('/');
    let fits = pattern.split('/').all(|wanted| {
        segments
            .next()
            .is_some_and(|segment| wanted == "*" || wanted == segment)
    });
    fits && segments.next().is_none()
}

#[allow(clippy::ref_option, reason = "the signature that serde asks for")]
fn times_or_always<S: Serializer>(times: &Option<u64>, serializer: S) -> Result<S::Ok, S::Error> {
    match times {
        Some(times) => serializer.serialize_u64(*times),
        None => serializer.serialize_str("always"),
    }
}
