//! Tensors without data: how many elements, of which type, in which memory, and where a gradient goes.

use std::rc::Rc;

use super::device::Storage;
use crate::memory::weights::Dtype;

/// A tensor. Views share the storage; what is dropped gives its memory back, as a name that goes out of scope in Python.
#[derive(Clone, Debug)]
pub struct Tensor {
    pub(super) storage: Rc<Storage>,
    /// Everything but the last dimension.
    pub rows: u64,
    /// The last dimension.
    pub features: u64,
    /// The type of its elements.
    pub dtype: Dtype,
    /// Whether it is a view with heads before tokens, which a matrix product has to copy.
    pub heads_first: bool,
    /// Where its gradient goes; `None` when it needs none.
    pub(super) edge: Option<Edge>,
}

/// Where a gradient goes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub target: Target,
    pub elements: u64,
    pub dtype: Dtype,
}

/// Who receives a gradient.
#[derive(Clone, Copy, Debug)]
pub(super) enum Target {
    /// An output of an operation.
    Node { node: usize, output: usize },
    /// A parameter.
    Parameter(usize),
}

impl Tensor {
    /// The number of elements.
    pub const fn elements(&self) -> u64 {
        self.rows.saturating_mul(self.features)
    }

    /// Whether a gradient is computed for it.
    pub const fn needs_gradient(&self) -> bool {
        self.edge.is_some()
    }

    /// The same tensor outside of the graph.
    #[must_use]
    pub fn detached(&self) -> Self {
        Self { edge: None, ..self.clone() }
    }

    /// The same tensor with its heads before its tokens, as a view.
    #[must_use]
    pub fn with_heads_first(self) -> Self {
        Self { heads_first: true, ..self }
    }

    /// Some of its rows, as a view that gradients pass through.
    #[must_use]
    pub fn some_rows(&self, rows: u64) -> Self {
        Self { rows, ..self.clone() }
    }

    /// The same elements in another shape.
    #[must_use]
    pub fn viewed(&self, features: u64) -> Self {
        let features = features.max(1);
        Self { rows: self.elements() / features, features, ..self.clone() }
    }
}

/// The type that two operands are computed in.
pub fn promoted(one: Dtype, other: Dtype) -> Dtype {
    if one == other { one } else { Dtype::Float32 }
}
