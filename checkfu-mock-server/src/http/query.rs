//! Query parameters: known ones, once each, decoded with an error that names them.

use axum::extract::Query;
use axum::http::Uri;

use crate::wire::error::{ApiError, Code};

/// The parameters of one request that have not been read yet.
#[derive(Debug)]
pub(crate) struct Parameters {
    pairs: Vec<(String, String)>,
}

impl Parameters {
    /// Decodes the query string.
    pub(crate) fn of(uri: &Uri) -> Result<Self, ApiError> {
        match Query::<Vec<(String, String)>>::try_from_uri(uri) {
            Ok(Query(pairs)) => Ok(Self { pairs }),
            Err(_) => Err(ApiError::new(
                Code::InvalidParameter,
                "the query string cannot be decoded",
            )),
        }
    }

    /// A parameter that may be given once.
    pub(crate) fn take(&mut self, name: &str) -> Result<Option<String>, ApiError> {
        let mut values = self.take_all(name);
        match values.len() {
            0 | 1 => Ok(values.pop()),
            _ => Err(invalid(name, "may be given once")),
        }
    }

    /// A parameter that may be given any number of times.
    pub(crate) fn take_all(&mut self, name: &str) -> Vec<String> {
        let (taken, left) = std::mem::take(&mut self.pairs)
            .into_iter()
            .partition(|(known, _)| known == name);
        self.pairs = left;
        Vec::into_iter(taken)
            .map(|(_, value): (String, String)| value)
            .collect()
    }

    /// A-LIST: `limit`, clamped to the cap; anything but a whole number from 1 on is refused.
    pub(crate) fn take_limit(&mut self, default: usize, cap: usize) -> Result<usize, ApiError> {
        let Some(text) = self.take("limit")? else {
            return Ok(default);
        };
        if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(invalid("limit", "must be a whole number from 1 on"));
        }
        match text.parse::<usize>().unwrap_or(usize::MAX) {
            0 => Err(invalid("limit", "must be a whole number from 1 on")),
            limit => Ok(limit.min(cap)),
        }
    }

    /// Refuses whatever was not read.
    pub(crate) fn finish(self) -> Result<(), ApiError> {
        match self.pairs.first() {
            None => Ok(()),
            Some((name, _)) => Err(invalid(
                name,
                "is not a parameter of this endpoint; check its spelling or leave it out",
            )),
        }
    }
}

/// Refuses every parameter, for endpoints that have none.
pub(crate) fn none(uri: &Uri) -> Result<(), ApiError> {
    Parameters::of(uri)?.finish()
}

/// A refusal that names the parameter.
pub(crate) fn invalid(name: &str, problem: &str) -> ApiError {
    ApiError::new(Code::InvalidParameter, format!("{name} {problem}")).with_param(name)
}
