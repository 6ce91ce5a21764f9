//! Opaque `page` tokens: a position in one list, sealed, so that none can be forged, carried to another list or kept
//! for ever (LST-2, A-LIST).

use std::time::Duration;

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::core::moment::Moment;
use crate::wire::error::{ApiError, Code};

/// How long a token is good for.
const LIFE: Duration = Duration::from_hours(24);

/// As long as the hash's block.
pub(crate) const SECRET_BYTES: usize = 64;

const SEAL_BYTES: usize = 16;

/// Position and time of issue.
const HEAD_BYTES: usize = 16;

/// Where a walk goes on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Place {
    /// The last item that was given.
    pub(crate) position: u64,
    /// What the walk is narrowed to, in the list's own words; empty for nothing.
    pub(crate) filter: String,
}

impl Place {
    /// A place in a list that is not narrowed.
    pub(crate) fn after(position: u64) -> Self {
        Self {
            position,
            filter: String::new(),
        }
    }
}

/// A-LIST: the refusal of a token.
pub(crate) fn invalid_page() -> ApiError {
    let message = "page is not a next_page of this list, or has expired; start the list again without it";
    ApiError::new(Code::InvalidPage, message).with_param("page")
}

/// Makes and opens tokens with a secret of the server's database.
pub(crate) struct PageTokens {
    secret: [u8; SECRET_BYTES],
}

impl std::fmt::Debug for PageTokens {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("PageTokens").finish_non_exhaustive()
    }
}

impl PageTokens {
    pub(crate) fn new(secret: [u8; SECRET_BYTES]) -> Self {
        Self { secret }
    }

    /// A token that continues `list` after `position`. The list's name holds its Workspace and resource; what the walk
    /// was narrowed to goes into the token, so that it need not be said again.
    pub(crate) fn seal(&self, list: &str, place: &Place, now: Moment) -> String {
        let mut token = Vec::with_capacity(HEAD_BYTES + place.filter.len() + SEAL_BYTES);
        token.extend_from_slice(&place.position.to_be_bytes());
        token.extend_from_slice(&now.milliseconds().to_be_bytes());
        token.extend_from_slice(place.filter.as_bytes());
        let seal = self.mac(list, &token).finalize().into_bytes();
        token.extend_from_slice(&seal[..SEAL_BYTES]);
        data_encoding::BASE64URL_NOPAD.encode(&token)
    }

    /// Where a token that was sealed for this list continues.
    pub(crate) fn open(&self, list: &str, token: &str, now: Moment) -> Result<Place, ApiError> {
        self.read(list, token, now).ok_or_else(invalid_page)
    }

    fn read(&self, list: &str, token: &str, now: Moment) -> Option<Place> {
        let token = data_encoding::BASE64URL_NOPAD.decode(token.as_bytes()).ok()?;
        let (sealed, seal) = token.split_at_checked(token.len().checked_sub(SEAL_BYTES)?)?;
        self.mac(list, sealed).verify_truncated_left(seal).ok()?;
        let (head, filter) = sealed.split_at_checked(HEAD_BYTES)?;
        let (position, issued) = head.split_at(8);
        let issued = Moment::from_milliseconds(i64::from_be_bytes(issued.try_into().ok()?));
        let position = u64::from_be_bytes(position.try_into().ok()?);
        let filter = String::from_utf8(filter.to_vec()).ok()?;
        (now < issued.plus(LIFE)).then_some(Place { position, filter })
    }

    fn mac(&self, list: &str, sealed: &[u8]) -> Hmac<Sha256> {
        let mut mac = Hmac::<Sha256>::new(&self.secret.into());
        mac.update(&(list.len() as u64).to_be_bytes());
        mac.update(list.as_bytes());
        mac.update(sealed);
        mac
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(milliseconds: i64) -> Moment {
        Moment::from_milliseconds(milliseconds)
    }

    /// LST-2, A-LIST: every single changed character, another list and a day's age make a token worthless.
    #[test]
    fn a_token_opens_only_unchanged_for_its_own_list_and_for_a_day() {
        let tokens = PageTokens::new([7; SECRET_BYTES]);
        let place = Place {
            position: 41,
            filter: "idle".to_owned(),
        };
        let token = tokens.seal("events of a", &place, at(1000));
        assert_eq!(tokens.open("events of a", &token, at(1000)).unwrap(), place);
        assert_eq!(
            tokens.open("events of b", &token, at(1000)).unwrap_err().code,
            Code::InvalidPage
        );
        for index in 0..token.len() {
            let mut forged = token.clone().into_bytes();
            forged[index] = if forged[index] == b'A' { b'B' } else { b'A' };
            let forged = String::from_utf8(forged).unwrap();
            assert!(tokens.open("events of a", &forged, at(1000)).is_err(), "{index}");
        }
        let day = i64::try_from(LIFE.as_millis()).unwrap();
        assert!(tokens.open("events of a", &token, at(1000 + day - 1)).is_ok());
        assert!(tokens.open("events of a", &token, at(1000 + day)).is_err());
        assert!(
            PageTokens::new([8; SECRET_BYTES])
                .open("events of a", &token, at(1000))
                .is_err()
        );
    }
}
