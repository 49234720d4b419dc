//! The program's operations as they run: each makes its output in the device's memory and, where gradients are on, leaves a
//! node that keeps what its backward pass needs.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use smallvec::SmallVec;

use super::device::{Device, Kind, Moment, Storage};
use super::parameters::Parameters;
use super::segment::{Replay, Segment};
use super::tensor::{Edge, Target, Tensor};
use crate::memory::weights::Dtype;

/// How a node makes the gradient of one of its inputs.
#[derive(Clone, Copy, Debug)]
pub(super) enum Rule {
    /// It hands on the gradient that it got, in the same memory.
    Pass,
    /// It makes a tensor of so many elements, with temporaries of so many bytes that live until it is made.
    Make { elements: u64, dtype: Dtype, temporary: u64 },
}

/// A gradient on its way.
#[derive(Clone, Debug)]
pub(super) struct Gradient {
    pub storage: Rc<Storage>,
    pub elements: u64,
    pub dtype: Dtype,
}

/// What an operation left for the backward pass.
#[derive(Debug, Default)]
pub(super) struct Node {
    /// What it keeps.
    pub saved: SmallVec<[Rc<Storage>; 4]>,
    /// How many tensors it keeps, or would keep were it not for checkpointing.
    pub keeps: usize,
    /// Whether its outputs are among that.
    pub keeps_output: bool,
    /// Which inputs get a gradient, and how it is made.
    pub inputs: SmallVec<[(Edge, Rule); 2]>,
    /// Bytes that live while all of its gradients are made.
    pub scratch: u64,
    /// What the gradients it makes are for.
    pub kind: Option<Kind>,
    /// The gradients that arrived, by output.
    pub arrived: SmallVec<[Option<Gradient>; 1]>,
}

/// An operation, as it is recorded.
#[derive(Default)]
pub(super) struct Operation<'a> {
    /// Inputs, with how their gradients are made.
    pub inputs: &'a [(&'a Tensor, Rule)],
    /// What is kept when the operation has any gradient to compute.
    pub saved: &'a [&'a Tensor],
    /// Whether its outputs are among that.
    pub keeps_output: bool,
    /// Bytes that live while its gradients are made.
    pub scratch: u64,
}

/// A running program.
#[derive(Debug)]
pub struct Tape {
    pub(super) device: Rc<Device>,
    pub(super) nodes: RefCell<Vec<Node>>,
    pub(super) segments: RefCell<Vec<Segment>>,
    pub(super) replay: RefCell<Option<Replay>>,
    /// The parameters that its operations use.
    pub parameters: Parameters,
    /// Whether nodes keep nothing, because a checkpointed layer runs.
    pub(super) keep_nothing: Cell<bool>,
    /// Whether operations are recorded.
    records: Cell<bool>,
    /// Whether the model is in training mode: dropout drops.
    pub training: bool,
    /// What new tensors are for.
    kind: Cell<Kind>,
    /// The type that autocast computes in.
    autocast: Cell<Option<Dtype>>,
    /// Half copies of parameters that autocast made, by parameter.
    pub(super) casts: RefCell<Vec<(usize, Tensor)>>,
}

impl Tape {
    /// A program in training mode (or not) on a device, with its parameters.
    pub fn new(device: Rc<Device>, parameters: Parameters, training: bool) -> Self {
        Self {
            device,
            nodes: RefCell::default(),
            segments: RefCell::default(),
            replay: RefCell::default(),
            parameters,
            keep_nothing: Cell::new(false),
            records: Cell::new(training),
            training,
            kind: Cell::new(Kind::Activations),
            autocast: Cell::new(None),
            casts: RefCell::default(),
        }
    }

    /// What is left of a program that is over: its parameters.
    pub fn into_parameters(self) -> Parameters {
        self.parameters
    }

    /// Whether operations are recorded for a backward pass.
    pub const fn records(&self) -> bool {
        self.records.get()
    }

    /// Says what the program does from here on.
    pub fn begin(&self, moment: Moment) {
        self.device.begin(moment);
    }

    /// Runs a part whose tensors are of one kind.
    pub fn of_kind<T>(&self, kind: Kind, part: impl FnOnce() -> T) -> T {
        let before = self.kind.replace(kind);
        let result = part();
        self.kind.set(before);
        result
    }

    /// Runs a part under autocast, which lets go of its copies of parameters at the end.
    pub fn under_autocast<T>(&self, dtype: Option<Dtype>, part: impl FnOnce() -> T) -> T {
        let before = self.autocast.replace(dtype);
        let result = part();
        self.autocast.set(before);
        if before.is_none() {
            self.casts.borrow_mut().clear();
        }
        result
    }

    /// The type that autocast computes in, where it is on.
    pub const fn autocast(&self) -> Option<Dtype> {
        self.autocast.get()
    }

    /// Memory for so many bytes. A replayed segment that has all it needs stops before it computes more.
    pub(super) fn bytes(&self, bytes: u64) -> Rc<Storage> {
        let stopped =
            self.replay.borrow().as_ref().is_some_and(|replay| replay.is_over(&self.nodes.borrow()));
        self.device.allocate(if stopped { 0 } else { bytes }, self.kind.get())
    }

    /// A new tensor that no gradient reaches.
    pub fn fresh(&self, rows: u64, features: u64, dtype: Dtype) -> Tensor {
        let storage = self.bytes(dtype.of(rows.saturating_mul(features)).0);
        Tensor { storage, rows, features, dtype, heads_first: false, edge: None }
    }

    /// A tensor that needs a gradient of which nothing comes.
    #[cfg(test)]
    pub fn needing_gradient(&self, rows: u64, features: u64, dtype: Dtype) -> Tensor {
        let edge =
            Edge { target: Target::Parameter(usize::MAX), elements: rows.saturating_mul(features), dtype };
        Tensor { edge: Some(edge), ..self.fresh(rows, features, dtype) }
    }

    /// A new tensor with the shape of another.
    pub(super) fn like(&self, other: &Tensor, dtype: Dtype) -> Tensor {
        let storage = self.bytes(dtype.of(other.elements()).0);
        Tensor { storage, dtype, edge: None, ..other.clone() }
    }

    /// Records an operation with one output.
    pub(super) fn record(&self, mut output: Tensor, operation: &Operation) -> Tensor {
        output.edge = self.node(operation, &[&output]).map(|node| output_edge(node, 0, &output));
        output
    }

    /// Records an operation; the place of its node when a gradient goes through it.
    pub(super) fn node(&self, operation: &Operation, outputs: &[&Tensor]) -> Option<usize> {
        if !self.records.get() {
            return None;
        }
        let edges = operation.inputs.iter().filter_map(|(input, rule)| Some((input.edge?, *rule)));
        let inputs: SmallVec<[(Edge, Rule); 2]> = edges.collect();
        if inputs.is_empty() {
            return None;
        }
        if self.replay.borrow().is_none() {
            inputs.iter().for_each(|(edge, _)| self.parameters.used(*edge));
        }
        let kept = operation.saved.iter().filter(|_| !self.keep_nothing.get());
        let node = Node {
            saved: kept.map(|tensor| Rc::clone(&tensor.storage)).collect(),
            keeps: operation.saved.len(),
            keeps_output: operation.keeps_output,
            inputs,
            scratch: operation.scratch,
            kind: Some(self.kind.get()),
            arrived: outputs.iter().map(|_| None).collect(),
        };
        let mut nodes = self.nodes.borrow_mut();
        nodes.push(node);
        Some(nodes.len() - 1)
    }
}

/// Where the gradient of an output goes.
pub(super) fn output_edge(node: usize, output: usize, tensor: &Tensor) -> Edge {
    Edge { target: Target::Node { node, output }, elements: tensor.elements(), dtype: tensor.dtype }
}
