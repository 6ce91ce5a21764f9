use std::fmt;
use std::time::Duration;

use http::StatusCode;
use serde_json::Value;
use serde_json::value::RawValue;

use super::attempts::{Attempts, write_suffix};
use super::questioned_prompt::QuestionedPrompt;
use crate::model::{RequestId, Seq, members, open_enum, optional};
use crate::redaction::Redaction;

open_enum! {
    /// The code of a refusal (`A-ERR`). The set is open.
    ErrorCode {
        /// The API key is not valid.
        InvalidKey = "auth.invalid_key",
        /// The Principal lacks the authority.
        InsufficientAuthority = "auth.insufficient_authority",
        /// The deployment has not enabled the capability.
        CapabilityDisabled = "capability.disabled",
        /// Nothing with this id is in reach.
        NotFound = "resource.not_found",
        /// A parameter is wrong.
        InvalidParameter = "request.invalid_parameter",
        /// Two parameters exclude each other.
        ConflictingParameters = "request.conflicting_parameters",
        /// The cursor is no decimal number.
        InvalidCursor = "request.invalid_cursor",
        /// The page token is bad, expired or another list's.
        InvalidPage = "request.invalid_page",
        /// The API version is not known.
        UnsupportedVersion = "request.unsupported_version",
        /// Events above the cursor were trimmed.
        CursorExpired = "runtime.cursor_expired",
        /// The cursor is above the head of the log.
        CursorAhead = "runtime.cursor_ahead",
        /// The state of the Session does not allow it.
        InvalidTransition = "runtime.invalid_transition",
        /// The wait that the response is for is over.
        StaleWait = "runtime.stale_wait",
        /// No such action is known.
        UnknownAction = "runtime.unknown_action",
        /// More than one thread has this pending action.
        AmbiguousThread = "runtime.ambiguous_thread",
        /// The author must decide on a questioned prompt.
        DecisionRequired = "prompt_integrity.decision_required",
        /// The idempotency key was used with another body.
        KeyReused = "idempotency.key_reused",
        /// The first call with this idempotency key is not done yet.
        InProgress = "idempotency.in_progress",
        /// Too many requests.
        RateLimited = "rate_limit.exceeded",
    }
}

/// The server answered, and refused.
#[derive(Debug)]
pub struct ApiError {
    status: StatusCode,
    body: ErrorBody,
    request_id: Option<RequestId>,
    retry_after: Option<Duration>,
    attempts: Option<Attempts>,
}

impl ApiError {
    pub(crate) fn new(
        status: StatusCode,
        body: ErrorBody,
        request_id: Option<RequestId>,
        retry_after: Option<Duration>,
    ) -> Self {
        let request_id = request_id.or_else(|| body.request_id.clone());
        Self {
            status,
            body,
            request_id,
            retry_after,
            attempts: None,
        }
    }

    /// The status of the answer.
    pub fn status(&self) -> StatusCode {
        self.status
    }

    /// The code of the refusal, if the answer held one; its type where it has no code.
    pub fn code(&self) -> Option<&ErrorCode> {
        self.body.code.as_ref()
    }

    /// The broad kind of refusal, `conflict_error` for one.
    pub fn error_type(&self) -> Option<&str> {
        self.body.error_type.as_deref()
    }

    /// The server's sentence; the beginning of the body where it is no JSON.
    pub fn message(&self) -> &str {
        &self.body.message
    }

    /// The parameter at fault.
    pub fn param(&self) -> Option<&str> {
        self.body.param.as_deref()
    }

    /// What else the server tells, by the code.
    pub fn details(&self) -> &Value {
        &self.body.details
    }

    /// What the author has to decide, on `409 prompt_integrity.decision_required` (`PIN-1`, `A-PIN`).
    pub fn questioned_prompt(&self) -> Option<QuestionedPrompt> {
        let is_asked = self.code() == Some(&ErrorCode::DecisionRequired);
        is_asked
            .then(|| QuestionedPrompt::read(&self.body.details))
            .flatten()
    }

    /// Whether the same call could succeed later: on `429` and `5xx`, unless the body says that it could not. On any
    /// other status a body that grants a retry is not believed (`WIRE-2`, `WIRE-3`, `WIRE-7`).
    pub fn is_retryable(&self) -> bool {
        let overload_or_fault = self.status == StatusCode::TOO_MANY_REQUESTS || self.status.is_server_error();
        overload_or_fault && self.body.retryable != Some(false)
    }

    /// The id under which the server knows the request.
    pub fn request_id(&self) -> Option<&RequestId> {
        self.request_id.as_ref()
    }

    /// How long the server asks to wait (`WIRE-4`).
    pub fn retry_after(&self) -> Option<Duration> {
        self.retry_after
    }

    /// How the call was tried.
    pub fn attempts(&self) -> Option<Attempts> {
        self.attempts
    }

    pub(crate) fn set_attempts(&mut self, attempts: Attempts) {
        self.attempts = Some(attempts);
    }

    pub(crate) fn seq_detail(&self, name: &str) -> Option<Seq> {
        self.body
            .details
            .get(name)
            .and_then(Value::as_u64)
            .and_then(Seq::new)
    }
}

impl fmt::Display for ApiError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "the server answered {}", self.status.as_u16())?;
        if let Some(code) = &self.body.code {
            write!(formatter, " {code}")?;
        }
        if !self.body.message.is_empty() {
            write!(formatter, ": {}", self.body.message)?;
        }
        if let Some(request_id) = &self.request_id {
            write!(formatter, " [request {request_id}]")?;
        }
        write_suffix(self.attempts.as_ref(), formatter)
    }
}

impl std::error::Error for ApiError {}

/// The body of a refusal, read leniently: any member may be missing, and the body may be no JSON at all.
#[derive(Debug, Default)]
pub(crate) struct ErrorBody {
    code: Option<ErrorCode>,
    error_type: Option<String>,
    message: String,
    retryable: Option<bool>,
    param: Option<String>,
    details: Value,
    request_id: Option<RequestId>,
}

/// How much of a body that is no JSON is kept as its message.
const MESSAGE_CHARACTERS: usize = 200;

/// The members of a refusal, in the body itself and in its `error`.
#[derive(Default)]
struct Members {
    code: Option<String>,
    r#type: Option<String>,
    message: Option<String>,
    retryable: Option<bool>,
    param: Option<String>,
    details: Option<Value>,
    request_id: Option<String>,
}

const NAMES: [&str; 8] = [
    "code",
    "type",
    "message",
    "retryable",
    "param",
    "details",
    "request_id",
    "error",
];

impl Members {
    fn read(json: &str) -> Option<(Self, Option<&RawValue>)> {
        let [
            code,
            r#type,
            message,
            retryable,
            param,
            details,
            request_id,
            error,
        ] = members(json, NAMES).ok()?;
        let read = Self {
            code: optional(code),
            r#type: optional(r#type),
            message: optional(message),
            retryable: optional(retryable),
            param: optional(param),
            details: optional(details),
            request_id: optional(request_id),
        };
        Some((read, error))
    }
}

impl ErrorBody {
    /// Reads what a refusal says. The key is taken out of each member once it is decoded, so that no escape hides it.
    pub(crate) fn read(text: &str, redaction: &Redaction) -> Self {
        let beginning = || redaction.excerpt(text.trim(), MESSAGE_CHARACTERS);
        let Some((outer, error)) = Members::read(text) else {
            return Self {
                message: beginning(),
                ..Self::default()
            };
        };
        let inner = match error.and_then(|error| Members::read(error.get())) {
            Some((inner, _)) => inner,
            None => Members {
                message: optional(error),
                ..Members::default()
            },
        };
        let redacted = |text: String| redaction.redact(&text);
        let inner_type = inner.r#type.map(redacted);
        let outer_type = outer.r#type.filter(|name| name != "error").map(redacted);
        let code = inner.code.or(outer.code).map(redacted);
        let request_id = outer.request_id.or(inner.request_id).map(redacted);
        Self {
            code: code.as_deref().or(inner_type.as_deref()).map(ErrorCode::from),
            error_type: inner_type.or(outer_type),
            message: inner.message.or(outer.message).map_or_else(beginning, redacted),
            retryable: inner.retryable.or(outer.retryable),
            param: inner.param.or(outer.param).map(redacted),
            details: redaction.redact_value(inner.details.or(outer.details).unwrap_or_default()),
            request_id: request_id.map(RequestId::from),
        }
    }
}
