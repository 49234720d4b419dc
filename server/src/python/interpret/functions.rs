//! The module's own functions: following a call into them.

use crate::knowledge::CallEffect;
use crate::python::graph::NodeSet;
use crate::python::interpret::arguments::Arguments;
use crate::python::interpret::statements::none;
use crate::python::interpret::{
    Activation, Context, Interpreter, MOST_CALLS, MOST_STEPS_ELSEWHERE, MOST_STEPS_ELSEWHERE_IN_ALL,
};
use crate::python::scopes::Scope;
use crate::python::state::{GradMode, join_ways};
use crate::python::syntax::{Constant, ExprId, ExprKind, FunctionBody, FunctionId, ParameterKind, Symbol};
use crate::python::value::{
    Closure, Flag, Frame, FrameId, Key, Object, ObjectId, ObjectKind, Place, Value, What,
};

impl Interpreter<'_> {
    /// Follows a call of one of the module's functions.
    pub(super) fn call_closure(&mut self, call: ExprId, closure: Closure, arguments: &Arguments) -> Value {
        let recursive = self.calls.iter().any(|active| active.function == Some(closure.function));
        if recursive || self.calls.len() >= MOST_CALLS || self.exhausted || !self.live {
            let mut graph = NodeSet::default();
            arguments.all().for_each(|value| graph.extend(&self.graph_of(value)));
            let graph = if recursive { NodeSet::default() } else { graph };
            return Value { graph, ..Value::default() };
        }
        if self.module.is_own_function(closure.function) {
            let context = self.context_of(call);
            return self.activate(closure, context, Some(call), arguments);
        }
        let in_all = self.steps_elsewhere_in_all;
        if self.steps_elsewhere >= MOST_STEPS_ELSEWHERE || in_all >= MOST_STEPS_ELSEWHERE_IN_ALL {
            self.record.cut_short_elsewhere = true;
            return self.call_unknown(call, None, arguments);
        }
        self.elsewhere += 1;
        let context = self.context_of(call);
        let result = self.activate(closure, context, Some(call), arguments);
        self.elsewhere -= 1;
        result
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
        self.note_outgoing(closure.function);
        let frame = self.frame_of(Scope::Function(closure.function), context, Some(closure.frame));
        self.bind(frame, closure, arguments, call.is_none());
        let grad = self.state.grad;
        // A decorated coroutine runs after its decorator has gone back to the old mode.
        let decorated = self.decorated.get(&closure.function).copied().filter(|_| !function.is_async);
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
        if self.is_inside_forward() {
            self.record.inside_forward.insert(closure.function);
        }
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
        self.note_yields(object, &item);
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
        let class = self.class_given(closure);
        let receiver = class.or_else(|| closure.receiver.map(Value::object));
        let mut positional = receiver.into_iter().chain(arguments.positional.iter().cloned());
        let mut taken: Vec<Symbol> = Vec::new();
        let mut bindings: Vec<(Symbol, Option<Value>)> = Vec::new();
        let rest = Value::any_of(arguments.rest.iter().cloned());
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
            let value = given.or_else(|| {
                let default = self.default_of(closure, parameter.default);
                if entry { default.and_then(usual_name) } else { default }
            });
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

    /// The class that a class method is given.
    fn class_given(&self, closure: Closure) -> Option<Value> {
        let class = self.scopes.class_of(closure.function)?;
        let is_class_method = self.is_decorated_with(closure.function, "classmethod");
        let frame = self.classes.get(&class)?.frame;
        is_class_method.then(|| Value::plain(What::Class(class, frame)))
    }

    /// What an annotation says that an entry is given.
    fn annotated(&mut self, annotation: ExprId) -> Option<Value> {
        match self.eval(annotation).what {
            What::Class(class, _) => Some(Value::object(self.receiver_for(class))),
            What::Library(path)
                if matches!(self.knowledge.call(&path), Some(CallEffect::Module | CallEffect::Layer)) =>
            {
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
            _ => self.library_path(frame, default).map_or_else(Value::default, |path| Value::library(&path)),
        })
    }

    /// The path of something of a library, such as `torch.float16`, written where a function is defined.
    fn library_path(&self, frame: FrameId, expr: ExprId) -> Option<String> {
        match &self.module.expr(expr).kind {
            ExprKind::Name(name) => match &self.state.get(&Place::Variable(frame, *name))?.what {
                What::Library(path) => Some(path.to_string()),
                _ => None,
            },
            ExprKind::Attribute { object, name, .. } => {
                Some(format!("{}.{}", self.library_path(frame, *object)?, self.module.name(*name)))
            }
            _ => None,
        }
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
        for (name, value) in &arguments.unpacked {
            self.state.set(Place::Item(object, Key::Text(name.clone())), value.clone());
        }
        if let Some(rest) = rest {
            self.state.set(Place::Items(object), rest.clone());
        }
        Value::object(object)
    }

    /// The object that a parameter's packed arguments are, one for each function in each context.
    fn allocate_for(&mut self, function: FunctionId, tag: u8, kind: ObjectKind) -> ObjectId {
        let key = (u32::MAX - function.0, self.context(), tag);
        let made = Object { kind, moment: self.moment.clone(), owner: None };
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
}

/// What an entry is usually given: whoever calls it may give anything, but the name of a model or a device is most
/// often left as it is.
fn usual_name(default: Value) -> Option<Value> {
    match default.what {
        What::Constant(constant) if matches!(*constant, Constant::Text(_)) => {
            Some(Value::plain(What::Default(constant)))
        }
        _ => None,
    }
}
