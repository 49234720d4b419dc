//! `import` and `from … import …`.

use super::Lowering;
use super::concrete::NodeId;
use super::kinds::{Field, Kind};
use crate::python::syntax::{ImportFrom, ImportedModule, StmtKind, Symbol};

impl<'a> Lowering<'a> {
    /// `import a.b as c, d`.
    pub(super) fn import(&mut self, node: NodeId) -> StmtKind {
        let tree = self.tree;
        let modules = tree
            .fields(node, Field::Name)
            .map(|name| {
                let (path, alias) = self.imported(name);
                ImportedModule { path: path.to_owned(), alias, span: self.span(name) }
            })
            .collect();
        StmtKind::Import(modules)
    }

    /// `from module import names`, also from `__future__`.
    pub(super) fn import_from(&mut self, node: NodeId) -> StmtKind {
        let tree = self.tree;
        let (module, level) = match tree.field(node, Field::ModuleName) {
            _ if tree.kind(node) == Kind::FutureImport => ("__future__", 0),
            Some(relative) if tree.kind(relative) == Kind::RelativeImport => {
                let prefix = tree.child(relative, Kind::ImportPrefix).map_or("", |prefix| self.text(prefix));
                let name = tree.child(relative, Kind::DottedName).map_or("", |name| self.text(name));
                (name, prefix.matches('.').count())
            }
            Some(module) => (self.text(module), 0),
            None => ("", 0),
        };
        let mut names = Vec::new();
        for name in tree.fields(node, Field::Name) {
            let (path, alias) = self.imported(name);
            names.push((self.module.intern(path), alias));
        }
        StmtKind::ImportFrom(ImportFrom {
            module: module.to_owned(),
            level: u32::try_from(level).unwrap_or(u32::MAX),
            names,
            star: tree.has(node, Kind::WildcardImport),
        })
    }

    fn imported(&mut self, node: NodeId) -> (&'a str, Option<Symbol>) {
        if self.tree.kind(node) != Kind::AliasedImport {
            return (self.text(node), None);
        }
        let path = self.tree.field(node, Field::Name).map_or("", |name| self.text(name));
        let alias = self.symbol_field(node, Field::Alias);
        (path, Some(alias))
    }
}
