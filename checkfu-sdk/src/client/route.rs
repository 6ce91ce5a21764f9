use http::Method;

use super::call::segment;
use super::transport::Request;
use crate::error::ConfigError;

impl Request {
    /// A request for `route` with these ids in the places of its names in braces, each with what it is called.
    pub(crate) fn to(
        method: Method,
        route: &'static str,
        ids: &[(&'static str, &str)],
    ) -> Result<Self, ConfigError> {
        let segments: Result<Vec<&str>, ConfigError> =
            ids.iter().map(|(name, id)| segment(name, id)).collect();
        Ok(Self::new(method, route, &segments?))
    }
}
