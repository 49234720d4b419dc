//! A Python module as a small typed tree of our own, in an arena.
//!
//! Everything later reads this tree and never the parser's. Each node knows its byte range in the
//! module. Broken code lowers to what is there: what cannot be read becomes [`ExprKind::Unreadable`]
//! or is left out, and never hides the rest of the file. Parentheses leave no node.

use rustc_hash::FxHashMap;
use vramlens_grammars::Span;

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

/// A statement and where it stands.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// From its first byte to the end of its last line's code. A decorated definition starts at its
    /// first decorator.
    pub span: Span,
    /// What it is.
    pub kind: StmtKind,
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

    /// The symbol of `name`, if the module mentions it.
    pub fn symbol(&self, name: &str) -> Option<Symbol> {
        self.symbols.get(name).copied()
    }

    /// All expressions, with their ids.
    pub fn exprs(&self) -> impl Iterator<Item = (ExprId, &Expr)> {
        (0..).map(ExprId).zip(&self.exprs)
    }

    /// All statements, with their ids.
    pub fn stmts(&self) -> impl Iterator<Item = (StmtId, &Stmt)> {
        (0..).map(StmtId).zip(&self.stmts)
    }

    /// All functions, with their ids, in the order of their text.
    pub fn functions(&self) -> impl Iterator<Item = (FunctionId, &Function)> {
        (0..).map(FunctionId).zip(&self.functions)
    }

    /// All classes, with their ids, in the order of their text.
    pub fn classes(&self) -> impl Iterator<Item = (ClassId, &Class)> {
        (0..).map(ClassId).zip(&self.classes)
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
