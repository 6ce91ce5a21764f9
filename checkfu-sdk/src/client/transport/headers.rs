use http::header::{HeaderMap, HeaderName, HeaderValue, USER_AGENT};

use crate::error::ConfigError;

/// Which API the client speaks, and in which workspace it acts if one is set (`A-VER`).
const CHECKFU_VERSION: HeaderName = HeaderName::from_static("checkfu-version");
const CHECKFU_WORKSPACE: HeaderName = HeaderName::from_static("checkfu-workspace");
const API_VERSION: HeaderValue = HeaderValue::from_static("2026-08-31");
const AGENT: &str = concat!("checkfu-sdk/", env!("CARGO_PKG_VERSION"));
const LONGEST_PRODUCT: usize = 256;

/// The headers that a caller cannot set, and what to do instead.
const OWNED: [(&str, &str); 23] = [
    (
        "authorization",
        "the client sends the key; set it with `api_key` or `key_provider`",
    ),
    (
        "checkfu-version",
        "the client names the API version that it speaks; leave it out",
    ),
    ("checkfu-workspace", "set it with `workspace`"),
    ("user-agent", "set it with `user_agent`"),
    ("idempotency-key", "each call has its own; set it on the call"),
    (
        "last-event-id",
        "the stream sends its cursor; set it with `after`",
    ),
    ("accept", "the client sends what it can read; leave it out"),
    ("traceparent", "set it with `traceparent`"),
    (
        "accept-encoding",
        "the client reads answers as they are; leave it out",
    ),
    ("range", "the client reads whole answers; leave it out"),
    ("content-type", BODY),
    ("content-length", BODY),
    ("content-encoding", BODY),
    ("expect", BODY),
    ("host", "it comes from the base URL; set it with `base_url`"),
    (
        "proxy-authorization",
        "put the credentials in the URL that `proxy` takes",
    ),
    ("proxy-connection", CONNECTION),
    ("connection", CONNECTION),
    ("keep-alive", CONNECTION),
    ("te", CONNECTION),
    ("trailer", CONNECTION),
    ("transfer-encoding", CONNECTION),
    ("upgrade", CONNECTION),
];
const BODY: &str = "it comes from the body that the client sends; leave it out";
const CONNECTION: &str = "it belongs to the connection, which the client makes; leave it out";

/// The headers that every request has, save for the key.
pub(super) fn every_request(
    workspace: Option<&str>,
    product: Option<&str>,
    extra: &[(String, String)],
) -> Result<HeaderMap, ConfigError> {
    let mut headers = HeaderMap::new();
    for (name, value) in extra {
        let (name, value) = extra_header(name, value)?;
        headers.insert(name, value);
    }
    headers.insert(CHECKFU_VERSION, API_VERSION);
    headers.insert(USER_AGENT, user_agent(product)?);
    if let Some(workspace) = workspace {
        let workspace = HeaderValue::from_str(workspace).map_err(|_| ConfigError::InvalidValue {
            name: "workspace",
            reason: "holds bytes that a header cannot carry",
        })?;
        headers.insert(CHECKFU_WORKSPACE, workspace);
    }
    Ok(headers)
}

/// The caller's product comes first: it is what a reader of logs looks for.
fn user_agent(product: Option<&str>) -> Result<HeaderValue, ConfigError> {
    let Some(product) = product else {
        return Ok(HeaderValue::from_static(AGENT));
    };
    let invalid = |reason| ConfigError::InvalidSetting {
        name: "user_agent",
        reason,
    };
    if product.is_empty() || product.len() > LONGEST_PRODUCT {
        return Err(invalid(
            "must have 1 to 256 characters; write product/version, as in my-app/1.2",
        ));
    }
    let printable = |byte: u8| byte.is_ascii_graphic() || byte == b' ';
    if product.trim() != product || !product.bytes().all(printable) {
        return Err(invalid(
            "must be visible ASCII characters, and spaces only between them; write product/version, as in my-app/1.2",
        ));
    }
    HeaderValue::from_str(&format!("{product} {AGENT}"))
        .map_err(|_| invalid("holds bytes that a header cannot carry"))
}

/// A header of the caller's. Its value may be a secret, so it is marked like one, and no error repeats it.
fn extra_header(name: &str, value: &str) -> Result<(HeaderName, HeaderValue), ConfigError> {
    let Ok(parsed) = HeaderName::from_bytes(name.as_bytes()) else {
        // The name is not repeated: a value may stand in its place.
        return Err(ConfigError::InvalidSetting {
            name: "header",
            reason: "a name may hold only letters, digits and !#$%&'*+-.^_`|~; the name comes first, then the value",
        });
    };
    let invalid = |reason| ConfigError::InvalidHeader {
        name: parsed.as_str().to_owned(),
        reason,
    };
    if let Some((_, reason)) = OWNED.iter().find(|(owned, _)| *owned == parsed.as_str()) {
        return Err(invalid(reason));
    }
    let Some(mut value) = HeaderValue::from_str(value)
        .ok()
        .filter(|_| value.trim() == value)
    else {
        return Err(invalid(
            "the value must hold no control characters, and spaces only between others",
        ));
    };
    value.set_sensitive(true);
    Ok((parsed, value))
}
