use crate::error::ConfigError;

/// The base URL, checked.
pub(super) fn base_url(text: &str) -> Result<reqwest::Url, ConfigError> {
    let invalid = |reason| ConfigError::InvalidBaseUrl { reason };
    let url = reqwest::Url::parse(text)
        .map_err(|_| invalid("it is no absolute URL; write https://api.checkfu.com, for one"))?;
    if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
        return Err(invalid("it must begin with http:// or https:// and name a host"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(invalid(
            "it must hold no user name or password; the API key goes in a header",
        ));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(invalid(
            "it must end with its path; remove what follows `?` or `#`",
        ));
    }
    if cfg!(not(any(feature = "rustls", feature = "native-tls"))) && url.scheme() == "https" {
        return Err(ConfigError::TlsNotBuilt);
    }
    Ok(url)
}

/// The forward proxy that a URL names.
pub(super) fn proxy(text: &str) -> Result<reqwest::Proxy, ConfigError> {
    let invalid = |reason| ConfigError::InvalidProxy { reason };
    let url =
        reqwest::Url::parse(text).map_err(|_| invalid("it is no absolute URL; write http://host:port"))?;
    if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
        return Err(invalid("it must begin with http:// or https:// and name a host"));
    }
    reqwest::Proxy::all(url).map_err(|_| invalid("it is no URL of a forward proxy"))
}

/// Whether the URL's host is this machine.
pub(super) fn is_loopback(url: &reqwest::Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let address = host
        .trim_start_matches('[')
        .trim_end_matches(']')
        .parse::<std::net::IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}
