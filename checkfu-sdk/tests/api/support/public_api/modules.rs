use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use syn::{Item, Visibility};

use super::paths::{Imports, gate_of};

/// One module, as it is read.
pub(super) struct Module {
    pub(super) place: String,
    pub(super) gate: String,
    pub(super) imports: Imports,
    pub(super) private: BTreeSet<String>,
}

pub(super) fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

/// Reads a file and the files of its modules, without those that only tests are compiled with.
pub(super) fn gather(file: &Path, children: &Path, gate: String, files: &mut Vec<(Module, Vec<Item>)>) {
    let text = std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let items = syn::parse_file(&text).unwrap().items;
    let mut module = Module {
        place: file
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned(),
        gate: gate.clone(),
        imports: Imports::default(),
        private: BTreeSet::new(),
    };
    let mut inner: Vec<(PathBuf, PathBuf, String)> = Vec::new();
    for item in &items {
        match item {
            Item::Use(item) => module.imports.add(item),
            Item::Struct(item) if !is_public(&item.vis) => {
                module.private.insert(item.ident.to_string());
            }
            Item::Enum(item) if !is_public(&item.vis) => {
                module.private.insert(item.ident.to_string());
            }
            Item::Mod(child) => {
                let needs = gate_of(&child.attrs);
                assert!(
                    child.content.is_none() || needs.contains("test"),
                    "{} has a module within",
                    module.place
                );
                if child.content.is_none() {
                    let name = child.ident.to_string();
                    let file = children.join(format!("{name}.rs"));
                    inner.push((file, children.join(name), format!("{gate}{needs}")));
                }
            }
            _ => {}
        }
    }
    files.push((module, items));
    for (file, children, gate) in inner {
        gather(&file, &children, gate, files);
    }
}
