//! The module's own functions: following a call into them.

use crate::knowledge::CallEffect;
use crate::python::graph::NodeSet;
use crate::python::interpret::arguments::Arguments;
use crate::python::interpret::statements::none;
use crate::python::interpret::{Activation, ClassFacts, Context, Interpreter, MOST_CALLS};
use crate::python::scopes::Scope;
use crate::python::state::{GradMode, join_ways};
use crate::python::syntax::{
    ClassId, ExprId, ExprKind, FunctionBody, FunctionId, ParameterKind, StmtKind, Symbol,
};
use crate::python::value::{Closure, Flag, Frame, FrameId, Key, ObjectId, ObjectKind, Place, Value, What};

impl Interpreter<'_> {
    /// Follows a call of one of the module's functions.
    pub(super) fn call_closure(&mut self, call: ExprId, closure: Closure, arguments: &Arguments) -> Value {
        let recursive = self.calls.iter().any(|active| active.function == Some(closure.function));
        if recursive || self.calls.len() >= MOST_CALLS || self.exhausted || !self.live {
            let mut graph = NodeSet::default();
            arguments.all().for_each(|value| graph.extend(&self.graph_of(value)));
            return Value { what: What::Unknown, graph: if recursive { NodeSet::default() } else { graph } };
        }
        let context = self.context_of(call);
        self.activate(closure, context, Some(call), arguments)
    }

    /// Runs a function's body in a frame of its own.
    pub(super) fn activate(
        &mut self,
        closure: Closure,
        context: Context,
        call: Option<ExprId>,
        arguments: &Arguments,
    ) -> Value {
        let module = self.module;
        let function = module.function(closure.function);
        self.followed.insert(closure.function);
        let frame = self.frame_of(Scope::Function(closure.function), context, Some(closure.frame));
        self.bind(frame, closure, arguments, call.is_none());
        let grad = self.state.grad;
        let decorated = self.decorated.get(&closure.function).copied();
        if let Some(mode) = decorated {
            self.state.grad = mode;
        }
        self.calls.push(Activation {
            function: Some(closure.function),
            call,
            clock: self.steps,
            loops: self.loops.len(),
            ..Activation::new(frame, context)
        });
        match &function.body {
            FunctionBody::Block(body) => self.run_block(body),
            FunctionBody::Expression(expr) => {
                let value = self.eval(*expr);
                if let Some(activation) = self.calls.last_mut() {
                    activation.result = Some(value);
                }
            }
        }
        let fell_through = self.take_way();
        let Some(activation) = self.calls.pop() else { return Value::default() };
        let ended = fell_through.is_some();
        self.resume(join_ways(fell_through, activation.returned));
        if decorated.is_some() {
            self.state.grad = grad;
        }
        if !self.live {
            // The function always raises, or the budget ran out inside it.
            return Value::default();
        }
        if self.managers.contains(&closure.function) {
            self.state.grad = grad;
            return self.manager(call, activation.yielded.unwrap_or_default(), activation.yielded_under);
        }
        if function.is_generator {
            return self.generator(call, activation.yielded.unwrap_or_default());
        }
        match activation.result {
            Some(result) if ended && matches!(function.body, FunctionBody::Block(_)) => result.join(&none()),
            Some(result) => result,
            None => none(),
        }
    }

    fn generator(&mut self, call: Option<ExprId>, item: Value) -> Value {
        let Some(call) = call else { return Value::default() };
        let object = self.allocate(call, 7, ObjectKind::Bounded(None));
        self.state.set(Place::Items(object), item);
        Value::object(object)
    }

    /// A generator used as a context manager: the grad mode at its `yield` is that of the block.
    fn manager(&mut self, call: Option<ExprId>, item: Value, under: Option<GradMode>) -> Value {
        let manager = self.generator(call, item);
        if let (Some(object), Some(mode)) = (manager.single_object(), under)
            && mode != self.state.grad
        {
            let to = match mode {
                GradMode::On => Some(true),
                GradMode::Off => Some(false),
                GradMode::Unknown => None,
            };
            self.state.set(Place::Flag(object, Flag::Switch), Value::plain(What::GradientSwitch(to)));
        }
        manager
    }

    fn bind(&mut self, frame: FrameId, closure: Closure, arguments: &Arguments, entry: bool) {
        let module = self.module;
        let function = module.function(closure.function);
        let mut positional =
            closure.receiver.map(Value::object).into_iter().chain(arguments.positional.iter().cloned());
        let mut taken: Vec<Symbol> = Vec::new();
        let mut bindings: Vec<(Symbol, Option<Value>)> = Vec::new();
        let mut rest: Option<Value> = None;
        for value in &arguments.rest {
            rest = Some(rest.map_or_else(|| value.clone(), |other| other.join(value)));
        }
        for parameter in &function.parameters {
            let by_name = arguments.keywords.iter().find(|(name, _)| *name == parameter.name);
            let value = match parameter.kind {
                ParameterKind::Variadic => {
                    let items: Vec<Value> = positional.by_ref().collect();
                    (!entry).then(|| self.packed(closure.function, items, rest.as_ref()))
                }
                ParameterKind::VariadicKeywords => {
                    (!entry).then(|| self.packed_keywords(closure.function, arguments, &taken, rest.as_ref()))
                }
                ParameterKind::KeywordOnly => by_name.map(|(_, value)| value.clone()),
                ParameterKind::PositionalOnly | ParameterKind::Either => {
                    positional.next().or_else(|| by_name.map(|(_, value)| value.clone()))
                }
            };
            taken.push(parameter.name);
            let given = value.or_else(|| rest.clone());
            // Whoever calls an entry may give anything, not just its defaults.
            let default = if entry { None } else { parameter.default };
            let value = given.or_else(|| self.default_of(closure, default));
            let annotation = if entry && value.is_none() { parameter.annotation } else { None };
            let value = value.or_else(|| self.annotated(annotation?));
            bindings.push((parameter.name, value));
        }
        for (name, value) in bindings {
            let place = Place::Variable(frame, name);
            match value {
                Some(value) => self.state.set(place, value),
                None => self.state.remove(&place),
            }
        }
        self.forget_locals(frame, closure.function);
    }

    /// What an annotation says that an entry is given.
    fn annotated(&mut self, annotation: ExprId) -> Option<Value> {
        match self.eval(annotation).what {
            What::Class(class, _) => Some(Value::object(self.receiver_for(class)?)),
            What::Library(path) if self.knowledge.call(&path) == Some(CallEffect::Module) => {
                let module = self.allocate(annotation, 0, ObjectKind::Module);
                self.shared.insert(module);
                Some(Value::object(module))
            }
            _ => None,
        }
    }

    /// What an earlier call in the same context left in the function's names is gone.
    fn forget_locals(&mut self, frame: FrameId, function: FunctionId) {
        let parameters: Vec<Symbol> =
            self.module.function(function).parameters.iter().map(|parameter| parameter.name).collect();
        for name in self.scopes.names(Scope::Function(function)) {
            if !parameters.contains(&name) {
                self.state.remove(&Place::Variable(frame, name));
            }
        }
    }

    fn default_of(&mut self, closure: Closure, default: Option<ExprId>) -> Option<Value> {
        let default = default?;
        let frame = closure.frame;
        Some(match &self.module.expr(default).kind {
            ExprKind::Constant(constant) => Value::constant(constant.clone()),
            ExprKind::Name(name) => {
                self.state.get(&Place::Variable(frame, *name)).cloned().unwrap_or_default()
            }
            _ => Value::default(),
        })
    }

    fn packed(&mut self, function: FunctionId, items: Vec<Value>, rest: Option<&Value>) -> Value {
        let object = self.allocate_for(function, 5, ObjectKind::Tuple);
        for (index, item) in items.into_iter().enumerate() {
            let key = Key::Index(i64::try_from(index).unwrap_or(i64::MAX));
            self.state.set(Place::Item(object, key), item);
        }
        if let Some(rest) = rest {
            self.state.set(Place::Items(object), rest.clone());
        }
        Value::object(object)
    }

    fn packed_keywords(
        &mut self,
        function: FunctionId,
        arguments: &Arguments,
        taken: &[Symbol],
        rest: Option<&Value>,
    ) -> Value {
        let object = self.allocate_for(function, 6, ObjectKind::Dict);
        for (name, value) in &arguments.keywords {
            if !taken.contains(name) {
                let key = Key::Text(std::rc::Rc::from(self.module.name(*name)));
                self.state.set(Place::Item(object, key), value.clone());
            }
        }
        if let Some(rest) = rest {
            self.state.set(Place::Items(object), rest.clone());
        }
        Value::object(object)
    }

    /// The object that a parameter's packed arguments are, one for each function in each context.
    fn allocate_for(&mut self, function: FunctionId, tag: u8, kind: ObjectKind) -> ObjectId {
        let key = (u32::MAX - function.0, self.context(), tag);
        let made = crate::python::value::Object { kind, moment: self.moment.clone(), owner: None };
        if let Some(id) = self.object_ids.get(&key).copied() {
            if let Some(object) = self.objects.get_mut(id.0 as usize) {
                *object = made;
            }
            self.state.clear_items(id);
            return id;
        }
        let id = self.new_object(made);
        self.object_ids.insert(key, id);
        id
    }

    pub(super) fn context_of(&mut self, call: ExprId) -> Context {
        let parent = self.context();
        let next = Context(u32::try_from(self.contexts.len() + 1).unwrap_or(u32::MAX));
        *self.contexts.entry((parent, call)).or_insert(next)
    }

    pub(super) fn frame_of(&mut self, scope: Scope, context: Context, parent: Option<FrameId>) -> FrameId {
        if let Some(frame) = self.frame_ids.get(&(scope, context)).copied() {
            if let Some(known) = self.frames.get_mut(frame.0 as usize) {
                known.parent = parent;
            }
            return frame;
        }
        let frame = FrameId(u32::try_from(self.frames.len()).unwrap_or(u32::MAX));
        self.frames.push(Frame { scope, parent });
        self.frame_ids.insert((scope, context), frame);
        frame
    }

    /// The value of a function's definition: the function, as its decorators leave it.
    pub(super) fn define(&mut self, function: FunctionId) -> Value {
        let mut closure = Closure { function, frame: self.frame(), receiver: None };
        let decorators = self.module.function(function).decorators.clone();
        for decorator in decorators.into_iter().rev() {
            // As a decorator, `set_grad_enabled(...)` leaves the mode outside the function alone.
            let grad = self.state.grad;
            let value = self.eval(decorator);
            self.state.grad = grad;
            self.note_decorator(function, &value);
            self.note_foreign_decorator(function, decorator);
            if let What::Function(own) = value.what {
                let given = Arguments::positional(vec![Value::plain(What::Function(closure))]);
                if let What::Function(made) = self.call_closure(decorator, own, &given).what {
                    closure = made;
                    self.wrapped.insert(function, made);
                }
            }
        }
        Value::plain(What::Function(closure))
    }

    /// A decorator that no row knows may switch gradients.
    fn note_foreign_decorator(&mut self, function: FunctionId, decorator: ExprId) {
        let name = match &self.module.expr(decorator).kind {
            ExprKind::Call { callee, .. } => *callee,
            _ => decorator,
        };
        let What::Library(path) = self.eval(name).what else { return };
        if self.knowledge.call(&path).is_none() {
            self.decorated.entry(function).or_insert(GradMode::Unknown);
        }
    }

    /// What a library's decorator makes of a function.
    fn note_decorator(&mut self, function: FunctionId, decorator: &Value) {
        let mode = match &decorator.what {
            What::GradientSwitch(to) => Some(GradMode::switched(*to)),
            What::Library(path) => match self.knowledge.call(path) {
                Some(CallEffect::GradOff | CallEffect::GradOffUnlessFalse) => Some(GradMode::Off),
                Some(CallEffect::GradOn) => Some(GradMode::On),
                Some(CallEffect::Property) => {
                    self.properties.insert(function);
                    None
                }
                Some(CallEffect::ContextManager) => {
                    self.managers.insert(function);
                    None
                }
                _ => None,
            },
            _ => None,
        };
        if let Some(mode) = mode {
            self.decorated.insert(function, mode);
        }
    }

    /// Runs a class's body and notes what it is built on.
    pub(super) fn define_class(&mut self, class: ClassId) -> Value {
        let module = self.module;
        let definition = module.class(class);
        let bases: Vec<Value> = definition
            .bases
            .iter()
            .filter(|base| base.kind == crate::python::syntax::ArgumentKind::Positional)
            .map(|base| self.eval(base.value))
            .collect();
        let outer = self.frame();
        let context = self.context();
        let frame = self.frame_of(Scope::Class(class), context, Some(outer));
        self.classes.insert(class, ClassFacts { frame, bases });
        self.calls.push(Activation {
            function: self.calls.last().and_then(|call| call.function),
            clock: self.steps,
            loops: self.loops.len(),
            ..Activation::new(frame, context)
        });
        self.run_block(&definition.body);
        self.calls.pop();
        self.note_hooks(class);
        Value::plain(What::Class(class, outer))
    }

    /// Methods that a framework calls with gradients off.
    fn note_hooks(&mut self, class: ClassId) {
        let bases = self.base_paths(class);
        for (name, function) in self.scopes.methods(class).to_vec() {
            let text = self.module.name(name);
            if self.knowledge.runs_without_grad(text, bases.iter().map(|base| base.as_deref())) {
                self.decorated.entry(function).or_insert(GradMode::Off);
            }
        }
    }

    /// Makes an instance of one of the module's classes.
    pub(super) fn instantiate(&mut self, expr: ExprId, class: ClassId, arguments: &Arguments) -> Value {
        let object = self.allocate(expr, 0, ObjectKind::Instance(class));
        self.initialize(expr, object, class, arguments);
        Value::object(object)
    }

    pub(super) fn initialize(
        &mut self,
        expr: ExprId,
        object: ObjectId,
        class: ClassId,
        arguments: &Arguments,
    ) {
        let init = self.module.symbol("__init__").and_then(|name| self.method_of(class, name));
        match init {
            Some(init) => {
                self.call_closure(expr, self.bound(init, object), arguments);
            }
            None => self.fill_record(expr, object, class, arguments),
        }
    }

    /// Whether instances of a class are nothing but their fields: a dataclass or the like.
    pub(super) fn is_record(&self, class: ClassId) -> bool {
        self.module.symbol("__init__").and_then(|name| self.method_of(class, name)).is_none()
            && !self.fields(class).is_empty()
    }

    /// The annotated fields of a class and of the classes it is built on, with their defaults.
    fn fields(&self, class: ClassId) -> Vec<(Symbol, Option<ExprId>)> {
        let module = self.module;
        let line = self.line_of(class).into_iter().rev();
        let statements = line.flat_map(|class| module.class(class).body.iter());
        statements
            .filter_map(|stmt| match &module.stmt(*stmt).kind {
                StmtKind::AnnotatedAssign { target, value, .. } => match &module.expr(*target).kind {
                    ExprKind::Name(name) => Some((*name, *value)),
                    _ => None,
                },
                _ => None,
            })
            .collect()
    }

    fn fill_record(&mut self, expr: ExprId, object: ObjectId, class: ClassId, arguments: &Arguments) {
        let fields = self.fields(class);
        for (index, (name, default)) in fields.iter().enumerate() {
            let by_name = arguments.keywords.iter().find(|(keyword, _)| keyword == name);
            let given = arguments.positional.get(index).or(by_name.map(|(_, value)| value));
            let value = match (given, default) {
                (Some(given), _) => Some(given.clone()),
                (None, _) if !arguments.rest.is_empty() => Some(Value::default()),
                (None, Some(default)) => self.made_by_default(expr, *default, index),
                (None, None) => None,
            };
            if let Some(value) = value {
                self.put(Place::Attribute(object, *name), value);
            }
        }
        if fields.is_empty() {
            arguments.all().for_each(|value| self.escape(value));
        }
    }

    /// What `field(default_factory=…)` makes for a new instance.
    fn made_by_default(&mut self, expr: ExprId, default: ExprId, index: usize) -> Option<Value> {
        let ExprKind::Call { callee, arguments } = &self.module.expr(default).kind else { return None };
        let What::Library(path) = self.eval(*callee).what else { return None };
        if self.knowledge.call(&path) != Some(CallEffect::Field) {
            return None;
        }
        let given = self.eval_arguments(arguments);
        let factory = self.keyword(&given, "default_factory")?;
        self.made_by(expr, &factory, 16_u8.saturating_add(u8::try_from(index).unwrap_or(u8::MAX)))
    }
}
