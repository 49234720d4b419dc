//! Prints a lowered module: one line per statement, blocks indented.

use crate::python::syntax::{
    Argument, ArgumentKind, Clause, Constant, ExprId, ExprKind, Function, FunctionBody, Module, Parameter,
    ParameterKind, StmtId, StmtKind, Symbol,
};

pub(in crate::python) fn print(module: &Module) -> String {
    let mut printer = Printer { module, out: String::new(), indent: 0 };
    printer.block(&module.body);
    printer.out
}

struct Printer<'a> {
    module: &'a Module,
    out: String,
    indent: usize,
}

impl Printer<'_> {
    fn line(&mut self, text: &str) {
        self.out.push_str(&"  ".repeat(self.indent));
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn block(&mut self, body: &[StmtId]) {
        for stmt in body {
            self.stmt(*stmt);
        }
    }

    fn named_block(&mut self, head: &str, body: &[StmtId]) {
        self.line(head);
        self.indent += 1;
        self.block(body);
        self.indent -= 1;
    }

    fn optional_block(&mut self, head: &str, body: &[StmtId]) {
        if !body.is_empty() {
            self.named_block(head, body);
        }
    }

    fn stmt(&mut self, id: StmtId) {
        match &self.module.stmt(id).kind {
            StmtKind::Expr(value) => self.line(&self.expr(*value)),
            StmtKind::Assign { targets, value } => {
                self.line(&format!("assign {} <- {}", self.exprs(targets), self.expr(*value)));
            }
            StmtKind::AugmentedAssign { target, op, value } => {
                self.line(&format!("augment {} {op:?} {}", self.expr(*target), self.expr(*value)));
            }
            StmtKind::AnnotatedAssign { target, annotation, value } => {
                let (target, annotation) = (self.expr(*target), self.expr(*annotation));
                self.line(&format!("annotate {target}: {annotation} <- {}", self.maybe(*value)));
            }
            StmtKind::Return(value) => self.line(&format!("return {}", self.maybe(*value))),
            StmtKind::Raise(values) => self.line(&format!("raise {}", self.exprs(values))),
            StmtKind::Delete(values) => self.line(&format!("delete {}", self.exprs(values))),
            StmtKind::Pass => self.line("pass"),
            StmtKind::Break => self.line("break"),
            StmtKind::Continue => self.line("continue"),
            StmtKind::SetVariable(set) => self.line(&format!("set {}", set.name)),
            StmtKind::Global(names) => self.line(&format!("global {}", self.symbols(names))),
            StmtKind::Nonlocal(names) => self.line(&format!("nonlocal {}", self.symbols(names))),
            StmtKind::Import(modules) => {
                let modules = modules.iter().map(|module| self.alias(&module.path, module.alias));
                self.line(&format!("import {}", modules.collect::<Vec<_>>().join(", ")));
            }
            StmtKind::ImportFrom(import) => {
                let names =
                    import.names.iter().map(|(name, alias)| self.alias(self.module.name(*name), *alias));
                let names = names.collect::<Vec<_>>().join(", ");
                let star = if import.star { "*" } else { "" };
                self.line(&format!("from {}/{} import {names}{star}", import.level, import.module));
            }
            StmtKind::Assert { test, message } => {
                self.line(&format!("assert {}, {}", self.expr(*test), self.maybe(*message)));
            }
            _ => self.compound(id),
        }
    }

    fn compound(&mut self, id: StmtId) {
        match &self.module.stmt(id).kind {
            StmtKind::If { test, body, orelse } => {
                self.named_block(&format!("if {}", self.expr(*test)), body);
                self.optional_block("else", orelse);
            }
            StmtKind::While { test, body, orelse } => {
                self.named_block(&format!("while {}", self.expr(*test)), body);
                self.optional_block("else", orelse);
            }
            StmtKind::For { target, iterable, body, orelse, is_async } => {
                let head = format!("for {} in {}", self.expr(*target), self.expr(*iterable));
                self.named_block(&format!("{}{head}", if *is_async { "async " } else { "" }), body);
                self.optional_block("else", orelse);
            }
            StmtKind::With { items, body, is_async } => {
                let items = items.iter().map(|(value, target)| match target {
                    Some(target) => format!("{} as {}", self.expr(*value), self.expr(*target)),
                    None => self.expr(*value),
                });
                let head = format!("with {}", items.collect::<Vec<_>>().join(", "));
                self.named_block(&format!("{}{head}", if *is_async { "async " } else { "" }), body);
            }
            StmtKind::Try { body, handlers, orelse, finally } => {
                self.named_block("try", body);
                for handler in handlers {
                    let name = handler.name.map_or("-", |name| self.module.name(name));
                    let head = format!("except {} as {name}", self.maybe(handler.kind));
                    self.named_block(&head, &handler.body);
                }
                self.optional_block("else", orelse);
                self.optional_block("finally", finally);
            }
            StmtKind::Match { subject, cases } => {
                self.line(&format!("match {}", self.expr(*subject)));
                for case in cases {
                    let head = format!("case {} if {}", self.symbols(&case.names), self.maybe(case.guard));
                    self.named_block(&head, &case.body);
                }
            }
            StmtKind::Function(id) => {
                let function = self.module.function(*id);
                self.decorators(&function.decorators);
                let head = format!("def {}", self.signature(function));
                let FunctionBody::Block(body) = &function.body else { panic!("a def has a block") };
                self.named_block(&format!("{}{head}", if function.is_async { "async " } else { "" }), body);
            }
            StmtKind::Class(id) => {
                let class = self.module.class(*id);
                self.decorators(&class.decorators);
                let (name, bases) = (self.module.name(class.name), self.arguments(&class.bases));
                self.named_block(&format!("class {name}({bases})"), &class.body);
            }
            other => panic!("not compound: {other:?}"),
        }
    }

    fn decorators(&mut self, decorators: &[ExprId]) {
        for decorator in decorators {
            self.line(&format!("@{}", self.expr(*decorator)));
        }
    }

    fn signature(&self, function: &Function) -> String {
        let parameters = function.parameters.iter().map(|parameter| self.parameter(parameter));
        let parameters = parameters.collect::<Vec<_>>().join(", ");
        let generator = if function.is_generator { " yields" } else { "" };
        format!("{}({parameters}){generator}", self.module.name(function.name))
    }

    fn parameter(&self, parameter: &Parameter) -> String {
        let mark = match parameter.kind {
            ParameterKind::PositionalOnly => "/",
            ParameterKind::Either => "",
            ParameterKind::Variadic => "*",
            ParameterKind::KeywordOnly => "=",
            ParameterKind::VariadicKeywords => "**",
        };
        let annotation = parameter.annotation.map(|annotation| format!(": {}", self.expr(annotation)));
        let default = parameter.default.map(|default| format!(" = {}", self.expr(default)));
        let (annotation, default) = (annotation.unwrap_or_default(), default.unwrap_or_default());
        format!("{mark}{}{annotation}{default}", self.module.name(parameter.name))
    }

    fn alias(&self, name: &str, alias: Option<Symbol>) -> String {
        alias.map_or_else(|| name.to_owned(), |alias| format!("{name} as {}", self.module.name(alias)))
    }

    fn symbols(&self, symbols: &[Symbol]) -> String {
        symbols.iter().map(|symbol| self.module.name(*symbol)).collect::<Vec<_>>().join(" ")
    }

    fn maybe(&self, expr: Option<ExprId>) -> String {
        expr.map_or_else(|| "-".to_owned(), |expr| self.expr(expr))
    }

    fn exprs(&self, exprs: &[ExprId]) -> String {
        exprs.iter().map(|expr| self.expr(*expr)).collect::<Vec<_>>().join(", ")
    }

    fn arguments(&self, arguments: &[Argument]) -> String {
        let arguments = arguments.iter().map(|argument| {
            let value = self.expr(argument.value);
            match argument.kind {
                ArgumentKind::Positional => value,
                ArgumentKind::Keyword(name) => format!("{}={value}", self.module.name(name)),
                ArgumentKind::Unpacked => format!("*{value}"),
                ArgumentKind::UnpackedMapping => format!("**{value}"),
            }
        });
        arguments.collect::<Vec<_>>().join(", ")
    }

    fn clause(&self, clause: &Clause) -> String {
        let before = if clause.is_async { " async" } else { "" };
        let conditions = clause.conditions.iter().map(|condition| format!(" if {}", self.expr(*condition)));
        let conditions = conditions.collect::<Vec<_>>().concat();
        format!("{before} for {} in {}{conditions}", self.expr(clause.target), self.expr(clause.iterable))
    }

    fn expr(&self, id: ExprId) -> String {
        match &self.module.expr(id).kind {
            ExprKind::Name(name) => self.module.name(*name).to_owned(),
            ExprKind::Constant(constant) => match constant {
                Constant::None => "None".to_owned(),
                Constant::Bool(value) => value.to_string(),
                Constant::Int(value) => value.to_string(),
                Constant::Float(value) => format!("{value:?}"),
                Constant::Text(text) => format!("{text:?}"),
                Constant::Other => "constant".to_owned(),
            },
            ExprKind::FormattedText(parts) => format!("format({})", self.exprs(parts)),
            ExprKind::Attribute { object, name, .. } => {
                format!("{}.{}", self.expr(*object), self.module.name(*name))
            }
            ExprKind::Subscript { object, index } => format!("{}[{}]", self.expr(*object), self.expr(*index)),
            ExprKind::Slice { lower, upper, step } => {
                format!("slice({} {} {})", self.maybe(*lower), self.maybe(*upper), self.maybe(*step))
            }
            ExprKind::Call { callee, arguments } => {
                format!("{}({})", self.expr(*callee), self.arguments(arguments))
            }
            ExprKind::Unary { op, operand } => format!("{op:?}({})", self.expr(*operand)),
            ExprKind::Binary { op, left, right } => {
                format!("{op:?}({}, {})", self.expr(*left), self.expr(*right))
            }
            ExprKind::Logical { and, values } => {
                format!("{}({})", if *and { "all" } else { "any" }, self.exprs(values))
            }
            ExprKind::Compare { left, rest } => {
                let rest = rest.iter().map(|(op, right)| format!(" {op:?} {}", self.expr(*right)));
                format!("({}{})", self.expr(*left), rest.collect::<Vec<_>>().concat())
            }
            ExprKind::Conditional { test, body, orelse } => {
                format!("({} ? {} : {})", self.expr(*test), self.expr(*body), self.expr(*orelse))
            }
            ExprKind::Lambda(id) => {
                let function = self.module.function(*id);
                let FunctionBody::Expression(body) = function.body else {
                    panic!("a lambda has an expression")
                };
                format!("{}: {}", self.signature(function), self.expr(body))
            }
            ExprKind::List(items) => format!("[{}]", self.exprs(items)),
            ExprKind::Tuple(items) => format!("tuple({})", self.exprs(items)),
            ExprKind::Set(items) => format!("set({})", self.exprs(items)),
            ExprKind::Dict(pairs) => {
                let pairs = pairs.iter().map(|(key, value)| match key {
                    Some(key) => format!("{}: {}", self.expr(*key), self.expr(*value)),
                    None => format!("**{}", self.expr(*value)),
                });
                format!("dict({})", pairs.collect::<Vec<_>>().join(", "))
            }
            ExprKind::Comprehension { kind, element, value, clauses } => {
                let value = value.map_or_else(String::new, |value| format!(": {}", self.expr(value)));
                let clauses = clauses.iter().map(|clause| self.clause(clause)).collect::<Vec<_>>().concat();
                format!("{kind:?}({}{value}{clauses})", self.expr(*element))
            }
            ExprKind::Await(value) => format!("await({})", self.expr(*value)),
            ExprKind::Yield(value) => format!("yield({})", self.maybe(*value)),
            ExprKind::YieldFrom(value) => format!("yield_from({})", self.expr(*value)),
            ExprKind::Starred(value) => format!("*{}", self.expr(*value)),
            ExprKind::Walrus { target, value } => {
                format!("({} := {})", self.expr(*target), self.expr(*value))
            }
            ExprKind::Unreadable(inner) => format!("?({})", self.exprs(inner)),
        }
    }
}
