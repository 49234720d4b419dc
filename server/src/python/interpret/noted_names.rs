//! Noting calls by the name of a method, or of an argument, whatever they belong to.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::knowledge::{Knowledge, Role};
use crate::python::happenings::Noted;
use crate::python::interpret::Interpreter;
use crate::python::interpret::arguments::Arguments;
use crate::python::syntax::{ExprId, Module, Symbol};
use crate::python::value::{ObjectId, ObjectKind, Value, What};

/// The names of one module that calls are noted by.
pub(super) struct NotedNames {
    methods: FxHashMap<Symbol, Role>,
    options: FxHashMap<Symbol, Role>,
}

impl NotedNames {
    /// The names of the tables that a module mentions.
    pub(super) fn read(module: &Module) -> Self {
        let tables = Knowledge::tables();
        let mentioned = |(name, role): (&'static str, Role)| module.symbol(name).map(|symbol| (symbol, role));
        Self {
            methods: tables.noted_methods().filter_map(mentioned).collect(),
            options: tables.noted_options().filter_map(mentioned).collect(),
        }
    }
}

impl Interpreter<'_> {
    /// Notes a method by its name, unless this module defines it.
    pub(super) fn note_named_method(
        &mut self,
        call: ExprId,
        object: ExprId,
        receiver: &Value,
        method: Symbol,
        arguments: &Arguments,
    ) {
        if receiver.objects().iter().any(|id| self.defines(*id, method)) {
            return;
        }
        if let Some(role) = self.noted_names.methods.get(&method).copied() {
            let root = self.noted_root(object, receiver).map(|(root, _)| root);
            self.note_by_name(call, (self.module.name(method), role), root, arguments);
        } else if let Some(role) = self.noted_option(arguments) {
            let root = self.noted_root(object, receiver).map(|(root, _)| root);
            self.note_by_name(call, ("", role), root, arguments);
        }
    }

    /// Notes a method by its name that belongs to something imported from another file.
    pub(super) fn note_library_method(
        &mut self,
        call: ExprId,
        called: &Value,
        method: Symbol,
        arguments: &Arguments,
    ) {
        let What::Library(path) = &called.what else { return };
        let Some(role) = self.noted_names.methods.get(&method).copied() else { return };
        let path = path.clone();
        if self.called_path(&path).is_unknown() {
            self.note_by_name(call, (self.module.name(method), role), None, arguments);
        }
    }

    /// Notes a call by the name of an argument: only models take it.
    pub(super) fn note_options(
        &mut self,
        call: ExprId,
        callee: ExprId,
        called: &Value,
        arguments: &Arguments,
    ) {
        let Some(role) = self.noted_option(arguments) else { return };
        let is_own = match &called.what {
            What::Library(_) | What::Function(_) | What::Class(..) => true,
            What::Objects(objects) => objects.iter().any(|id| self.is_own_instance(*id)),
            _ => false,
        };
        if !is_own {
            let root = self.noted_root(callee, called).map(|(root, _)| root);
            self.note_by_name(call, ("", role), root, arguments);
        }
    }

    fn noted_option(&self, arguments: &Arguments) -> Option<Role> {
        let options = &self.noted_names.options;
        if options.is_empty() {
            return None;
        }
        arguments.keywords.iter().find_map(|(name, _)| options.get(name).copied())
    }

    fn is_own_instance(&self, id: ObjectId) -> bool {
        self.object(id).is_some_and(|object| matches!(object.kind, ObjectKind::Instance(_)))
    }

    /// Whether a class of this module defines a method of an object.
    fn defines(&self, id: ObjectId, method: Symbol) -> bool {
        match self.object(id).map(|object| &object.kind) {
            Some(ObjectKind::Instance(class)) => self.method_of(*class, method).is_some(),
            _ => false,
        }
    }

    fn note_by_name(
        &mut self,
        call: ExprId,
        (name, role): (&str, Role),
        root: Option<ObjectId>,
        arguments: &Arguments,
    ) {
        if self.is_elsewhere() {
            return;
        }
        let noted = Noted {
            role,
            path: Rc::from(name),
            call,
            arguments: self.given_to(call, arguments),
            receiver: root.and_then(|root| self.happenings.maker(root)),
            object: None,
            end: None,
            moment: self.moment.clone(),
            functions: self.calls.iter().filter_map(|call| call.function).collect(),
            calls: self.calls.iter().filter_map(|call| call.call).collect(),
            grad: self.state.grad,
            way: self.way_here(),
            reached: self.steps,
            beside: Vec::new(),
            next_iteration: None,
            at_end: Vec::new(),
        };
        self.happenings.note(self.context().0, noted);
    }
}
