//! A Python module as a small typed tree of our own, in an arena.
//!
//! Everything later reads this tree and never the parser's. Each node knows its byte range in the
//! module. Broken code lowers to what is there: what cannot be read becomes [`ExprKind::Unreadable`]
//! or is left out, and never hides the rest of the file. Parentheses leave no node.
//!
//! What a document needs of other files of its workspace lies in the same arena, behind its own nodes: see [`linked`].

mod definitions;
mod expressions;
pub mod linked;
mod statements;

use linked::Linked;
use rustc_hash::FxHashMap;
use vramlens_grammars::Span;

pub use definitions::{Class, Function, FunctionBody, Parameter, ParameterKind};
pub use expressions::{
    Argument, ArgumentKind, BinaryOp, Clause, CompareOp, ComprehensionKind, Constant, Expr, ExprKind, UnaryOp,
};
pub use statements::{Case, Handler, ImportFrom, ImportedModule, SetVariable, Stmt, StmtKind};

/// An interned identifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Symbol(pub u32);

/// An expression in its [`Module`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ExprId(pub u32);

/// A statement in its [`Module`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StmtId(pub u32);

/// A function, method or lambda in its [`Module`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FunctionId(pub u32);

/// A class in its [`Module`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClassId(pub u32);

/// A whole module.
#[derive(Clone, Debug, Default)]
pub struct Module {
    /// The top-level statements, in order.
    pub body: Vec<StmtId>,
    /// Comments, in order, without their `#` and the white space around them.
    pub comments: Vec<Comment>,
    /// String literals that span more than one line: their inner lines must never be re-indented.
    pub multiline_strings: Vec<Span>,
    /// Whether something was nested deeper than the cap and left out.
    pub too_deep: bool,
    /// What is here of other files; nothing where nothing was linked.
    pub linked: Option<Box<Linked>>,
    exprs: Vec<Expr>,
    stmts: Vec<Stmt>,
    functions: Vec<Function>,
    classes: Vec<Class>,
    names: Vec<String>,
    symbols: FxHashMap<String, Symbol>,
}

/// A comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    /// From the `#` to the end of the line.
    pub span: Span,
    /// Whether nothing but white space stands before it on its line.
    pub own_line: bool,
}

impl Module {
    /// The expression `id` names.
    #[allow(clippy::indexing_slicing, reason = "ids are only made by the arena that owns the node")]
    pub fn expr(&self, id: ExprId) -> &Expr {
        &self.exprs[id.0 as usize]
    }

    /// The statement `id` names.
    #[allow(clippy::indexing_slicing, reason = "ids are only made by the arena that owns the node")]
    pub fn stmt(&self, id: StmtId) -> &Stmt {
        &self.stmts[id.0 as usize]
    }

    /// The function `id` names.
    #[allow(clippy::indexing_slicing, reason = "ids are only made by the arena that owns the node")]
    pub fn function(&self, id: FunctionId) -> &Function {
        &self.functions[id.0 as usize]
    }

    /// The class `id` names.
    #[allow(clippy::indexing_slicing, reason = "ids are only made by the arena that owns the node")]
    pub fn class(&self, id: ClassId) -> &Class {
        &self.classes[id.0 as usize]
    }

    /// The identifier `symbol` stands for.
    #[allow(clippy::indexing_slicing, reason = "symbols are only made by the interner that owns the name")]
    pub fn name(&self, symbol: Symbol) -> &str {
        &self.names[symbol.0 as usize]
    }

    /// The symbol of `name`, if the module or what is linked to it mentions it.
    pub fn symbol(&self, name: &str) -> Option<Symbol> {
        self.symbols.get(name).copied()
    }

    /// Whether the module's own text mentions `name`.
    pub fn mentions(&self, name: &str) -> bool {
        let own = self.own(self.names.len(), |own| own.names);
        self.symbol(name).is_some_and(|symbol| (symbol.0 as usize) < own)
    }

    /// All expressions of the module's own text, with their ids.
    pub fn exprs(&self) -> impl Iterator<Item = (ExprId, &Expr)> {
        (0..).map(ExprId).zip(self.exprs.iter().take(self.own(self.exprs.len(), |own| own.exprs)))
    }

    /// All statements of the module's own text, with their ids.
    pub fn stmts(&self) -> impl Iterator<Item = (StmtId, &Stmt)> {
        (0..).map(StmtId).zip(self.stmts.iter().take(self.own(self.stmts.len(), |own| own.stmts)))
    }

    /// All functions of the module's own text, with their ids, in the order of their text.
    pub fn functions(&self) -> impl Iterator<Item = (FunctionId, &Function)> {
        (0..)
            .map(FunctionId)
            .zip(self.functions.iter().take(self.own(self.functions.len(), |own| own.functions)))
    }

    /// All classes of the module's own text, with their ids, in the order of their text.
    pub fn classes(&self) -> impl Iterator<Item = (ClassId, &Class)> {
        (0..).map(ClassId).zip(self.classes.iter().take(self.own(self.classes.len(), |own| own.classes)))
    }

    /// An empty module with room for that many nodes.
    pub(super) fn with_capacity(exprs: usize, stmts: usize) -> Self {
        Self { exprs: Vec::with_capacity(exprs), stmts: Vec::with_capacity(stmts), ..Self::default() }
    }

    /// The function `id` names, to fill in what is lowered after its place is taken.
    pub(super) fn function_mut(&mut self, id: FunctionId) -> Option<&mut Function> {
        self.functions.get_mut(id.0 as usize)
    }

    /// The class `id` names, to fill in what is lowered after its place is taken.
    pub(super) fn class_mut(&mut self, id: ClassId) -> Option<&mut Class> {
        self.classes.get_mut(id.0 as usize)
    }

    /// Interns an identifier.
    pub fn intern(&mut self, name: &str) -> Symbol {
        if let Some(symbol) = self.symbols.get(name) {
            return *symbol;
        }
        let symbol = Symbol(index(self.names.len()));
        self.names.push(name.to_owned());
        self.symbols.insert(name.to_owned(), symbol);
        symbol
    }

    /// Adds an expression.
    pub fn add_expr(&mut self, span: Span, kind: ExprKind) -> ExprId {
        self.exprs.push(Expr { span, kind });
        ExprId(index(self.exprs.len() - 1))
    }

    /// Adds a statement.
    pub fn add_stmt(&mut self, span: Span, kind: StmtKind) -> StmtId {
        self.stmts.push(Stmt { span, kind });
        StmtId(index(self.stmts.len() - 1))
    }

    /// Adds a function.
    pub fn add_function(&mut self, function: Function) -> FunctionId {
        self.functions.push(function);
        FunctionId(index(self.functions.len() - 1))
    }

    /// Adds a class.
    pub fn add_class(&mut self, class: Class) -> ClassId {
        self.classes.push(class);
        ClassId(index(self.classes.len() - 1))
    }
}

/// A module of at most 2 MiB has fewer than `u32::MAX` nodes.
fn index(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}
