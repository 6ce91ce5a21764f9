//! The challenge of a refusal for prompt integrity: a seal over the Session, the author, the content as it was sent and
//! the time of issue, so that a decision answers exactly what its author was shown (PIN-1, A-PIN).
//!
//! It is not kept anywhere. That it is used once follows from the log: the accepted message carries it.

use std::time::Duration;

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

use crate::core::id::{PrincipalId, SessionId};
use crate::core::moment::Moment;
use crate::core::payload::{Block, Source};
use crate::ledger::entropy::SystemEntropy;

/// How long a challenge is good for.
const LIFE: Duration = Duration::from_mins(10);

/// As long as the hash's block.
pub(crate) const SECRET_BYTES: usize = 64;

const PREFIX: &str = "pic_";

const ISSUED_BYTES: usize = 8;

/// Two challenges of one millisecond are two: each is used once.
const NONCE_BYTES: usize = 8;

/// What a decision has to be about.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Subject<'a> {
    pub(crate) session: &'a SessionId,
    pub(crate) author: &'a PrincipalId,
    /// The original, as blocks: a string is the same as its one text block.
    pub(crate) content: &'a [Block],
}

/// Makes and opens challenges with a secret of the server's database.
pub(crate) struct Challenges {
    secret: [u8; SECRET_BYTES],
}

impl std::fmt::Debug for Challenges {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Challenges").finish_non_exhaustive()
    }
}

impl Challenges {
    pub(crate) fn new(secret: [u8; SECRET_BYTES]) -> Self {
        Self { secret }
    }

    /// A fresh challenge for this subject.
    pub(crate) fn seal(&self, subject: Subject<'_>, now: Moment) -> String {
        let issued = now.milliseconds().to_be_bytes();
        let nonce = SystemEntropy::bytes::<NONCE_BYTES>();
        let mac = self.mac(subject, issued, nonce).finalize().into_bytes();
        let token = [issued.as_slice(), nonce.as_slice(), mac.as_slice()].concat();
        format!("{PREFIX}{}", data_encoding::BASE64URL_NOPAD.encode(&token))
    }

    /// Whether a challenge was issued for this subject within the last ten minutes. Takes the same time wherever it
    /// differs.
    pub(crate) fn open(&self, subject: Subject<'_>, challenge: &str, now: Moment) -> bool {
        self.read(subject, challenge, now).is_some()
    }

    fn read(&self, subject: Subject<'_>, challenge: &str, now: Moment) -> Option<()> {
        let token = challenge.strip_prefix(PREFIX)?;
        let token = data_encoding::BASE64URL_NOPAD.decode(token.as_bytes()).ok()?;
        let (issued, rest) = token.split_first_chunk::<ISSUED_BYTES>()?;
        let (nonce, seal) = rest.split_first_chunk::<NONCE_BYTES>()?;
        self.mac(subject, *issued, *nonce).verify_slice(seal).ok()?;
        let issued = Moment::from_milliseconds(i64::from_be_bytes(*issued));
        (now < issued.plus(LIFE)).then_some(())
    }

    fn mac(
        &self,
        subject: Subject<'_>,
        issued: [u8; ISSUED_BYTES],
        nonce: [u8; NONCE_BYTES],
    ) -> Hmac<Sha256> {
        let mut mac = Hmac::<Sha256>::new(&self.secret.into());
        mac.update(&issued);
        mac.update(&nonce);
        for part in [subject.session.as_str(), subject.author.as_str()] {
            mac.update(&(part.len() as u64).to_be_bytes());
            mac.update(part.as_bytes());
        }
        mac.update(&hash(subject.content));
        mac
    }
}

/// Different content has different hashes: every part is preceded by its length, every block by its kind.
fn hash(content: &[Block]) -> [u8; 32] {
    let mut hash = Sha256::new();
    let mut part = |part: &str| {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part.as_bytes());
    };
    for block in content {
        let source = match block {
            Block::Text { text } => {
                part("text");
                part(text);
                continue;
            }
            Block::Image { source } => {
                part("image");
                source
            }
            Block::Document { source, title } => {
                part(if title.is_some() {
                    "document with title"
                } else {
                    "document"
                });
                title.iter().for_each(|title| part(title));
                source
            }
        };
        let parts = match source {
            Source::Base64 { media_type, data } => ["base64", media_type, data],
            Source::Url { url } => ["url", url, ""],
            Source::File { file_id } => ["file", file_id, ""],
            Source::Text { media_type, data } => ["text", media_type, data],
        };
        parts.into_iter().for_each(&mut part);
    }
    hash.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_788_000_000_000;

    fn at(milliseconds: i64) -> Moment {
        Moment::from_milliseconds(milliseconds)
    }

    fn text(text: &str) -> Block {
        Block::Text {
            text: text.to_owned(),
        }
    }

    fn document(title: Option<&str>) -> Block {
        Block::Document {
            source: Source::File {
                file_id: "file_1".to_owned(),
            },
            title: title.map(str::to_owned),
        }
    }

    /// A-PIN: a challenge binds Session, author and the whole content.
    #[test]
    fn a_challenge_opens_only_for_the_session_the_author_and_the_content_it_was_made_for() {
        let challenges = Challenges::new([7; SECRET_BYTES]);
        let (session, author) = (SessionId::from_number(1), PrincipalId::from_number(1));
        let content = [text("p\u{430}ypal"), document(Some("terms"))];
        let subject = Subject {
            session: &session,
            author: &author,
            content: &content,
        };
        let challenge = challenges.seal(subject, at(NOW));
        assert!(challenges.open(subject, &challenge, at(NOW)));
        let (other_session, other_author) = (SessionId::from_number(2), PrincipalId::from_number(2));
        let elsewhere = Subject {
            session: &other_session,
            ..subject
        };
        assert!(!challenges.open(elsewhere, &challenge, at(NOW)));
        let by_another = Subject {
            author: &other_author,
            ..subject
        };
        assert!(!challenges.open(by_another, &challenge, at(NOW)));
        for other in [
            vec![text("paypal"), document(Some("terms"))],
            vec![text("p\u{430}ypal ")],
            vec![text("p\u{430}ypal")],
            vec![document(Some("terms")), text("p\u{430}ypal")],
            vec![text("p\u{430}y"), text("pal"), document(Some("terms"))],
            vec![text("p\u{430}ypal"), document(None)],
            vec![text("p\u{430}ypal"), document(Some("price"))],
            vec![],
        ] {
            let about_other = Subject {
                content: &other,
                ..subject
            };
            assert!(!challenges.open(about_other, &challenge, at(NOW)), "{other:?}");
        }
        assert!(!Challenges::new([8; SECRET_BYTES]).open(subject, &challenge, at(NOW)));
    }

    /// A-PIN: a challenge lives ten minutes, and not a character of it can be changed, its age least of all.
    #[test]
    fn a_challenge_opens_only_unchanged_and_for_ten_minutes() {
        let challenges = Challenges::new([7; SECRET_BYTES]);
        let (session, author) = (SessionId::from_number(1), PrincipalId::from_number(1));
        let content = [text("\u{202e}")];
        let subject = Subject {
            session: &session,
            author: &author,
            content: &content,
        };
        let challenge = challenges.seal(subject, at(NOW));
        assert!(challenges.open(subject, &challenge, at(NOW + 599_999)));
        assert!(!challenges.open(subject, &challenge, at(NOW + 600_000)));
        assert_ne!(challenge, challenges.seal(subject, at(NOW)));
        for index in 0..challenge.len() {
            let mut forged = challenge.clone().into_bytes();
            forged[index] = if forged[index] == b'A' { b'B' } else { b'A' };
            let forged = String::from_utf8(forged).unwrap();
            assert!(!challenges.open(subject, &forged, at(NOW)), "{index}");
        }
        for index in 0..challenge.len() {
            assert!(!challenges.open(subject, &challenge[..index], at(NOW)), "{index}");
        }
        assert!(!challenges.open(subject, &format!("{challenge}AAAA"), at(NOW)));
        assert!(!challenges.open(subject, "pic_é", at(NOW)));
    }

    /// The secret is not printed.
    #[test]
    fn the_secret_stays_out_of_debug() {
        assert_eq!(
            format!("{:?}", Challenges::new([7; SECRET_BYTES])),
            "Challenges { .. }"
        );
    }
}
