//! What an expression can be.

use vramlens_grammars::Span;

use crate::python::syntax::{ExprId, FunctionId, Symbol};

/// An expression and where it stands, without parentheses around it.
#[derive(Clone, Debug)]
pub struct Expr {
    /// Its bytes.
    pub span: Span,
    /// What it is.
    pub kind: ExprKind,
}

/// What an expression is.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A name.
    Name(Symbol),
    /// A literal.
    Constant(Constant),
    /// An f-string, or strings written side by side of which one is an f-string: its parts, where a
    /// literal part is a [`Constant::Text`].
    FormattedText(Vec<ExprId>),
    /// `object.name`.
    Attribute {
        /// What stands before the dot.
        object: ExprId,
        /// The attribute.
        name: Symbol,
        /// Where the attribute's name stands.
        name_span: Span,
    },
    /// `object[index]`; several indexes are a tuple.
    Subscript {
        /// What is indexed.
        object: ExprId,
        /// The index.
        index: ExprId,
    },
    /// `lower:upper:step` inside a subscript.
    Slice {
        /// Before the first colon.
        lower: Option<ExprId>,
        /// Before the second colon.
        upper: Option<ExprId>,
        /// After the second colon.
        step: Option<ExprId>,
    },
    /// `callee(arguments)`.
    Call {
        /// What is called.
        callee: ExprId,
        /// The arguments as written.
        arguments: Vec<Argument>,
    },
    /// `op operand`.
    Unary {
        /// The operator.
        op: UnaryOp,
        /// Its operand.
        operand: ExprId,
    },
    /// `left op right`.
    Binary {
        /// The operator.
        op: BinaryOp,
        /// Left operand.
        left: ExprId,
        /// Right operand.
        right: ExprId,
    },
    /// `a and b and c`, `a or b`.
    Logical {
        /// Whether it is `and`.
        and: bool,
        /// The operands.
        values: Vec<ExprId>,
    },
    /// `left op right op …`.
    Compare {
        /// The first operand.
        left: ExprId,
        /// Operators and operands after it.
        rest: Vec<(CompareOp, ExprId)>,
    },
    /// `body if test else orelse`.
    Conditional {
        /// The condition.
        test: ExprId,
        /// The value when it holds.
        body: ExprId,
        /// The value when it does not.
        orelse: ExprId,
    },
    /// `lambda …: …`.
    Lambda(FunctionId),
    /// `[…]`.
    List(Vec<ExprId>),
    /// `(…, …)` or `…, …`.
    Tuple(Vec<ExprId>),
    /// `{…}`.
    Set(Vec<ExprId>),
    /// `{key: value, **mapping}`; a missing key is an unpacking.
    Dict(Vec<(Option<ExprId>, ExprId)>),
    /// A comprehension or generator expression.
    Comprehension {
        /// What it makes.
        kind: ComprehensionKind,
        /// The element, or the key of a dict comprehension.
        element: ExprId,
        /// The value of a dict comprehension.
        value: Option<ExprId>,
        /// Its `for` clauses, outermost first.
        clauses: Vec<Clause>,
    },
    /// `await value`.
    Await(ExprId),
    /// `yield` or `yield value`.
    Yield(Option<ExprId>),
    /// `yield from value`.
    YieldFrom(ExprId),
    /// `*value` in a list, tuple, or assignment target.
    Starred(ExprId),
    /// `target := value`.
    Walrus {
        /// The name bound.
        target: ExprId,
        /// The value.
        value: ExprId,
    },
    /// Something that could not be read, with the expressions found inside it.
    Unreadable(Vec<ExprId>),
}

/// A literal.
#[derive(Clone, Debug, PartialEq)]
pub enum Constant {
    /// `None`.
    None,
    /// `True` or `False`.
    Bool(bool),
    /// An integer that fits.
    Int(i64),
    /// A float, or an integer that does not fit.
    Float(f64),
    /// A string, escapes decoded where they are simple.
    Text(String),
    /// Bytes, a complex number, `...`: nothing we look into.
    Other,
}

/// A unary operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOp {
    /// `not`.
    Not,
    /// `-`.
    Minus,
    /// `+`.
    Plus,
    /// `~`.
    Invert,
}

/// A binary operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOp {
    /// `+`.
    Add,
    /// `-`.
    Subtract,
    /// `*`.
    Multiply,
    /// `/`.
    Divide,
    /// `//`.
    FloorDivide,
    /// `%`.
    Modulo,
    /// `**`.
    Power,
    /// `@`.
    MatrixMultiply,
    /// `&`.
    And,
    /// `|`.
    Or,
    /// `^`.
    Xor,
    /// `<<`.
    ShiftLeft,
    /// `>>`.
    ShiftRight,
}

/// A comparison operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompareOp {
    /// `==`.
    Equal,
    /// `!=`.
    NotEqual,
    /// `<`.
    Less,
    /// `<=`.
    LessOrEqual,
    /// `>`.
    Greater,
    /// `>=`.
    GreaterOrEqual,
    /// `is`.
    Is,
    /// `is not`.
    IsNot,
    /// `in`.
    In,
    /// `not in`.
    NotIn,
}

/// What a comprehension makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComprehensionKind {
    /// `[… for …]`.
    List,
    /// `{… for …}`.
    Set,
    /// `{…: … for …}`.
    Dict,
    /// `(… for …)`.
    Generator,
}

/// A `for` clause of a comprehension with the conditions that follow it.
#[derive(Clone, Debug)]
pub struct Clause {
    /// What each item is bound to.
    pub target: ExprId,
    /// What is iterated.
    pub iterable: ExprId,
    /// The `if` conditions.
    pub conditions: Vec<ExprId>,
    /// `async for`.
    pub is_async: bool,
}

/// An argument of a call or of a class's list of bases.
#[derive(Clone, Debug)]
pub struct Argument {
    /// How it is passed.
    pub kind: ArgumentKind,
    /// The value.
    pub value: ExprId,
    /// The whole argument, keyword included.
    pub span: Span,
}

/// How an argument is passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgumentKind {
    /// By place.
    Positional,
    /// By name.
    Keyword(Symbol),
    /// `*value`.
    Unpacked,
    /// `**value`.
    UnpackedMapping,
}
