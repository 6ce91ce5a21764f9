//! Error bodies and their statuses (A-ERR): one table of codes.

use serde::Serialize;
use serde_json::{Map, Value};

/// What a request was refused with.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ApiError {
    pub(crate) code: Code,
    pub(crate) message: String,
    /// The member, parameter or header at fault.
    pub(crate) param: Option<String>,
    pub(crate) details: Map<String, Value>,
    /// The same call would fail the same way, whatever its status says.
    permanent: bool,
}

macro_rules! codes {
    ($($(#[$meta:meta])* $variant:ident = $text:literal, $status:literal;)*) => {
        /// Every code that this server answers with.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Code {
            $($(#[$meta])* $variant,)*
        }

        impl Code {
            /// The code on the wire.
            pub(crate) fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }

            /// Its HTTP status.
            pub(crate) fn status(self) -> u16 {
                match self { $(Self::$variant => $status,)* }
            }
        }
    };
}

codes! {
    InvalidParameter = "request.invalid_parameter", 400;
    ConflictingParameters = "request.conflicting_parameters", 400;
    InvalidPage = "request.invalid_page", 400;
    InvalidCursor = "request.invalid_cursor", 400;
    InvalidBody = "request.invalid_body", 400;
    UnsupportedVersion = "request.unsupported_version", 400;
    MethodNotAllowed = "request.method_not_allowed", 405;
    TooLarge = "request.too_large", 413;
    UnsupportedMediaType = "request.unsupported_media_type", 415;
    InvalidKey = "auth.invalid_key", 401;
    CapabilityDisabled = "capability.disabled", 403;
    NotFound = "resource.not_found", 404;
    InsufficientAuthority = "runtime.insufficient_authority", 403;
    UnknownAction = "runtime.unknown_action", 404;
    InvalidTransition = "runtime.invalid_transition", 409;
    PrimaryThread = "runtime.primary_thread", 409;
    StaleWait = "runtime.stale_wait", 409;
    AmbiguousThread = "runtime.ambiguous_thread", 409;
    EventNotRetained = "runtime.event_not_retained", 409;
    NoCommonHistory = "runtime.no_common_history", 409;
    DecisionRequired = "prompt_integrity.decision_required", 409;
    CursorAhead = "runtime.cursor_ahead", 409;
    CursorExpired = "runtime.cursor_expired", 410;
    KeyReused = "idempotency.key_reused", 422;
    KeyInProgress = "idempotency.in_progress", 503;
    Internal = "internal.error", 500;
}

impl ApiError {
    pub(crate) fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            param: None,
            details: Map::new(),
            permanent: false,
        }
    }

    pub(crate) fn with_param(mut self, param: impl Into<String>) -> Self {
        self.param = Some(param.into());
        self
    }

    pub(crate) fn with_detail(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.details.insert(name.to_owned(), value.into());
        self
    }

    /// The same for an identifier that never existed and for one of another Workspace (A-VER).
    pub(crate) fn not_found(what: &str) -> Self {
        Self::new(Code::NotFound, format!("no such {what} in this Workspace"))
    }

    /// Our own failure: the cause goes to the log, not to the caller.
    pub(crate) fn internal() -> Self {
        Self::new(Code::Internal, "the server could not answer; nothing was changed")
    }

    /// What the log holds cannot be read any more; the cause goes to the server's log.
    pub(crate) fn damaged() -> Self {
        Self {
            permanent: true,
            ..Self::new(
                Code::Internal,
                "what the server keeps of this is damaged and cannot be read; a repetition will not help",
            )
        }
    }

    /// What to wait before trying again, in seconds.
    pub(crate) fn retry_after(&self) -> Option<u32> {
        (self.code == Code::KeyInProgress).then_some(1)
    }

    /// The body, with the request id that the header has too.
    pub(crate) fn body(&self, request_id: &str) -> Vec<u8> {
        let body = Body {
            r#type: "error",
            error: Inner {
                r#type: error_type(self.code.status()),
                code: self.code.as_str(),
                message: &self.message,
                retryable: !self.permanent && matches!(self.code.status(), 429 | 500..=599),
                param: self.param.as_deref(),
                details: &self.details,
            },
            request_id,
        };
        serde_json::to_vec(&body).unwrap_or_default()
    }
}

fn error_type(status: u16) -> &'static str {
    match status {
        401 => "authentication_error",
        403 => "permission_error",
        404 => "not_found_error",
        409 => "conflict_error",
        410 => "gone_error",
        413 => "request_too_large",
        422 => "unprocessable_error",
        500 => "api_error",
        503 => "overloaded_error",
        _ => "invalid_request_error",
    }
}

#[derive(Serialize)]
struct Body<'a> {
    r#type: &'static str,
    error: Inner<'a>,
    request_id: &'a str,
}

#[derive(Serialize)]
struct Inner<'a> {
    r#type: &'static str,
    code: &'static str,
    message: &'a str,
    retryable: bool,
    param: Option<&'a str>,
    details: &'a Map<String, Value>,
}
