//! Functions, lambdas and classes.

use super::Lowering;
use super::concrete::NodeId;
use super::kinds::{Field, Kind};
use crate::python::syntax::{
    Class, ExprId, Function, FunctionBody, FunctionId, Parameter, ParameterKind, StmtKind,
};
use vramlens_grammars::Span;

impl Lowering<'_> {
    /// A definition with decorators.
    pub(super) fn decorated(&mut self, node: NodeId) -> StmtKind {
        let tree = self.tree;
        let mut decorators = Vec::new();
        for decorator in tree.children_of_kind(node, Kind::Decorator) {
            decorators.push(self.only_expr(decorator));
        }
        match tree.field(node, Field::Definition) {
            Some(definition) if tree.kind(definition) == Kind::Class => {
                self.salvage(definition);
                self.class(definition, decorators)
            }
            Some(definition) => {
                self.salvage(definition);
                self.function(definition, decorators)
            }
            None => StmtKind::Pass,
        }
    }

    /// `def`.
    pub(super) fn function(&mut self, node: NodeId, decorators: Vec<ExprId>) -> StmtKind {
        let tree = self.tree;
        let name_span =
            tree.field(node, Field::Name).map_or(Span::at(self.span(node).start), |name| self.span(name));
        // The function takes its place before the functions inside it.
        let function = Function {
            name: self.symbol_field(node, Field::Name),
            name_span,
            span: self.span(node),
            decorators,
            parameters: Vec::new(),
            body: FunctionBody::Block(Vec::new()),
            is_async: tree.has(node, Kind::Async),
            is_generator: false,
        };
        let id = self.module.add_function(function);
        let parameters = tree.field(node, Field::Parameters).map(|list| self.parameters(list));
        let outer_yields = std::mem::replace(&mut self.yields, false);
        let body = self.body_field(node, Field::Body);
        self.finish_function(id, parameters.unwrap_or_default(), FunctionBody::Block(body));
        self.yields = outer_yields;
        StmtKind::Function(id)
    }

    /// `lambda`.
    pub(super) fn lambda(&mut self, node: NodeId) -> FunctionId {
        let span = self.span(node);
        let placeholder = self.unreadable(Span::at(span.end));
        let function = Function {
            name: self.module.intern("<lambda>"),
            name_span: span,
            span,
            decorators: Vec::new(),
            parameters: Vec::new(),
            body: FunctionBody::Expression(placeholder),
            is_async: false,
            is_generator: false,
        };
        let id = self.module.add_function(function);
        let parameters = self.tree.field(node, Field::Parameters).map(|list| self.parameters(list));
        let outer_yields = std::mem::replace(&mut self.yields, false);
        let body = self.expr_field(node, Field::Body);
        self.finish_function(id, parameters.unwrap_or_default(), FunctionBody::Expression(body));
        self.yields = outer_yields;
        id
    }

    fn finish_function(&mut self, id: FunctionId, parameters: Vec<Parameter>, body: FunctionBody) {
        let is_generator = self.yields;
        if let Some(function) = self.module.function_mut(id) {
            function.parameters = parameters;
            function.body = body;
            function.is_generator = is_generator;
        }
    }

    fn parameters(&mut self, list: NodeId) -> Vec<Parameter> {
        let tree = self.tree;
        let mut parameters: Vec<Parameter> = Vec::new();
        let mut by_place = ParameterKind::Either;
        for child in tree.children(list) {
            match tree.kind(child) {
                Kind::PositionalSeparator => {
                    for parameter in &mut parameters {
                        parameter.kind = ParameterKind::PositionalOnly;
                    }
                }
                Kind::KeywordSeparator => by_place = ParameterKind::KeywordOnly,
                Kind::TypedParameter | Kind::DefaultParameter | Kind::TypedDefaultParameter => {
                    parameters.push(self.parameter(child, by_place));
                }
                _ if self.declares(child) => parameters.push(self.parameter(child, by_place)),
                _ => continue,
            }
            if parameters.last().is_some_and(|last| last.kind == ParameterKind::Variadic) {
                by_place = ParameterKind::KeywordOnly;
            }
        }
        parameters
    }

    /// Whether `node` is what a parameter calls itself.
    fn declares(&self, node: NodeId) -> bool {
        matches!(
            self.tree.kind(node),
            Kind::Identifier | Kind::ListSplatPattern | Kind::DictionarySplatPattern | Kind::TuplePattern
        )
    }

    fn parameter(&mut self, node: NodeId, by_place: ParameterKind) -> Parameter {
        let tree = self.tree;
        let annotation = tree.field(node, Field::Annotation).map(|annotation| self.expr(annotation));
        let default = tree.field(node, Field::Value).map(|value| self.expr(value));
        let declared = match tree.kind(node) {
            Kind::TypedParameter => tree.children(node).find(|child| self.declares(*child)),
            Kind::DefaultParameter | Kind::TypedDefaultParameter => tree.field(node, Field::Name),
            _ => Some(node),
        };
        let declared = declared.unwrap_or(node);
        let kind = match tree.kind(declared) {
            Kind::ListSplatPattern => ParameterKind::Variadic,
            Kind::DictionarySplatPattern => ParameterKind::VariadicKeywords,
            _ => by_place,
        };
        let name = match kind {
            ParameterKind::Variadic | ParameterKind::VariadicKeywords => tree.expressions(declared).next(),
            _ => Some(declared),
        };
        let name = self.symbol(name.unwrap_or(declared));
        Parameter { name, kind, default, annotation }
    }

    /// `class`.
    pub(super) fn class(&mut self, node: NodeId, decorators: Vec<ExprId>) -> StmtKind {
        let class = Class {
            name: self.symbol_field(node, Field::Name),
            span: self.span(node),
            bases: Vec::new(),
            decorators,
            body: Vec::new(),
        };
        let id = self.module.add_class(class);
        let bases = self.tree.field(node, Field::Superclasses).map(|list| self.arguments(list));
        let body = self.body_field(node, Field::Body);
        if let Some(class) = self.module.class_mut(id) {
            class.bases = bases.unwrap_or_default();
            class.body = body;
        }
        StmtKind::Class(id)
    }
}
