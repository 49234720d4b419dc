//! Copying statements of another file into a module's arena.

use rustc_hash::FxHashMap;
use vramlens_grammars::Span;

use crate::python::syntax::{
    Argument, ArgumentKind, Case, Class, ClassId, Clause, Expr, ExprId, ExprKind, Function, FunctionBody,
    FunctionId, Handler, ImportFrom, ImportedModule, Module, Parameter, StmtId, StmtKind, Symbol,
};

/// Copies statements of one file.
pub(super) struct Copier<'a> {
    /// The file.
    pub from: &'a Module,
    /// The arena that they are copied to.
    pub to: &'a mut Module,
    /// Where the file's text begins behind the text of the module.
    pub start: u32,
    /// The file's identifiers, as far as they were copied.
    pub symbols: &'a mut FxHashMap<Symbol, Symbol>,
}

impl Copier<'_> {
    /// Copies a statement with everything in it.
    pub(super) fn stmt(&mut self, id: StmtId) -> StmtId {
        stacker::maybe_grow(128 * 1024, 1024 * 1024, || {
            let from = self.from.stmt(id);
            let kind = self.stmt_kind(&from.kind);
            self.to.add_stmt(self.span(from.span), kind)
        })
    }

    fn span(&self, span: Span) -> Span {
        Span::new(span.start.saturating_add(self.start), span.end.saturating_add(self.start))
    }

    fn symbol(&mut self, symbol: Symbol) -> Symbol {
        if let Some(known) = self.symbols.get(&symbol) {
            return *known;
        }
        let copied = self.to.intern(self.from.name(symbol));
        self.symbols.insert(symbol, copied);
        copied
    }

    fn block(&mut self, block: &[StmtId]) -> Vec<StmtId> {
        block.iter().map(|stmt| self.stmt(*stmt)).collect()
    }

    fn names(&mut self, names: &[Symbol]) -> Vec<Symbol> {
        names.iter().map(|name| self.symbol(*name)).collect()
    }

    fn exprs(&mut self, exprs: &[ExprId]) -> Vec<ExprId> {
        exprs.iter().map(|expr| self.expr(*expr)).collect()
    }

    fn optional(&mut self, expr: Option<ExprId>) -> Option<ExprId> {
        expr.map(|expr| self.expr(expr))
    }

    fn stmt_kind(&mut self, kind: &StmtKind) -> StmtKind {
        match kind {
            StmtKind::Pass => StmtKind::Pass,
            StmtKind::Break => StmtKind::Break,
            StmtKind::Continue => StmtKind::Continue,
            StmtKind::SetVariable(set) => StmtKind::SetVariable(set.clone()),
            StmtKind::Expr(expr) => StmtKind::Expr(self.expr(*expr)),
            StmtKind::Return(value) => StmtKind::Return(self.optional(*value)),
            StmtKind::Raise(values) => StmtKind::Raise(self.exprs(values)),
            StmtKind::Delete(targets) => StmtKind::Delete(self.exprs(targets)),
            StmtKind::Global(names) => StmtKind::Global(self.names(names)),
            StmtKind::Nonlocal(names) => StmtKind::Nonlocal(self.names(names)),
            StmtKind::Assign { targets, value } => {
                StmtKind::Assign { targets: self.exprs(targets), value: self.expr(*value) }
            }
            StmtKind::AugmentedAssign { target, op, value } => {
                StmtKind::AugmentedAssign { target: self.expr(*target), op: *op, value: self.expr(*value) }
            }
            StmtKind::AnnotatedAssign { target, annotation, value } => StmtKind::AnnotatedAssign {
                target: self.expr(*target),
                annotation: self.expr(*annotation),
                value: self.optional(*value),
            },
            StmtKind::Assert { test, message } => {
                StmtKind::Assert { test: self.expr(*test), message: self.optional(*message) }
            }
            StmtKind::Import(modules) => StmtKind::Import(self.imported(modules)),
            StmtKind::ImportFrom(import) => StmtKind::ImportFrom(self.import_from(import)),
            StmtKind::Function(function) => StmtKind::Function(self.function(*function)),
            StmtKind::Class(class) => StmtKind::Class(self.class(*class)),
            _ => self.compound(kind),
        }
    }

    /// A statement with blocks inside it.
    fn compound(&mut self, kind: &StmtKind) -> StmtKind {
        match kind {
            StmtKind::If { test, body, orelse } => {
                StmtKind::If { test: self.expr(*test), body: self.block(body), orelse: self.block(orelse) }
            }
            StmtKind::While { test, body, orelse } => {
                StmtKind::While { test: self.expr(*test), body: self.block(body), orelse: self.block(orelse) }
            }
            StmtKind::For { target, iterable, body, orelse, is_async } => StmtKind::For {
                target: self.expr(*target),
                iterable: self.expr(*iterable),
                body: self.block(body),
                orelse: self.block(orelse),
                is_async: *is_async,
            },
            StmtKind::With { items, body, is_async } => StmtKind::With {
                items: items
                    .iter()
                    .map(|(context, target)| (self.expr(*context), self.optional(*target)))
                    .collect(),
                body: self.block(body),
                is_async: *is_async,
            },
            StmtKind::Try { body, handlers, orelse, finally } => StmtKind::Try {
                body: self.block(body),
                handlers: handlers.iter().map(|handler| self.handler(handler)).collect(),
                orelse: self.block(orelse),
                finally: self.block(finally),
            },
            StmtKind::Match { subject, cases } => StmtKind::Match {
                subject: self.expr(*subject),
                cases: cases.iter().map(|case| self.case(case)).collect(),
            },
            _ => StmtKind::Pass,
        }
    }

    fn handler(&mut self, handler: &Handler) -> Handler {
        Handler {
            kind: self.optional(handler.kind),
            name: handler.name.map(|name| self.symbol(name)),
            body: self.block(&handler.body),
        }
    }

    fn case(&mut self, case: &Case) -> Case {
        Case {
            names: self.names(&case.names),
            guard: self.optional(case.guard),
            body: self.block(&case.body),
        }
    }

    fn imported(&mut self, modules: &[ImportedModule]) -> Vec<ImportedModule> {
        let copy = |module: &ImportedModule| ImportedModule {
            path: module.path.clone(),
            alias: module.alias.map(|alias| self.symbol(alias)),
            span: self.span(module.span),
        };
        modules.iter().map(copy).collect()
    }

    fn import_from(&mut self, import: &ImportFrom) -> ImportFrom {
        let names = import.names.iter();
        ImportFrom {
            module: import.module.clone(),
            names: names
                .map(|(name, alias)| (self.symbol(*name), alias.map(|alias| self.symbol(alias))))
                .collect(),
            ..*import
        }
    }

    /// A definition's place is taken before its body is copied, as it is when a text is lowered.
    fn function(&mut self, id: FunctionId) -> FunctionId {
        let from = self.from.function(id);
        let copied = Function {
            name: self.symbol(from.name),
            name_span: self.span(from.name_span),
            span: self.span(from.span),
            decorators: self.exprs(&from.decorators),
            parameters: from.parameters.iter().map(|parameter| self.parameter(parameter)).collect(),
            body: FunctionBody::Block(Vec::new()),
            ..*from
        };
        let copy = self.to.add_function(copied);
        let body = match &from.body {
            FunctionBody::Block(block) => FunctionBody::Block(self.block(block)),
            FunctionBody::Expression(expr) => FunctionBody::Expression(self.expr(*expr)),
        };
        if let Some(function) = self.to.function_mut(copy) {
            function.body = body;
        }
        copy
    }

    fn parameter(&mut self, parameter: &Parameter) -> Parameter {
        Parameter {
            name: self.symbol(parameter.name),
            kind: parameter.kind,
            default: self.optional(parameter.default),
            annotation: self.optional(parameter.annotation),
        }
    }

    fn class(&mut self, id: ClassId) -> ClassId {
        let from = self.from.class(id);
        let copied = Class {
            name: self.symbol(from.name),
            span: self.span(from.span),
            bases: self.arguments(&from.bases),
            decorators: self.exprs(&from.decorators),
            body: Vec::new(),
        };
        let copy = self.to.add_class(copied);
        let body = self.block(&from.body);
        if let Some(class) = self.to.class_mut(copy) {
            class.body = body;
        }
        copy
    }

    fn arguments(&mut self, arguments: &[Argument]) -> Vec<Argument> {
        let copy = |argument: &Argument| Argument {
            kind: match argument.kind {
                ArgumentKind::Keyword(name) => ArgumentKind::Keyword(self.symbol(name)),
                kind => kind,
            },
            value: self.expr(argument.value),
            span: self.span(argument.span),
        };
        arguments.iter().map(copy).collect()
    }

    fn clause(&mut self, clause: &Clause) -> Clause {
        Clause {
            target: self.expr(clause.target),
            iterable: self.expr(clause.iterable),
            conditions: self.exprs(&clause.conditions),
            is_async: clause.is_async,
        }
    }

    fn expr(&mut self, id: ExprId) -> ExprId {
        stacker::maybe_grow(128 * 1024, 1024 * 1024, || {
            let Expr { span, kind } = self.from.expr(id);
            let kind = self.expr_kind(kind);
            self.to.add_expr(self.span(*span), kind)
        })
    }

    fn expr_kind(&mut self, kind: &ExprKind) -> ExprKind {
        match kind {
            ExprKind::Name(name) => ExprKind::Name(self.symbol(*name)),
            ExprKind::Constant(constant) => ExprKind::Constant(constant.clone()),
            ExprKind::Attribute { object, name, name_span } => ExprKind::Attribute {
                object: self.expr(*object),
                name: self.symbol(*name),
                name_span: self.span(*name_span),
            },
            ExprKind::Subscript { object, index } => {
                ExprKind::Subscript { object: self.expr(*object), index: self.expr(*index) }
            }
            ExprKind::Slice { lower, upper, step } => ExprKind::Slice {
                lower: self.optional(*lower),
                upper: self.optional(*upper),
                step: self.optional(*step),
            },
            ExprKind::Call { callee, arguments } => {
                ExprKind::Call { callee: self.expr(*callee), arguments: self.arguments(arguments) }
            }
            ExprKind::Unary { op, operand } => ExprKind::Unary { op: *op, operand: self.expr(*operand) },
            ExprKind::Binary { op, left, right } => {
                ExprKind::Binary { op: *op, left: self.expr(*left), right: self.expr(*right) }
            }
            ExprKind::Logical { and, values } => ExprKind::Logical { and: *and, values: self.exprs(values) },
            ExprKind::Compare { left, rest } => ExprKind::Compare {
                left: self.expr(*left),
                rest: rest.iter().map(|(op, operand)| (*op, self.expr(*operand))).collect(),
            },
            ExprKind::Conditional { test, body, orelse } => ExprKind::Conditional {
                test: self.expr(*test),
                body: self.expr(*body),
                orelse: self.expr(*orelse),
            },
            ExprKind::Lambda(function) => ExprKind::Lambda(self.function(*function)),
            _ => self.made_of_parts(kind),
        }
    }

    /// A display, a comprehension, or something around one expression.
    fn made_of_parts(&mut self, kind: &ExprKind) -> ExprKind {
        match kind {
            ExprKind::FormattedText(parts) => ExprKind::FormattedText(self.exprs(parts)),
            ExprKind::List(items) => ExprKind::List(self.exprs(items)),
            ExprKind::Tuple(items) => ExprKind::Tuple(self.exprs(items)),
            ExprKind::Set(items) => ExprKind::Set(self.exprs(items)),
            ExprKind::Dict(entries) => {
                let entries = entries.iter();
                ExprKind::Dict(entries.map(|(key, value)| (self.optional(*key), self.expr(*value))).collect())
            }
            ExprKind::Comprehension { kind, element, value, clauses } => ExprKind::Comprehension {
                kind: *kind,
                element: self.expr(*element),
                value: self.optional(*value),
                clauses: clauses.iter().map(|clause| self.clause(clause)).collect(),
            },
            ExprKind::Await(value) => ExprKind::Await(self.expr(*value)),
            ExprKind::Yield(value) => ExprKind::Yield(self.optional(*value)),
            ExprKind::YieldFrom(value) => ExprKind::YieldFrom(self.expr(*value)),
            ExprKind::Starred(value) => ExprKind::Starred(self.expr(*value)),
            ExprKind::Walrus { target, value } => {
                ExprKind::Walrus { target: self.expr(*target), value: self.expr(*value) }
            }
            ExprKind::Unreadable(parts) => ExprKind::Unreadable(self.exprs(parts)),
            _ => ExprKind::Unreadable(Vec::new()),
        }
    }
}
