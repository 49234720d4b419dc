//! Gradient checkpointing (`torch.utils.checkpoint`, not reentrant): a layer that keeps only its input, and runs again when
//! the backward pass reaches it.

use std::fmt;
use std::rc::Rc;

use super::tape::{Node, Tape};
use super::tensor::Tensor;
use crate::memory::weights::Dtype;

/// A layer: what it does to its input.
pub type Layer = Rc<dyn Fn(&Tape, &Tensor) -> Tensor>;

/// A layer that was run without keeping anything but its input.
pub(super) struct Segment {
    layer: Layer,
    input: Tensor,
    /// Its nodes on the tape.
    nodes: std::ops::Range<usize>,
    /// The place of its first parameter.
    parameters: usize,
    replay: Replay,
    autocast: Option<Dtype>,
    /// Whether it ran again already.
    replayed: bool,
}

impl fmt::Debug for Segment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Segment").field("nodes", &self.nodes).finish_non_exhaustive()
    }
}

/// A segment that runs again: it stops once all that was kept is there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Replay {
    /// The last node that keeps something.
    last: usize,
    /// Whether that is (also) what it computes.
    keeps_output: bool,
}

impl Replay {
    /// Whether all that was kept is there. What an operation keeps of its inputs is there before it computes.
    pub fn is_over(self, nodes: &[Node]) -> bool {
        nodes.len() > self.last || (nodes.len() == self.last && !self.keeps_output)
    }
}

impl Tape {
    /// Runs a layer under checkpointing.
    pub fn checkpointed(&self, layer: Layer, input: Tensor) -> Tensor {
        if !self.records() {
            return layer(self, &input);
        }
        let (first, parameters) = (self.nodes.borrow().len(), self.parameters.place());
        self.keep_nothing.set(true);
        let output = layer(self, &input);
        self.keep_nothing.set(false);
        let nodes = self.nodes.borrow();
        let keeps = nodes.iter().skip(first).enumerate().rfind(|(_, node)| node.keeps > 0);
        if let Some((last, node)) = keeps {
            let replay = Replay { last, keeps_output: node.keeps_output };
            let autocast = self.autocast();
            let nodes = first..nodes.len();
            let segment = Segment { layer, input, nodes, parameters, replay, autocast, replayed: false };
            self.segments.borrow_mut().push(segment);
        }
        output
    }

    /// Runs the segment that a node belongs to again, once, and gives its nodes what they keep.
    pub(super) fn replay_for(&self, node: usize) {
        let (layer, input, autocast, nodes) = {
            let mut segments = self.segments.borrow_mut();
            // The backward pass goes through segments from the last to the first.
            let Some(segment) = segments.last_mut() else { return };
            if segment.replayed || !segment.nodes.contains(&node) {
                return;
            }
            segment.replayed = true;
            self.parameters.go_to(segment.parameters);
            self.replay.replace(Some(segment.replay));
            (Rc::clone(&segment.layer), segment.input.clone(), segment.autocast, segment.nodes.clone())
        };
        let original = self.nodes.take();
        let output = self.under_autocast(autocast, || layer(self, &input));
        drop(output);
        let again = self.nodes.replace(original);
        self.replay.replace(None);
        let mut all = self.nodes.borrow_mut();
        for (node, again) in all.iter_mut().take(nodes.end).skip(nodes.start).zip(again) {
            node.saved = again.saved;
        }
    }

    /// Lets go of the segments that the backward pass is through with.
    pub(super) fn leave_segments(&self, node: usize) {
        let mut segments = self.segments.borrow_mut();
        while segments.last().is_some_and(|segment| segment.nodes.start >= node) {
            segments.pop();
        }
    }
}
