//! The public API as its sources say it: every `pub` item, for the lint `unreachable_pub` denies those out of reach.

mod modules;
mod paths;

use std::collections::BTreeMap;
use std::path::Path;

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Attribute, Fields, ImplItem, Item, ItemImpl, Signature, TraitItem, Type};

use modules::{Module, gather, is_public};
use paths::{Imports, doc, idents, paths};

#[derive(Debug, Default)]
pub(crate) struct PublicApi {
    /// Free functions, methods, and those of public traits.
    pub(crate) functions: Vec<Function>,
    /// The types that are streams, with their documentation.
    pub(crate) streams: Vec<Function>,
    /// Every path in a public signature, field, implementation or re-export.
    pub(crate) mentions: Vec<Mention>,
    /// Public functions that a macro writes, whose documentation is not seen.
    pub(crate) unseen: Vec<String>,
    aliases: BTreeMap<String, Alias>,
}

#[derive(Debug)]
pub(crate) struct Function {
    /// `name`, or `Type::name`.
    pub(crate) name: String,
    pub(crate) documentation: String,
    pub(crate) gives_result: bool,
    pub(crate) is_future: bool,
}

#[derive(Debug, Clone)]
pub(crate) struct Mention {
    pub(crate) place: String,
    /// With what the file imports, such as `["http", "StatusCode"]`.
    pub(crate) path: Vec<String>,
    pub(crate) gate: String,
}

#[derive(Debug)]
struct Alias {
    paths: Vec<Vec<String>>,
    is_future: bool,
}

impl PublicApi {
    pub(crate) fn of_this_crate() -> Self {
        let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let mut files = Vec::new();
        gather(&sources.join("lib.rs"), &sources, String::new(), &mut files);
        let mut api = Self::default();
        for (module, items) in &files {
            for item in items {
                if let Item::Type(alias) = item {
                    let tokens = alias.ty.to_token_stream();
                    let resolved = paths(tokens.clone())
                        .iter()
                        .map(|path| module.imports.resolve(path))
                        .collect();
                    let is_future = idents(tokens).iter().any(|name| name == "Future");
                    api.aliases.insert(
                        alias.ident.to_string(),
                        Alias {
                            paths: resolved,
                            is_future,
                        },
                    );
                }
            }
        }
        let mut documentation = BTreeMap::new();
        for (module, items) in &files {
            items
                .iter()
                .for_each(|item| api.item(module, item, &mut documentation));
        }
        for stream in &mut api.streams {
            stream.documentation = documentation.get(&stream.name).cloned().unwrap_or_default();
        }
        api
    }

    fn item(&mut self, module: &Module, item: &Item, documentation: &mut BTreeMap<String, String>) {
        match item {
            Item::Fn(function) if is_public(&function.vis) => {
                self.function(module, None, &function.sig, &function.attrs);
            }
            Item::Struct(item) if is_public(&item.vis) => {
                documentation.insert(item.ident.to_string(), doc(&item.attrs));
                self.mention(module, &item.ident, item.generics.to_token_stream());
                self.derives(module, &item.ident, &item.attrs);
                self.fields(module, &item.ident, &item.fields, false);
            }
            Item::Enum(item) if is_public(&item.vis) => {
                self.mention(module, &item.ident, item.generics.to_token_stream());
                self.derives(module, &item.ident, &item.attrs);
                for variant in &item.variants {
                    self.fields(module, &item.ident, &variant.fields, true);
                }
            }
            Item::Trait(item) if is_public(&item.vis) => {
                self.mention(module, &item.ident, item.supertraits.to_token_stream());
                self.mention(module, &item.ident, item.generics.to_token_stream());
                for member in &item.items {
                    match member {
                        TraitItem::Fn(function) => {
                            self.function(
                                module,
                                Some(&item.ident.to_string()),
                                &function.sig,
                                &function.attrs,
                            );
                        }
                        member => self.mention(module, &item.ident, member.to_token_stream()),
                    }
                }
            }
            Item::Type(item) if is_public(&item.vis) => {
                self.mention(module, &item.ident, item.ty.to_token_stream());
            }
            Item::Const(item) if is_public(&item.vis) => {
                self.mention(module, &item.ident, item.ty.to_token_stream());
            }
            Item::Use(item) if is_public(&item.vis) => {
                let mut imports = Imports::default();
                imports.add(item);
                for path in imports.all() {
                    self.push(module, &"pub use", path.clone());
                }
            }
            Item::Impl(item) => self.implementation(module, item),
            Item::Macro(item) => self.expansion(module, item.mac.tokens.clone()),
            _ => {}
        }
    }

    fn implementation(&mut self, module: &Module, item: &ItemImpl) {
        let Type::Path(own) = &*item.self_ty else { return };
        let Some(own) = own.path.segments.last().map(|segment| segment.ident.to_string()) else {
            return;
        };
        if module.private.contains(&own) {
            return;
        }
        if let Some((_, implemented, _)) = &item.trait_ {
            if implemented
                .segments
                .last()
                .is_some_and(|segment| segment.ident == "Stream")
            {
                self.streams.push(Function {
                    name: own.clone(),
                    documentation: String::new(),
                    gives_result: false,
                    is_future: true,
                });
            }
            self.mention(module, &own, implemented.to_token_stream());
            self.mention(module, &own, item.generics.to_token_stream());
        }
        for member in &item.items {
            match member {
                ImplItem::Fn(function) if is_public(&function.vis) => {
                    self.function(module, Some(&own), &function.sig, &function.attrs);
                }
                ImplItem::Fn(_) => {}
                ImplItem::Macro(member) => self.expansion(module, member.mac.tokens.clone()),
                ImplItem::Type(member) => self.mention(module, &own, member.ty.to_token_stream()),
                member => self.mention(module, &own, member.to_token_stream()),
            }
        }
    }

    fn function(
        &mut self,
        module: &Module,
        of: Option<&str>,
        signature: &Signature,
        attributes: &[Attribute],
    ) {
        let output = idents(signature.output.to_token_stream());
        let is_future = |name: &String| {
            let alias = self.aliases.get(name);
            ["Future", "BoxFuture"].contains(&&**name) || alias.is_some_and(|alias| alias.is_future)
        };
        let name = match of {
            Some(of) => format!("{of}::{}", signature.ident),
            None => signature.ident.to_string(),
        };
        let function = Function {
            documentation: doc(attributes),
            gives_result: output.iter().any(|name| name == "Result"),
            is_future: signature.asyncness.is_some() || output.iter().any(is_future),
            name,
        };
        self.mention(module, &function.name, signature.to_token_stream());
        self.functions.push(function);
    }

    fn fields(&mut self, module: &Module, of: &dyn ToString, fields: &Fields, all: bool) {
        for field in fields.iter().filter(|field| all || is_public(&field.vis)) {
            self.mention(module, of, field.ty.to_token_stream());
        }
    }

    fn derives(&mut self, module: &Module, of: &dyn ToString, attributes: &[Attribute]) {
        for derive in attributes
            .iter()
            .filter(|attribute| attribute.path().is_ident("derive"))
        {
            self.mention(module, of, derive.to_token_stream());
        }
    }

    /// A macro is looked at as text: what it mentions, and whether it writes public functions that need sections.
    fn expansion(&mut self, module: &Module, tokens: TokenStream) {
        self.mention(module, &"a macro", tokens.clone());
        let mut public = None;
        for token in tokens {
            match token {
                TokenTree::Ident(word) if word == "pub" => public = Some(String::new()),
                TokenTree::Group(group) => {
                    // `pub(crate)` is not public, and a body is no signature.
                    let is_empty = public.as_ref().is_none_or(String::is_empty);
                    if is_empty || group.delimiter() == Delimiter::Brace {
                        public = None;
                    }
                    self.expansion(module, group.stream());
                }
                TokenTree::Punct(mark) if mark.as_char() == ';' => public = None,
                token => {
                    let Some(text) = &mut public else { continue };
                    let word = token.to_string();
                    text.push_str(&word);
                    if text.contains("fn")
                        && ["async", "Result", "Future"]
                            .iter()
                            .any(|needs| text.contains(needs))
                    {
                        self.unseen.push(format!("{}: pub {text}", module.place));
                        public = None;
                    }
                }
            }
        }
    }

    fn mention(&mut self, module: &Module, of: &dyn ToString, tokens: TokenStream) {
        for path in paths(tokens) {
            let path = module.imports.resolve(&path);
            let alias = path.last().and_then(|name| self.aliases.get(name));
            let behind = alias.map(|alias| alias.paths.clone()).unwrap_or_default();
            self.push(module, of, path);
            for path in behind {
                self.push(module, of, path);
            }
        }
    }

    fn push(&mut self, module: &Module, of: &dyn ToString, path: Vec<String>) {
        self.mentions.push(Mention {
            place: format!("{} {}", module.place, of.to_string()),
            path,
            gate: module.gate.clone(),
        });
    }
}
