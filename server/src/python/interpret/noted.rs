//! Noting calls of libraries that the tables name, and what is done to what they make.

use std::rc::Rc;

use vramlens_grammars::Span;

use crate::knowledge::Role;
use crate::python::happenings::{History, Noted, Occurrence};
use crate::python::interpret::arguments::Arguments;
use crate::python::interpret::{Interpreter, Site};
use crate::python::library_call::{self, Action, Given, Known};
use crate::python::syntax::{ArgumentKind, Constant, ExprId, ExprKind, StmtId, Symbol};
use crate::python::value::{Key, ObjectId, ObjectKind, Value, What};

/// Collections in collections deeper than this are as good as unknown.
const DEEPEST: usize = 4;
/// Events of one object that are remembered in order: real programs do a handful of things to a model.
const MOST_EVENTS: usize = 64;
/// Longer collections are data, not options.
const MOST_ITEMS: usize = 32;

impl Interpreter<'_> {
    /// Notes a call that a table names, with what it made.
    pub(super) fn note_call(
        &mut self,
        call: ExprId,
        (path, role): (&Rc<str>, Role),
        arguments: &Arguments,
        made: &Value,
    ) {
        if self.is_elsewhere() {
            // It is told when that file is looked at.
            return;
        }
        if role == Role::OwnModule && self.builds_module() {
            return;
        }
        if role == Role::WebApp {
            self.serve(arguments);
        }
        let object = self.made_by_call(role, made);
        let noted = Noted {
            role,
            path: path.clone(),
            call,
            arguments: self.given_to(call, arguments),
            receiver: None,
            object: object.filter(|object| {
                self.happenings.maker(*object).is_none_or(|maker| {
                    self.happenings.noted.get(maker).is_some_and(|maker| maker.call == call)
                })
            }),
            end: None,
            moment: self.moment.clone(),
            functions: self.calls.iter().filter_map(|call| call.function).collect(),
            calls: self.calls.iter().filter_map(|call| call.call).collect(),
            grad: self.state.grad,
            way: self.way_here(),
            reached: self.steps,
            beside: if role.takes_memory() { self.noted_alive() } else { Vec::new() },
            next_iteration: None,
            at_end: Vec::new(),
        };
        if let Some(object) = noted.object {
            self.state.set_history(object, History::default());
        }
        let made = noted.object;
        let number = self.happenings.note(self.context().0, noted);
        let given: Vec<ObjectId> = arguments.all().flat_map(|value| value.objects().to_vec()).collect();
        for object in given {
            self.occur(Site::Expr(call), object, Rc::from(""), Action::GivenTo(number));
            if let Some(keeper) = made.filter(|_| role.keeps_what_it_is_given()) {
                self.happenings.keep(keeper, object);
            }
        }
    }

    /// Whether the code of a module of this file is under way: what it makes is a part of that module.
    fn builds_module(&self) -> bool {
        let classes = self.calls.iter().filter_map(|call| self.scopes.class_of(call.function?));
        classes.into_iter().any(|class| self.is_module_class(class))
    }

    /// The object that a noted call made: what it returns, or the first part of that.
    fn made_by_call(&self, role: Role, made: &Value) -> Option<ObjectId> {
        let object = made.single_object()?;
        let is_pair = self.object(object).is_some_and(|object| object.kind == ObjectKind::Tuple);
        if role == Role::Model && is_pair {
            return self.item(object, 0)?.single_object();
        }
        Some(object)
    }

    fn item(&self, object: ObjectId, index: i64) -> Option<&Value> {
        self.state.items(object).find(|(key, _)| *key == Some(&Key::Index(index))).map(|(_, item)| item)
    }

    /// What a call is given, in terms of its text.
    pub(super) fn given_to(&self, call: ExprId, arguments: &Arguments) -> library_call::Arguments {
        let given = |value: &Value, span| Given { value: self.known(value, DEEPEST), span };
        let positional = arguments.positional.iter().enumerate();
        let named = arguments.keywords.iter().map(|(name, value)| {
            (Rc::from(self.module.name(*name)), given(value, self.keyword_span(call, *name)))
        });
        let unpacked = arguments.unpacked.iter().map(|(name, value)| (name.clone(), given(value, None)));
        library_call::Arguments {
            positional: positional
                .map(|(place, value)| {
                    given(value, arguments.expr(place).map(|expr| self.module.expr(expr).span))
                })
                .collect(),
            named: named.chain(unpacked).collect(),
            open: !arguments.rest.is_empty(),
        }
    }

    /// Where the value of a keyword argument is written in a call.
    fn keyword_span(&self, call: ExprId, name: Symbol) -> Option<Span> {
        let ExprKind::Call { arguments, .. } = &self.module.expr(call).kind else { return None };
        let written = arguments.iter().find(|argument| argument.kind == ArgumentKind::Keyword(name))?;
        Some(self.module.expr(written.value).span)
    }

    /// What a value is known to be, in terms that mean something outside the interpreter.
    pub(super) fn known(&self, value: &Value, depth: usize) -> Known {
        match &value.what {
            What::Constant(constant) => known_constant(constant),
            What::Default(constant) => Known::Usually(Box::new(known_constant(constant))),
            What::Library(path) => Known::Library(path.clone()),
            What::Either(all) => {
                Known::Either(all.iter().map(|what| self.known(&Value::plain(what.clone()), depth)).collect())
            }
            What::ParameterOf(modules) => match modules.as_slice() {
                [module] => self.happenings.maker(*module).map_or(Known::Unknown, Known::ParametersOf),
                _ => Known::Unknown,
            },
            What::Objects(objects) if depth > 0 => match objects.as_slice() {
                [object] => self.known_object(*object, depth - 1),
                _ => Known::Unknown,
            },
            _ => {
                let shape = value.stored.shaped.and_then(|call| self.happenings.shapes.get(&call));
                shape.map_or(Known::Unknown, |shape| Known::Tensor(shape.clone()))
            }
        }
    }

    fn known_object(&self, id: ObjectId, depth: usize) -> Known {
        if let Some(maker) = self.happenings.maker(id) {
            return Known::Made(maker);
        }
        let Some(object) = self.object(id) else { return Known::Unknown };
        let items: Vec<(Option<&Key>, &Value)> = self.state.items(id).take(MOST_ITEMS + 1).collect();
        if items.len() > MOST_ITEMS || items.iter().any(|(key, _)| key.is_none()) {
            return Known::Unknown;
        }
        match object.kind {
            ObjectKind::List | ObjectKind::Tuple => {
                Known::List(items.iter().map(|(_, item)| self.known(item, depth)).collect())
            }
            ObjectKind::Dict => {
                let entry =
                    |(key, item): &(Option<&Key>, &Value)| Some((text_of(*key)?, self.known(item, depth)));
                items.iter().map(entry).collect::<Option<Vec<_>>>().map_or(Known::Unknown, Known::Table)
            }
            _ => Known::Unknown,
        }
    }

    /// A method of an object is called, or of a part of it.
    pub(super) fn note_method(
        &mut self,
        call: ExprId,
        object: ExprId,
        receiver: &Value,
        method: Symbol,
        arguments: &Arguments,
    ) {
        if self.happenings.noted.is_empty() {
            return;
        }
        if self.is_web_app(receiver) {
            self.serve(arguments);
        }
        let roots: Vec<(ObjectId, Rc<str>)> = if receiver.objects().len() > 1 {
            receiver.objects().iter().map(|object| (*object, Rc::from(""))).collect()
        } else {
            self.noted_root(object, receiver).into_iter().collect()
        };
        let is_one_of_several = roots.len() > 1;
        for (root, part) in roots {
            let method = Rc::from(self.module.name(method));
            let action = Action::Called { method, arguments: self.given_to(call, arguments) };
            if is_one_of_several {
                self.may_occur(Site::Expr(call), root, part, action);
            } else {
                self.occur(Site::Expr(call), root, part, action);
            }
        }
    }

    /// An object is called itself.
    pub(super) fn note_run(&mut self, call: ExprId, object: ObjectId, arguments: &Arguments) {
        if self.happenings.maker(object).is_some() {
            let action = Action::Run { arguments: self.given_to(call, arguments) };
            self.occur(Site::Expr(call), object, Rc::from(""), action);
        }
    }

    /// An attribute of an object is set, or of a part of it.
    pub(super) fn note_set(
        &mut self,
        stmt: StmtId,
        object: ExprId,
        receiver: &Value,
        name: Symbol,
        value: &Value,
    ) {
        if self.happenings.noted.is_empty() {
            return;
        }
        let Some((root, part)) = self.noted_root(object, receiver) else { return };
        let attribute = Rc::from(self.module.name(name));
        let value = self.known(value, DEEPEST);
        self.occur(Site::Stmt(stmt), root, part, Action::Set { attribute, value });
    }

    /// The noted object that an expression is or is a part of, and the path to the part.
    pub(super) fn noted_root(&mut self, expr: ExprId, value: &Value) -> Option<(ObjectId, Rc<str>)> {
        let made =
            |it: &Self, value: &Value| value.single_object().filter(|id| it.happenings.maker(*id).is_some());
        if let Some(object) = made(self, value) {
            return Some((object, Rc::from("")));
        }
        let mut path: Vec<&str> = Vec::new();
        let mut current = expr;
        while let ExprKind::Attribute { object, name, .. } = &self.module.expr(current).kind {
            path.push(self.module.name(*name));
            current = *object;
            let outer = self.eval(current);
            if let Some(root) = made(self, &outer) {
                path.reverse();
                return Some((root, Rc::from(path.join("."))));
            }
        }
        None
    }

    pub(super) fn occur(&mut self, site: Site, object: ObjectId, part: Rc<str>, action: Action) {
        let before = self.state.history(object);
        if let Some(number) = self.may_occur(site, object, part, action)
            && before.events().len() < MOST_EVENTS
        {
            self.state.set_history(object, before.with(number));
        }
    }

    /// Notes what is done to an object without saying that it surely is; returns the number of the event.
    fn may_occur(&mut self, site: Site, object: ObjectId, part: Rc<str>, action: Action) -> Option<u32> {
        let noted = self.happenings.maker(object)?;
        if self.is_elsewhere() {
            self.happenings.left.insert(object);
            return None;
        }
        let (span, expr) = match site {
            Site::Expr(expr) => (self.module.expr(expr).span, Some(expr)),
            Site::Stmt(stmt) => (self.module.stmt(stmt).span, None),
        };
        let (before, at) = (self.state.history(object), self.steps);
        let occurrence = Occurrence { noted, action, part, span, expr, before, at };
        Some(self.happenings.occur(site.number(), self.context().0, occurrence))
    }

    /// The exception types that an `except` clause names.
    pub(super) fn note_caught(&mut self, kind: ExprId) {
        let caught = self.eval(kind);
        let caught = self.known(&caught, DEEPEST);
        self.happenings.caught.insert(kind, caught);
    }

    /// What has surely happened by the end of a run.
    pub(super) fn note_end(&mut self) {
        for (number, held_by) in self.noted_alive() {
            if let Some(noted) = self.happenings.noted.get_mut(number) {
                noted.at_end = held_by;
            }
        }
        for (object, history) in self.state.histories() {
            let Some(maker) = self.happenings.maker(object) else { continue };
            if let Some(noted) = self.happenings.noted.get_mut(maker) {
                noted.end.get_or_insert_with(|| history.clone());
            }
        }
    }

    /// Code that we do not see gets an object.
    pub(super) fn note_leaving(&mut self, value: &Value) {
        if self.happenings.noted.is_empty() {
            return;
        }
        let mut objects = value.objects().to_vec();
        self.each_held(value, &mut |held| objects.extend(held.objects()));
        self.happenings.left.extend(objects);
    }
}

fn known_constant(constant: &Constant) -> Known {
    match constant {
        Constant::None => Known::None,
        Constant::Bool(value) => Known::Bool(*value),
        Constant::Int(value) => Known::Int(*value),
        Constant::Float(value) => Known::Float(*value),
        Constant::Text(text) => Known::Text(Rc::from(text.as_str())),
        Constant::Other => Known::Unknown,
    }
}

fn text_of(key: Option<&Key>) -> Option<Rc<str>> {
    match key? {
        Key::Text(text) => Some(text.clone()),
        Key::Index(index) => Some(Rc::from(index.to_string())),
    }
}
