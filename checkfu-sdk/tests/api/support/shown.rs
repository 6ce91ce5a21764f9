use std::error::Error as StdError;

use checkfu_sdk::Error;

/// All that an error shows: its text, its `Debug`, its sources, and what a refusal is made of.
pub(crate) fn shown(error: &Error) -> String {
    let mut shown = format!("{error} {error:?} {error:#?} {:?}", error.request_id());
    let mut source = error.source();
    while let Some(cause) = source {
        shown.push_str(&format!(" {cause} {cause:?}"));
        source = cause.source();
    }
    match error {
        Error::Api(error) => shown.push_str(&format!(
            " {} {} {:?} {:?} {:?}",
            error.message(),
            error.details(),
            error.code().map(|code| code.as_str()),
            error.error_type(),
            error.param(),
        )),
        Error::Protocol(error) => shown.push_str(error.repeated_page().unwrap_or_default()),
        _ => {}
    }
    shown
}
