//! Who calls, in which version and Workspace (WIRE-1, WIRE-2, A-VER).

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Version, header};
use axum::middleware::Next;
use axum::response::Response;

use super::response::Refused;
use super::state::Shared;
use crate::core::id::WorkspaceId;
use crate::mutant::{self, Mutant};
use crate::wire::error::{ApiError, Code};

/// The one version of the API.
const VERSION: &str = "2026-08-31";

const CHECKFU_VERSION: HeaderName = HeaderName::from_static("checkfu-version");
const CHECKFU_WORKSPACE: HeaderName = HeaderName::from_static("checkfu-workspace");

/// Who calls: the Workspace whose resources the request can see.
#[derive(Debug, Clone)]
pub(crate) struct Caller {
    /// None when the request names a Workspace that this server does not have: everything in it is `404`.
    pub(crate) workspace: Option<WorkspaceId>,
}

impl Caller {
    /// The Workspace, or the `404` that every identifier of another one gets.
    pub(crate) fn workspace(&self, what: &str) -> Result<&WorkspaceId, ApiError> {
        self.workspace.as_ref().ok_or_else(|| {
            if mutant::active(Mutant::ForbiddenWorkspace) {
                return ApiError::new(Code::CapabilityDisabled, "this Workspace is not yours");
            }
            ApiError::not_found(what)
        })
    }
}

/// A-ORDER: authentication, then version; the Workspace goes to the handlers.
pub(crate) async fn authenticate(
    State(shared): State<Shared>,
    mut request: Request,
    next: Next,
) -> Result<Response, Refused> {
    check_host(&request)?;
    let headers = request.headers();
    if mutant::active(Mutant::VersionFirst) {
        check_version(headers)?;
    }
    if !bearer(headers).is_some_and(|key| shared.keys.opens(key) || mutant::active(Mutant::AnyKey)) {
        return Err(ApiError::new(
            Code::InvalidKey,
            "send a valid key as Authorization: Bearer <key>",
        )
        .with_param("Authorization")
        .into());
    }
    check_version(headers)?;
    let caller = Caller {
        workspace: named_workspace(headers, shared.keys.workspace()),
    };
    request.extensions_mut().insert(caller);
    Ok(next.run(request).await)
}

/// HTTP/1.1 asks for exactly one; HTTP/2 says it in another place.
fn check_host(request: &Request) -> Result<(), ApiError> {
    let hosts = request.headers().get_all(header::HOST).iter().count();
    let needed = usize::from(request.version() == Version::HTTP_11);
    if (needed..=1).contains(&hosts) {
        return Ok(());
    }
    Err(ApiError::new(Code::InvalidParameter, "send exactly one Host").with_param("Host"))
}

fn bearer(headers: &HeaderMap) -> Option<&[u8]> {
    let value = only(headers, &header::AUTHORIZATION)?.as_bytes();
    let (scheme, key) = value.split_at_checked(b"Bearer ".len())?;
    scheme.eq_ignore_ascii_case(b"Bearer ").then(|| key.trim_ascii())
}

/// The value of a field that stands there once; two of them say nothing.
fn only<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h HeaderValue> {
    let mut values = headers.get_all(name).iter();
    values.next().filter(|_| values.next().is_none())
}

fn check_version(headers: &HeaderMap) -> Result<(), ApiError> {
    match headers.get(&CHECKFU_VERSION) {
        None => Ok(()),
        Some(_)
            if only(headers, &CHECKFU_VERSION)
                .is_some_and(|version| version.as_bytes() == VERSION.as_bytes()) =>
        {
            Ok(())
        }
        Some(_) if mutant::active(Mutant::AnyVersion) => Ok(()),
        Some(_) => Err(ApiError::new(
            Code::UnsupportedVersion,
            format!("this server speaks Checkfu-Version {VERSION} and no other"),
        )
        .with_param("Checkfu-Version")),
    }
}

fn named_workspace(headers: &HeaderMap, own: &WorkspaceId) -> Option<WorkspaceId> {
    let is_own = |named: &HeaderValue| named.as_bytes() == own.as_str().as_bytes();
    let mut named = headers.get_all(&CHECKFU_WORKSPACE).iter();
    (named.all(is_own) || mutant::active(Mutant::AnyWorkspace)).then(|| own.clone())
}
