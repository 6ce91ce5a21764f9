use std::collections::BTreeSet;
use std::path::Path;

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::ToTokens;
use syn::Item;

use crate::support::public_api::PublicApi;

/// The functions that the tests beside this one drop, as `Cuts::of` names them.
fn dropped() -> BTreeSet<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/api/cancellation");
    let mut all = BTreeSet::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        for item in syn::parse_file(&text).unwrap().items {
            let Item::Fn(function) = item else { continue };
            let body = function.block.to_token_stream();
            let (mut named, mut called) = (BTreeSet::new(), BTreeSet::new());
            walk(body, &mut named, &mut called);
            for name in named {
                let method = name.rsplit("::").next().unwrap();
                assert!(
                    called.contains(method),
                    "{} names {name} and does not call it",
                    function.sig.ident
                );
                all.insert(name);
            }
        }
    }
    all
}

/// The names that `Cuts::of` gets, and all that is called.
fn walk(tokens: TokenStream, named: &mut BTreeSet<String>, called: &mut BTreeSet<String>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    for (place, token) in tokens.iter().enumerate() {
        let TokenTree::Group(group) = token else { continue };
        let before = |back: usize| match place.checked_sub(back).map(|place| &tokens[place]) {
            Some(TokenTree::Ident(ident)) => ident.to_string(),
            _ => String::new(),
        };
        if group.delimiter() == Delimiter::Parenthesis {
            called.insert(before(1));
            if (&*before(4), &*before(1)) == ("Cuts", "of") {
                named.extend(literals(group.stream()));
            }
        }
        walk(group.stream(), named, called);
    }
}

fn literals(tokens: TokenStream) -> Vec<String> {
    let mut all = Vec::new();
    for token in tokens {
        match token {
            TokenTree::Group(group) => all.extend(literals(group.stream())),
            TokenTree::Literal(literal) => all.push(literal.to_string().trim_matches('"').to_owned()),
            _ => {}
        }
    }
    all
}

/// Every public function that gives a future, and every stream, is dropped wherever it waits by a test beside
/// this one, and those tests name no other.
#[test]
fn every_public_future_is_dropped_somewhere() {
    let api = PublicApi::of_this_crate();
    let functions = api.functions.iter().filter(|function| function.is_future);
    let streams = api.streams.iter().map(|stream| format!("{}::next", stream.name));
    let public: BTreeSet<String> = functions
        .map(|function| function.name.clone())
        .chain(streams)
        .collect();
    let dropped = dropped();
    let missing: Vec<_> = public.difference(&dropped).collect();
    assert!(missing.is_empty(), "no test drops {missing:?}");
    let unknown: Vec<_> = dropped.difference(&public).collect();
    assert!(unknown.is_empty(), "{unknown:?} are no public futures");
}
