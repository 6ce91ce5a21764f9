use std::collections::HashSet;

use futures::stream;
use serde::de::DeserializeOwned;

use super::pages::Pages;
use crate::client::{Answer, Client, Request};
use crate::error::{Error, ProtocolError, ProtocolErrorKind};
use crate::model::Page;

/// The most pages in a row that hold nothing, and the most tokens that are remembered.
const EMPTY_PAGES: usize = 10_000;

/// The most bytes of a page token: it has to stand in a URL.
const TOKEN_BYTES: usize = 4 * 1024;

/// What bounds one walk: no token comes twice, is too long, or leads on for ever from pages that are empty (`A-LIST`).
#[derive(Debug, Default)]
pub(crate) struct Bounds {
    tokens: HashSet<String>,
    empty: usize,
}

impl Bounds {
    /// Takes the token of a page on which there were `items`. At 10,000 the tokens are forgotten, so that a walk of
    /// any length takes bounded memory; a circle of fewer is still found.
    pub(crate) fn next_page(&mut self, items: usize, token: &str, answer: &Answer) -> Result<(), Error> {
        self.empty = if items == 0 { self.empty + 1 } else { 0 };
        if self.tokens.len() >= EMPTY_PAGES {
            self.tokens.clear();
        }
        let kind = if token.len() > TOKEN_BYTES {
            ProtocolErrorKind::PageTokenTooLong { limit: TOKEN_BYTES }
        } else if !self.tokens.insert(token.to_owned()) {
            ProtocolErrorKind::RepeatedPage {
                token: answer.redact(token),
            }
        } else if self.empty >= EMPTY_PAGES {
            ProtocolErrorKind::OnlyEmptyPages { count: self.empty }
        } else {
            return Ok(());
        };
        Err(ProtocolError::new(kind, answer.request_id().cloned()).into())
    }
}

/// Walks a list by its page tokens. An empty page with a token is followed (`A-LIST`, `LST-2`).
pub(crate) fn by_token<T>(client: Client, list: Request, token: Option<String>) -> Pages<T>
where
    T: DeserializeOwned + Send + 'static,
{
    struct Walk {
        client: Client,
        list: Request,
        /// The page to ask for; `None` after the last one.
        next: Option<Option<String>>,
        bounds: Bounds,
    }
    let walk = Walk {
        client,
        list,
        next: Some(token),
        bounds: Bounds::default(),
    };
    Pages::new(stream::try_unfold(walk, |mut walk| async move {
        let Some(token) = walk.next.take() else {
            return Ok(None);
        };
        let mut request = walk.list.clone();
        request.query.extend(token.map(|token| ("page", token)));
        let answer = walk.client.call(request, None).await?;
        let page: Page<T> = answer.decode("the page")?;
        if let Some(token) = &page.next_page {
            walk.bounds.next_page(page.data.len(), token, &answer)?;
            walk.next = Some(Some(token.clone()));
        }
        Ok(Some((page, walk)))
    }))
}
