//! Where tensors lie: followed through moves, operations and forward passes.

use std::rc::Rc;

use crate::knowledge::{CallEffect, Role, StorageEffect};
use crate::python::interpret::Interpreter;
use crate::python::interpret::arguments::Arguments;
use crate::python::interpret::names::BUILTINS;
use crate::python::library_call::{Device, Known};
use crate::python::record::Run;
use crate::python::storage::{Origin, Places, Size, Storage};
use crate::python::syntax::{Constant, ExprId, ExprKind};
use crate::python::value::{Flag, Key, ObjectId, ObjectKind, Place, Value, What};

impl Interpreter<'_> {
    /// Where the tensors of a value lie, those that it holds among them.
    pub(super) fn storage_of(&self, value: &Value) -> Storage {
        let mut stored = value.stored;
        self.each_held(value, &mut |held| stored = stored.join(held.stored));
        stored
    }

    /// Where a call's arguments lie together.
    fn storage_given(&self, arguments: &Arguments) -> Storage {
        arguments.all().fold(Storage::default(), |stored, value| stored.combined(self.storage_of(value)))
    }

    /// Where a value lies itself. What a backward shows to be one number is one.
    pub(super) fn own_storage(&self, value: &Value) -> Storage {
        let is_number = !value.graph.is_empty() && self.is_scalar(value);
        if is_number { value.stored.sized(Size::Number) } else { value.stored }
    }

    /// The place that a device is; `None` where the value is none, such as a type.
    pub(super) fn place_named(&self, device: &Value) -> Option<Places> {
        match Device::named(&self.known(device, 1)) {
            Some(Device::Gpu) => return Some(Places::GPU),
            Some(Device::Host) => return Some(Places::HOST),
            Some(Device::Meta) => return None,
            None => {}
        }
        match &device.what {
            // The number of a card.
            What::Number => Some(Places::GPU),
            What::Library(_) | What::Constant(_) | What::Default(_) | What::Either(_) => None,
            _ if device.stored.places.is_known() => Some(device.stored.places),
            _ => Some(Places::CHOSEN),
        }
    }

    /// The place that a call of `to` moves its receiver to.
    pub(super) fn place_moved_to(&self, arguments: &Arguments) -> Option<Places> {
        let device = self.keyword(arguments, "device");
        device.or_else(|| arguments.positional.first().cloned()).and_then(|device| self.place_named(&device))
    }

    /// A module's parameters are moved.
    pub(super) fn move_module(&mut self, id: ObjectId, method: &str, arguments: &Arguments) {
        let places = match self.knowledge.storage(method) {
            Some(StorageEffect::Gpu) => Some(Places::GPU),
            Some(StorageEffect::Host) => Some(Places::HOST),
            Some(StorageEffect::Moved) => self.place_moved_to(arguments),
            _ => None,
        };
        if let Some(places) = places {
            self.put_on(id, places);
        }
    }

    /// An object's tensors lie in some places now.
    pub(super) fn put_on(&mut self, id: ObjectId, places: Places) {
        let stored = Storage::new(places, Size::Data);
        self.state.set(Place::Flag(id, Flag::Device), Value { stored, ..Value::default() });
    }

    /// Where the parameters of a module lie, or the items of a loader.
    pub(super) fn storage_of_object(&self, id: ObjectId) -> Storage {
        self.inherited(id, Flag::Device).map_or_else(Storage::default, |device| device.stored)
    }

    /// What a framework puts on its device: models, and the batches of loaders.
    pub(super) fn prepared(&mut self, value: &Value) -> Value {
        for id in value.objects() {
            self.put_on(*id, Places::GPU);
        }
        let open = matches!(value.what, What::Unknown | What::Moved);
        let loader = Storage { is_loader: true, ..Storage::new(Places::GPU, Size::Data) };
        let stored = if open { loader } else { value.stored };
        Value { stored, ..value.clone() }
    }

    /// What yields batches that it puts on a device is a loader.
    pub(super) fn note_yields(&mut self, yields: ObjectId, item: &Value) {
        let stored = self.storage_of(item);
        if stored.places.may_be_gpu() && stored.size == Size::Data {
            let known = Value::constant(Constant::Bool(true));
            self.state.set(Place::Flag(yields, Flag::OverData), known);
        }
    }

    /// The tensors of all processes, side by side on each of their devices, in the structure they were given in.
    pub(super) fn gathered(&mut self, expr: ExprId, arguments: &Arguments) -> Value {
        let given = arguments.first();
        let parts = given.single_object().filter(|id| {
            self.object(*id).is_some_and(|object| matches!(object.kind, ObjectKind::Tuple | ObjectKind::Dict))
        });
        let Some(parts) = parts else { return gathered_tensor(self.storage_given(arguments)) };
        let kind = if self.is_dict(parts) { ObjectKind::Dict } else { ObjectKind::Tuple };
        let held: Vec<(Option<Key>, Storage)> =
            self.state.items(parts).map(|(key, part)| (key.cloned(), part.stored)).collect();
        let copy = self.allocate(expr, 0, kind);
        for (key, stored) in held {
            let place = key.map_or(Place::Items(copy), |key| Place::Item(copy, key));
            self.state.set(place, gathered_tensor(stored));
        }
        Value::object(copy)
    }

    fn is_dict(&self, id: ObjectId) -> bool {
        self.object(id).is_some_and(|object| object.kind == ObjectKind::Dict)
    }

    /// A collective operation fills the list that it is given with the tensors of all processes.
    pub(super) fn note_collective(&mut self, path: &str, arguments: &Arguments) {
        let name = path.rsplit('.').next().unwrap_or_default();
        if self.knowledge.storage(name) != Some(StorageEffect::Gathered) {
            return;
        }
        let Some(list) = arguments.positional.first().and_then(Value::single_object) else { return };
        let size = arguments.positional.get(1).map(|given| self.storage_of(given).size).unwrap_or_default();
        let stored = Storage { origin: Origin::Collective, ..Storage::new(Places::GPU, size) };
        self.state.clear_items(list);
        self.state.set(Place::Items(list), Value { stored, ..Value::plain(What::Tensor) });
    }

    /// What a model that makes embeddings of texts returns: tensors on its device only where that is asked for.
    pub(super) fn embedded(&mut self, path: &Rc<str>, method: &str, arguments: &Arguments) -> Value {
        let embeds = self.called_path(path).role == Some(Role::SentenceTransformer)
            && self.knowledge.storage(method) == Some(StorageEffect::Embeds);
        let asked = self.keyword(arguments, "convert_to_tensor").and_then(|asked| asked.truth());
        if !embeds || asked != Some(true) {
            return Value::default();
        }
        self.note_loading(self.storage_given(arguments).from_item);
        let device = self.keyword(arguments, "device").and_then(|device| self.place_named(&device));
        let stored = Storage::new(device.unwrap_or(Places::GPU), Size::Large);
        Value { stored, ..Value::plain(What::Tensor) }
    }

    /// The result of a method of a tensor, with where it lies.
    pub(super) fn stored_by_method(
        &mut self,
        result: Value,
        receiver: &Value,
        name: &str,
        arguments: &Arguments,
    ) -> Value {
        let effect = self.knowledge.storage(name);
        let is_operation = receiver.what.is_tensor() || self.knowledge.method(name).is_some();
        if !is_operation {
            return result;
        }
        let operands = self.own_storage(receiver).combined(self.storage_given(arguments));
        let stored = match effect {
            Some(StorageEffect::Moved) => match self.place_moved_to(arguments) {
                // A type or another tensor's type, most likely.
                Some(Places::CHOSEN) if receiver.stored.places.is_gpu() => {
                    Storage { places: receiver.stored.places | Places::CHOSEN, ..receiver.stored }
                }
                Some(places) => receiver.stored.moved(places),
                None => receiver.stored,
            },
            Some(StorageEffect::Gpu) => receiver.stored.moved(Places::GPU),
            Some(StorageEffect::Host) => receiver.stored.moved(Places::HOST),
            Some(effect) => changed(operands, effect, arguments.len() == 0),
            None => operands,
        };
        self.with_storage(result, stored)
    }

    /// The result of a function of a library on tensors, with where it lies.
    pub(super) fn stored_by_call(
        &mut self,
        expr: ExprId,
        result: Value,
        (path, effect): (&str, Option<CallEffect>),
        arguments: &Arguments,
    ) -> Value {
        let is_plain = effect == Some(CallEffect::NoGraph) && path.starts_with(BUILTINS);
        let Some(effect) = effect.filter(|effect| makes_tensors(*effect) && !is_plain) else { return result };
        let name = path.rsplit('.').next().unwrap_or_default();
        let mut stored = self.storage_given(arguments);
        if let Some(places) = self.keyword(arguments, "device").and_then(|device| self.place_named(&device)) {
            stored = Storage::new(places, stored.size.max(Size::Data));
        } else if effect == CallEffect::NewTensor && !stored.places.is_known() && !self.has_default_device() {
            stored = Storage::new(Places::HOST, Size::Data);
        }
        let stored = match effect {
            CallEffect::Loss if self.reduces(arguments) => stored.sized(Size::Number),
            CallEffect::Loss => stored.sized(stored.size.min(Size::Reduced)),
            _ => match self.knowledge.storage(name) {
                Some(StorageEffect::Host) => stored.moved(Places::HOST),
                Some(effect) => changed(stored, effect, arguments.len() == 1),
                None => stored,
            },
        };
        let grows = effect == CallEffect::Concatenation && self.grows(expr, &result, stored);
        let shaped = self.shaped_by(expr, name, arguments);
        self.with_storage(result, Storage { grown: grows.then_some(expr), shaped, ..stored })
    }

    /// The call that chose the shape of the result of a function of a library.
    fn shaped_by(&mut self, expr: ExprId, name: &str, arguments: &Arguments) -> Option<ExprId> {
        match self.knowledge.storage(name)? {
            StorageEffect::Like => arguments.first().stored.shaped,
            StorageEffect::Sized => {
                let size = self.keyword(arguments, "size");
                let given: Vec<Known> =
                    arguments.positional.iter().chain(&size).map(|value| self.known(value, 1)).collect();
                let as_list = given.iter().find_map(|known| match known {
                    Known::List(sizes) => Some(sizes),
                    _ => None,
                });
                let sizes: Vec<Option<u64>> = as_list.unwrap_or(&given).iter().map(Known::count).collect();
                self.happenings.shapes.insert(expr, sizes.into());
                Some(expr)
            }
            _ => None,
        }
    }

    /// The result of a forward pass, with where it lies: where the module is, or what it was given.
    pub(super) fn stored_by_forward(
        &mut self,
        expr: ExprId,
        result: Value,
        id: ObjectId,
        arguments: &Arguments,
    ) -> Value {
        self.note_inputs(expr);
        let logits = self.logits_of_forward(expr, id, arguments);
        if logits.is_none() && result.stored.places.is_known() {
            return result;
        }
        let given = self.storage_given(arguments);
        let stored = given.combined(self.storage_of_object(id));
        if !matches!(self.object(id).map(|object| &object.kind), Some(ObjectKind::Applies { .. })) {
            let on_gpu = stored.places.may_be_gpu();
            let run = Run { grad: self.state.grad, on_gpu };
            self.record.runs.insert(expr, run);
        }
        let size = match self.object(id).map(|object| &object.kind) {
            Some(ObjectKind::Applies { loss: true }) => Size::Number,
            Some(ObjectKind::Applies { loss: false }) => given.size,
            // Its own code was followed, and what it does with what it is given is in another file.
            Some(ObjectKind::Instance(_)) if self.has_forward(id) => Size::Reduced,
            _ => Size::Large,
        };
        let is_record = self.happenings.maker(id).and_then(|maker| self.happenings.noted.get(maker));
        let origin = match is_record {
            Some(noted) if noted.role == Role::Model && result.what == What::Output => Origin::Record,
            _ => Origin::Other,
        };
        let logits = logits.or(result.stored.logits);
        self.with_storage(result, Storage { origin, logits, ..stored.sized(size) })
    }

    /// Whether the forward pass of a module is in this file.
    fn has_forward(&self, id: ObjectId) -> bool {
        let Some(ObjectKind::Instance(class)) = self.object(id).map(|object| object.kind.clone()) else {
            return false;
        };
        self.module.symbol("forward").is_some_and(|name| self.method_of(class, name).is_some())
    }

    /// What something unknown returns that is called like a model, with one batch.
    pub(super) fn stored_by_unknown(
        &mut self,
        expr: ExprId,
        result: Value,
        called: bool,
        arguments: &Arguments,
    ) -> Value {
        let stored = self.storage_given(arguments);
        let from_item = stored.from_item;
        let result = Value { stored: Storage { from_item, ..result.stored }, ..result };
        let is_device =
            |value: &Value| value.what.is_text() && Device::named(&self.known(value, 0)) == Some(Device::Gpu);
        if from_item && arguments.all().any(is_device) {
            // A function of another file that puts a batch on a device.
            self.note_loading(true);
            return Value { stored: Storage::new(Places::CHOSEN, Size::Data), ..result };
        }
        if !called || arguments.len() != 1 || !stored.places.may_be_gpu() {
            return result;
        }
        self.note_inputs(expr);
        if stored.size != Size::Data {
            return result;
        }
        Value { stored: Storage::new(stored.places | Places::CHOSEN, Size::Large), ..result }
    }

    /// The names that a module is given in a call.
    fn note_inputs(&mut self, call: ExprId) {
        let ExprKind::Call { arguments, .. } = &self.module.expr(call).kind else { return };
        for argument in arguments {
            if let ExprKind::Name(name) = self.module.expr(argument.value).kind {
                let place = Place::Variable(self.home_frame(name), name);
                self.record.inputs.insert(place);
            }
        }
    }

    /// A value that lies somewhere; of a tuple that was just made, its parts.
    fn with_storage(&mut self, value: Value, stored: Storage) -> Value {
        match &value.what {
            What::Number | What::Text | What::Constant(_) | What::Default(_) | What::Library(_) => value,
            What::Objects(objects) => {
                for id in objects {
                    let is_pair = self.object(*id).is_some_and(|object| object.kind == ObjectKind::Tuple);
                    let keys: Vec<Key> = self.state.items(*id).filter_map(|(key, _)| key.cloned()).collect();
                    for key in keys.into_iter().filter(|_| is_pair) {
                        let place = Place::Item(*id, key);
                        if let Some(part) = self.state.get(&place).cloned() {
                            self.state.set(place, Value { stored: part.stored.join(stored), ..part });
                        }
                    }
                }
                value
            }
            _ => Value { stored, ..value },
        }
    }

    /// Whether new tensors may be made on another device than the host.
    fn has_default_device(&self) -> bool {
        ["set_default_device", "set_default_tensor_type"]
            .iter()
            .any(|name| self.module.symbol(name).is_some())
    }

    /// Where an attribute of a value lies that was read as `device`.
    pub(super) fn device_of(&self, object: &Value) -> Value {
        let mut stored = object.stored;
        for id in object.objects() {
            let is_accelerator = match self.object(*id).map(|object| &object.kind) {
                Some(ObjectKind::Inert(path)) => self.knowledge.call(path) == Some(CallEffect::Accelerator),
                _ => false,
            };
            let on_gpu = Storage::new(Places::GPU, Size::Small);
            stored = stored.join(if is_accelerator { on_gpu } else { self.storage_of_object(*id) });
        }
        Value { stored, ..Value::default() }
    }
}

/// A tensor gathered from all processes by a framework.
fn gathered_tensor(given: Storage) -> Value {
    let size = if given.places.is_known() { given.size } else { Size::Data };
    let stored = Storage { origin: Origin::Framework, ..Storage::new(Places::GPU, size) };
    Value { stored, ..Value::plain(What::Tensor) }
}

/// What an operation makes of its operands' storage.
fn changed(operands: Storage, effect: StorageEffect, whole: bool) -> Storage {
    match effect {
        StorageEffect::None => Storage::default(),
        StorageEffect::Small | StorageEffect::Reduced if whole => operands.sized(Size::Number),
        StorageEffect::Small => operands.sized(operands.size.min(Size::Small)),
        StorageEffect::Reduced => operands.sized(operands.size.min(Size::Reduced)),
        StorageEffect::Gpu
        | StorageEffect::Host
        | StorageEffect::Moved
        | StorageEffect::Gathered
        | StorageEffect::Embeds
        | StorageEffect::Sized
        | StorageEffect::Like => operands,
    }
}

/// Whether a library's function works on tensors.
fn makes_tensors(effect: CallEffect) -> bool {
    matches!(
        effect,
        CallEffect::Arithmetic
            | CallEffect::Operation
            | CallEffect::Concatenation
            | CallEffect::Reduction
            | CallEffect::Loss
            | CallEffect::Sum
            | CallEffect::ValuesAndIndices
            | CallEffect::NoGraph
            | CallEffect::NewTensor
            | CallEffect::NewNoise
            | CallEffect::Leaf
    )
}
