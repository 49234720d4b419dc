//! What the program does with a thing, gathered before anything is evaluated.
//!
//! Usage teaches: whatever `net` is, code that calls `net.parameters()` treats it as a module.

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::python::scopes::{Scope, Scopes};
use crate::python::syntax::{ClassId, ExprId, ExprKind, Module, Symbol};

/// A thing as the text names it: a name, or an attribute reached from one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Path {
    root: Root,
    attributes: SmallVec<[Symbol; 3]>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Root {
    Name(Scope, Symbol),
    Own(ClassId),
}

/// How a thing is used.
#[derive(Clone, Debug, Default)]
pub struct Usage {
    /// Methods called on it, with the number of their arguments.
    pub methods: FxHashSet<(Symbol, usize)>,
    /// Attributes read from it, methods among them.
    pub attributes: FxHashSet<Symbol>,
    /// Whether it is called itself.
    pub called: bool,
}

/// The usage of every named thing in a module.
#[derive(Clone, Debug, Default)]
pub struct Usages(FxHashMap<Path, Usage>);

impl Usages {
    /// The scopes of a module and the usage of everything it names.
    pub fn read(module: &Module) -> (Scopes, Usages) {
        let mut usages = Usages::default();
        let (scopes, seen) = Scopes::read(module);
        for (scope, expr) in seen {
            usages.note(module, &scopes, scope, expr);
        }
        (scopes, usages)
    }

    /// How the thing at `path` is used.
    pub fn of(&self, path: &Path) -> Option<&Usage> {
        self.0.get(path)
    }

    fn note(&mut self, module: &Module, scopes: &Scopes, scope: Scope, expr: ExprId) {
        match &module.expr(expr).kind {
            ExprKind::Call { callee, arguments } => {
                if let Some(path) = path(module, scopes, scope, *callee) {
                    self.0.entry(path).or_default().called = true;
                }
                if let ExprKind::Attribute { object, name, .. } = &module.expr(*callee).kind
                    && let Some(path) = path(module, scopes, scope, *object)
                {
                    self.0.entry(path).or_default().methods.insert((*name, arguments.len()));
                }
            }
            ExprKind::Attribute { object, name, .. } => {
                if let Some(path) = path(module, scopes, scope, *object) {
                    self.0.entry(path).or_default().attributes.insert(*name);
                }
            }
            _ => {}
        }
    }
}

/// The path an expression spells, if it is a name or attributes reached from one.
///
/// `self.x` is the same path in every method of a class.
pub fn path(module: &Module, scopes: &Scopes, scope: Scope, expr: ExprId) -> Option<Path> {
    let mut attributes = SmallVec::new();
    let mut current = expr;
    loop {
        match &module.expr(current).kind {
            ExprKind::Attribute { object, name, .. } => {
                attributes.push(*name);
                current = *object;
            }
            ExprKind::Name(name) => {
                attributes.reverse();
                let home = scopes.home(scope, *name);
                let root = own_class(module, scopes, home, *name).map_or(Root::Name(home, *name), Root::Own);
                return Some(Path { root, attributes });
            }
            _ => return None,
        }
    }
}

/// The class whose instance `name` is, when it is the first parameter of a method.
fn own_class(module: &Module, scopes: &Scopes, home: Scope, name: Symbol) -> Option<ClassId> {
    let Scope::Function(function) = home else { return None };
    let class = scopes.class_of(function)?;
    (module.function(function).parameters.first()?.name == name).then_some(class)
}
