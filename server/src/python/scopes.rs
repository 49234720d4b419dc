//! Which names belong to which function, and what stands inside what.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::python::syntax::linked::UnitId;
use crate::python::syntax::{
    ClassId, ExprId, ExprKind, FunctionBody, FunctionId, Module, StmtId, StmtKind, Symbol,
};
use crate::python::visit;

/// Where a name can live.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// The module.
    #[default]
    Module,
    /// The top level of another file.
    Unit(UnitId),
    /// A function's own names.
    Function(FunctionId),
    /// A class body's own names, which its methods do not see.
    Class(ClassId),
}

/// What a scope holds and where it stands.
#[derive(Clone, Debug, Default)]
struct Contents {
    parent: Option<Scope>,
    names: FxHashSet<Symbol>,
    elsewhere: FxHashMap<Symbol, Elsewhere>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Elsewhere {
    Global,
    Nonlocal,
}

/// The scopes of a module.
#[derive(Clone, Debug, Default)]
pub struct Scopes {
    scopes: FxHashMap<Scope, Contents>,
    methods: FxHashMap<ClassId, Vec<(Symbol, FunctionId)>>,
    statements: FxHashMap<ExprId, StmtId>,
    definitions: FxHashMap<FunctionId, StmtId>,
}

impl Scopes {
    /// The scopes of a module, and every expression with the scope it is evaluated in, so that other
    /// passes need no walk of their own.
    pub fn read(module: &Module) -> (Self, Vec<(Scope, ExprId)>) {
        let mut scopes = Scopes::default();
        let mut seen = Vec::new();
        let mut pending = vec![(Scope::Module, None, module.body.clone())];
        scopes.scopes.insert(Scope::Module, Contents::default());
        for (id, unit) in (0..).map(UnitId).zip(module.linked.iter().flat_map(|linked| &linked.units)) {
            pending.push((Scope::Unit(id), None, unit.body.clone()));
            scopes.scopes.insert(Scope::Unit(id), Contents::default());
        }
        while let Some((scope, expression, body)) = pending.pop() {
            let mut walk =
                Walk { module, scopes: &mut scopes, scope, pending: &mut pending, exprs: Vec::new() };
            walk.exprs.extend(expression);
            walk.block(&body);
            seen.extend(walk.exprs.into_iter().map(|expr| (scope, expr)));
        }
        (scopes, seen)
    }

    /// Whether `scope` binds `name` itself.
    pub fn binds(&self, scope: Scope, name: Symbol) -> bool {
        self.scopes.get(&scope).is_some_and(|contents| contents.names.contains(&name))
    }

    /// The names that `scope` binds itself.
    pub fn names(&self, scope: Scope) -> Vec<Symbol> {
        let mut names: Vec<Symbol> = self
            .scopes
            .get(&scope)
            .map(|contents| contents.names.iter().copied().collect())
            .unwrap_or_default();
        names.sort_unstable();
        names
    }

    /// The scope that `name` is looked up in when it is used in `scope`.
    pub fn home(&self, scope: Scope, name: Symbol) -> Scope {
        let mut current = scope;
        let mut own = true;
        while let Some(contents) = self.scopes.get(&current) {
            let elsewhere = contents.elsewhere.get(&name);
            if elsewhere == Some(&Elsewhere::Global) {
                return self.root(current);
            }
            let visible = own || !matches!(current, Scope::Class(_));
            if visible && elsewhere.is_none() && contents.names.contains(&name) {
                return current;
            }
            let Some(parent) = contents.parent else { break };
            current = parent;
            own = false;
        }
        current
    }

    /// The top level of the file that `scope` stands in.
    pub fn root(&self, scope: Scope) -> Scope {
        let mut current = scope;
        while let Some(parent) = self.parent(current) {
            current = parent;
        }
        current
    }

    /// The scope that `scope` stands in.
    pub fn parent(&self, scope: Scope) -> Option<Scope> {
        self.scopes.get(&scope)?.parent
    }

    /// The class whose method `function` is.
    pub fn class_of(&self, function: FunctionId) -> Option<ClassId> {
        match self.parent(Scope::Function(function)) {
            Some(Scope::Class(class)) => Some(class),
            _ => None,
        }
    }

    /// The class whose `self` is in sight in `scope`: of a method or of a function inside one.
    pub fn class_in_sight(&self, scope: Scope) -> Option<ClassId> {
        let mut current = Some(scope);
        while let Some(scope) = current {
            if let Scope::Class(class) = scope {
                return Some(class);
            }
            current = self.parent(scope);
        }
        None
    }

    /// The methods of a class, in the order of their text.
    pub fn methods(&self, class: ClassId) -> &[(Symbol, FunctionId)] {
        self.methods.get(&class).map_or(&[], Vec::as_slice)
    }

    /// The statement that defines a function; none for a lambda.
    pub fn definition_of(&self, function: FunctionId) -> Option<StmtId> {
        self.definitions.get(&function).copied()
    }

    /// The statement an expression stands in.
    pub fn statement_of(&self, expr: ExprId) -> Option<StmtId> {
        self.statements.get(&expr).copied()
    }
}

type Pending = Vec<(Scope, Option<ExprId>, Vec<StmtId>)>;

struct Walk<'a> {
    module: &'a Module,
    scopes: &'a mut Scopes,
    scope: Scope,
    pending: &'a mut Pending,
    exprs: Vec<ExprId>,
}

impl Walk<'_> {
    fn block(&mut self, body: &[StmtId]) {
        let lambda_body = std::mem::take(&mut self.exprs);
        for expr in lambda_body {
            self.expr(expr, None);
        }
        let mut stack: Vec<StmtId> = body.iter().rev().copied().collect();
        while let Some(stmt) = stack.pop() {
            self.bind_statement(stmt);
            let parts = visit::parts(self.module, stmt);
            for expr in parts.exprs {
                self.expr(expr, Some(stmt));
            }
            stack.extend(parts.stmts.into_iter().rev());
        }
    }

    fn expr(&mut self, root: ExprId, stmt: Option<StmtId>) {
        let mut stack = vec![root];
        while let Some(expr) = stack.pop() {
            self.exprs.push(expr);
            if let Some(stmt) = stmt {
                self.scopes.statements.insert(expr, stmt);
            }
            match &self.module.expr(expr).kind {
                ExprKind::Lambda(function) => {
                    stack.extend(visit::function_header(self.module, *function));
                    self.enter_function(*function);
                }
                ExprKind::Walrus { target, .. } => self.bind_target(*target),
                ExprKind::Comprehension { clauses, .. } => {
                    clauses.iter().for_each(|clause| self.bind_target(clause.target));
                }
                _ => {}
            }
            let first = stack.len();
            visit::children(self.module, expr, &mut |child| stack.push(child));
            if let Some(children) = stack.get_mut(first..) {
                children.reverse();
            }
        }
    }

    fn bind_statement(&mut self, stmt: StmtId) {
        match &self.module.stmt(stmt).kind {
            StmtKind::Assign { targets, .. } => targets.iter().for_each(|target| self.bind_target(*target)),
            StmtKind::AugmentedAssign { target, .. }
            | StmtKind::AnnotatedAssign { target, .. }
            | StmtKind::For { target, .. } => self.bind_target(*target),
            StmtKind::Delete(targets) => targets.iter().for_each(|target| self.bind_target(*target)),
            StmtKind::With { items, .. } => {
                items.iter().filter_map(|(_, target)| *target).for_each(|target| self.bind_target(target));
            }
            StmtKind::Try { handlers, .. } => {
                handlers.iter().filter_map(|handler| handler.name).for_each(|name| self.bind(name));
            }
            StmtKind::Match { cases, .. } => {
                cases.iter().flat_map(|case| &case.names).for_each(|name| self.bind(*name));
            }
            StmtKind::Import(modules) => {
                for imported in modules {
                    let first = imported.path.split('.').next().unwrap_or_default();
                    if let Some(name) = imported.alias.or_else(|| self.module.symbol(first)) {
                        self.bind(name);
                    }
                }
            }
            StmtKind::ImportFrom(import) => {
                import.names.iter().for_each(|(name, alias)| self.bind(alias.unwrap_or(*name)));
            }
            StmtKind::Global(names) => names.iter().for_each(|name| self.send(*name, Elsewhere::Global)),
            StmtKind::Nonlocal(names) => names.iter().for_each(|name| self.send(*name, Elsewhere::Nonlocal)),
            StmtKind::Function(function) => {
                self.scopes.definitions.insert(*function, stmt);
                let name = self.module.function(*function).name;
                self.bind(name);
                if let Scope::Class(class) = self.scope {
                    self.scopes.methods.entry(class).or_default().push((name, *function));
                }
                self.enter_function(*function);
            }
            StmtKind::Class(class) => {
                self.bind(self.module.class(*class).name);
                let body = self.module.class(*class).body.clone();
                self.enter(Scope::Class(*class), Contents::default(), None, body);
            }
            _ => {}
        }
    }

    fn enter_function(&mut self, function: FunctionId) {
        let definition = self.module.function(function);
        let names = definition.parameters.iter().map(|parameter| parameter.name).collect();
        let (expression, body) = match &definition.body {
            FunctionBody::Block(body) => (None, body.clone()),
            FunctionBody::Expression(expr) => (Some(*expr), Vec::new()),
        };
        let contents = Contents { names, ..Contents::default() };
        self.enter(Scope::Function(function), contents, expression, body);
    }

    fn enter(&mut self, scope: Scope, contents: Contents, expression: Option<ExprId>, body: Vec<StmtId>) {
        self.scopes.scopes.insert(scope, Contents { parent: Some(self.scope), ..contents });
        self.pending.push((scope, expression, body));
    }

    fn bind_target(&mut self, target: ExprId) {
        match &self.module.expr(target).kind {
            ExprKind::Name(name) => self.bind(*name),
            ExprKind::Tuple(items) | ExprKind::List(items) => {
                items.iter().for_each(|item| self.bind_target(*item));
            }
            ExprKind::Starred(item) => self.bind_target(*item),
            _ => {}
        }
    }

    fn bind(&mut self, name: Symbol) {
        if let Some(contents) = self.scopes.scopes.get_mut(&self.scope) {
            contents.names.insert(name);
        }
    }

    fn send(&mut self, name: Symbol, elsewhere: Elsewhere) {
        if let Some(contents) = self.scopes.scopes.get_mut(&self.scope) {
            contents.elsewhere.insert(name, elsewhere);
        }
    }
}
