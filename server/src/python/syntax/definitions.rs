//! Functions and classes.

use vramlens_grammars::Span;

use crate::python::syntax::{Argument, ExprId, StmtId, Symbol};

/// A function, method or lambda.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name; `<lambda>` for a lambda.
    pub name: Symbol,
    /// Where the name stands; the whole lambda for a lambda.
    pub name_span: Span,
    /// The whole definition without decorators: from `def` or `async` to its end.
    pub span: Span,
    /// The decorators' expressions, top to bottom.
    pub decorators: Vec<ExprId>,
    /// The parameters, in order.
    pub parameters: Vec<Parameter>,
    /// The body.
    pub body: FunctionBody,
    /// `async def`.
    pub is_async: bool,
    /// Whether a `yield` belongs to it.
    pub is_generator: bool,
}

/// What a function runs.
#[derive(Clone, Debug)]
pub enum FunctionBody {
    /// A block.
    Block(Vec<StmtId>),
    /// A lambda's expression.
    Expression(ExprId),
}

/// A parameter.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// Its name.
    pub name: Symbol,
    /// How it takes its argument.
    pub kind: ParameterKind,
    /// Its default.
    pub default: Option<ExprId>,
    /// Its annotation.
    pub annotation: Option<ExprId>,
}

/// How a parameter takes its argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterKind {
    /// By place only (before `/`).
    PositionalOnly,
    /// By place or name.
    Either,
    /// `*args`.
    Variadic,
    /// By name only (after `*`).
    KeywordOnly,
    /// `**kwargs`.
    VariadicKeywords,
}

/// A class.
#[derive(Clone, Debug)]
pub struct Class {
    /// Its name.
    pub name: Symbol,
    /// The whole definition without decorators.
    pub span: Span,
    /// The bases and keywords in its parentheses.
    pub bases: Vec<Argument>,
    /// The decorators' expressions.
    pub decorators: Vec<ExprId>,
    /// The body.
    pub body: Vec<StmtId>,
}
