//! The parameters of a model. They are those that its operations name, in the order in which they name them: a first pass
//! over nothing declares them, later passes find them again.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use super::device::{Device, Kind, Storage};
use super::tape::Gradient;
use super::tensor::{Edge, Target, Tensor};
use crate::memory::weights::{Dtype, Quantization};

/// Which part of a model parameters belong to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Part {
    /// The model without what a task adds.
    #[default]
    Base,
    /// What a task adds: a classifier, an output head of its own.
    Head,
    /// Low-rank adapters.
    Adapter,
}

/// One parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its last dimension, which is all of it for a vector.
    pub features: u64,
    /// The other dimensions.
    pub rows: u64,
    /// The type of its elements.
    pub dtype: Dtype,
    /// How it is quantized, where it is.
    pub quantized: Option<Quantization>,
    /// Whether it is trained.
    pub trainable: bool,
}

impl Parameter {
    /// The number of elements.
    pub const fn elements(&self) -> u64 {
        self.rows.saturating_mul(self.features)
    }

    /// What it takes, in bytes.
    pub fn bytes(&self) -> u64 {
        self.quantized.map_or_else(|| self.dtype.of(self.elements()), |how| how.of(self.elements())).0
    }
}

/// Which parameters are trained.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trained {
    /// All of them.
    All,
    /// What a task adds to a frozen base.
    Head,
    /// Adapters on a frozen model.
    Adapters,
    /// None.
    Nothing,
}

/// Linear layers whose weights are quantized, by bitsandbytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quantized {
    /// How.
    pub how: Quantization,
    /// The type that they compute in (`bnb_4bit_compute_dtype`).
    pub compute: Dtype,
}

/// Low-rank adapters (`peft.LoraConfig`).
#[derive(Clone, Debug, PartialEq)]
pub struct Adapters {
    /// Their rank.
    pub rank: u64,
    /// The layers that get one, by the last part of their name; `None` for all linear layers but the output head.
    pub targets: Option<Vec<String>>,
    /// The probability that an input is dropped in training.
    pub dropout: f64,
    /// Their type. `peft` makes them float32 where the model is in half precision.
    pub dtype: Dtype,
    /// Whether what a task adds is trained as a whole (`task_type` of a classification, `modules_to_save`).
    pub trains_head: bool,
}

/// The adapter of one layer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Adapter {
    /// Its rank.
    pub rank: u64,
    /// The probability that an input is dropped in training.
    pub dropout: f64,
    /// Its type.
    pub dtype: Dtype,
}

/// The gradient of a parameter.
#[derive(Debug, Default)]
struct Pending {
    /// What is in `.grad`.
    ready: Option<Rc<Storage>>,
    /// What arrived from some of the operations that use it.
    waiting: Option<Gradient>,
    /// How many operations use it that gave no gradient yet.
    uses: usize,
}

/// The parameters of a model.
#[derive(Debug)]
pub struct Parameters {
    dtype: Dtype,
    trained: Trained,
    adapters: Option<Adapters>,
    quantized: Option<Quantized>,
    declared: RefCell<Vec<Parameter>>,
    held: RefCell<Vec<Rc<Storage>>>,
    gradients: RefCell<Vec<Pending>>,
    /// The place of the next one.
    next: Cell<usize>,
    part: Cell<Part>,
    /// What those take that are not declared yet.
    nothing: Rc<Storage>,
}

impl Parameters {
    /// No parameters yet. Those to come are of this type.
    pub fn new(dtype: Dtype, trained: Trained, adapters: Option<Adapters>) -> Self {
        let nothing = Rc::new(Device::default()).allocate(0, Kind::Weights);
        Self {
            dtype,
            trained,
            adapters,
            quantized: None,
            declared: RefCell::default(),
            held: RefCell::default(),
            gradients: RefCell::default(),
            next: Cell::new(0),
            part: Cell::default(),
            nothing,
        }
    }

    /// The same with the weights of linear layers quantized.
    #[must_use]
    pub fn with_quantized(self, quantized: Option<Quantized>) -> Self {
        Self { quantized, ..self }
    }

    /// How the weights of linear layers are quantized, where they are.
    pub fn quantized(&self) -> Option<Quantized> {
        self.quantized.filter(|_| self.part.get() != Part::Head)
    }

    /// The type of those to come.
    pub const fn dtype(&self) -> Dtype {
        self.dtype
    }

    /// The next one, in the type of the model.
    pub fn next(&self, rows: u64, features: u64) -> Tensor {
        self.next_as(rows, features, self.dtype)
    }

    /// The next one, in a type of its own.
    pub fn next_as(&self, rows: u64, features: u64, dtype: Dtype) -> Tensor {
        self.declare(Parameter { rows, features, dtype, quantized: None, trainable: false })
    }

    /// The next one, quantized.
    pub fn next_quantized(&self, rows: u64, features: u64, quantized: Quantized) -> Tensor {
        let Quantized { how, compute } = quantized;
        let parameter = Parameter { rows, features, dtype: compute, quantized: Some(how), trainable: false };
        self.declare(parameter)
    }

    fn declare(&self, parameter: Parameter) -> Tensor {
        let Parameter { rows, features, dtype, quantized, .. } = parameter;
        let place = self.next.replace(self.next.get() + 1);
        let head = self.adapters.as_ref().is_some_and(|adapters| adapters.trains_head);
        let trainable = quantized.is_none()
            && match (self.trained, self.part.get()) {
                (Trained::All, _) | (Trained::Head, Part::Head) | (Trained::Adapters, Part::Adapter) => true,
                (Trained::Adapters, Part::Head) => head,
                (Trained::Head | Trained::Adapters | Trained::Nothing, _) => false,
            };
        let mut declared = self.declared.borrow_mut();
        if place == declared.len() {
            declared.push(Parameter { trainable, ..parameter });
        }
        let elements = rows.saturating_mul(features);
        let edge = trainable.then_some(Edge { target: Target::Parameter(place), elements, dtype });
        let storage = self.held.borrow().get(place).map_or_else(|| Rc::clone(&self.nothing), Rc::clone);
        Tensor { storage, rows, features, dtype, heads_first: false, edge }
    }

    /// The adapter of a layer of this name, where it gets one.
    pub fn adapter(&self, name: &str) -> Option<Adapter> {
        let adapters = self.adapters.as_ref()?;
        if self.part.get() == Part::Head && adapters.trains_head {
            return None;
        }
        let chosen =
            adapters.targets.as_ref().is_none_or(|targets| targets.iter().any(|target| target == name));
        let Adapters { rank, dropout, dtype, .. } = *adapters;
        chosen.then_some(Adapter { rank, dropout, dtype })
    }

    /// Runs what belongs to a part.
    pub fn of_part<T>(&self, part: Part, run: impl FnOnce() -> T) -> T {
        let before = self.part.replace(part);
        let result = run();
        self.part.set(before);
        result
    }

    /// Passes over so many that are there but not used now.
    pub fn skip(&self, count: usize) {
        self.next.set(self.next.get().saturating_add(count));
    }

    /// The place that the next one is found at.
    pub const fn place(&self) -> usize {
        self.next.get()
    }

    /// Goes back, or on, to a place.
    pub fn go_to(&self, place: usize) {
        self.next.set(place);
    }

    /// Puts those that were declared on a device.
    pub fn load(&self, device: &Rc<Device>) {
        let declared = self.declared.borrow();
        let held = declared.iter().map(|parameter| device.allocate(parameter.bytes(), Kind::Weights));
        self.held.replace(held.collect());
        self.gradients.replace(declared.iter().map(|_| Pending::default()).collect());
        self.next.set(0);
    }

    /// Those that were declared.
    pub fn declared(&self) -> Vec<Parameter> {
        self.declared.borrow().clone()
    }

    /// Those that are trained.
    pub fn trained(&self) -> Vec<Parameter> {
        self.declared.borrow().iter().filter(|parameter| parameter.trainable).copied().collect()
    }

    /// Says that an operation uses a parameter whose gradient it will compute.
    pub(super) fn used(&self, edge: Edge) {
        if let Target::Parameter(place) = edge.target
            && let Some(pending) = self.gradients.borrow_mut().get_mut(place)
        {
            pending.uses += 1;
        }
    }

    /// What arrived for a parameter before, while others are still to come.
    pub(super) fn take_waiting(&self, place: usize) -> Option<Gradient> {
        self.gradients.borrow_mut().get_mut(place)?.waiting.take()
    }

    /// Takes a gradient: it waits for those of other uses; the sum of all goes into `.grad`, or is added to what is there.
    pub(super) fn accumulate(&self, place: usize, gradient: Gradient) {
        let mut gradients = self.gradients.borrow_mut();
        let Some(pending) = gradients.get_mut(place) else { return };
        pending.uses = pending.uses.saturating_sub(1);
        if pending.uses > 0 {
            pending.waiting = Some(gradient);
        } else if pending.ready.is_none() {
            gradient.storage.becomes(Kind::Gradients);
            pending.ready = Some(gradient.storage);
        }
    }

    /// `optimizer.zero_grad()`, which lets go of all gradients.
    pub fn zero_gradients(&self) {
        self.gradients.borrow_mut().iter_mut().for_each(|pending| *pending = Pending::default());
    }
}
