//! The backward pass: nodes from the last to the first, as PyTorch's engine runs them on one device.

use std::rc::Rc;

use super::device::{Kind, Storage};
use super::tape::{Gradient, Node, Rule, Tape};
use super::tensor::{Edge, Target, Tensor};
use crate::memory::weights::Dtype;

impl Tape {
    /// `loss.backward()`.
    pub fn backward(&self, loss: &Tensor) {
        let seed = self.fresh(loss.rows, loss.features, loss.dtype);
        let gradient = Gradient { storage: seed.storage, elements: loss.elements(), dtype: loss.dtype };
        if let Some(edge) = loss.edge {
            self.deliver(edge, gradient);
        }
        let last = self.nodes.borrow().len();
        for place in (0..last).rev() {
            self.run(place);
            self.leave_segments(place);
        }
        self.nodes.borrow_mut().clear();
        self.segments.borrow_mut().clear();
    }

    /// Runs a node that gradients arrived at. What it kept and the gradient it got live until its own are made.
    fn run(&self, place: usize) {
        let arrived = |node: &Node| node.arrived.iter().any(Option::is_some);
        let keeps = match self.nodes.borrow().get(place) {
            Some(node) if arrived(node) => node.keeps > 0,
            _ => return,
        };
        if keeps {
            self.replay_for(place);
        }
        let Some(node) = self.nodes.borrow_mut().get_mut(place).map(std::mem::take) else { return };
        let Some(first) = node.arrived.iter().flatten().next().cloned() else { return };
        let made = self.of_kind(node.kind.unwrap_or(Kind::Activations), || {
            let scratch = (node.scratch > 0).then(|| self.bytes(node.scratch));
            let make = |(edge, rule): &(Edge, Rule)| (*edge, self.gradient(*rule, &first));
            let made: Vec<(Edge, Gradient)> = node.inputs.iter().map(make).collect();
            drop(scratch);
            made.into_iter().map(|(edge, gradient)| (edge, self.fitted(edge, gradient))).collect::<Vec<_>>()
        });
        drop((first, node));
        for (edge, gradient) in made {
            self.deliver(edge, gradient);
        }
    }

    fn gradient(&self, rule: Rule, arrived: &Gradient) -> Gradient {
        match rule {
            Rule::Pass => arrived.clone(),
            Rule::Make { elements, dtype, temporary } => {
                let temporary = (temporary > 0).then(|| self.bytes(temporary));
                let storage = self.elements(elements, dtype);
                drop(temporary);
                Gradient { storage, elements, dtype }
            }
        }
    }

    fn elements(&self, elements: u64, dtype: Dtype) -> Rc<Storage> {
        self.bytes(dtype.of(elements).0)
    }

    /// Sums a gradient over what was broadcast and converts it to the type of what it is for, each in new memory
    /// (`validate_outputs` in torch's `engine.cpp`).
    fn fitted(&self, edge: Edge, mut gradient: Gradient) -> Gradient {
        if gradient.elements > edge.elements {
            let storage = self.elements(edge.elements, gradient.dtype);
            gradient = Gradient { storage, elements: edge.elements, ..gradient };
        }
        if gradient.dtype != edge.dtype {
            let storage = self.elements(gradient.elements, edge.dtype);
            gradient = Gradient { storage, dtype: edge.dtype, ..gradient };
        }
        gradient
    }

    /// Hands a gradient on. Where one is already, both are added into a third; the reference measures it so, although the
    /// engine may add in place where nothing else holds the first.
    fn deliver(&self, edge: Edge, gradient: Gradient) {
        match edge.target {
            Target::Parameter(place) => self.collect(place, gradient),
            Target::Node { node, output } => {
                let before = {
                    let mut nodes = self.nodes.borrow_mut();
                    let slot = nodes.get_mut(node).and_then(|node| node.arrived.get_mut(output));
                    let Some(slot) = slot else { return };
                    slot.take()
                };
                let sum = self.sum(before, gradient);
                let mut nodes = self.nodes.borrow_mut();
                if let Some(slot) = nodes.get_mut(node).and_then(|node| node.arrived.get_mut(output)) {
                    *slot = Some(sum);
                }
            }
        }
    }

    fn sum(&self, before: Option<Gradient>, gradient: Gradient) -> Gradient {
        match before {
            None => gradient,
            Some(before) => {
                let storage = self.elements(gradient.elements, gradient.dtype);
                drop(before);
                Gradient { storage, ..gradient }
            }
        }
    }

    /// A parameter that is used several times waits for all of its gradients.
    fn collect(&self, place: usize, gradient: Gradient) {
        let before = self.parameters.take_waiting(place);
        let sum = self.sum(before, gradient);
        self.parameters.accumulate(place, sum);
    }
}
