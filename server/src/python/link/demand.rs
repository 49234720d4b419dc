//! Which statements of which files a document needs.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::python::bindings;
use crate::python::link::mentions::{self, Mention, Mentioned};
use crate::python::link::submodule;
use crate::python::syntax::linked::{Importer, UnitId};
use crate::python::syntax::{ImportFrom, ImportedModule, Module, StmtId, StmtKind};
use crate::python::units::{Unit, Units};

/// Files that one document is linked to.
const MOST_UNITS: usize = 32;
/// Bytes of text copied into one document: that of a large project's models and helpers.
const MOST_BYTES: usize = 256 * 1024;

/// What a document needs.
pub(super) struct Plan<'a> {
    /// The files, in the order of their [`UnitId`].
    pub needs: Vec<Need<'a>>,
    /// Where imports lead.
    pub imports: FxHashMap<(Importer, String), UnitId>,
}

/// What is needed of one file.
pub(super) struct Need<'a> {
    /// The file.
    pub unit: &'a Unit,
    /// The statements of its top level.
    pub kept: BTreeSet<StmtId>,
    /// The packages that it imports in any case.
    pub packages: Vec<String>,
}

/// A file that something is needed of.
struct Open<'a> {
    unit: &'a Unit,
    kept: BTreeSet<StmtId>,
    /// Its place among the files of the workspace.
    file: usize,
    /// The statements of its top level that bind a name.
    top: FxHashMap<&'a str, Vec<StmtId>>,
}

/// A name of a file's top level that something needs, with the attributes read from it.
type Demand<'a> = (UnitId, Mention<'a>);

struct Planning<'a> {
    units: &'a Units,
    open: Vec<Open<'a>>,
    imports: FxHashMap<(Importer, String), UnitId>,
    by_file: FxHashMap<usize, UnitId>,
    pending: Vec<Demand<'a>>,
    seen: FxHashSet<Demand<'a>>,
    bytes: usize,
}

impl<'a> Plan<'a> {
    /// What `document` needs of `units`.
    pub(super) fn of(document: &Module, units: &'a Units) -> Self {
        let mut planning = Planning {
            units,
            open: Vec::new(),
            imports: FxHashMap::default(),
            by_file: FxHashMap::default(),
            pending: Vec::new(),
            seen: FxHashSet::default(),
            bytes: 0,
        };
        let mentioned = mentions::of_module(document);
        for import in &mentioned.imports {
            planning.import(None, document, *import, &mentioned.names);
        }
        while let Some((unit, path)) = planning.pending.pop() {
            planning.provide(unit, &path);
        }
        let needs = planning.open.into_iter().filter_map(|open| {
            let unit: &'a Unit = units.files.get(open.file)?;
            Some(Need { unit, kept: open.kept, packages: units.packages(open.file) })
        });
        Plan { needs: needs.collect(), imports: planning.imports }
    }
}

impl<'a> Planning<'a> {
    /// Follows an import to what its importer mentions of it.
    fn import(&mut self, importer: Importer, module: &'a Module, stmt: StmtId, mentioned: &[Mention<'a>]) {
        match &module.stmt(stmt).kind {
            StmtKind::Import(modules) => {
                for imported in modules {
                    self.import_module(importer, module, imported, mentioned);
                }
            }
            StmtKind::ImportFrom(import) => self.import_from(importer, module, import, mentioned),
            _ => {}
        }
    }

    fn import_module(
        &mut self,
        importer: Importer,
        module: &'a Module,
        imported: &'a ImportedModule,
        mentioned: &[Mention<'a>],
    ) {
        let Some(unit) = self.open(importer, &imported.path) else { return };
        let bound: Vec<&'a str> = match imported.alias {
            Some(alias) => vec![module.name(alias)],
            None => imported.path.split('.').collect(),
        };
        self.demand_parts(unit, &bound, mentioned);
    }

    fn import_from(
        &mut self,
        importer: Importer,
        module: &'a Module,
        import: &'a ImportFrom,
        mentioned: &[Mention<'a>],
    ) {
        let spelled = import.spelled();
        let unit = self.open(importer, &spelled);
        for (name, alias) in &import.names {
            let (name, bound) = (module.name(*name), module.name(alias.unwrap_or(*name)));
            if let Some(unit) = unit {
                self.demand(unit, vec![name]);
                let parts = mentioned.iter().filter(|path| path.first() == Some(&bound) && path.len() > 1);
                for path in parts {
                    let rest = path.iter().skip(1).copied();
                    self.demand(unit, [name].into_iter().chain(rest).collect());
                }
            }
            if let Some(part) = self.open(importer, &submodule(&spelled, name)) {
                self.demand_parts(part, &[bound], mentioned);
            }
        }
        if import.star
            && let Some(unit) = unit
        {
            mentioned.iter().for_each(|path| self.demand(unit, path.clone()));
        }
    }

    /// Demands what is read from a module that is bound to a name, or to a dotted path of names.
    fn demand_parts(&mut self, unit: UnitId, bound: &[&'a str], mentioned: &[Mention<'a>]) {
        for rest in mentioned.iter().filter_map(|path| path.strip_prefix(bound)) {
            if !rest.is_empty() {
                self.demand(unit, rest.to_vec());
            }
        }
    }

    fn demand(&mut self, unit: UnitId, path: Mention<'a>) {
        if self.seen.insert((unit, path.clone())) {
            self.pending.push((unit, path));
        }
    }

    /// The file that an import leads to; none when too many are open.
    fn open(&mut self, importer: Importer, spelled: &str) -> Option<UnitId> {
        let file = match importer {
            None => None,
            Some(unit) => Some(self.open.get(unit.0 as usize)?.file),
        };
        let target = *self.units.links.get(&(file, spelled.to_owned()))?;
        let unit = match self.by_file.get(&target) {
            Some(known) => *known,
            None => self.open_file(target)?,
        };
        self.imports.insert((importer, spelled.to_owned()), unit);
        Some(unit)
    }

    fn open_file(&mut self, file: usize) -> Option<UnitId> {
        if self.open.len() >= MOST_UNITS {
            return None;
        }
        let unit: &'a Unit = self.units.files.get(file)?;
        let id = UnitId(u32::try_from(self.open.len()).ok()?);
        let mut top: FxHashMap<&str, Vec<StmtId>> = FxHashMap::default();
        for stmt in unit.module.body.iter().filter(|stmt| can_be_kept(&unit.module, **stmt)) {
            for name in bindings::bound(&unit.module, *stmt) {
                top.entry(unit.module.name(name)).or_default().push(*stmt);
            }
        }
        self.open.push(Open { unit, kept: BTreeSet::new(), file, top });
        self.by_file.insert(file, id);
        Some(id)
    }

    /// Keeps what a file's top level says of a name.
    fn provide(&mut self, id: UnitId, path: &Mention<'a>) {
        let Some(need) = self.open.get(id.0 as usize) else { return };
        let unit = need.unit;
        let Some(name) = path.first() else { return };
        match need.top.get(name).cloned() {
            Some(stmts) => stmts.into_iter().for_each(|stmt| self.keep(id, stmt, path)),
            None => self.provide_by_star(id, &unit.module, path),
        }
    }

    fn keep(&mut self, id: UnitId, stmt: StmtId, path: &Mention<'a>) {
        let Some(need) = self.open.get_mut(id.0 as usize) else { return };
        let module = &need.unit.module;
        let is_new = !need.kept.contains(&stmt);
        if is_new {
            let span = module.stmt(stmt).span;
            self.bytes += span.as_range().len();
            if self.bytes > MOST_BYTES {
                return;
            }
            need.kept.insert(stmt);
        }
        let Mentioned { mut names, imports } = mentions::of_statement(module, stmt);
        if is_new {
            names.iter().for_each(|mention| self.demand(id, mention.clone()));
        }
        names.push(path.clone());
        for import in imports {
            self.import(Some(id), module, import, &names);
        }
    }

    /// A name that a file binds nowhere may come from an `import *`.
    fn provide_by_star(&mut self, id: UnitId, module: &'a Module, path: &Mention<'a>) {
        for stmt in &module.body {
            if let StmtKind::ImportFrom(import) = &module.stmt(*stmt).kind
                && import.star
                && let Some(target) = self.open(Some(id), &import.spelled())
            {
                if let Some(need) = self.open.get_mut(id.0 as usize) {
                    need.kept.insert(*stmt);
                }
                self.demand(target, path.clone());
            }
        }
    }
}

/// Whether a statement of a file's top level may run when another file imports it: definitions, imports and
/// assignments, plain or in a choice; never what only runs when the file is the program.
fn can_be_kept(module: &Module, stmt: StmtId) -> bool {
    match &module.stmt(stmt).kind {
        StmtKind::If { .. } => {
            let mentioned = mentions::of_test(module, stmt);
            !mentioned.iter().any(|path| path.first() == Some(&"__name__"))
        }
        StmtKind::Import(_)
        | StmtKind::ImportFrom(_)
        | StmtKind::Function(_)
        | StmtKind::Class(_)
        | StmtKind::Assign { .. }
        | StmtKind::AnnotatedAssign { .. }
        | StmtKind::AugmentedAssign { .. }
        | StmtKind::Try { .. } => true,
        _ => false,
    }
}
