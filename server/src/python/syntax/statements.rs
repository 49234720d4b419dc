//! What a statement can be.

use vramlens_grammars::Span;

use crate::python::syntax::{BinaryOp, ClassId, ExprId, FunctionId, StmtId, Symbol};

/// A statement and where it stands.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// From its first byte to the end of its last line's code. A decorated definition starts at its
    /// first decorator.
    pub span: Span,
    /// What it is.
    pub kind: StmtKind,
}

/// An environment variable that is set.
#[derive(Clone, Debug)]
pub struct SetVariable {
    /// Its name.
    pub name: String,
    /// Where the name is written.
    pub name_span: Span,
    /// Its value; `None` when something is put in for a part of it.
    pub value: Option<String>,
    /// Where the value is written.
    pub value_span: Span,
}

/// What a statement is.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// An expression on its own.
    Expr(ExprId),
    /// `a = b = value`.
    Assign {
        /// The targets, first to last.
        targets: Vec<ExprId>,
        /// The value.
        value: ExprId,
    },
    /// `target op= value`.
    AugmentedAssign {
        /// What is read and written.
        target: ExprId,
        /// The operator.
        op: BinaryOp,
        /// The right-hand side.
        value: ExprId,
    },
    /// `target: annotation = value`.
    AnnotatedAssign {
        /// The target.
        target: ExprId,
        /// Its type.
        annotation: ExprId,
        /// The value, if one is given.
        value: Option<ExprId>,
    },
    /// `return value`.
    Return(Option<ExprId>),
    /// `raise value from cause`.
    Raise(Vec<ExprId>),
    /// `del targets`.
    Delete(Vec<ExprId>),
    /// `pass`, a `type` statement, or another statement without effect here.
    Pass,
    /// `break`.
    Break,
    /// `continue`.
    Continue,
    /// A command of a notebook that sets a variable of its process: `%env NAME=value`. The module's text is blank there.
    SetVariable(SetVariable),
    /// `global names`.
    Global(Vec<Symbol>),
    /// `nonlocal names`.
    Nonlocal(Vec<Symbol>),
    /// `import a.b as c, d`.
    Import(Vec<ImportedModule>),
    /// `from module import names`.
    ImportFrom(ImportFrom),
    /// `assert test, message`.
    Assert {
        /// The condition.
        test: ExprId,
        /// The message.
        message: Option<ExprId>,
    },
    /// `if`, with `elif` as an `if` inside `orelse`.
    If {
        /// The condition.
        test: ExprId,
        /// When it holds.
        body: Vec<StmtId>,
        /// When it does not.
        orelse: Vec<StmtId>,
    },
    /// `while`.
    While {
        /// The condition.
        test: ExprId,
        /// The body.
        body: Vec<StmtId>,
        /// The `else` block.
        orelse: Vec<StmtId>,
    },
    /// `for`.
    For {
        /// What each item is bound to.
        target: ExprId,
        /// What is iterated.
        iterable: ExprId,
        /// The body.
        body: Vec<StmtId>,
        /// The `else` block.
        orelse: Vec<StmtId>,
        /// `async for`.
        is_async: bool,
    },
    /// `with`.
    With {
        /// The context managers and what they are bound to.
        items: Vec<(ExprId, Option<ExprId>)>,
        /// The body.
        body: Vec<StmtId>,
        /// `async with`.
        is_async: bool,
    },
    /// `try`.
    Try {
        /// The guarded block.
        body: Vec<StmtId>,
        /// The `except` clauses.
        handlers: Vec<Handler>,
        /// The `else` block.
        orelse: Vec<StmtId>,
        /// The `finally` block.
        finally: Vec<StmtId>,
    },
    /// `match`.
    Match {
        /// What is matched.
        subject: ExprId,
        /// The cases.
        cases: Vec<Case>,
    },
    /// `def`.
    Function(FunctionId),
    /// `class`.
    Class(ClassId),
}

/// One module of an `import` statement.
#[derive(Clone, Debug)]
pub struct ImportedModule {
    /// The dotted path as written.
    pub path: String,
    /// The name after `as`.
    pub alias: Option<Symbol>,
    /// Its bytes.
    pub span: Span,
}

/// A `from … import …` statement.
#[derive(Clone, Debug)]
pub struct ImportFrom {
    /// The dotted path without leading dots; empty in `from . import x`.
    pub module: String,
    /// The number of leading dots.
    pub level: u32,
    /// The names and their aliases; empty when everything is imported.
    pub names: Vec<(Symbol, Option<Symbol>)>,
    /// `from module import *`.
    pub star: bool,
}

impl ImportFrom {
    /// The module as it is spelled, with its leading dots: `.`, `..utils.meters`, `torch.nn`.
    pub fn spelled(&self) -> String {
        format!("{}{}", ".".repeat(self.level as usize), self.module)
    }
}

/// An `except` clause.
#[derive(Clone, Debug)]
pub struct Handler {
    /// The exception types.
    pub kind: Option<ExprId>,
    /// The name bound.
    pub name: Option<Symbol>,
    /// The block.
    pub body: Vec<StmtId>,
}

/// A `case` of a `match` statement.
#[derive(Clone, Debug)]
pub struct Case {
    /// The names the pattern binds.
    pub names: Vec<Symbol>,
    /// The guard.
    pub guard: Option<ExprId>,
    /// The block.
    pub body: Vec<StmtId>,
}
