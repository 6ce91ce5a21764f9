use std::collections::BTreeMap;

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Attribute, Expr, ItemUse, Lit, Meta, UseTree};

/// Every identifier, however deep it stands.
pub(super) fn idents(tokens: TokenStream) -> Vec<String> {
    flat(tokens)
        .iter()
        .filter_map(|token| match token {
            TokenTree::Ident(ident) => Some(ident.to_string()),
            _ => None,
        })
        .collect()
}

/// The tokens in their order, without the groups around them.
fn flat(tokens: TokenStream) -> Vec<TokenTree> {
    let mut all = Vec::new();
    for token in tokens {
        match token {
            TokenTree::Group(group) => all.extend(flat(group.stream())),
            token => all.push(token),
        }
    }
    all
}

/// Every path in types and bounds; a name before a single colon is that of a field or an argument.
pub(super) fn paths(tokens: TokenStream) -> Vec<Vec<String>> {
    let tokens = flat(tokens);
    let punctuation = |place: usize, character: char| matches!(tokens.get(place), Some(TokenTree::Punct(found)) if found.as_char() == character);
    let colons = |place: usize| punctuation(place, ':') && punctuation(place + 1, ':');
    let mut found = Vec::new();
    let mut place = 0;
    while let Some(token) = tokens.get(place) {
        let TokenTree::Ident(first) = token else {
            place += 1;
            continue;
        };
        let is_lifetime = place > 0 && punctuation(place - 1, '\'');
        let is_associated = place > 1 && colons(place - 2);
        let mut path = vec![first.to_string()];
        place += 1;
        while colons(place)
            && let Some(TokenTree::Ident(next)) = tokens.get(place + 2)
        {
            path.push(next.to_string());
            place += 3;
        }
        let is_name = path.len() == 1 && punctuation(place, ':') && !colons(place);
        if !is_lifetime && !is_associated && !is_name {
            found.push(path);
        }
    }
    found
}

/// What the names of a file stand for.
#[derive(Debug, Default, Clone)]
pub(super) struct Imports(BTreeMap<String, Vec<String>>);

impl Imports {
    pub(super) fn add(&mut self, item: &ItemUse) {
        self.tree(&item.tree, &[]);
    }

    fn tree(&mut self, tree: &UseTree, before: &[String]) {
        let with = |name: &dyn ToString| [before, &[name.to_string()]].concat();
        match tree {
            UseTree::Path(path) => self.tree(&path.tree, &with(&path.ident)),
            UseTree::Name(name) if name.ident == "self" => {
                let name = before.last().cloned().unwrap_or_default();
                self.0.insert(name, before.to_vec());
            }
            UseTree::Name(name) => drop(self.0.insert(name.ident.to_string(), with(&name.ident))),
            UseTree::Rename(name) => drop(self.0.insert(name.rename.to_string(), with(&name.ident))),
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.tree(tree, before)),
            UseTree::Glob(_) => drop(self.0.insert(format!("* of {before:?}"), with(&"*"))),
        }
    }

    /// The path with its first name replaced by what that was imported as.
    pub(super) fn resolve(&self, path: &[String]) -> Vec<String> {
        match self.0.get(&path[0]) {
            Some(import) => [import, &path[1..]].concat(),
            None => path.to_vec(),
        }
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &Vec<String>> {
        self.0.values()
    }
}

/// The documentation of an item.
pub(super) fn doc(attributes: &[Attribute]) -> String {
    let lines = attributes.iter().filter_map(|attribute| match &attribute.meta {
        Meta::NameValue(pair) if pair.path.is_ident("doc") => match &pair.value {
            Expr::Lit(literal) => match &literal.lit {
                Lit::Str(text) => Some(text.value()),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    });
    lines.map(|line| format!("{}\n", line.trim())).collect()
}

/// What an item needs to be compiled, as text.
pub(super) fn gate_of(attributes: &[Attribute]) -> String {
    let gates = attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident("cfg"));
    gates.map(|gate| gate.to_token_stream().to_string()).collect()
}
